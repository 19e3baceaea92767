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
        let file = |path: &str| {
            let meta = std::fs::symlink_metadata(manifest.on_disk(root, path)).ok()?;
            meta.is_file().then(|| (meta.len(), modified_ns(&meta)))
        };
        let directory = |path: &str| {
            let meta = std::fs::symlink_metadata(manifest.on_disk(root, path)).ok()?;
            meta.is_dir().then(|| modified_ns(&meta))
        };
        let rows = snapshot.document_rows();
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
