//! Files that were read a moment ago: a service is asked about the same ones again and again, and unpacking one costs more than finding it.

use std::sync::{Arc, Mutex, PoisonError};

use cds_index::{LoadedFile, Snapshot};
use cds_model::FileId;
use rustc_hash::FxHashMap;

/// About how many bytes are kept.
const MOST: usize = 24 << 20;

/// What facts weigh beside their text, about.
const FACTS: usize = 4;

#[derive(Default)]
struct Kept {
    /// Whose files these are.
    generation: String,
    files: FxHashMap<FileId, (u64, Arc<LoadedFile>)>,
    bytes: usize,
    clock: u64,
}

/// Files of one generation, those that were read last.
#[derive(Default)]
pub(crate) struct Loaded(Mutex<Kept>);

impl Loaded {
    /// Reads a file, or remembers it.
    pub(crate) fn get(&self, snapshot: &Snapshot, id: FileId) -> cds_index::Result<Arc<LoadedFile>> {
        let generation = &snapshot.manifest().generation;
        {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.clock += 1;
            let now = kept.clock;
            if kept.generation == *generation
                && let Some((used, file)) = kept.files.get_mut(&id)
            {
                *used = now;
                return Ok(Arc::clone(file));
            }
        }
        let file = Arc::new(snapshot.load(id)?);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.generation != *generation {
            *kept = Kept { generation: generation.clone(), ..Kept::default() };
        }
        kept.bytes += weight(&file);
        let now = kept.clock;
        if let Some((_, other)) = kept.files.insert(id, (now, Arc::clone(&file))) {
            kept.bytes -= weight(&other);
        }
        if kept.bytes > MOST {
            kept.make_room();
        }
        Ok(file)
    }
}

impl Kept {
    /// Lets go of what was used longest ago, a quarter of it at once so that it is seldom done.
    fn make_room(&mut self) {
        let mut used: Vec<(u64, FileId)> = self.files.iter().map(|(id, (used, _))| (*used, *id)).collect();
        used.sort_unstable();
        for (_, id) in used {
            if self.bytes <= MOST / 4 * 3 {
                return;
            }
            if let Some((_, file)) = self.files.remove(&id) {
                self.bytes -= weight(&file);
            }
        }
    }
}

fn weight(file: &LoadedFile) -> usize {
    file.text.len() * FACTS
}
