//! Chunks that have the query's words.

use cds_model::EntityId;
use rustc_hash::FxHashMap;

use super::dense::CANDIDATES;
use super::names::Named;
use super::{Candidate, Candidates, Stage};
use crate::Result;
use crate::bm25::{self, Scored};
use crate::pipeline::Cx;
use crate::preset::Fusion;

pub(crate) struct Lexical;

impl Stage for Lexical {
    fn name(&self) -> &'static str {
        "bm25"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        let ranking = bm25::rank(cx)?;
        // A mixture takes as many from each retriever; signals weigh all that matched well.
        let mut chunks = match cx.preset.fusion {
            Fusion::Mixed(_) => ranking.candidates(CANDIDATES),
            Fusion::Evidence | Fusion::Hierarchical { .. } => ranking.chunks,
        };
        pool.partial |= ranking.partial;
        pool.leading = cx.parsed.leading;
        pool.term_weights = ranking.terms.iter().map(|t| t.weight).collect();
        pool.spellings = ranking.terms.into_iter().flat_map(|t| t.texts).collect();
        pool.matches = ranking.matches;
        pool.files = ranking.files;
        pool.has_words = has_words(cx, &chunks);
        if cx.parsed.report.is_some() {
            join_parts(cx, &mut chunks);
        }
        for (rank, scored) in chunks.iter().enumerate() {
            for entity in cx.subjects(scored.chunk) {
                let mut candidate = Candidate::new(scored.chunk, entity);
                candidate.retrieved.push(("bm25", scored.score, rank as u32 + 1));
                candidate.terms = scored.terms;
                pool.list.push(candidate);
            }
        }
        add_named(cx, pool);
        Ok(())
    }
}

/// Whether a chunk has a word of the query. The number in a name such as `retry2` is none: it matches anywhere.
fn has_words(cx: &Cx, chunks: &[Scored]) -> bool {
    let is_number = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let mut words = 0u32;
    for (at, term) in cx.parsed.terms.iter().enumerate() {
        // Terms beyond the last bit have none.
        let bit = 1u32.checked_shl(at as u32).unwrap_or(0);
        words |= if is_number(&term.text) { 0 } else { bit };
    }
    if words == 0 { !chunks.is_empty() } else { chunks.iter().any(|scored| scored.terms & words != 0) }
}

/// A long function is cut into several chunks: what its other parts have counts half for the best of them.
fn join_parts(cx: &Cx, chunks: &mut [Scored]) {
    let mut first: FxHashMap<EntityId, usize> = FxHashMap::default();
    for at in 0..chunks.len() {
        let Some(entity) = cx.snapshot.chunk(chunks[at].chunk).and_then(|c| c.entity()) else { continue };
        match first.get(&entity.id) {
            None => {
                first.insert(entity.id, at);
            }
            Some(best) => {
                chunks[*best].score += chunks[at].score * 0.5;
                chunks[*best].terms |= chunks[at].terms;
            }
        }
    }
    chunks.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk)));
}

/// Chunks of named entities join, or learn that they were named.
fn add_named(cx: &Cx, pool: &mut Candidates) {
    for (rank, &Named { id, .. }) in pool.named.iter().enumerate() {
        let Some(entity) = cx.snapshot.entity(id) else { continue };
        let Some(chunk) = entity.chunk() else { continue };
        let found = ("names", 1.0, rank as u32 + 1);
        let of_chunk = |c: &Candidate| c.chunk == chunk;
        let exact = pool.list.iter().position(|c| of_chunk(c) && c.entity == Some(id));
        match exact.or_else(|| pool.list.iter().position(of_chunk)) {
            Some(at) => {
                let known = &mut pool.list[at];
                if !known.retrieved.iter().any(|(name, _, _)| *name == "names") {
                    known.retrieved.push(found);
                    known.entity = Some(id);
                }
            }
            None if cx.parsed.phrases.is_empty()
                // The entity itself passed already.
                && (cx.inside.is_asked() || cx.filter.accepts(cx.snapshot, chunk))
                && cx.filter.accepts_names(cx.snapshot, chunk) =>
            {
                let mut candidate = Candidate::new(chunk, Some(id));
                candidate.retrieved.push(found);
                pool.list.push(candidate);
            }
            None => {}
        }
    }
}
