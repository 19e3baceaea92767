//! What the disk says of all that an index knows: sizes and times, asked for once and used by all who need them.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::Snapshot;
use crate::disk::{Kind, ProjectRoot, Stamp, folder_time};

/// Stamps of what an index knows, in its order; none for what is not there any more, or is something else.
pub(crate) struct Stamps {
    pub(crate) files: Vec<Option<Stamp>>,
    pub(crate) skipped: Vec<Option<Stamp>>,
    /// Whatever stands there.
    pub(crate) rules: Vec<Option<(Kind, Stamp)>>,
    /// Times of folders.
    pub(crate) directories: Vec<Option<i64>>,
}

impl Stamps {
    /// `changed` is told of files that are not as they were, the moment they are met.
    pub(crate) fn read(snapshot: &Snapshot, root: &ProjectRoot, changed: &(dyn Fn(&str) + Sync)) -> Stamps {
        let manifest = snapshot.manifest();
        let on_disk = |path: &str, kind: Kind| {
            let found = if manifest.raw_paths.is_empty() {
                root.stat(Path::new(path))
            } else {
                root.stat(&manifest.on_disk(Path::new(""), path))
            };
            found.filter(|(found, _)| *found == kind).map(|(_, stamp)| stamp)
        };
        let rows = snapshot.document_rows().all();
        Stamps {
            files: rows
                .par_iter()
                .map(|row| {
                    let path = snapshot.string(row.path);
                    let now = on_disk(path, Kind::File);
                    if now != Some(row.stamp()) {
                        changed(path);
                    }
                    now
                })
                .collect(),
            skipped: manifest.skipped.par_iter().map(|skipped| on_disk(&skipped.path, Kind::File)).collect(),
            rules: manifest.rules.par_iter().map(|rule| rule.stat(&manifest.raw_paths, root)).collect(),
            directories: manifest
                .directories
                .par_iter()
                .map(|(path, _)| on_disk(path, Kind::Folder).map(folder_time))
                .collect(),
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
        let stamps = Stamps::read(&snapshot, &ProjectRoot::at(root), changed);
        Seen { snapshot, stamps }
    }
}
