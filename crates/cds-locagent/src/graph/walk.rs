//! The graph's walk over a repository: which folders and files become nodes.

use std::io;
use std::path::Path;

/// What one folder or file is in the walk, in the order in which LocAgent meets it when names are listed sorted.
#[derive(Debug)]
pub(crate) enum Found {
    /// A folder with Python in it or below it, by its path.
    Directory(String),
    /// A Python file that is not a link, by its path.
    File(String),
}

/// The walk's result.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub(crate) found: Vec<Found>,
    /// Every `.py` file on disk, also those that are no nodes: an import that leads to one of them is settled, and gives no edge.
    pub(crate) modules: Vec<String>,
    /// Every folder that was looked into.
    pub(crate) directories: Vec<String>,
    /// Links to folders: not walked, but imports see through them.
    pub(crate) linked_directories: Vec<String>,
}

/// Walks a repository.
pub(crate) fn walk(root: &Path) -> io::Result<Walk> {
    let mut walk = Walk::default();
    let mut kept = Kept::default();
    visit(root, "", &mut walk, &mut kept)?;
    kept.close_until(None, &mut walk.found);
    Ok(walk)
}

impl Walk {
    /// Everything whose change may change the graph: folders, because files come and go in them, and Python files.
    pub(crate) fn watched(&self) -> Vec<&Path> {
        // cds's own folder changes whenever it is written to.
        let directories = self.directories.iter().filter(|path| !path.split('/').any(|name| name == ".cds-index"));
        directories.chain(&self.modules).map(Path::new).collect()
    }
}

/// A path with this in it is not part of the graph, wherever it stands: `.github`, and `weird.gitstuff` too.
const SKIPPED: &str = ".git";

fn visit(root: &Path, directory: &str, walk: &mut Walk, kept: &mut Kept) -> io::Result<()> {
    let mut entries: Vec<(String, std::fs::FileType)> = Vec::new();
    for entry in std::fs::read_dir(root.join(directory))? {
        let entry = entry?;
        // A name that is no UTF-8 has no id that could be printed.
        if let Ok(name) = entry.file_name().into_string() {
            entries.push((name, entry.file_type()?));
        }
    }
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let path = |name: &str| if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };

    let skipped = directory.contains(SKIPPED);
    if !skipped {
        walk.directories.push(directory.to_owned());
        kept.open(directory, &mut walk.found);
    }
    let mut has_python = false;
    for (name, kind) in entries.iter().filter(|(name, _)| name.ends_with(".py")) {
        let path = path(name);
        // Python's os.walk takes what is not a folder for a file; a link is followed to know.
        let is_link = kind.is_symlink();
        if kind.is_dir() || (is_link && root.join(&path).is_dir()) {
            continue;
        }
        has_python = true;
        if !is_link && !skipped {
            walk.found.push(Found::File(path.clone()));
        }
        if !is_link || root.join(&path).is_file() {
            walk.modules.push(path);
        }
    }
    if has_python && !skipped {
        kept.mark();
    }
    for (name, kind) in &entries {
        if kind.is_dir() {
            visit(root, &path(name), walk, kept)?;
        } else if kind.is_symlink() && root.join(path(name)).is_dir() {
            walk.linked_directories.push(path(name));
        }
    }
    Ok(())
}

/// Folders that are open in the walk, and whether Python was met since.
///
/// A quirk is kept: "below" is a test of string prefixes against the next folder, so `a` without Python stays when `ab` has some.
#[derive(Default)]
struct Kept {
    open: Vec<(String, usize, bool)>,
}

impl Kept {
    fn open(&mut self, directory: &str, found: &mut Vec<Found>) {
        self.close_until(Some(directory), found);
        if !directory.is_empty() {
            self.open.push((directory.to_owned(), found.len(), false));
            found.push(Found::Directory(directory.to_owned()));
        }
    }

    fn mark(&mut self) {
        self.open.iter_mut().for_each(|(_, _, has_python)| *has_python = true);
    }

    /// Leaves folders that the next one is not below of; those without Python go.
    fn close_until(&mut self, next: Option<&str>, found: &mut Vec<Found>) {
        while let Some((path, at, has_python)) = self.open.last() {
            if next.is_some_and(|next| next.starts_with(path.as_str())) {
                break;
            }
            if !has_python {
                found.remove(*at);
            }
            self.open.pop();
        }
    }
}
