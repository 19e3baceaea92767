//! What is answered.

use crate::{ChunkId, EntityId};

/// Which retriever found a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchType {
    /// The name index.
    Name,
    /// BM25.
    Bm25,
    /// Weighted terms.
    Sparse,
    /// Nearness in meaning.
    Dense,
    /// Several of them.
    Hybrid,
    /// The graph, from what others found.
    MultiHop,
}

impl MatchType {
    /// The word used in every door.
    pub fn name(self) -> &'static str {
        match self {
            MatchType::Name => "name",
            MatchType::Bm25 => "bm25",
            MatchType::Sparse => "sparse",
            MatchType::Dense => "dense",
            MatchType::Hybrid => "hybrid",
            MatchType::MultiHop => "multi-hop",
        }
    }
}

/// A named number that moved a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// Its name, as in the table of weights.
    pub name: &'static str,
    /// What it did.
    pub value: f32,
    /// Whether the score was multiplied by it; otherwise it was added.
    pub multiplies: bool,
}

/// A chunk and why it is here.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The chunk shown.
    pub chunk: ChunkId,
    /// The entity it stands for: the chunk's own, or one inside it that was asked for by name.
    pub entity: Option<EntityId>,
    /// Its standing, 0..1.
    pub score: f32,
    /// Who found it.
    pub match_type: MatchType,
    /// Scores and ranks of the retrievers that found it: name, score, rank from 1.
    pub retrieved: Vec<(&'static str, f32, u32)>,
    /// What made its score, in the order of application.
    pub signals: Vec<Signal>,
    /// The sum of weighted reciprocal ranks, where retrievers are mixed.
    pub rrf: Option<f32>,
    /// How many more chunks of its file matched.
    pub more_in_file: u32,
    /// The score of all chunks of its file, where hits are chunks grouped by file.
    pub group_score: Option<f32>,
    /// Steps from what was found directly.
    pub hop_depth: u32,
}
