//! Chunks near the query in meaning. They are looked for on a thread of their own while words and names are.

use std::cell::Cell;
use std::thread::ScopedJoinHandle;
use std::time::Instant;

use cds_index::{Snapshot, query_vector};
use cds_model::{ChunkId, Query};
use rustc_hash::FxHashMap;

use super::{Candidate, Candidates, Stage};
use crate::Result;
use crate::filter::CompiledFilter;
use crate::globs::GlobCache;
use crate::pipeline::Cx;

/// How many each retriever hands over.
const CANDIDATES: usize = 100;

/// What was near, and how long it took.
pub(crate) struct Nearest {
    chunks: Vec<(ChunkId, f32)>,
    timings: [(&'static str, f64); 2],
}

/// Looks for the chunks nearest to a text. Filters apply before scoring.
pub(crate) fn nearest(snapshot: &Snapshot, query: &Query, globs: &GlobCache, least: f32) -> Result<Nearest> {
    let started = Instant::now();
    // A filter remembers what it has decided, so each thread has its own.
    let filter = CompiledFilter::new(&query.filters, globs)?;
    let query = query_vector(&query.text);
    let encoded = started.elapsed();
    // A query without a known word is near to nothing.
    let chunks = if query.iter().all(|x| *x == 0.0) {
        Vec::new()
    } else {
        let mut chunks = snapshot.vectors()?.nearest(&query, CANDIDATES, |chunk| filter.accepts(snapshot, chunk));
        chunks.retain(|(_, cosine)| *cosine >= least);
        chunks
    };
    let found = started.elapsed();
    let milliseconds = |d: std::time::Duration| d.as_secs_f64() * 1e3;
    Ok(Nearest {
        chunks,
        timings: [
            ("encode", milliseconds(encoded)),
            ("dense", milliseconds(found.checked_sub(encoded).unwrap_or_default())),
        ],
    })
}

/// Waits for what is near and adds it.
pub(crate) struct Dense<'scope> {
    pub(crate) search: Cell<Option<ScopedJoinHandle<'scope, Result<Nearest>>>>,
}

impl Stage for Dense<'_> {
    fn name(&self) -> &'static str {
        "wait"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        let Some(search) = self.search.take() else { return Ok(()) };
        let nearest = search.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        pool.timings.extend(nearest.timings);
        let mut places: FxHashMap<ChunkId, Vec<usize>> = FxHashMap::default();
        for (at, candidate) in pool.list.iter().enumerate() {
            places.entry(candidate.chunk).or_default().push(at);
        }
        for (rank, (chunk, cosine)) in nearest.chunks.iter().enumerate() {
            let found = ("dense", *cosine, rank as u32 + 1);
            match places.get(chunk) {
                Some(known) => known.iter().for_each(|at| pool.list[*at].retrieved.push(found)),
                None => {
                    for entity in cx.subjects(*chunk) {
                        let mut candidate = Candidate::new(*chunk, entity);
                        candidate.retrieved.push(found);
                        pool.list.push(candidate);
                    }
                }
            }
        }
        Ok(())
    }
}
