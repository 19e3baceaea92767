//! Where vectors are looked for. Here they lie in the snapshot; elsewhere they could lie on another machine, so a store gets the filters
//! of a request as data and answers with chunks.

use std::cell::OnceCell;

use cds_index::Snapshot;
use cds_model::{ChunkId, Filters};
use rustc_hash::FxHashSet;

use crate::Result;
use crate::filter::CompiledFilter;
use crate::globs::GlobCache;

/// Chunks by nearness in meaning, for one request with its filters.
pub trait VectorStore {
    /// The `limit` chunks nearest to a vector among those that pass the filters, with their cosines, nearest first. Filters apply before
    /// scoring: `limit` chunks are returned if that many pass.
    fn nearest(&self, vector: &[f32], limit: usize) -> Result<Vec<(ChunkId, f32)>>;

    /// The same, and the nearest chunk of each of the `limit` nearest files: one large file does not hide the others.
    fn nearest_with_files(&self, vector: &[f32], limit: usize) -> Result<Vec<(ChunkId, f32)>>;

    /// The nearest chunk of each of the `limit` nearest files, no bare header where a file has more. A list is the beginning of every longer one.
    fn nearest_files(&self, vector: &[f32], limit: usize) -> Result<Vec<(ChunkId, f32)>>;

    /// The cosines of some chunks, in their order; zero for one that has no vector.
    fn cosines(&self, vector: &[f32], chunks: &[ChunkId]) -> Result<Vec<f32>>;

    /// The vector of a chunk, if it has one.
    fn vector(&self, chunk: ChunkId) -> Result<Option<Vec<f32>>>;
}

/// The vectors of a snapshot, all of which are compared in the memory that they are mapped into.
pub struct Embedded<'a> {
    snapshot: &'a Snapshot,
    filters: &'a Filters,
    globs: &'a GlobCache,
    /// The chunks that pass the filters, computed by the first scan.
    allowed: OnceCell<ChunkSet>,
}

impl<'a> Embedded<'a> {
    /// The vectors of this snapshot.
    pub fn new(snapshot: &'a Snapshot, filters: &'a Filters, globs: &'a GlobCache) -> Embedded<'a> {
        Embedded { snapshot, filters, globs, allowed: OnceCell::new() }
    }

    fn allowed(&self) -> Result<&ChunkSet> {
        if let Some(known) = self.allowed.get() {
            return Ok(known);
        }
        let set = Allowed::new(self.snapshot, self.filters, self.globs)?.all();
        Ok(self.allowed.get_or_init(|| set))
    }
}

impl VectorStore for Embedded<'_> {
    fn nearest(&self, vector: &[f32], limit: usize) -> Result<Vec<(ChunkId, f32)>> {
        let Some(vectors) = self.snapshot.vectors()? else { return Ok(Vec::new()) };
        if *self.filters == Filters::default() {
            return Ok(vectors.nearest(vector, limit, |_| true));
        }
        let allowed = self.allowed()?;
        Ok(vectors.nearest(vector, limit, |chunk| allowed.contains(chunk)))
    }

    fn nearest_with_files(&self, vector: &[f32], limit: usize) -> Result<Vec<(ChunkId, f32)>> {
        let Some(vectors) = self.snapshot.vectors()? else { return Ok(Vec::new()) };
        if *self.filters == Filters::default() {
            return Ok(vectors.nearest_with_files(vector, limit, |_| true));
        }
        let allowed = self.allowed()?;
        Ok(vectors.nearest_with_files(vector, limit, |chunk| allowed.contains(chunk)))
    }

    fn nearest_files(&self, vector: &[f32], limit: usize) -> Result<Vec<(ChunkId, f32)>> {
        let Some(vectors) = self.snapshot.vectors()? else { return Ok(Vec::new()) };
        let represents = |chunk: ChunkId| self.snapshot.chunk(chunk).is_some_and(|view| view.may_represent_file());
        if *self.filters == Filters::default() {
            return Ok(vectors.nearest_files(vector, limit, represents));
        }
        let allowed = self.allowed()?;
        Ok(vectors.nearest_files(vector, limit, |chunk| allowed.contains(chunk) && represents(chunk)))
    }

    fn cosines(&self, vector: &[f32], chunks: &[ChunkId]) -> Result<Vec<f32>> {
        let Some(vectors) = self.snapshot.vectors()? else { return Ok(vec![0.0; chunks.len()]) };
        Ok(vectors.cosines(vector, chunks.iter().copied()))
    }

    fn vector(&self, chunk: ChunkId) -> Result<Option<Vec<f32>>> {
        Ok(self.snapshot.vectors()?.and_then(|vectors| vectors.get(chunk)))
    }
}

/// A set of chunks, one bit each: a scan over all vectors asks for every chunk, some more than once.
struct ChunkSet {
    words: Vec<u64>,
}

impl ChunkSet {
    fn new(chunks: usize) -> ChunkSet {
        ChunkSet { words: vec![0; chunks.div_ceil(64)] }
    }

    fn insert(&mut self, chunk: ChunkId) {
        if let Some(word) = self.words.get_mut(chunk.index() / 64) {
            *word |= 1 << (chunk.index() % 64);
        }
    }

    fn contains(&self, chunk: ChunkId) -> bool {
        self.words.get(chunk.index() / 64).is_some_and(|word| word >> (chunk.index() % 64) & 1 == 1)
    }
}

/// Which chunks pass filters.
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

    /// All chunks that pass. Starts from the most selective condition: names, then conformances, then files.
    fn all(&self) -> ChunkSet {
        let mut all = ChunkSet::new(self.snapshot.chunk_count());
        let mut add = |chunk: ChunkId| {
            if self.passes(chunk) {
                all.insert(chunk);
            }
        };
        let smallest = self.named.iter().min_by_key(|set| set.len());
        match (smallest, self.filter.documents(self.snapshot)) {
            (Some(named), _) => named.iter().copied().for_each(add),
            (None, Some(documents)) => documents.into_iter().flat_map(|document| document.chunks()).for_each(add),
            (None, None) => {
                let accepted = self.snapshot.documents().filter(|document| self.filter.accepts_file(*document));
                accepted.flat_map(|document| document.chunks()).for_each(&mut add);
            }
        }
        all
    }
}
