//! Whether an index still says what the disk says, by times and sizes alone.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::stamps::{Seen, Stamps};
use super::walk::{FoundFile, Walked, entries_hash};
use super::{BuildOptions, prepare};
use crate::disk::{ProjectRoot, Stamp};
use crate::store::manifest::{Manifest, SkippedFile};
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
    let root = ProjectRoot::at(root);
    judge(snapshot, &Stamps::read(snapshot, &root, &|_| {}), &root, options)
}

impl Seen {
    /// Whether the index still says what the disk said.
    pub fn freshness(&self, root: &Path, options: &BuildOptions) -> Freshness {
        judge(&self.snapshot, &self.stamps, &ProjectRoot::at(root), options)
    }
}

impl Snapshot {
    /// Whether a file on disk has other bytes than were indexed. Its size and times tell, unless the times are others or too close to when it
    /// was read.
    pub fn is_changed(&self, root: &ProjectRoot, document: DocumentView) -> bool {
        let now = root.stat(&self.manifest().on_disk(Path::new(""), document.path())).map(|(_, stamp)| stamp);
        let is_sure = now == Some(document.stamp()) && !document.is_racy();
        !is_sure && !has_same_bytes(self.manifest(), root, document)
    }
}

fn judge(snapshot: &Snapshot, stamps: &Stamps, root: &ProjectRoot, options: &BuildOptions) -> Freshness {
    let manifest = snapshot.manifest();
    if !manifest.fingerprint.starts_with(&options.settings_fingerprint()) {
        return Freshness::Settings;
    }
    let folders = manifest.directories.iter().zip(&stamps.directories);
    let folders = folders.filter(|((path, time), now)| Some(*time) != **now || !is_listed_alike(manifest, root, path));
    let is_other = |(document, now): &(DocumentView, &Option<Stamp>)| {
        let is_same = **now == Some(document.stamp());
        !is_same || document.is_racy() && !has_same_bytes(manifest, root, *document)
    };
    let files = snapshot.documents().zip(&stamps.files).filter(is_other);
    let skipped = manifest.skipped.iter().zip(&stamps.skipped);
    let skipped = skipped.filter(|(skipped, now)| is_changed(skipped, **now, root));
    let rules =
        manifest.rules.iter().zip(&stamps.rules).filter(|(rule, now)| !rule.is_same(&manifest.raw_paths, root, **now));
    let left = manifest.left as usize;
    match folders.count() + files.count() + skipped.count() + rules.count() + left {
        0 => Freshness::Fresh,
        n => Freshness::Stale(n),
    }
}

/// Whether a folder whose time is too close to when it was listed still has the entries it had; true for others, whose time tells.
pub(crate) fn is_listed_alike(manifest: &Manifest, root: &ProjectRoot, folder: &str) -> bool {
    let Some(before) = manifest.racy_directories.get(folder) else { return true };
    entries_hash(root, &manifest.on_disk(Path::new(""), folder)) == Some(*before)
}

/// Whether a file that was left out deserves another look, as it is now. One that is gone shows in its folder's time.
pub(crate) fn is_changed(skipped: &SkippedFile, now: Option<Stamp>, root: &ProjectRoot) -> bool {
    skipped.stamp.is_some() && now.is_some() && now != skipped.stamp
        || skipped.refused && root.can_be_read(Path::new(&skipped.path))
}

/// Times tell, unless they are too close to the build: then the bytes do.
fn is_same(manifest: &Manifest, root: &ProjectRoot, known: DocumentView, file: &FoundFile) -> bool {
    prepare::unchanged(known, file) || known.stamp() == file.stamp && has_same_bytes(manifest, root, known)
}

fn has_same_bytes(manifest: &Manifest, root: &ProjectRoot, document: DocumentView) -> bool {
    let path = manifest.on_disk(Path::new(""), document.path());
    root.read(&path, document.size()).is_ok_and(|bytes| blake3::hash(&bytes).as_bytes() == document.hash())
}

/// Whether a walk found exactly what the index holds, whatever times folders have.
pub(crate) fn same(snapshot: &Snapshot, root: &ProjectRoot, found: &Walked) -> bool {
    let manifest = snapshot.manifest();
    // Files that were skipped are in the walk and not among the documents.
    let skipped: FxHashMap<&str, &SkippedFile> = manifest.skipped.iter().map(|s| (s.path.as_str(), s)).collect();
    let mut still_skipped = 0;
    let mut documents = snapshot.documents();
    for file in &found.files {
        match (file.known, skipped.get(file.path())) {
            (Some(id), _)
                if documents.next().is_some_and(|known| known.id == id && is_same(manifest, root, known, file)) => {}
            (None, Some(skipped)) => {
                let now = Some(file.stamp);
                if skipped.stamp != now || is_changed(skipped, now, root) {
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
    let is_open = |s: &&SkippedFile| s.stamp.is_none() && is_changed(s, None, root);
    let folders = manifest.directories.iter().map(|(path, _)| path);
    if !folders.eq(found.directories.iter().map(|(path, _)| path)) || manifest.skipped.iter().any(|s| is_open(&s)) {
        return false;
    }
    // Links come and go without a file.
    snapshot.problems().is_ok_and(|known| known.iter().filter(|p| p.is_of_walk()).eq(&found.problems))
}
