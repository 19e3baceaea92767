//! Text to vectors. Small synchronous traits; the model behind them is the caller's choice.
//!
//! The built-in model ([`StaticModel`]) is a table of code words inside the binary. It reads the terms that the text index is made of, so
//! one tokenisation serves both.
//!
//! With the feature `transformer`, `transformer::open` loads BERT and its relatives from a folder; with the feature `remote`, a
//! `RemoteEncoder` asks a service.

mod models;
mod related;
#[cfg(feature = "remote")]
mod remote;
mod statics;
#[cfg(feature = "transformer")]
pub mod transformer;

pub use models::{Dense, Model, Models, Source, Sparse, open, service};
pub use related::{Related, related};
#[cfg(feature = "remote")]
pub use remote::{FailedBatch, RemoteEncoder, RemoteSettings};
pub use statics::{StaticModel, WordBag, builtin, compose};

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Which model made a vector. Vectors of two models are never compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelId {
    /// What people call it.
    pub name: String,
    /// How many numbers a vector has.
    pub dimensions: u32,
    /// Hash of the weights: the same name with other weights is another model.
    pub weights: String,
}

impl std::fmt::Display for ModelId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({} dimensions, weights {})", self.name, self.dimensions, self.weights)
    }
}

/// What a batch of texts became, one entry a text, and how many of them were longer than the model reads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Encoded<T> {
    /// One for each text, in their order.
    pub entries: Vec<T>,
    /// Texts that were cut.
    pub truncated: usize,
}

/// Texts to vectors of length one.
pub trait DenseEncoder: Send + Sync {
    /// Which model it is.
    fn id(&self) -> &ModelId;
    /// Encodes a batch; the encoder may reorder it inside.
    fn encode(&self, texts: &[&str]) -> Result<Encoded<Vec<f32>>, ModelError>;
    /// The same where an answer waits for it: an encoder that depends on a service makes one attempt that takes at most `limit`.
    fn encode_within(&self, texts: &[&str], limit: Duration) -> Result<Encoded<Vec<f32>>, ModelError> {
        let _ = limit;
        self.encode(texts)
    }
}

/// Texts to weighted terms: a few of a vocabulary's, none of them negative.
pub trait SparseEncoder: Send + Sync {
    /// Which model it is; dimensions are the size of its vocabulary.
    fn id(&self) -> &ModelId;
    /// Term and weight, by term.
    fn encode(&self, texts: &[&str]) -> Result<Encoded<Vec<(u32, f32)>>, ModelError>;
    /// What a term is, for people.
    fn term(&self, term: u32) -> Option<&str>;
}

/// How well passages answer a query, by reading both together.
pub trait Reranker: Send + Sync {
    /// Which model it is.
    fn id(&self) -> &ModelId;
    /// One score a passage, larger is better.
    fn score(&self, query: &str, passages: &[&str]) -> Result<Encoded<f32>, ModelError>;
}

/// Why a model cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The bytes are no table of words, or of another version.
    #[error("not a table of words of version {0}")]
    NotATable(u32),
    /// The table says it is longer than it is.
    #[error("the table of words ends early")]
    Truncated,
    /// A folder or a service did not give what a model needs; the text says what and what to do.
    #[error("{0}")]
    Unusable(String),
    /// A service cannot be reached, is overloaded or too slow. A later attempt may succeed.
    #[error("{0}")]
    Unavailable(String),
}

/// Scales a vector to length one; one of zeros stays as it is.
pub fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for x in vector {
            *x /= length;
        }
    }
}
