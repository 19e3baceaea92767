//! Sentence encoders: the vectors of a text's tokens become one of length one.

use candle_core::{Result, Tensor};

use super::{
    folder::{Folder, Pooling},
    layers::{Family, Stack},
    tokens::{Batch, Tokens},
};
use crate::{DenseEncoder, Encoded, ModelError, ModelId, normalise};

pub(super) struct Sentences {
    id: ModelId,
    tokens: Tokens,
    stack: Stack,
    pooling: Pooling,
}

impl Sentences {
    pub(super) fn load(folder: &Folder) -> std::result::Result<Sentences, ModelError> {
        let (family, config) = (Family::of(folder)?, &folder.config);
        let pooling = folder.pooling()?;
        let limit = folder.limit(family.positions(config))?;
        let stack = Stack::load(family, config, &folder.weights()?).map_err(|error| folder.mismatch(error))?;
        Ok(Sentences {
            id: folder.id(config.hidden_size, &format!("{pooling:?} {limit}")),
            tokens: Tokens::load(folder, limit, family.padding(config))?,
            stack,
            pooling,
        })
    }

    fn vectors(&self, batch: &Batch) -> Result<Vec<Vec<f32>>> {
        let mut vectors = self.pool(batch, &self.stack.forward(batch)?)?.to_vec2::<f32>()?;
        for vector in &mut vectors {
            normalise(vector);
        }
        Ok(vectors)
    }

    /// Lengths do not matter here, so that the sum is as good as the average.
    fn pool(&self, batch: &Batch, states: &Tensor) -> Result<Tensor> {
        match self.pooling {
            Pooling::First => states.get_on_dim(1, 0),
            Pooling::Mean if !batch.padded() => states.sum(1),
            Pooling::Mean => states.broadcast_mul(&batch.mask.unsqueeze(2)?)?.sum(1),
            Pooling::Max => {
                let padding = ((&batch.mask - 1.0)? * f64::from(f32::MAX))?;
                states.broadcast_add(&padding.unsqueeze(2)?)?.max(1)
            }
        }
    }
}

impl DenseEncoder for Sentences {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn encode(&self, texts: &[&str]) -> std::result::Result<Encoded<Vec<f32>>, ModelError> {
        self.tokens.batched(texts.to_vec(), |batch| self.vectors(batch))
    }
}
