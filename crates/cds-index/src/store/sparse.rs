//! Weighted terms that a model gave to chunks, by term: a query's terms lead to the chunks that have them.

use cds_graph::Rows;
use cds_model::ChunkId;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::best::Best;
use super::map::Mapped;
use crate::{Error, Result};

/// How much a term weighs in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct Weight {
    /// Its position in the part.
    chunk: u32,
    weight: f32,
}

/// Gathers the terms of chunks.
#[derive(Default)]
pub(crate) struct SparseWriter {
    rows: Vec<(u32, Weight)>,
}

impl SparseWriter {
    pub(crate) fn add(&mut self, chunk: u32, terms: &[(u32, f32)]) {
        self.rows.extend(terms.iter().map(|(term, weight)| (*term, Weight { chunk, weight: *weight })));
    }

    /// Terms, each with where its weights end; and the weights.
    pub(crate) fn finish(mut self) -> (Vec<[u32; 2]>, Vec<Weight>) {
        self.rows.sort_by_key(|(term, weight)| (*term, weight.chunk));
        let mut terms: Vec<[u32; 2]> = Vec::new();
        for (at, (term, _)) in self.rows.iter().enumerate() {
            match terms.last_mut() {
                Some([last, end]) if last == term => *end = at as u32 + 1,
                _ => terms.push([*term, at as u32 + 1]),
            }
        }
        (terms, self.rows.into_iter().map(|(_, weight)| weight).collect())
    }
}

/// The mapped weights of a generation.
pub(crate) struct SparseMaps {
    pub(crate) terms: Mapped,
    pub(crate) weights: Mapped,
}

impl SparseMaps {
    pub(crate) fn check(&self) -> Result<()> {
        self.terms.check_rows::<[u32; 2]>()?;
        self.weights.check_rows::<Weight>()
    }
}

/// Weighted terms of all chunks, part by part.
#[derive(Clone)]
pub struct SparseWeights<'a> {
    parts: Vec<PartWeights<'a>>,
    chunks: usize,
}

#[derive(Clone, Copy)]
struct PartWeights<'a> {
    terms: Rows<'a, [u32; 2]>,
    weights: Rows<'a, Weight>,
    /// Which chunk each document of the part is, or that it is none any more.
    chunks: &'a [u32],
}

impl<'a> PartWeights<'a> {
    fn of(&self, term: u32) -> &'a [Weight] {
        let Some((at, [_, end])) = self.terms.find_by_key(&term, |[term, _]| *term) else { return &[] };
        let start = at.checked_sub(1).and_then(|before| self.terms.get(before)).map_or(0, |[_, end]| *end);
        self.weights.slice(start as usize..*end as usize)
    }
}

impl<'a> SparseWeights<'a> {
    pub(crate) fn new(
        parts: impl Iterator<Item = (&'a SparseMaps, &'a [u32])>,
        chunks: usize,
    ) -> Result<SparseWeights<'a>> {
        let part = |(maps, chunks): (&'a SparseMaps, &'a [u32])| {
            let (terms, weights) = (maps.terms.rows::<[u32; 2]>(), maps.weights.rows::<Weight>());
            let last = terms.len().checked_sub(1).and_then(|last| terms.get(last));
            if last.map_or(0, |[_, end]| *end as usize) != weights.len() {
                return Err(Error::damaged(maps.weights.path(), "not as many weights as terms say"));
            }
            Ok(PartWeights { terms, weights, chunks })
        };
        Ok(SparseWeights { parts: parts.map(part).collect::<Result<_>>()?, chunks })
    }

    /// The `most` chunks whose terms agree best with the query's and that pass, with the sum of products, best first.
    pub fn nearest(&self, query: &[(u32, f32)], most: usize, passes: impl Fn(ChunkId) -> bool) -> Vec<(ChunkId, f32)> {
        let mut scores = vec![0.0_f32; self.chunks];
        for part in &self.parts {
            for (term, weight) in query {
                for row in part.of(*term) {
                    let chunk = part.chunks.get(row.chunk as usize).map_or(usize::MAX, |chunk| *chunk as usize);
                    if let Some(score) = scores.get_mut(chunk) {
                        *score += weight * row.weight;
                    }
                }
            }
        }
        let mut best = Best::new(most);
        for (chunk, score) in scores.into_iter().enumerate() {
            if score > 0.0 && score >= best.least() && passes(ChunkId(chunk as u32)) {
                best.push(ChunkId(chunk as u32), score);
            }
        }
        best.into_list()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_with_the_querys_terms_come_by_their_products() {
        let mut writer = SparseWriter::default();
        writer.add(0, &[(7, 1.0), (9, 2.0)]);
        writer.add(1, &[(9, 3.0)]);
        writer.add(2, &[(4, 1.0)]);
        let (terms, weights) = writer.finish();
        assert_eq!(terms, [[4, 1], [7, 2], [9, 4]]);
        let (terms, weights) = (terms.as_slice().into(), weights.as_slice().into());
        let part = PartWeights { terms, weights, chunks: &[0, 1, 2] };
        let table = SparseWeights { parts: vec![part], chunks: 3 };
        let check = |query: &[(u32, f32)], expect: &[(u32, f32)]| {
            let found: Vec<_> =
                table.nearest(query, 10, |chunk| chunk.0 != 2).into_iter().map(|(c, s)| (c.0, s)).collect();
            assert_eq!(found, expect, "{query:?}");
        };
        check(&[(9, 1.0)], &[(1, 3.0), (0, 2.0)]);
        check(&[(7, 5.0), (9, 1.0)], &[(0, 7.0), (1, 3.0)]);
        check(&[(4, 1.0)], &[]);
        check(&[(5, 1.0)], &[]);
    }
}
