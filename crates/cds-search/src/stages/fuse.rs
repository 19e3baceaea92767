//! Lists of several retrievers become one: each adds its weight times a mixture of rank and score.

use super::{Candidates, Stage};
use crate::Result;
use crate::pipeline::Cx;
use crate::preset::{Mixture, Retriever};

pub(crate) struct Fuse {
    pub(crate) mixture: Mixture,
}

impl Stage for Fuse {
    fn name(&self) -> &'static str {
        "fuse"
    }

    fn run(&self, _: &Cx, pool: &mut Candidates) -> Result<()> {
        let best = |retriever: Retriever| {
            let scores = pool.list.iter().filter_map(|c| c.retrieved_by(retriever.name()));
            scores.map(|(score, _)| score).fold(f32::MIN_POSITIVE, f32::max)
        };
        let best = Retriever::ALL.map(best);
        let is_weighted = |name: &str| Retriever::ALL.iter().all(|r| r.name() != name || self.mixture.weight(*r) > 0.0);
        for candidate in &mut pool.list {
            // BM25 runs in every mixture, for totals and coverage; without a weight it is no part of the ranking.
            candidate.retrieved.retain(|(name, ..)| is_weighted(name));
            let mut rrf = 0.0;
            for (retriever, best) in Retriever::ALL.into_iter().zip(best) {
                // A retriever that missed it adds nothing.
                if let Some((score, rank)) = candidate.retrieved_by(retriever.name()) {
                    candidate.add(retriever.name(), self.mixture.contribution(retriever, score / best, rank));
                    rrf += self.mixture.reciprocal_rank(retriever, rank);
                }
            }
            candidate.rrf = Some(rrf);
        }
        // What only a retriever of no weight found was not asked for.
        pool.list.retain(|candidate| candidate.score > 0.0);
        if self.mixture.bm25 == 0.0 {
            pool.matches = std::mem::take(&mut pool.sparse_matches);
        }
        Ok(())
    }
}
