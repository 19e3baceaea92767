//! What the disk says of all that an index knows: sizes and times, asked for once and used by all who need them.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::walk::modified_ns;
use crate::Snapshot;

/// Size and time of a file.
pub(crate) type Stamp = (u64, i64);

/// Stamps of what an index knows, in its order; none for what is not there any more, or is something else.
pub(crate) struct Stamps {
    pub(crate) files: Vec<Option<Stamp>>,
    pub(crate) skipped: Vec<Option<Stamp>>,
    pub(crate) rules: Vec<Option<Stamp>>,
    /// Times of folders.
    pub(crate) directories: Vec<Option<i64>>,
}

impl Stamps {
    /// `changed` is told of files that are not as they were, the moment they are met.
    pub(crate) fn read(snapshot: &Snapshot, root: &Path, changed: &(dyn Fn(&str) + Sync)) -> Stamps {
        let manifest = snapshot.manifest();
        let below = Below::new(root);
        let on_disk = |path: &str| {
            if manifest.raw_paths.is_empty() {
                below.look(Path::new(path))
            } else {
                below.look(&manifest.on_disk(Path::new(""), path))
            }
        };
        let file = |path: &str| on_disk(path).filter(|found| found.kind == Kind::File).map(|found| found.stamp);
        let directory =
            |path: &str| on_disk(path).filter(|found| found.kind == Kind::Folder).map(|found| found.stamp.1);
        let rows = snapshot.document_rows().all();
        Stamps {
            files: rows
                .par_iter()
                .map(|row| {
                    let path = snapshot.string(row.path);
                    let now = file(path);
                    if now != Some((row.size, row.modified_ns)) {
                        changed(path);
                    }
                    now
                })
                .collect(),
            skipped: manifest.skipped.par_iter().map(|skipped| file(&skipped.path)).collect(),
            rules: manifest.rules.par_iter().map(|(path, _)| file(path)).collect(),
            directories: manifest.directories.par_iter().map(|(path, _)| directory(path)).collect(),
        }
    }
}

#[derive(PartialEq)]
enum Kind {
    File,
    Folder,
    Other,
}

struct Found {
    kind: Kind,
    stamp: Stamp,
}

/// The root, held open: the system then walks only what of a path lies below it, once for every file there is.
struct Below<'a> {
    root: &'a Path,
    #[cfg(unix)]
    open: Option<std::fs::File>,
}

impl<'a> Below<'a> {
    fn new(root: &'a Path) -> Below<'a> {
        Below {
            root,
            #[cfg(unix)]
            open: std::fs::File::open(root).ok(),
        }
    }

    /// What stands at a path, which is not followed if it is a link.
    fn look(&self, path: &Path) -> Option<Found> {
        #[cfg(unix)]
        if let Some(open) = self.open.as_ref().filter(|_| !path.as_os_str().is_empty()) {
            use rustix::fs::{AtFlags, FileType};
            let stat = rustix::fs::statat(open, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
            let kind = match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => Kind::File,
                FileType::Directory => Kind::Folder,
                _ => Kind::Other,
            };
            #[allow(clippy::unnecessary_cast, reason = "their types differ from system to system")]
            let (seconds, nanoseconds) = (stat.st_mtime as i64, stat.st_mtime_nsec as i64);
            let modified_ns = seconds.wrapping_mul(1_000_000_000).wrapping_add(nanoseconds);
            return Some(Found { kind, stamp: (stat.st_size as u64, modified_ns) });
        }
        let meta = std::fs::symlink_metadata(self.root.join(path)).ok()?;
        let kind = match () {
            () if meta.is_file() => Kind::File,
            () if meta.is_dir() => Kind::Folder,
            () => Kind::Other,
        };
        Some(Found { kind, stamp: (meta.len(), modified_ns(&meta)) })
    }
}

/// An index and what the disk said of it a moment ago. What changes after that look is found by the next one.
pub struct Seen {
    /// The index that was compared; its tables are whole.
    pub snapshot: Arc<Snapshot>,
    pub(crate) stamps: Stamps,
}

impl Seen {
    /// Looks at every file and folder the index knows. `changed` is told of files that are not as they were, the moment they are met.
    pub fn look(snapshot: Arc<Snapshot>, root: &Path, changed: &(dyn Fn(&str) + Sync)) -> Seen {
        let stamps = Stamps::read(&snapshot, root, changed);
        Seen { snapshot, stamps }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::{Duration, UNIX_EPOCH};

    use super::{Below, Kind, modified_ns};

    #[test]
    fn a_look_below_an_open_folder_says_what_a_look_from_outside_says() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("a/b")).unwrap();
        let below = Below::new(root.path());
        let check = |path: &str, kind: Kind| {
            let meta = std::fs::symlink_metadata(root.path().join(path)).unwrap();
            let found = below.look(Path::new(path)).unwrap();
            assert!(found.kind == kind, "{path}");
            assert_eq!(found.stamp, (meta.len(), modified_ns(&meta)), "{path}");
        };
        for (name, time) in [
            ("now", None),
            ("old", Some(UNIX_EPOCH - Duration::new(3, 7))),
            ("late", Some(UNIX_EPOCH + Duration::new(4_000_000_000, 999_999_999))),
        ] {
            let path = format!("a/b/{name}");
            let file = std::fs::File::create(root.path().join(&path)).unwrap();
            time.map_or(Ok(()), |time| file.set_modified(time)).unwrap();
            check(&path, Kind::File);
        }
        check("a/b", Kind::Folder);
        check("", Kind::Folder);
        assert!(below.look(Path::new("a/c")).is_none());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("b/now", root.path().join("a/link")).unwrap();
            check("a/link", Kind::Other);
        }
    }
}
