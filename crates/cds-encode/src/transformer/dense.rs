//! Sentence encoders: the vectors of a text's tokens become one of length one.

use candle_core::{Result, Tensor};
use rayon::prelude::*;

use super::{
    Precision,
    folder::{Folder, Pooling},
    int8,
    layers::{Family, Stack},
    tokens::{Batch, Tokens, failed},
};
use crate::{DenseEncoder, Encoded, ModelError, ModelId, normalise};

/// Tokens that one thread takes at a time. Fewer would read the weights more often, more would not fit into a core's cache.
const BUNDLE_TOKENS: usize = 256;

pub(super) struct Sentences {
    id: ModelId,
    tokens: Tokens,
    engine: Engine,
    pooling: Pooling,
}

/// What runs the stack.
enum Engine {
    Int8(Box<int8::Stack>),
    Single(Box<Stack>),
}

impl Sentences {
    pub(super) fn load(folder: &Folder, precision: Precision) -> std::result::Result<Sentences, ModelError> {
        let (family, config) = (Family::of(folder)?, &folder.config);
        let pooling = folder.pooling()?;
        let limit = folder.limit(family.positions(config))?;
        let engine = Engine::load(family, folder, precision)?;
        // Vectors of rounded weights are others.
        let salt = match engine {
            Engine::Int8(_) => format!("{pooling:?} {limit} int8"),
            Engine::Single(_) => format!("{pooling:?} {limit}"),
        };
        let id = folder.id(config.hidden_size, &salt);
        Ok(Sentences { id, tokens: Tokens::load(folder, limit, family.padding(config))?, engine, pooling })
    }

    fn vectors(&self, batch: &Batch, stack: &Stack) -> Result<Vec<Vec<f32>>> {
        let mut vectors = self.pool(batch, &stack.forward(batch)?)?.to_vec2::<f32>()?;
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

    /// Bundles of texts on all cores.
    fn encode_bundles(
        &self,
        stack: &int8::Stack,
        texts: &[&str],
    ) -> std::result::Result<Encoded<Vec<f32>>, ModelError> {
        let Encoded { entries: encodings, truncated } = self.tokens.encode(texts.to_vec())?;
        // A tokenizer that adds no marks makes nothing of an empty text.
        let empty = [self.tokens.padding()];
        let texts = encodings.iter().map(|encoding| match encoding.get_ids() {
            [] => int8::Text { ids: &empty, kinds: &[] },
            ids => int8::Text { ids, kinds: encoding.get_type_ids() },
        });
        let texts: Vec<int8::Text> = texts.collect();
        let bundles = bundles(&texts);
        // A query does not wait for other threads.
        if let [bundle] = bundles[..] {
            let entries = self.bundle(stack, bundle, &mut int8::Scratch::default()).map_err(failed)?;
            return Ok(Encoded { entries, truncated });
        }
        let bundled = |scratch: &mut int8::Scratch, bundle: &[int8::Text]| self.bundle(stack, bundle, scratch);
        let entries = bundles.into_par_iter().map_init(int8::Scratch::default, bundled);
        let entries: Vec<Vec<Vec<f32>>> = entries.collect::<Result<_>>().map_err(failed)?;
        Ok(Encoded { entries: entries.into_iter().flatten().collect(), truncated })
    }

    fn bundle(&self, stack: &int8::Stack, texts: &[int8::Text], scratch: &mut int8::Scratch) -> Result<Vec<Vec<f32>>> {
        let size = self.id.dimensions as usize;
        let mut states = stack.forward(texts, scratch)?;
        let mut pool = |text: &int8::Text| {
            let (own, rest) = states.split_at(text.ids.len() * size);
            states = rest;
            let (first, others) = own.split_at(size);
            let mut vector = first.to_vec();
            let others = others.chunks_exact(size);
            match self.pooling {
                Pooling::First => {}
                Pooling::Mean => others.for_each(|state| vector.iter_mut().zip(state).for_each(|(x, y)| *x += y)),
                Pooling::Max => others.for_each(|state| vector.iter_mut().zip(state).for_each(|(x, y)| *x = x.max(*y))),
            }
            normalise(&mut vector);
            vector
        };
        Ok(texts.iter().map(&mut pool).collect())
    }
}

impl Engine {
    fn load(family: Family, folder: &Folder, precision: Precision) -> std::result::Result<Engine, ModelError> {
        let (config, weights) = (&folder.config, folder.weights()?);
        if precision == Precision::Int8 {
            let stack = int8::Stack::load(family, config, &weights).map_err(|error| folder.mismatch(error))?;
            if let Some(stack) = stack {
                return Ok(Engine::Int8(Box::new(stack)));
            }
        }
        let stack = Stack::load(family, config, &weights).map_err(|error| folder.mismatch(error))?;
        Ok(Engine::Single(Box::new(stack)))
    }
}

/// Cuts texts into bundles of about [`BUNDLE_TOKENS`], or fewer, so that there is one for every thread.
fn bundles<'a, 't>(texts: &'a [int8::Text<'t>]) -> Vec<&'a [int8::Text<'t>]> {
    let tokens: usize = texts.iter().map(|text| text.ids.len()).sum();
    let most = tokens.div_ceil(rayon::current_num_threads()).min(BUNDLE_TOKENS);
    let mut rest = texts;
    let mut bundles = Vec::new();
    while !rest.is_empty() {
        let mut sum = 0;
        let fits = |text: &&int8::Text| {
            sum += text.ids.len();
            sum <= most
        };
        let (bundle, after) = rest.split_at(rest.iter().take_while(fits).count().max(1));
        bundles.push(bundle);
        rest = after;
    }
    bundles
}

impl DenseEncoder for Sentences {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn encode(&self, texts: &[&str]) -> std::result::Result<Encoded<Vec<f32>>, ModelError> {
        match &self.engine {
            Engine::Int8(stack) => self.encode_bundles(stack, texts),
            Engine::Single(stack) => self.tokens.batched(texts.to_vec(), |batch| self.vectors(batch, stack)),
        }
    }
}
