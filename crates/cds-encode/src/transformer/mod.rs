//! Models from a folder. [`open`] reads what a model hub or `save_pretrained` writes (`config.json`, `model.safetensors`,
//! `tokenizer.json`) and gives the encoder that its architecture is for.
//!
//! One stack of layers serves every family; they differ in names, positions and heads. It all runs on the CPU, in single precision but for
//! sentence encoders of BERT's form: their linear layers run in whole numbers, which is many times as fast ([`Precision`]).

mod dense;
mod folder;
mod int8;
mod layers;
mod rerank;
mod sparse;
mod tokens;

use std::path::Path;

use crate::{Model, ModelError};
use folder::{Folder, Purpose};

/// How exact a sentence encoder is. Vectors of one precision are not compared with those of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Linear layers in numbers of one byte, for BERT, RoBERTa and DistilBERT on x86-64 with AVX2 or more; [`Precision::Single`] for other
    /// families and processors.
    #[default]
    Int8,
    /// Single precision.
    Single,
}

/// Loads the model of a folder. Nothing is downloaded: an error names the file that is missing and how to get it.
pub fn open(path: &Path) -> Result<Model, ModelError> {
    open_with(path, Precision::default())
}

/// [`open`] with another precision than the default; it decides for sentence encoders only.
pub fn open_with(path: &Path, precision: Precision) -> Result<Model, ModelError> {
    let folder = Folder::read(path)?;
    Ok(match folder.purpose()? {
        Purpose::Dense => Model::Dense(Box::new(dense::Sentences::load(&folder, precision)?)),
        Purpose::Sparse => Model::Sparse(Box::new(sparse::Splade::load(&folder)?)),
        Purpose::Reranker => Model::Reranker(Box::new(rerank::CrossEncoder::load(&folder)?)),
    })
}
