//! Texts to batches of token ids. Texts of like length share a batch, so that little of it is padding.

use candle_core::{DType, Device, Tensor};
use tokenizers::{EncodeInput, Encoding, Tokenizer, TruncationParams};

use super::folder::Folder;
use crate::{Encoded, ModelError};

/// Tokens of a batch, padding included. Bounds memory: the widest states of BERT's base size are then 25 MB.
const BATCH_TOKENS: usize = 2048;

/// Fewer tokens than this leave no text between a pair's marks.
const LEAST_LIMIT: usize = 8;

/// A tokenizer that cuts at the model's limit.
pub(super) struct Tokens {
    tokenizer: Tokenizer,
    padding: u32,
}

/// Texts as rectangles of numbers.
pub(super) struct Batch {
    /// Which of the caller's texts each row is.
    rows: Vec<usize>,
    /// Token ids, rows by length.
    pub(super) ids: Tensor,
    /// Which of a pair's two texts a token is of.
    pub(super) kinds: Tensor,
    /// One for a token, zero for padding.
    pub(super) mask: Tensor,
    /// Tokens of each row; padding follows them.
    pub(super) lengths: Vec<usize>,
}

impl Tokens {
    /// Reads `tokenizer.json`; what it says of truncation and padding is how it was used last, not what the model can do.
    pub(super) fn load(folder: &Folder, limit: usize, padding: u32) -> Result<Tokens, ModelError> {
        if limit < LEAST_LIMIT {
            return Err(
                folder.unusable(&format!("a limit of {limit} tokens is none: check the configuration's lengths"))
            );
        }
        let mut tokenizer = Tokenizer::from_bytes(&folder.tokenizer).map_err(|error| {
            folder
                .unusable(&format!("tokenizer.json is not understood ({error}): write it with a current transformers"))
        })?;
        let truncation = TruncationParams { max_length: limit, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|error| {
            folder.unusable(&format!(
                "texts cannot be cut at {limit} tokens ({error}): check the limits in the configuration"
            ))
        })?;
        tokenizer.with_padding(None);
        Ok(Tokens { tokenizer, padding })
    }

    /// Every word of the vocabulary by its id; an id without a word is empty.
    pub(super) fn vocabulary(&self, size: usize) -> Vec<String> {
        (0..size as u32).map(|id| self.tokenizer.id_to_token(id).unwrap_or_default()).collect()
    }

    /// Runs batches of `inputs` through `each`, which gives one value a row, and puts the values into the order of the inputs.
    pub(super) fn batched<'s, I, T>(
        &self,
        inputs: Vec<I>,
        each: impl Fn(&Batch) -> candle_core::Result<Vec<T>>,
    ) -> Result<Encoded<T>, ModelError>
    where
        I: Into<EncodeInput<'s>> + Send,
    {
        let Encoded { entries: encodings, truncated } = self.encode(inputs)?;
        let mut order: Vec<usize> = (0..encodings.len()).collect();
        order.sort_by_key(|&row| encodings[row].len());
        let mut values: Vec<Option<T>> = encodings.iter().map(|_| None).collect();
        for rows in batches(&order, &encodings) {
            let batch = self.batch(rows, &encodings).map_err(failed)?;
            let made = each(&batch).map_err(failed)?;
            for (&row, value) in batch.rows.iter().zip(made) {
                values[row] = Some(value);
            }
        }
        let entries: Vec<T> = values.into_iter().flatten().collect();
        assert_eq!(entries.len(), encodings.len(), "a batch gives a value a row");
        Ok(Encoded { entries, truncated })
    }

    /// Token ids of each of `inputs`.
    pub(super) fn encode<'s, I>(&self, inputs: Vec<I>) -> Result<Encoded<Encoding>, ModelError>
    where
        I: Into<EncodeInput<'s>> + Send,
    {
        let entries = self.tokenizer.encode_batch_fast(inputs, true).map_err(failed)?;
        let truncated = entries.iter().filter(|encoding| !encoding.get_overflowing().is_empty()).count();
        Ok(Encoded { entries, truncated })
    }

    /// The id of the padding.
    pub(super) fn padding(&self) -> u32 {
        self.padding
    }

    fn batch(&self, rows: &[usize], encodings: &[Encoding]) -> candle_core::Result<Batch> {
        // A tokenizer that adds no marks makes nothing of an empty text, and a tensor needs at least one token.
        let width = rows.iter().map(|&row| encodings[row].len()).max().unwrap_or(0).max(1);
        let (mut ids, mut kinds, mut mask) = (Vec::new(), Vec::new(), Vec::new());
        for &row in rows {
            let encoding = &encodings[row];
            let used = encoding.len().max(1);
            ids.extend_from_slice(encoding.get_ids());
            kinds.extend_from_slice(encoding.get_type_ids());
            mask.extend(std::iter::repeat_n(1_u32, used));
            let end = mask.len() + width - used;
            ids.resize(end, self.padding);
            kinds.resize(end, 0);
            mask.resize(end, 0);
        }
        let lengths = rows.iter().map(|&row| encodings[row].len().max(1)).collect();
        let tensor = |values: Vec<u32>| Tensor::from_vec(values, (rows.len(), width), &Device::Cpu);
        let mask = tensor(mask)?.to_dtype(DType::F32)?;
        Ok(Batch { rows: rows.to_vec(), ids: tensor(ids)?, kinds: tensor(kinds)?, mask, lengths })
    }
}

impl Batch {
    /// Whether any row is padded.
    pub(super) fn padded(&self) -> bool {
        self.lengths.iter().min() != self.lengths.iter().max()
    }
}

/// An error of a model that was loaded well.
pub(super) fn failed(error: impl std::fmt::Display) -> ModelError {
    ModelError::Unusable(format!("the model failed on a batch: {error}"))
}

/// Cuts rows, shortest first, into batches of about [`BATCH_TOKENS`].
fn batches<'a>(order: &'a [usize], encodings: &'a [Encoding]) -> impl Iterator<Item = &'a [usize]> {
    let mut rest = order;
    std::iter::from_fn(move || {
        let fits = |(count, row): (usize, usize)| count == 0 || (count + 1) * encodings[row].len() <= BATCH_TOKENS;
        let count = rest.iter().copied().enumerate().take_while(|&place| fits(place)).count();
        let (batch, after) = rest.split_at(count);
        rest = after;
        (!batch.is_empty()).then_some(batch)
    })
}
