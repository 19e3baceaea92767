//! Whether an index still says what the disk says, by times and sizes alone.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::stamps::{Seen, Stamp, Stamps};
use super::walk::{ABSENT, FoundFile, Walked};
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
    judge(snapshot, &Stamps::read(snapshot, root, &|_| {}), root, options)
}

impl Seen {
    /// Whether the index still says what the disk said.
    pub fn freshness(&self, root: &Path, options: &BuildOptions) -> Freshness {
        judge(&self.snapshot, &self.stamps, root, options)
    }
}

fn judge(snapshot: &Snapshot, stamps: &Stamps, root: &Path, options: &BuildOptions) -> Freshness {
    let manifest = snapshot.manifest();
    if !manifest.fingerprint.starts_with(&options.settings_fingerprint()) {
        return Freshness::Settings;
    }
    let folders = manifest.directories.iter().zip(&stamps.directories).filter(|((_, time), now)| Some(*time) != **now);
    let is_other = |(document, now): &(DocumentView, &Option<Stamp>)| {
        let same = **now == Some((document.size(), document.modified_ns()));
        !same || document.is_racy() && !same_bytes(&manifest.on_disk(root, document.path()), *document)
    };
    let files = snapshot.documents().zip(&stamps.files).filter(is_other);
    let skipped = manifest.skipped.iter().zip(&stamps.skipped);
    let skipped = skipped.filter(|(skipped, now)| is_changed(skipped, **now, &manifest.on_disk(root, &skipped.path)));
    let rules = manifest.rules.iter().zip(&stamps.rules).filter(|((_, stamp), now)| *stamp != now.unwrap_or(ABSENT));
    let left = manifest.left as usize;
    match folders.count() + files.count() + skipped.count() + rules.count() + left {
        0 => Freshness::Fresh,
        n => Freshness::Stale(n),
    }
}

/// Whether a file that was left out deserves another look, as it is now. One that is gone shows in its folder's time.
pub(crate) fn is_changed(skipped: &SkippedFile, now: Option<Stamp>, path: &Path) -> bool {
    skipped.stamp.is_some() && now.is_some() && now != skipped.stamp || skipped.refused && can_be_read(path)
}

/// A file that opens may still refuse to be read.
fn can_be_read(path: &Path) -> bool {
    let Ok(meta) = std::fs::symlink_metadata(path) else { return false };
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
    // Files that were skipped are in the walk and not among the documents.
    let skipped: FxHashMap<&str, &SkippedFile> = manifest.skipped.iter().map(|s| (s.path.as_str(), s)).collect();
    let mut still_skipped = 0;
    let mut documents = snapshot.documents();
    for file in &found.files {
        match (file.known, skipped.get(file.path.as_str())) {
            (Some(id), _) if documents.next().is_some_and(|known| known.id == id && is_same(known, file)) => {}
            (None, Some(skipped)) => {
                let now = Some((file.size, file.modified_ns));
                if skipped.stamp != now || is_changed(skipped, now, &file.absolute) {
                    return false;
                }
                still_skipped += 1;
            }
            _ => return false,
        }
    }
    let stamped = skipped.values().filter(|s| s.stamp.is_some()).count();
    if still_skipped != stamped || documents.next().is_some() {
        return false;
    }
    let is_open = |s: &&SkippedFile| s.stamp.is_none() && is_changed(s, None, &manifest.on_disk(root, &s.path));
    let folders = manifest.directories.iter().map(|(path, _)| path);
    if !folders.eq(found.directories.iter().map(|(path, _)| path)) || manifest.skipped.iter().any(|s| is_open(&s)) {
        return false;
    }
    // Links come and go without a file.
    let of_walk = |p: &&ProblemRow| p.skipped && p.stamp.is_none();
    snapshot.problems().is_ok_and(|known| known.iter().filter(of_walk).eq(&found.problems))
}
