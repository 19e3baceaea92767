//! Models from a folder. [`open`] reads what a model hub or `save_pretrained` writes (`config.json`, `model.safetensors`,
//! `tokenizer.json`) and gives the encoder that its architecture is for.
//!
//! One stack of layers serves every family; they differ in names, positions and heads. It all runs on the CPU, in single precision.

mod dense;
mod folder;
mod layers;
mod rerank;
mod sparse;
mod tokens;

use std::path::Path;

use crate::{DenseEncoder, ModelError, Reranker, SparseEncoder};
use folder::{Folder, Purpose};

/// What a folder turned out to hold.
pub enum Model {
    /// A sentence encoder.
    Dense(Box<dyn DenseEncoder>),
    /// A SPLADE model.
    Sparse(Box<dyn SparseEncoder>),
    /// A cross-encoder.
    Reranker(Box<dyn Reranker>),
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Model::Dense(model) => f.debug_tuple("Dense").field(model.id()).finish(),
            Model::Sparse(model) => f.debug_tuple("Sparse").field(model.id()).finish(),
            Model::Reranker(model) => f.debug_tuple("Reranker").field(model.id()).finish(),
        }
    }
}

/// Loads the model of a folder. Nothing is downloaded: an error names the file that is missing and how to get it.
pub fn open(path: &Path) -> Result<Model, ModelError> {
    let folder = Folder::read(path)?;
    Ok(match folder.purpose()? {
        Purpose::Dense => Model::Dense(Box::new(dense::Sentences::load(&folder)?)),
        Purpose::Sparse => Model::Sparse(Box::new(sparse::Splade::load(&folder)?)),
        Purpose::Reranker => Model::Reranker(Box::new(rerank::CrossEncoder::load(&folder)?)),
    })
}
