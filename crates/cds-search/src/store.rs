//! Where vectors are looked for. Here they lie in the snapshot; elsewhere they could lie on another machine, so a store is asked with
//! filters as data and answers with chunks.

use cds_index::Snapshot;
use cds_model::{ChunkId, Filters};
use rustc_hash::FxHashSet;

use crate::Result;
use crate::filter::CompiledFilter;
use crate::globs::GlobCache;

/// Chunks by nearness in meaning.
pub trait VectorStore {
    /// The `limit` chunks nearest to a vector among those that the filters let through, with their cosines, nearest first. Filters
    /// apply before scoring: as many as asked for come back, if there are as many.
    fn nearest(&self, vector: &[f32], limit: usize, filters: &Filters) -> Result<Vec<(ChunkId, f32)>>;

    /// The cosines of some chunks, in their order; zero for one that has no vector.
    fn cosines(&self, vector: &[f32], chunks: &[ChunkId]) -> Result<Vec<f32>>;

    /// The vector of a chunk, if it has one.
    fn vector(&self, chunk: ChunkId) -> Result<Option<Vec<f32>>>;
}

/// The vectors of a snapshot: all are looked at, in the memory they are mapped into.
pub struct Embedded<'a> {
    snapshot: &'a Snapshot,
    globs: &'a GlobCache,
}

impl<'a> Embedded<'a> {
    /// The vectors of this snapshot.
    pub fn new(snapshot: &'a Snapshot, globs: &'a GlobCache) -> Embedded<'a> {
        Embedded { snapshot, globs }
    }
}

impl VectorStore for Embedded<'_> {
    fn nearest(&self, vector: &[f32], limit: usize, filters: &Filters) -> Result<Vec<(ChunkId, f32)>> {
        let Some(vectors) = self.snapshot.vectors()? else { return Ok(Vec::new()) };
        let allowed = Allowed::new(self.snapshot, filters, self.globs)?;
        Ok(vectors.nearest(vector, limit, |chunk| allowed.passes(chunk)))
    }

    fn cosines(&self, vector: &[f32], chunks: &[ChunkId]) -> Result<Vec<f32>> {
        let Some(vectors) = self.snapshot.vectors()? else { return Ok(vec![0.0; chunks.len()]) };
        Ok(vectors.cosines(vector, chunks.iter().copied()))
    }

    fn vector(&self, chunk: ChunkId) -> Result<Option<Vec<f32>>> {
        Ok(self.snapshot.vectors()?.and_then(|vectors| vectors.get(chunk)))
    }
}

/// Which chunks filters let through, asked one by one.
pub(crate) struct Allowed<'a> {
    snapshot: &'a Snapshot,
    filter: CompiledFilter<'a>,
    /// Chunks that define, and chunks that use, a name that was asked for; none: nothing was asked.
    named: Vec<FxHashSet<ChunkId>>,
}

impl<'a> Allowed<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, filters: &'a Filters, globs: &GlobCache) -> Result<Allowed<'a>> {
        let filter = CompiledFilter::new(filters, globs)?;
        let mut named = Vec::new();
        if !filter.definitions().is_empty() {
            named.push(filter.definitions().iter().flat_map(|name| snapshot.chunks_defining(name)).collect());
        }
        if !filter.references().is_empty() {
            named.push(filter.references().iter().flat_map(|name| snapshot.chunks_using(name)).collect());
        }
        Ok(Allowed { snapshot, filter, named })
    }

    pub(crate) fn passes(&self, chunk: ChunkId) -> bool {
        self.named.iter().all(|set| set.contains(&chunk)) && self.filter.accepts(self.snapshot, chunk)
    }
}
