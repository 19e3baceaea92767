//! Cross-encoders: query and passage are read together, and the first token's vector becomes one number.

use candle_core::{Result, Tensor};
use candle_nn::{Linear, Module, VarBuilder};

use super::{
    folder::{Config, Folder},
    layers::{Family, Stack, linear},
    tokens::{Batch, Tokens},
};
use crate::{Encoded, ModelError, ModelId, Reranker};

pub(super) struct CrossEncoder {
    id: ModelId,
    tokens: Tokens,
    stack: Stack,
    head: Head,
}

struct Head {
    dense: Linear,
    squash: fn(&Tensor) -> Result<Tensor>,
    score: Linear,
}

impl CrossEncoder {
    pub(super) fn load(folder: &Folder) -> std::result::Result<CrossEncoder, ModelError> {
        let (family, config) = (Family::of(folder)?, &folder.config);
        // Two labels are what a configuration that says nothing means.
        let labels = config.id2label.as_ref().map_or(2, serde_json::Map::len);
        if labels != 1 {
            return Err(folder.unusable(&format!(
                "a classifier of {labels} labels does not order passages: use a cross-encoder with one label"
            )));
        }
        let limit = folder.limit(family.positions(config))?;
        let weights = folder.weights()?;
        let stack = Stack::load(family, config, &weights).map_err(|error| folder.mismatch(error))?;
        let head = Head::load(family, config, &weights).map_err(|error| folder.mismatch(error))?;
        let tokens = Tokens::load(folder, limit, family.padding(config))?;
        Ok(CrossEncoder { id: folder.id(1, &format!("cross {limit}")), tokens, stack, head })
    }

    fn scores(&self, batch: &Batch) -> Result<Vec<f32>> {
        let first = self.stack.forward(batch)?.get_on_dim(1, 0)?.contiguous()?;
        let squashed = (self.head.squash)(&self.head.dense.forward(&first)?)?;
        self.head.score.forward(&squashed)?.flatten_all()?.to_vec1()
    }
}

impl Head {
    fn load(family: Family, config: &Config, root: &VarBuilder) -> Result<Head> {
        let hidden = config.hidden_size;
        let (dense, squash, score): (_, fn(&Tensor) -> Result<Tensor>, _) = match family {
            Family::Bert | Family::Jina | Family::JinaCode => {
                (Stack::root(family, root).pp("pooler.dense"), Tensor::tanh, "classifier")
            }
            Family::Roberta => (root.pp("classifier.dense"), Tensor::tanh, "classifier.out_proj"),
            Family::DistilBert => (root.pp("pre_classifier"), Tensor::relu, "classifier"),
        };
        Ok(Head { dense: linear(hidden, hidden, &dense)?, squash, score: linear(hidden, 1, &root.pp(score))? })
    }
}

impl Reranker for CrossEncoder {
    fn id(&self) -> &ModelId {
        &self.id
    }

    /// The logits, which sentence-transformers may squash to 0..1 afterwards: the order is the same.
    fn score(&self, query: &str, passages: &[&str]) -> std::result::Result<Encoded<f32>, ModelError> {
        let pairs: Vec<(&str, &str)> = passages.iter().map(|passage| (query, *passage)).collect();
        self.tokens.batched(pairs, |batch| self.scores(batch))
    }
}
