//! Which files there are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::UNIX_EPOCH;

use cds_model::{FileId, ProblemKind};
use ignore::{WalkBuilder, WalkState};
use rayon::prelude::*;

use super::ProblemRow;
use super::stamps::Stamp;
use crate::Snapshot;

/// Folders that are never entered, wherever they stand: version control, environments, caches of tools.
#[rustfmt::skip]
const NEVER: &[&str] = &[
    ".bzr", ".cds-index", ".direnv", ".eggs", ".git", ".gradle", ".hg", ".jj", ".mypy_cache", ".nox", ".pijul",
    ".pytest_cache", ".ruff_cache", ".sl", ".svn", ".terraform", ".tox", ".venv", "CVS", "__pycache__",
    "node_modules", "virtualenv", "_darcs",
];

/// A file that may be indexed.
#[derive(Clone, Debug)]
pub(crate) struct FoundFile {
    pub(crate) path: String,
    pub(crate) absolute: PathBuf,
    pub(crate) size: u64,
    pub(crate) modified_ns: i64,
    /// When anything about it changed last, its name included, in seconds since 1970; 0 where that is not known.
    pub(crate) touched: i64,
    /// Whether it was touched since the old generation was written, so that its time alone does not tell: another file may stand in its place.
    pub(crate) doubted: bool,
    /// Which file of the old generation has its path; see [`Walked::recognise`].
    pub(crate) known: Option<FileId>,
}

#[derive(Clone, Default)]
pub(crate) struct Walked {
    /// Sorted by path.
    pub(crate) files: Vec<FoundFile>,
    /// Folders entered, with modification times, sorted.
    pub(crate) directories: Vec<(String, i64)>,
    pub(crate) problems: Vec<ProblemRow>,
    /// The bytes of paths that are not UTF-8, by how they are written.
    pub(crate) raw_paths: BTreeMap<String, Vec<u8>>,
    /// Files of rules that are not among the files, by path: rules may leave out their own file, or lie outside.
    pub(crate) rules: Vec<(String, Stamp)>,
    /// How many files were found and are left for later.
    pub(crate) left: usize,
}

impl Walked {
    /// Tells files which they are in the old generation. Both lists are in order of path.
    pub(crate) fn recognise(&mut self, old: &Snapshot) {
        let mut documents = old.documents().peekable();
        for file in &mut self.files {
            while documents.next_if(|known| known.path() < file.path.as_str()).is_some() {}
            file.known = documents.next_if(|known| known.path() == file.path).map(|known| known.id);
            file.doubted = file.touched >= old.manifest().built;
        }
    }
}

/// Files that say what is not indexed.
pub(crate) const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".cdsignore"];

/// The stamp of a file of rules that is not there, and would count if it were.
pub(crate) const ABSENT: Stamp = (0, i64::MIN);

/// Files with which a folder says of itself that it holds no source.
const MARKS: [&str; 2] = ["pyvenv.cfg", "CACHEDIR.TAG"];

/// What git leaves out of one clone alone.
const EXCLUDE: &str = ".git/info/exclude";

/// Files of rules of a folder, whether or not rules leave them out.
pub(crate) fn rules_of<'a>(root: &'a Path, folder: &'a str) -> impl Iterator<Item = (String, Stamp)> + 'a {
    let names = IGNORE_FILES.into_iter().chain(folder.is_empty().then_some(EXCLUDE));
    names.filter_map(move |name| {
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let meta = std::fs::symlink_metadata(root.join(&path)).ok().filter(std::fs::Metadata::is_file)?;
        Some((path, (meta.len(), modified_ns(&meta))))
    })
}

/// Files of rules outside the root, by absolute path, whether they are there or not: those of the folders above it, and the user's own with
/// the settings that say where they are.
fn rules_outside(root: &Path) -> impl Iterator<Item = (String, Stamp)> {
    let above = root.ancestors().skip(1);
    let above = above.flat_map(|folder| IGNORE_FILES.into_iter().chain([EXCLUDE]).map(move |name| folder.join(name)));
    let home = std::env::home_dir().unwrap_or_default();
    let config = std::env::var_os("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
    let own = [home.join(".gitconfig"), config.join("git/config")].into_iter();
    let own = own.chain(ignore::gitignore::gitconfig_excludes_path());
    let stamp = |path: &Path| std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file);
    above.chain(own).filter(|path| path.is_absolute()).map(move |path| {
        let stamp = stamp(&path).map_or(ABSENT, |meta| (meta.len(), modified_ns(&meta)));
        (path.to_string_lossy().into_owned(), stamp)
    })
}

/// Walks `root` by the rules of git's whole exclude chain, `.ignore` and `.cdsignore`.
pub(crate) fn walk(root: &Path, home: &Path) -> Walked {
    let mut walked = walk_below(root, home, root, None);
    keep_one_of_a_name(&mut walked);
    walked.directories.sort_unstable();
    walked.directories.dedup_by(|a, b| a.0 == b.0);
    walked.problems.sort_unstable_by(|a, b| (&a.path, &a.detail).cmp(&(&b.path, &b.detail)));
    let Walked { files, directories, .. } = &walked;
    let is_found = |path: &str| files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok();
    let rules = directories.par_iter().flat_map_iter(|(folder, _)| rules_of(root, folder));
    let mut rules: Vec<(String, Stamp)> = rules.filter(|(path, _)| !is_found(path)).collect();
    rules.extend(rules_outside(root));
    rules.append(&mut walked.rules);
    rules.sort_unstable();
    rules.dedup_by(|a, b| a.0 == b.0);
    walked.rules = rules;
    walked
}

/// The same of a folder below the root, down to a depth, in no order.
pub(crate) fn walk_below(root: &Path, home: &Path, folder: &Path, depth: Option<usize>) -> Walked {
    let walked = Mutex::new(Walked::default());
    let marks: Arc<Mutex<Vec<(String, Stamp)>>> = Arc::default();
    let (home, marked, above) = (home.to_owned(), Arc::clone(&marks), root.to_owned());
    let threads = if depth.is_some() { 1 } else { rayon::current_num_threads().min(8) };
    let walker = WalkBuilder::new(folder)
        .hidden(false)
        .require_git(false)
        .add_custom_ignore_filename(".cdsignore")
        .follow_links(false)
        .filter_entry(move |entry| {
            let is_entered = entry.depth() == 0 || !never_entered(entry, &home);
            if !is_entered && let Some((path, meta)) = mark_of(entry.path()) {
                let mark = (relative(&above, &path), (meta.len(), modified_ns(&meta)));
                marked.lock().expect("no visitor panics").push(mark);
            }
            is_entered
        })
        .max_depth(depth)
        .threads(threads)
        .build_parallel();
    walker.run(|| {
        let walked = &walked;
        Box::new(move |entry| {
            let mut seen = walked.lock().expect("no visitor panics");
            match entry {
                Ok(entry) => visit(&mut seen, root, &entry),
                Err(e) => seen.problems.push(walk_problem(root, &e)),
            }
            WalkState::Continue
        })
    });
    let mut walked = walked.into_inner().expect("no visitor panics");
    // A folder that is no longer marked is entered.
    walked.rules = std::mem::take(&mut marks.lock().expect("no visitor panics"));
    walked
}

/// Names that are not UTF-8 may be written alike. One file can have the name; the others are problems.
fn keep_one_of_a_name(walked: &mut Walked) {
    walked.files.sort_unstable_by(|a, b| (&a.path, &a.absolute).cmp(&(&b.path, &b.absolute)));
    let Walked { files, problems, .. } = walked;
    files.dedup_by(|file, kept| {
        let is_double = file.path == kept.path;
        if is_double {
            let kind = ProblemKind::SameName;
            let detail = format!(
                "{:?} is not UTF-8 and is written like {:?}, which is indexed: rename one of them",
                file.absolute.file_name().unwrap_or_default(),
                kept.absolute.file_name().unwrap_or_default()
            );
            let (path, reason) = (file.path.clone(), kind.name().to_owned());
            problems.push(ProblemRow { path, reason, detail, skipped: true, stamp: None });
        }
        is_double
    });
}

/// Whether a folder of this name is never entered.
pub fn is_never_entered(name: &str) -> bool {
    NEVER.contains(&name)
}

pub(crate) fn never_entered(entry: &ignore::DirEntry, home: &Path) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_dir = entry.file_type().is_some_and(|t| t.is_dir());
    // A submodule's `.git` is a file.
    if name == ".git" {
        return true;
    }
    is_dir && (NEVER.contains(&name.as_ref()) || entry.path() == home || is_marked(entry.path()))
}

/// Whether a folder says of itself that it holds no source.
pub(crate) fn is_marked(folder: &Path) -> bool {
    mark_of(folder).is_some()
}

fn mark_of(folder: &Path) -> Option<(PathBuf, std::fs::Metadata)> {
    MARKS.iter().map(|name| folder.join(name)).find_map(|path| Some((path.clone(), std::fs::metadata(path).ok()?)))
}

fn visit(walked: &mut Walked, root: &Path, entry: &ignore::DirEntry) {
    let Some(kind) = entry.file_type() else { return };
    let path = relative(root, entry.path());
    let problem = |kind: ProblemKind, detail: String| ProblemRow {
        path: path.clone(),
        reason: kind.name().to_owned(),
        detail,
        skipped: kind.skips_file(),
        stamp: None,
    };
    if kind.is_symlink() {
        let target = std::fs::read_link(entry.path()).unwrap_or_default();
        let row = problem(ProblemKind::Symlink, format!("link to {}, not followed", target.display()));
        walked.problems.push(row);
        return;
    }
    let meta = match entry.metadata() {
        Ok(meta) => meta,
        Err(e) => {
            walked.problems.push(problem(ProblemKind::Unreadable, e.to_string()));
            return;
        }
    };
    if let Some(raw) = raw_path(root, entry.path()) {
        // Of paths written alike the least is kept, as among files.
        let known = walked.raw_paths.entry(path.clone()).or_insert_with(|| raw.clone());
        *known = raw.min(std::mem::take(known));
    }
    if kind.is_dir() {
        walked.directories.push((path, modified_ns(&meta)));
    } else if kind.is_file() {
        let absolute = entry.path().to_owned();
        let (size, modified_ns) = (meta.len(), modified_ns(&meta));
        let touched = touched(&meta);
        walked.files.push(FoundFile { path, absolute, size, modified_ns, touched, doubted: false, known: None });
    }
    // Sockets, pipes and devices are not text.
}

fn touched(meta: &std::fs::Metadata) -> i64 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::ctime(meta);
    #[cfg(not(unix))]
    {
        let _ = meta;
        0
    }
}

/// When a file was last changed, in nanoseconds since 1970; earlier times are negative.
pub fn modified_ns(meta: &std::fs::Metadata) -> i64 {
    match meta.modified().map(|time| time.duration_since(UNIX_EPOCH)) {
        Ok(Ok(after)) => after.as_nanos() as i64,
        Ok(Err(before)) => -(before.duration().as_nanos() as i64),
        Err(_) => 0,
    }
}

fn walk_problem(root: &Path, error: &ignore::Error) -> ProblemRow {
    let path = error_path(error).map(|p| relative(root, p)).unwrap_or_default();
    let kind = ProblemKind::Unreadable;
    ProblemRow { path, reason: kind.name().to_owned(), detail: error.to_string(), skipped: true, stamp: None }
}

fn error_path(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } => error_path(err),
        _ => None,
    }
}

fn relative(root: &Path, path: &Path) -> String {
    let path = path.strip_prefix(root).unwrap_or(path);
    let text = path.to_string_lossy();
    if std::path::MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace(std::path::MAIN_SEPARATOR, "/") }
}

/// The bytes of a path below the root that is not UTF-8; elsewhere than on Unix such names are found as they are written.
fn raw_path(root: &Path, path: &Path) -> Option<Vec<u8>> {
    let path = path.strip_prefix(root).unwrap_or(path);
    #[cfg(unix)]
    if path.to_str().is_none() {
        return Some(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec());
    }
    let _ = path;
    None
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::walk_problem;

    #[test]
    fn what_cannot_be_entered_is_told_with_its_path() {
        let check = |error: ignore::Error, path: &str, detail: &str| {
            let row = walk_problem(Path::new("/project"), &error);
            assert_eq!((row.path.as_str(), row.reason.as_str(), row.skipped), (path, "unreadable", true));
            assert!(row.detail.contains(detail), "{}", row.detail);
        };
        let refused = || ignore::Error::Io(std::io::Error::from(std::io::ErrorKind::PermissionDenied));
        let at = |path: &str| ignore::Error::WithPath { path: path.into(), err: Box::new(refused()) };
        check(at("/project/a/locked"), "a/locked", "permission denied");
        check(at("/elsewhere"), "/elsewhere", "permission denied");
        check(ignore::Error::WithDepth { depth: 2, err: Box::new(at("/project/b")) }, "b", "permission denied");
        check(refused(), "", "permission denied");
    }
}
