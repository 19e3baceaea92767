//! BERT's stack of layers with weights of one byte, for processors: an engine of its own, because the products of whole numbers that
//! processors have are several times as fast as those of floats.
//!
//! A linear layer's weights are rounded once, with a scale for each output; its inputs are rounded as they come, with a scale and an offset
//! for each token. All between the linear layers stays in single precision. Texts are never padded: a bundle of them is one list of tokens,
//! and only attention knows where a text ends.

// The loops are plain. They are inlined into one entry for each kind of processor, so that each is compiled for its instructions.
#![allow(clippy::inline_always)]

mod attention;
mod float;
mod matrix;
mod processor;
mod stack;

pub(super) use stack::{Scratch, Stack, Text};
