//! Which files there are. Folders are listed on every core, each with the rules that count in it; no link is followed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex};

use cds_model::{FileId, ProblemKind};
use rustc_hash::FxHashMap;

use super::ProblemRow;
use super::place::Place;
use super::rules::{Environment, IGNORE_FILES, Layer, MAX_STEPS, Present, RuleFile, RuleState, Rules};
use crate::Snapshot;
use crate::disk::{Folder, Kind, OpenError, ProjectRoot, Stamp, is_racy, now_ns};

/// Folders that are never entered, wherever they stand: version control, environments, caches of tools.
#[rustfmt::skip]
const NEVER: &[&str] = &[
    ".bzr", ".cds-index", ".direnv", ".eggs", ".git", ".gradle", ".hg", ".jj", ".mypy_cache", ".nox", ".pijul",
    ".pytest_cache", ".ruff_cache", ".sl", ".svn", ".terraform", ".tox", ".venv", "CVS", "__pycache__",
    "node_modules", "virtualenv", "_darcs",
];

/// Files with which a folder says of itself that it holds no source.
const MARKS: [&str; 2] = ["pyvenv.cfg", "CACHEDIR.TAG"];

/// A file that may be indexed.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundFile {
    pub(crate) place: Place,
    pub(crate) stamp: Stamp,
    /// Which file of the old generation has its path; see [`Walked::recognise`].
    pub(crate) known: Option<FileId>,
}

impl FoundFile {
    pub(crate) fn path(&self) -> &str {
        &self.place.path
    }

    /// How a file that stayed where it was is found.
    pub(crate) fn known(path: &str, stamp: Stamp) -> FoundFile {
        FoundFile { place: Place::known(path, None), stamp, known: None }
    }
}

#[derive(Clone, Default)]
pub(crate) struct Walked {
    /// Sorted by path.
    pub(crate) files: Vec<FoundFile>,
    /// Folders entered, with the times of their last changes, sorted.
    pub(crate) directories: Vec<(String, i64)>,
    /// Folders that may have changed since without their times showing it, with a hash of what was in them.
    pub(crate) racy_directories: BTreeMap<String, u64>,
    pub(crate) problems: Vec<ProblemRow>,
    /// The bytes of paths that are not UTF-8, by how they are written.
    pub(crate) raw_paths: BTreeMap<String, Vec<u8>>,
    /// Files that decide what is indexed, sorted by path.
    pub(crate) rules: Vec<RuleFile>,
    /// How many files were found and are left for later.
    pub(crate) left: usize,
}

impl Walked {
    /// Tells files which they are in the old generation. Both lists are in order of path.
    pub(crate) fn recognise(&mut self, old: &Snapshot) {
        let mut documents = old.documents().peekable();
        for file in &mut self.files {
            while documents.next_if(|known| known.path() < file.place.path.as_str()).is_some() {}
            file.known = documents.next_if(|known| known.path() == file.place.path).map(|known| known.id);
        }
    }

    /// Adds what was found elsewhere; [`Walked::sort`] puts it in order.
    pub(crate) fn add(&mut self, mut more: Walked) {
        self.files.append(&mut more.files);
        self.directories.append(&mut more.directories);
        self.racy_directories.append(&mut more.racy_directories);
        self.problems.append(&mut more.problems);
        self.rules.append(&mut more.rules);
        for (path, raw) in more.raw_paths {
            self.add_raw(path, raw);
        }
    }

    /// Of paths written alike the least is kept, as among files.
    fn add_raw(&mut self, path: String, raw: Vec<u8>) {
        let known = self.raw_paths.entry(path).or_insert_with(|| raw.clone());
        *known = raw.min(std::mem::take(known));
    }

    pub(crate) fn sort(&mut self) {
        keep_one_of_a_name(self);
        self.directories.sort_unstable();
        self.directories.dedup_by(|a, b| a.0 == b.0);
        self.problems.sort_unstable_by(|a, b| (&a.path, &a.reason, &a.detail).cmp(&(&b.path, &b.reason, &b.detail)));
        self.problems.dedup();
        self.rules.sort_unstable();
        self.rules.dedup_by(|a, b| a.path == b.path);
    }
}

/// Names that are not UTF-8 may be written alike. One file can have the name; the others are problems.
fn keep_one_of_a_name(walked: &mut Walked) {
    // Runs that are in order each: no work for a sort that looks for them.
    walked.files.sort_by(|a, b| (a.path(), &a.place.raw).cmp(&(b.path(), &b.place.raw)));
    let Walked { files, problems, .. } = walked;
    files.dedup_by(|file, kept| {
        let is_double = file.path() == kept.path();
        if is_double && file.place.raw != kept.place.raw {
            let detail = format!(
                "{:?} is not UTF-8 and is written like {:?}, which is indexed: rename one of them",
                file.place.on_disk().file_name().unwrap_or_default(),
                kept.place.on_disk().file_name().unwrap_or_default()
            );
            problems.push(ProblemRow::new(file.path(), ProblemKind::SameName, detail));
        }
        is_double
    });
}

/// Walks `root` by the rules of git, `.ignore` and `.cdsignore`.
pub(crate) fn walk(root: &ProjectRoot, home: &Path) -> Walked {
    walk_with(Walker::new(root, home))
}

fn walk_with(walker: Walker) -> Walked {
    let mut walked = walker.tree(Place::root());
    walked.add(walker.finish());
    walked.sort();
    walked
}

/// Lists folders.
pub(crate) struct Walker<'a> {
    root: &'a ProjectRoot,
    /// The index itself, if it lies inside the root.
    home: Option<&'a Path>,
    rules: Rules<'a>,
    /// The rules above the root, and those of folders that were asked for.
    layers: Mutex<FxHashMap<String, Arc<Layer>>>,
    above_root: Arc<Layer>,
}

/// A folder that was listed.
struct Listed {
    found: Walked,
    /// Folders in it that are to be entered.
    folders: Vec<Place>,
    layer: Arc<Layer>,
}

impl<'a> Walker<'a> {
    pub(crate) fn new(root: &'a ProjectRoot, home: &'a Path) -> Walker<'a> {
        Walker::with(root, home, Environment::of_process())
    }

    fn with(root: &'a ProjectRoot, home: &'a Path, environment: Environment<'a>) -> Walker<'a> {
        let rules = Rules::new(root, environment);
        let above_root = rules.above_root();
        let home = home.strip_prefix(root.path()).ok();
        Walker { root, home, rules, layers: Mutex::default(), above_root }
    }

    /// The rules of the folders above one.
    fn layer_above(&self, place: &Place) -> Arc<Layer> {
        let mut layers = self.layers.lock().expect("no visitor panics");
        let mut layer = Arc::clone(&self.above_root);
        let mut at = Place::root();
        for part in place.on_disk().components() {
            let known = layers.entry(at.path.clone()).or_insert_with(|| self.rules.look_into(&layer, &at));
            layer = Arc::clone(known);
            at = at.child(part.as_os_str());
        }
        layer
    }

    /// What is known of rules after walking.
    pub(crate) fn finish(self) -> Walked {
        let notes = self.rules.into_notes();
        let mut walked = Walked { problems: notes.problems, rules: notes.files, ..Walked::default() };
        for (path, raw) in notes.raw_paths {
            walked.add_raw(path, raw);
        }
        walked
    }

    /// A folder and all below it, in no order.
    pub(crate) fn tree(&self, folder: Place) -> Walked {
        let walked = Mutex::new(Walked::default());
        let above = self.layer_above(&folder);
        rayon::scope(|scope| self.enter(scope, &walked, folder, above));
        walked.into_inner().expect("no visitor panics")
    }

    fn enter<'s>(&'s self, scope: &rayon::Scope<'s>, walked: &'s Mutex<Walked>, folder: Place, above: Arc<Layer>) {
        let Listed { found, folders, layer } = self.list(&folder, &above);
        for folder in folders {
            let layer = Arc::clone(&layer);
            scope.spawn(move |scope| self.enter(scope, walked, folder, layer));
        }
        walked.lock().expect("no visitor panics").add(found);
    }

    /// What is directly in a folder, with the folders in it that are to be entered.
    pub(crate) fn shallow(&self, folder: &Place) -> (Walked, Vec<Place>) {
        let Listed { found, folders, .. } = self.list(folder, &self.layer_above(folder));
        (found, folders)
    }

    fn list(&self, place: &Place, above: &Arc<Layer>) -> Listed {
        let nothing = |found: Walked| Listed { found, folders: Vec::new(), layer: Arc::clone(above) };
        let refused = |error: &OpenError| {
            let row = ProblemRow::new(
                place.path.clone(),
                folder_problem(error),
                format!("{error}: the folder is not entered"),
            );
            nothing(Walked { problems: vec![row], ..Walked::default() })
        };
        let now = now_ns();
        let folder = match self.root.folder(place.on_disk()) {
            Ok(folder) => folder,
            // It was removed meanwhile, which the time of the folder above shows.
            Err(OpenError::NotFound) => return nothing(Walked::default()),
            Err(error) => return refused(&error),
        };
        let mut entries = match folder.entries() {
            Ok(entries) => entries,
            Err(error) => return refused(&error),
        };
        let is_mark = |(name, kind): &&(OsString, Kind)| *kind == Kind::File && MARKS.iter().any(|mark| name == mark);
        if let Some((name, _)) = entries.iter().find(is_mark).filter(|_| !place.is_root()) {
            // A folder that is no longer marked is entered.
            return nothing(marked(place, &folder, name));
        }
        let mut found = Walked::default();
        if is_racy(folder.time(), now) {
            found.racy_directories.insert(place.path.clone(), hash_of(&mut entries));
        }
        found.directories.push((place.path.clone(), folder.time()));
        if let Some(raw) = place.raw_bytes() {
            found.add_raw(place.path.clone(), raw);
        }
        let mut present = Present::default();
        for (name, _) in &entries {
            present.add(name);
        }
        let layer = self.rules.enter(above, place, &folder, present);
        let mut folders = Vec::new();
        let mut undecided = 0;
        for (name, kind) in entries {
            let is_folder = kind == Kind::Folder;
            let is_never = is_folder && name.to_str().is_some_and(is_never_entered);
            // A submodule's `.git` is a file.
            if is_never || name == ".git" {
                continue;
            }
            let entry = place.child(&name);
            if is_folder && self.home == Some(entry.on_disk()) {
                continue;
            }
            match layer.leaves_out(entry.bytes(), is_folder) {
                Some(true) => continue,
                Some(false) => {}
                None => undecided += 1,
            }
            match kind {
                Kind::Folder => folders.push(entry),
                Kind::File => match folder.stat(&name) {
                    Ok((Kind::File, stamp)) => {
                        if let Some(raw) = entry.raw_bytes() {
                            found.add_raw(entry.path.clone(), raw);
                        }
                        found.files.push(FoundFile { place: entry, stamp, known: None });
                    }
                    Ok((other, _)) => found.problems.push(not_regular(&folder, &name, entry.path, other)),
                    // It was removed meanwhile, which the folder's time shows.
                    Err(OpenError::NotFound) => {}
                    Err(e) => found.problems.push(ProblemRow::new(entry.path, e.problem(), e.to_string())),
                },
                other => found.problems.push(not_regular(&folder, &name, entry.path, other)),
            }
        }
        if undecided > 0 {
            let detail = format!(
                "ignore rules are not applied to {undecided} of its entries: comparing a path with them takes more than the limit of {MAX_STEPS} steps"
            );
            found.problems.push(ProblemRow::new(place.path.clone(), ProblemKind::RulesRejected, detail));
        }
        Listed { found, folders, layer }
    }
}

/// What is remembered of a folder that is marked as holding no source.
fn marked(place: &Place, folder: &Folder, name: &OsString) -> Walked {
    let mark = place.child(name);
    let state = match folder.stat(name) {
        Ok((Kind::File, stamp)) => RuleState::File { stamp, hash: 0, racy: false },
        _ => RuleState::Absent,
    };
    let mut found = Walked::default();
    if let Some(raw) = mark.raw_bytes() {
        found.add_raw(mark.path.clone(), raw);
    }
    found.rules.push(RuleFile { path: mark.path, state });
    found
}

fn folder_problem(error: &OpenError) -> ProblemKind {
    match error {
        OpenError::Symlink => ProblemKind::Symlink,
        _ => ProblemKind::Unreadable,
    }
}

fn not_regular(folder: &Folder, name: &OsString, path: String, kind: Kind) -> ProblemRow {
    let rules = if IGNORE_FILES.iter().any(|known| name == known) { ": its rules do not apply" } else { "" };
    match kind {
        Kind::Link => {
            let detail = format!("link to {}, not followed{rules}", folder.link(name).display());
            ProblemRow::new(path, ProblemKind::Symlink, detail)
        }
        other => ProblemRow::new(path, ProblemKind::SpecialFile, format!("{}, not read{rules}", other.shown())),
    }
}

/// Of the names and kinds of a folder's entries, in whatever order they came.
fn hash_of(entries: &mut [(OsString, Kind)]) -> u64 {
    use std::hash::{Hash, Hasher};
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let mut hasher = rustc_hash::FxHasher::default();
    for (name, kind) in entries {
        name.as_encoded_bytes().hash(&mut hasher);
        kind.hash(&mut hasher);
    }
    hasher.finish()
}

/// The same of a folder as it is now; none where it cannot be read.
pub(crate) fn entries_hash(root: &ProjectRoot, folder: &Path) -> Option<u64> {
    Some(hash_of(&mut root.folder(folder).ok()?.entries().ok()?))
}

/// Whether a folder of this name is never entered.
pub fn is_never_entered(name: &str) -> bool {
    NEVER.contains(&name)
}

/// Whether a folder says of itself that it holds no source.
pub(crate) fn is_marked(root: &ProjectRoot, folder: &str) -> bool {
    let is_file = |name: &str| root.stat(&Path::new(folder).join(name)).is_some_and(|(kind, _)| kind == Kind::File);
    MARKS.iter().any(|name| is_file(name))
}

#[cfg(test)]
mod tests;
