//! Chunks that have the query's words.

use super::dense::CANDIDATES;
use super::{Candidate, Candidates, Stage};
use crate::pipeline::Cx;
use crate::preset::Fusion;
use crate::{Result, bm25};

pub(crate) struct Lexical;

impl Stage for Lexical {
    fn name(&self) -> &'static str {
        "bm25"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        let ranking = bm25::rank(cx)?;
        pool.partial |= ranking.partial;
        pool.term_weights = ranking.terms.iter().map(|t| t.weight).collect();
        pool.spellings = ranking.terms.into_iter().flat_map(|t| t.texts).collect();
        pool.matches_by_file = ranking.matched;
        pool.matched_files = ranking.matched_files;
        pool.files = ranking.files;
        // A mixture takes as many from each retriever; signals weigh all that matched well.
        let taken = match cx.preset.fusion {
            Fusion::Mixed(_) => CANDIDATES.max(cx.wanted()),
            Fusion::Evidence | Fusion::Hierarchical { .. } => usize::MAX,
        };
        for (rank, scored) in ranking.chunks.iter().take(taken).enumerate() {
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

/// Chunks of named entities join, or learn that they were named.
fn add_named(cx: &Cx, pool: &mut Candidates) {
    for (rank, &id) in pool.named.iter().enumerate() {
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
