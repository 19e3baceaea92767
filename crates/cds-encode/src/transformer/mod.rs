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

use crate::{Model, ModelError};
use folder::{Folder, Purpose};

/// Loads the model of a folder. Nothing is downloaded: an error names the file that is missing and how to get it.
pub fn open(path: &Path) -> Result<Model, ModelError> {
    let folder = Folder::read(path)?;
    Ok(match folder.purpose()? {
        Purpose::Dense => Model::Dense(Box::new(dense::Sentences::load(&folder)?)),
        Purpose::Sparse => Model::Sparse(Box::new(sparse::Splade::load(&folder)?)),
        Purpose::Reranker => Model::Reranker(Box::new(rerank::CrossEncoder::load(&folder)?)),
    })
}
