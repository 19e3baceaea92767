//! Which parts of the old generation stay, and which are written into the new one.

use cds_model::{FileId, ProblemKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ProblemRow;
use super::prepare::unchanged;
use super::walk::{FoundFile, Walked};
use crate::store::part::GoneFile;
use crate::{DocumentView, Snapshot};

/// A part stays while it is more than this many times as large as what is written after it. So parts are few, and what is written is
/// written again a few times at most, however many updates there are.
const GROWTH: u64 = 2;

/// Below this many bytes a part is written again, unless that is much of the tree.
const SMALL: u64 = 64 << 10;

/// What to do with what is there.
#[derive(Default)]
pub(crate) struct Plan {
    /// How many parts stay, the oldest ones.
    pub(crate) parts: usize,
    /// About how many bytes of text the new part gets.
    pub(crate) expected: u64,
    /// Files that a model failed on: it is asked again.
    retried: FxHashSet<String>,
    /// Files that were left out, and why.
    skipped: FxHashMap<String, ProblemRow>,
}

impl Plan {
    /// Nothing stays.
    pub(crate) fn whole(found: &Walked, max_file_size: u64) -> Plan {
        let expected = found.files.iter().map(|f| f.stamp.size).filter(|&s| s <= max_file_size).sum();
        Plan { expected, ..Plan::default() }
    }

    pub(crate) fn new(old: &Snapshot, problems: &[ProblemRow], found: &Walked, max_file_size: u64) -> Plan {
        let whole = Plan::whole(found, max_file_size);
        let skipped = problems.iter().filter(|p| p.skipped && p.stamp.is_some()).map(|p| (p.path.clone(), p.clone()));
        let skipped: FxHashMap<String, ProblemRow> = skipped.collect();
        let retried = problems.iter().filter(|p| p.reason == ProblemKind::NotEncoded.name()).map(|p| p.path.clone());
        let is_old = |file: &FoundFile| {
            file.known.and_then(|id| old.document(id)).is_some_and(|known| unchanged(known, file))
                || skipped.get(file.path()).is_some_and(|row| row.stamp == Some(file.stamp))
        };
        let new = found.files.iter().filter(|f| f.stamp.size <= max_file_size && !is_old(f));
        let mut expected: u64 = new.map(|f| f.stamp.size).sum();
        let mut sizes = vec![0u64; old.part_count()];
        for document in old.documents() {
            if let Some(size) = sizes.get_mut(document.row().part as usize) {
                *size += document.size();
            }
        }
        // What is dead costs every query a little, and memory: at half of what lives it is time to write all anew.
        let crowded = old.dead_chunks() * 2 > old.chunk_count();
        let mut parts = if crowded { 0 } else { sizes.len() };
        let small = SMALL.min(sizes.iter().sum::<u64>() / 16);
        while parts > 0 && sizes[parts - 1] <= (expected * GROWTH).max(small) {
            parts -= 1;
            expected += sizes[parts];
        }
        if parts == 0 {
            return Plan { skipped, ..whole };
        }
        Plan { parts, expected, retried: retried.collect(), skipped }
    }

    /// Whether a file that did not change stays in its part.
    pub(crate) fn stays(&self, known: DocumentView) -> bool {
        (known.row().part as usize) < self.parts && !self.retried.contains(known.path())
    }

    /// Why a file was left out, if it has not changed since.
    pub(crate) fn still_skipped(&self, file: &FoundFile) -> Option<&ProblemRow> {
        let row = self.skipped.get(file.path())?;
        let refused = row.reason == ProblemKind::Unreadable.name();
        (!refused && row.stamp == Some(file.stamp)).then_some(row)
    }

    /// Files that lie in parts that stay and are not there any more: those that go now, and those that went when a part was written that
    /// does not stay.
    pub(crate) fn gone(&self, old: &Snapshot, kept: impl Fn(FileId) -> bool) -> crate::Result<Vec<GoneFile>> {
        let staying: Vec<&str> = old.manifest().parts[..self.parts].iter().map(|part| part.name.as_str()).collect();
        let mut gone = old.gone_files(self.parts)?;
        gone.retain(|file| staying.contains(&file.part.as_str()));
        for document in old.documents() {
            let row = document.row();
            if let Some(part) = staying.get(row.part as usize).filter(|_| !kept(document.id)) {
                gone.push(GoneFile {
                    part: (*part).to_owned(),
                    path: document.path().to_owned(),
                    blob: row.blob,
                    packed: row.packed,
                    text_len: row.text_len,
                    facts_len: row.facts_len,
                    checksum: row.checksum,
                });
            }
        }
        Ok(gone)
    }
}
