//! SPLADE: a text becomes the words that a masked-word model would put anywhere in it. A word's weight is log(1 + relu(logit)), the
//! largest over the text's tokens.

use candle_core::{Result, Tensor};
use candle_nn::{Activation, LayerNorm, Linear, Module, VarBuilder};

use super::{
    folder::{Config, Folder},
    layers::{Family, Stack, activation, linear, norm},
    tokens::{Batch, Tokens},
};
use crate::{Encoded, ModelError, ModelId, SparseEncoder};

/// SPLADE models are trained on at most so many tokens, whatever positions there are.
const LIMIT: usize = 512;

pub(super) struct Splade {
    id: ModelId,
    tokens: Tokens,
    vocabulary: Vec<String>,
    stack: Stack,
    head: Head,
}

/// From a token's vector to a logit for each word.
struct Head {
    dense: Linear,
    activation: Activation,
    norm: LayerNorm,
    /// Hidden size by words.
    words: Tensor,
    bias: Tensor,
}

impl Splade {
    pub(super) fn load(folder: &Folder) -> std::result::Result<Splade, ModelError> {
        let (family, config) = (Family::of(folder)?, &folder.config);
        let limit = folder.limit(family.positions(config))?.min(LIMIT);
        let weights = folder.weights()?;
        let stack = Stack::load(family, config, &weights).map_err(|error| folder.mismatch(error))?;
        let head = Head::load(family, config, &stack, &weights).map_err(|error| folder.mismatch(error))?;
        let tokens = Tokens::load(folder, limit, family.padding(config))?;
        Ok(Splade {
            id: folder.id(config.vocab_size, &format!("splade {limit}")),
            vocabulary: tokens.vocabulary(config.vocab_size),
            tokens,
            stack,
            head,
        })
    }

    /// A row at a time: the logits of a whole batch would be hundreds of megabytes.
    fn weights(&self, batch: &Batch) -> Result<Vec<Vec<(u32, f32)>>> {
        let states = self.head.transform(&self.stack.forward(batch)?)?;
        let row = |(row, &length): (usize, &usize)| -> Result<Vec<(u32, f32)>> {
            let largest = self.head.largest(&states.get(row)?.narrow(0, 0, length)?)?;
            let weighted = (0..).zip(largest).filter(|&(_, logit)| logit > 0.0);
            Ok(weighted.map(|(term, logit)| (term, logit.ln_1p())).collect())
        };
        batch.lengths.iter().enumerate().map(row).collect()
    }
}

impl Head {
    fn load(family: Family, config: &Config, stack: &Stack, root: &VarBuilder) -> Result<Head> {
        let (dense, normed, decoder, bias) = match family {
            Family::Bert | Family::Jina | Family::JinaCode => (
                "cls.predictions.transform.dense",
                "cls.predictions.transform.LayerNorm",
                "cls.predictions.decoder",
                "cls.predictions.bias",
            ),
            Family::Roberta => ("lm_head.dense", "lm_head.layer_norm", "lm_head.decoder", "lm_head.bias"),
            Family::DistilBert => ("vocab_transform", "vocab_layer_norm", "vocab_projector", "vocab_projector.bias"),
        };
        let decoder = root.pp(decoder);
        let size = (config.vocab_size, config.hidden_size);
        // The last map is the table of words itself where no other is saved.
        let words =
            if decoder.contains_tensor("weight") { decoder.get(size, "weight")? } else { stack.words().clone() };
        let bias = if root.contains_tensor(bias) { root.get(size.0, bias)? } else { decoder.get(size.0, "bias")? };
        // RoBERTa's head is fixed to this function, whatever its layers use.
        let activation = if family == Family::Roberta { Activation::Gelu } else { activation(config)? };
        Ok(Head {
            dense: linear(config.hidden_size, config.hidden_size, &root.pp(dense))?,
            activation,
            norm: norm(config, &root.pp(normed))?,
            words: words.t()?,
            bias,
        })
    }

    fn transform(&self, states: &Tensor) -> Result<Tensor> {
        self.norm.forward(&self.activation.forward(&self.dense.forward(states)?)?)
    }

    /// The largest logit of each word over the tokens. The bias is the same for every token, and is added once.
    fn largest(&self, states: &Tensor) -> Result<Vec<f32>> {
        (states.matmul(&self.words)?.max(0)? + &self.bias)?.to_vec1()
    }
}

impl SparseEncoder for Splade {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn encode(&self, texts: &[&str]) -> std::result::Result<Encoded<Vec<(u32, f32)>>, ModelError> {
        self.tokens.batched(texts.to_vec(), |batch| self.weights(batch))
    }

    fn term(&self, term: u32) -> Option<&str> {
        self.vocabulary.get(term as usize).map(String::as_str).filter(|term| !term.is_empty())
    }
}
