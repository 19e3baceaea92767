//! Attention within one text: how much of every token's value each token takes.

use super::float::{Left, product, softmax};
use super::processor::Processor;

/// Columns of products are padded to a multiple of this.
const BLOCK: usize = 32;

/// Tokens whose scores are in memory at a time; bounds it for long texts.
const QUERIES: usize = 48;

/// Memory for one head.
#[derive(Default)]
pub(super) struct Head {
    /// Keys by number, then token.
    keys: Vec<f32>,
    values: Vec<f32>,
    scores: Vec<f32>,
    mixed: Vec<f32>,
}

impl Head {
    /// Writes the mix of values for each token of a text. A token's `joined` row has its query, key and value, one after the other, for all
    /// heads; queries are scaled already.
    #[inline(always)]
    pub(super) fn attend<P: Processor>(
        &mut self,
        processor: P,
        joined: &[f32],
        hidden: usize,
        heads: usize,
        out: &mut [f32],
    ) {
        let (size, length) = (hidden / heads, joined.len() / (3 * hidden));
        let (width, padded) = (length.next_multiple_of(BLOCK), size.next_multiple_of(BLOCK));
        for at in (0..hidden).step_by(size) {
            self.keys.clear();
            self.keys.resize(size * width, 0.0);
            self.values.clear();
            self.values.resize(length * padded, 0.0);
            let tokens = joined.chunks_exact(3 * hidden).zip(self.values.chunks_exact_mut(padded)).enumerate();
            for (token, (joined, values)) in tokens {
                for (number, key) in joined[hidden + at..][..size].iter().enumerate() {
                    self.keys[number * width + token] = *key;
                }
                values[..size].copy_from_slice(&joined[2 * hidden + at..][..size]);
            }
            let blocks = joined.chunks(QUERIES * 3 * hidden).zip(out.chunks_mut(QUERIES * hidden));
            for (queries, out) in blocks {
                let count = out.len() / hidden;
                self.scores.resize(count * width, 0.0);
                self.mixed.resize(count * padded, 0.0);
                let queries = Left { values: &queries[at..], stride: 3 * hidden, inputs: size };
                product(processor, queries, &self.keys, width, &mut self.scores);
                for row in self.scores.chunks_exact_mut(width) {
                    row[length..].fill(f32::MIN);
                    softmax(processor, row);
                }
                let shares = Left { values: &self.scores, stride: width, inputs: length };
                product(processor, shares, &self.values, padded, &mut self.mixed);
                for (out, mixed) in out.chunks_exact_mut(hidden).zip(self.mixed.chunks_exact(padded)) {
                    out[at..at + size].copy_from_slice(&mixed[..size]);
                }
            }
        }
    }
}
