//! The steps of a search. Each adds candidates, adds signals, reorders or cuts; none calls another.

mod beside;
mod cut;
pub(crate) mod dense;
mod diverse;
mod fuse;
mod group;
mod hierarchy;
mod hops;
mod lexical;
mod mentions;
mod names;
mod relations;
mod rerank;
mod signals;
pub(crate) mod sparse;

use cds_model::{ChunkId, EntityId, FileId, Hit, MatchType, Signal};
use rustc_hash::FxHashSet;

use crate::Result;
use crate::bm25::Matches;
use crate::pipeline::Cx;

pub(crate) use beside::Beside;
pub(crate) use cut::Cut;
pub(crate) use diverse::Diverse;
pub(crate) use fuse::Fuse;
pub(crate) use group::Group;
pub(crate) use hierarchy::Hierarchy;
pub(crate) use hops::Hops;
pub(crate) use lexical::Lexical;
pub(crate) use mentions::{Mentioned, Mentions};
pub(crate) use names::{Named, Names};
pub(crate) use relations::Relations;
pub(crate) use rerank::Rerank;
pub(crate) use signals::{Factors, Signals};

/// One step.
pub(crate) trait Stage {
    /// Its name in timings and explanations.
    fn name(&self) -> &'static str;
    /// Whether an answer is still one without it: it is skipped when time has run out.
    fn is_optional(&self) -> bool {
        false
    }
    /// Does it.
    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()>;
}

/// A chunk that may become a hit.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) chunk: ChunkId,
    pub(crate) entity: Option<EntityId>,
    pub(crate) score: f32,
    pub(crate) retrieved: Vec<(&'static str, f32, u32)>,
    pub(crate) signals: Vec<Signal>,
    /// The sum of weighted reciprocal ranks, where retrievers are mixed.
    pub(crate) rrf: Option<f32>,
    /// Terms of the query it has, as bits.
    pub(crate) terms: u32,
    pub(crate) more_in_file: u32,
    /// The score of all chunks of its file, where those are grouped.
    pub(crate) group_score: Option<f32>,
    /// Steps from what was found directly.
    pub(crate) hop_depth: u32,
}

impl Candidate {
    pub(crate) fn new(chunk: ChunkId, entity: Option<EntityId>) -> Candidate {
        let (retrieved, signals) = (Vec::new(), Vec::new());
        Candidate {
            chunk,
            entity,
            score: 0.0,
            retrieved,
            signals,
            rrf: None,
            terms: 0,
            more_in_file: 0,
            group_score: None,
            hop_depth: 0,
        }
    }

    /// Adds `value` to the score under a name; nothing is said of zeros.
    pub(crate) fn add(&mut self, name: &'static str, value: f32) {
        if value != 0.0 {
            self.score += value;
            self.signals.push(Signal { name, value, multiplies: false });
        }
    }

    /// Score and rank that a retriever gave it.
    pub(crate) fn retrieved_by(&self, name: &str) -> Option<(f32, u32)> {
        self.retrieved.iter().find(|(n, _, _)| *n == name).map(|(_, score, rank)| (*score, *rank))
    }

    /// Multiplies the score by the product of factors, which is at most `cap`. Factors of 1 are omitted from the signals.
    pub(crate) fn multiply(&mut self, factors: impl IntoIterator<Item = (&'static str, f32)>, cap: f32) {
        let mut product = 1.0;
        for (name, value) in factors.into_iter().filter(|(_, value)| (value - 1.0).abs() > f32::EPSILON) {
            product *= value;
            self.signals.push(Signal { name, value, multiplies: true });
        }
        if product > cap {
            self.signals.push(Signal { name: "cap", value: cap / product, multiplies: true });
            product = cap;
        }
        self.score *= product;
    }

    pub(crate) fn match_type(&self) -> MatchType {
        // A reranker judges what others found.
        let found: Vec<&str> = self.retrieved.iter().map(|(name, ..)| *name).filter(|name| *name != "rerank").collect();
        match found.as_slice() {
            ["names"] => MatchType::Name,
            ["multi-hop"] => MatchType::MultiHop,
            ["dense"] => MatchType::Dense,
            ["sparse"] => MatchType::Sparse,
            [] | ["bm25"] => MatchType::Bm25,
            _ => MatchType::Hybrid,
        }
    }
}

/// The pool that the stages work on.
#[derive(Default)]
pub(crate) struct Candidates {
    /// In no order until a stage says so.
    pub(crate) list: Vec<Candidate>,
    /// Entities that bear a name of the query, best first.
    pub(crate) named: Vec<Named>,
    /// The weight of each term: the query's times its rarity.
    pub(crate) term_weights: Vec<f32>,
    /// Terms as the index spells them.
    pub(crate) spellings: Vec<String>,
    /// Files with words of the query, whether or not they are among the candidates.
    pub(crate) matches: Matches,
    /// The same of weighted terms.
    pub(crate) sparse_matches: Matches,
    /// Files with a chunk that repeats a better hit.
    pub(crate) left_out: FxHashSet<FileId>,
    /// Whether more than the candidates are near in meaning.
    pub(crate) is_near_cut: bool,
    /// BM25 of each file as a whole.
    pub(crate) files: Vec<f32>,
    /// Whether any chunk has a word of the query.
    pub(crate) has_words: bool,
    /// What the query names.
    pub(crate) mentioned: Mentioned,
    /// Terms from the first on that coverage counts.
    pub(crate) leading: usize,
    /// The query's own vector; empty where meaning takes no part.
    pub(crate) vector: Vec<f32>,
    pub(crate) hits: Vec<Hit>,
    pub(crate) total: usize,
    /// Whether hits were left behind the last one.
    pub(crate) more: bool,
    pub(crate) partial: bool,
    /// Of work beside the stages.
    pub(crate) timings: Vec<(&'static str, f64)>,
    pub(crate) warnings: Vec<String>,
    /// Whether a retriever could not work because of its model.
    pub(crate) failed: bool,
    /// Whether a loaded or remote model was used.
    pub(crate) used_model: bool,
    /// Whether a reranker has judged the first of them.
    pub(crate) reranked: bool,
}

impl Candidates {
    /// Best first; equal scores in order of path and position.
    pub(crate) fn sort(&mut self) {
        self.list.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.chunk.cmp(&b.chunk)));
    }

    /// The share of the query's weight that a candidate's terms carry.
    pub(crate) fn coverage(&self, terms: u32) -> f32 {
        let leading = &self.term_weights[..self.leading.min(self.term_weights.len())];
        let total: f32 = leading.iter().sum();
        let has = |i: usize| 1u32.checked_shl(i as u32).is_some_and(|bit| terms & bit != 0);
        let held: f32 = leading.iter().enumerate().filter(|(i, _)| has(*i)).map(|(_, w)| w).sum();
        if total > 0.0 { held / total } else { 0.0 }
    }
}
