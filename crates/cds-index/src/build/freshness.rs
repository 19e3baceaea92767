//! Whether an index still says what the disk says, by times and sizes alone.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::walk::{FoundFile, Walked, modified_ns};
use super::{BuildOptions, ProblemRow, prepare};
use crate::store::manifest::SkippedFile;
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

/// Looks at every folder and file the index knows, also those that were left out. New and deleted files show in their folder's time, ignore files are files.
pub fn check(snapshot: &Snapshot, root: &Path, options: &BuildOptions) -> Freshness {
    let manifest = snapshot.manifest();
    if !manifest.fingerprint.starts_with(&options.settings_fingerprint()) {
        return Freshness::Settings;
    }
    let changed = AtomicUsize::new(0);
    let differs = |path: &str, same: &dyn Fn(&std::fs::Metadata) -> bool| {
        let meta = std::fs::symlink_metadata(manifest.on_disk(root, path));
        if !meta.is_ok_and(|m| same(&m)) {
            changed.fetch_add(1, Ordering::Relaxed);
        }
    };
    manifest.directories.par_iter().for_each(|(path, time)| differs(path, &|m| modified_ns(m) == *time));
    (0..snapshot.file_count() as u32).into_par_iter().for_each(|i| {
        let Some(document) = snapshot.document(cds_model::FileId(i)) else { return };
        differs(document.path(), &|m| {
            let same = m.len() == document.size() && modified_ns(m) == document.modified_ns();
            same && (!document.is_racy() || same_bytes(&manifest.on_disk(root, document.path()), document))
        });
    });
    manifest.skipped.par_iter().for_each(|skipped| {
        if is_changed(skipped, &manifest.on_disk(root, &skipped.path)) {
            changed.fetch_add(1, Ordering::Relaxed);
        }
    });
    match changed.into_inner() {
        0 => Freshness::Fresh,
        n => Freshness::Stale(n),
    }
}

/// Whether a file that was left out deserves another look. One that is gone shows in its folder's time.
fn is_changed(skipped: &SkippedFile, path: &Path) -> bool {
    let Ok(meta) = std::fs::symlink_metadata(path) else { return false };
    let is_new = skipped.stamp.is_some_and(|stamp| stamp != (meta.len(), modified_ns(&meta)));
    is_new || skipped.refused && can_be_read(path, &meta)
}

/// A file that opens may still refuse to be read.
fn can_be_read(path: &Path, meta: &std::fs::Metadata) -> bool {
    if meta.is_dir() {
        return std::fs::read_dir(path).is_ok();
    }
    meta.is_file() && File::open(path).and_then(|mut file| file.read(&mut [0])).is_ok()
}

/// Times tell, unless they are too close to the build: then the bytes do.
fn is_same(known: DocumentView, file: &FoundFile) -> bool {
    let same_stamp = known.size() == file.size && known.modified_ns() == file.modified_ns;
    prepare::unchanged(known, file) || same_stamp && same_bytes(&file.absolute, known)
}

fn same_bytes(path: &Path, document: DocumentView) -> bool {
    std::fs::read(path).is_ok_and(|bytes| blake3::hash(&bytes).as_bytes() == document.hash())
}

/// Whether a walk found exactly what the index holds, whatever times folders have.
pub(crate) fn same(snapshot: &Snapshot, root: &Path, found: &Walked) -> bool {
    let manifest = snapshot.manifest();
    let again = |s: &SkippedFile| is_changed(s, &manifest.on_disk(root, &s.path));
    let folders = |list: &'_ [(String, i64)]| list.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    if folders(&manifest.directories) != folders(&found.directories) || manifest.skipped.iter().any(again) {
        return false;
    }
    // Links come and go without a file.
    let of_walk = |p: &&ProblemRow| p.skipped && p.stamp.is_none();
    let same_problems = snapshot.problems().is_ok_and(|known| known.iter().filter(of_walk).eq(&found.problems));
    if !same_problems {
        return false;
    }
    // Files that were skipped are in the walk and not among the documents.
    let skipped: FxHashMap<&str, (u64, i64)> =
        manifest.skipped.iter().filter_map(|s| Some((s.path.as_str(), s.stamp?))).collect();
    let mut still_skipped = 0;
    let mut documents = snapshot.documents();
    for file in &found.files {
        if let Some(stamp) = skipped.get(file.path.as_str()) {
            if *stamp != (file.size, file.modified_ns) {
                return false;
            }
            still_skipped += 1;
            continue;
        }
        match documents.next() {
            Some(known) if known.path() == file.path && is_same(known, file) => {}
            _ => return false,
        }
    }
    still_skipped == skipped.len() && documents.next().is_none()
}
