//! Retrievers that work on other threads while names and words are looked for, and the stage that waits for them.

use std::cell::Cell;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use cds_encode::ModelId;
use cds_model::ChunkId;
use rustc_hash::FxHashMap;

use super::{Candidate, Candidates, Stage};
use crate::Result;
use crate::bm25::Matches;
use crate::pipeline::Cx;
use crate::preset::Retriever;

/// What a retriever found.
pub(crate) struct Finding {
    pub(crate) retriever: Retriever,
    /// Best first.
    pub(crate) chunks: Vec<(ChunkId, f32)>,
    /// Files with a term of the query, where the retriever knows all of them.
    pub(crate) matches: Matches,
    /// Whether it could have found more.
    pub(crate) is_cut: bool,
    /// Whether a loaded or remote model was used.
    pub(crate) used_model: bool,
    /// Whether the retriever could not work because of its model.
    pub(crate) failed: bool,
    /// The query's own vector, where it has one.
    pub(crate) vector: Vec<f32>,
    pub(crate) timings: Vec<(&'static str, f64)>,
    pub(crate) warnings: Vec<String>,
}

impl Finding {
    pub(crate) fn new(retriever: Retriever) -> Finding {
        let (chunks, vector, timings, warnings) = Default::default();
        Finding {
            retriever,
            chunks,
            matches: Matches::default(),
            is_cut: false,
            used_model: false,
            failed: false,
            vector,
            timings,
            warnings,
        }
    }

    /// Records that the model of the retriever cannot be used: others answer.
    pub(crate) fn fail(&mut self, why: &str) {
        self.failed = true;
        self.warnings.push(format!("answered without {} retrieval: {why}", self.retriever.name()));
    }

    pub(crate) fn warn_truncated(&mut self, truncated: usize, model: &ModelId) {
        if truncated > 0 {
            let name = &model.name;
            self.warnings.push(format!(
                "the query is longer than {name} reads: its end was left out of {} search",
                self.retriever.name()
            ));
        }
    }
}

/// Tells milliseconds from one moment to the next.
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Clock {
        Clock(Instant::now())
    }

    pub(crate) fn lap(&mut self) -> f64 {
        let now = Instant::now();
        let passed = now.duration_since(std::mem::replace(&mut self.0, now));
        passed.as_secs_f64() * 1e3
    }
}

/// Waits for what runs beside and adds what it found.
pub(crate) struct Beside {
    pub(crate) running: Cell<Vec<Receiver<Result<Finding>>>>,
}

impl Stage for Beside {
    fn name(&self) -> &'static str {
        "wait"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        for running in self.running.take() {
            // Nothing comes from one that panicked, which is told when all have ended.
            if let Ok(finding) = running.recv() {
                add(cx, pool, finding?);
            }
        }
        Ok(())
    }
}

fn add(cx: &Cx, pool: &mut Candidates, finding: Finding) {
    pool.timings.extend(finding.timings);
    pool.warnings.extend(finding.warnings);
    pool.vector.extend(finding.vector);
    pool.is_near_cut |= finding.is_cut;
    pool.used_model |= finding.used_model;
    pool.failed |= finding.failed;
    if finding.retriever == Retriever::Sparse {
        pool.sparse_matches = finding.matches;
    }
    let mut places: FxHashMap<ChunkId, Vec<usize>> = FxHashMap::default();
    for (at, candidate) in pool.list.iter().enumerate() {
        places.entry(candidate.chunk).or_default().push(at);
    }
    for (rank, (chunk, score)) in finding.chunks.iter().enumerate() {
        let found = (finding.retriever.name(), *score, rank as u32 + 1);
        match places.get(chunk) {
            Some(known) => known.iter().for_each(|at| pool.list[*at].retrieved.push(found)),
            // A phrase must stand, whatever else is near.
            None if !cx.asked.parsed.phrases.is_empty() => {}
            None => {
                for entity in cx.subjects(*chunk) {
                    let mut candidate = Candidate::new(*chunk, entity);
                    candidate.retrieved.push(found);
                    pool.list.push(candidate);
                }
            }
        }
    }
}
