//! Whether an index still says what the disk says, by times and sizes alone.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::walk::{FoundFile, Walked, modified_ns};
use super::{BuildOptions, prepare};
use crate::{DocumentView, Snapshot};

/// What a look at the disk found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Nothing changed.
    Fresh,
    /// This many files or folders changed; at least one.
    Stale(usize),
    /// The settings decide another content.
    Settings,
}

/// Looks at every folder and file the index knows. New and deleted files show in their folder's time, ignore files are files.
pub fn check(snapshot: &Snapshot, root: &Path, options: &BuildOptions) -> Freshness {
    let manifest = snapshot.manifest();
    if !manifest.fingerprint.starts_with(&options.settings_fingerprint()) {
        return Freshness::Settings;
    }
    let changed = AtomicUsize::new(0);
    let differs = |path: &str, same: &dyn Fn(&std::fs::Metadata) -> bool| {
        let meta = std::fs::symlink_metadata(root.join(path));
        if !meta.is_ok_and(|m| same(&m)) {
            changed.fetch_add(1, Ordering::Relaxed);
        }
    };
    manifest.directories.par_iter().for_each(|(path, time)| differs(path, &|m| modified_ns(m) == *time));
    (0..snapshot.file_count() as u32).into_par_iter().for_each(|i| {
        let Some(document) = snapshot.document(cds_model::FileId(i)) else { return };
        differs(document.path(), &|m| {
            let same = m.len() == document.size() && modified_ns(m) == document.modified_ns();
            same && (!document.is_racy() || same_bytes(&root.join(document.path()), document))
        });
    });
    match changed.into_inner() {
        0 => Freshness::Fresh,
        n => Freshness::Stale(n),
    }
}

/// Times tell, unless they are too close to the build: then the bytes do.
fn is_same(known: DocumentView, file: &FoundFile) -> bool {
    let same_stamp = known.size() == file.size && known.modified_ns() == file.modified_ns;
    prepare::unchanged(known, file) || same_stamp && same_bytes(&file.absolute, known)
}

fn same_bytes(path: &Path, document: DocumentView) -> bool {
    std::fs::read(path).is_ok_and(|bytes| blake3::hash(&bytes).as_bytes() == document.hash())
}

/// Whether a walk found exactly what the index holds.
pub(crate) fn same(snapshot: &Snapshot, found: &Walked) -> bool {
    let Ok(problems) = snapshot.problems() else { return false };
    if snapshot.manifest().directories != found.directories {
        return false;
    }
    // Files that were skipped are in the walk and not among the documents.
    let skipped: rustc_hash::FxHashMap<&str, Option<(u64, i64)>> =
        problems.iter().filter(|p| p.skipped).map(|p| (p.path.as_str(), p.stamp)).collect();
    let mut documents = snapshot.documents();
    for file in &found.files {
        if let Some(stamp) = skipped.get(file.path.as_str()) {
            if *stamp != Some((file.size, file.modified_ns)) {
                return false;
            }
            continue;
        }
        match documents.next() {
            Some(known) if known.path() == file.path && is_same(known, file) => {}
            _ => return false,
        }
    }
    documents.next().is_none()
}
