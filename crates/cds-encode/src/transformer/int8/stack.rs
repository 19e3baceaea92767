//! The stack of layers: texts as token ids to one vector a token.

use candle_core::{Result, bail};
use candle_nn::VarBuilder;

use super::attention::Head;
use super::float::{Activation, Norm};
use super::matrix::{Linear, MOST_INPUTS, Rows};
use super::processor::{Machine, Processor, Work};
use crate::transformer::folder::Config;
use crate::transformer::layers::{self, Family};

/// One text, as a tokenizer made it.
#[derive(Clone, Copy, Debug)]
pub(in crate::transformer) struct Text<'a> {
    /// Token ids; at least one.
    pub(in crate::transformer) ids: &'a [u32],
    /// Which of a pair's two texts a token is of; as many, or none.
    pub(in crate::transformer) kinds: &'a [u32],
}

/// Embeddings and layers.
pub(in crate::transformer) struct Stack {
    machine: Machine,
    family: Family,
    padding: u32,
    hidden: usize,
    heads: usize,
    words: Vec<f32>,
    positions: Vec<f32>,
    /// Empty where the family has none.
    kinds: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    /// Query, key and value.
    joined: Linear,
    attended: Linear,
    attended_norm: Norm,
    widen: Linear,
    activation: Activation,
    narrow: Linear,
    norm: Norm,
}

/// Memory that one bundle after the other uses.
#[derive(Default)]
pub(in crate::transformer) struct Scratch {
    states: Vec<f32>,
    rows: Rows,
    joined: Vec<f32>,
    mixed: Vec<f32>,
    wide: Vec<f32>,
    head: Head,
}

impl Stack {
    /// Takes and rounds the stack's weights; `None` for families that are another stack, and for processors without
    /// fast products of whole numbers.
    pub(in crate::transformer) fn load(family: Family, config: &Config, root: &VarBuilder) -> Result<Option<Stack>> {
        let machine = match family {
            Family::Bert | Family::Roberta | Family::DistilBert => Machine::fast(),
            Family::Jina | Family::JinaCode => None,
        };
        let Some(machine) = machine else { return Ok(None) };
        let root = &layers::Stack::root(family, root);
        let hidden = config.hidden_size;
        for size in [hidden, config.intermediate_size] {
            if !(1..=MOST_INPUTS).contains(&size) {
                bail!("layers of {size} numbers are not supported");
            }
        }
        let embeddings = root.pp("embeddings");
        let table = |rows: usize, name: &str| numbers(&embeddings.pp(name), (rows, hidden), "weight");
        let layers = root.pp(family.names().layers);
        Ok(Some(Stack {
            machine,
            family,
            padding: family.padding(config),
            hidden,
            heads: config.num_attention_heads,
            words: table(config.vocab_size, "word_embeddings")?,
            positions: table(config.max_position_embeddings, "position_embeddings")?,
            kinds: match config.type_vocab_size {
                0 => Vec::new(),
                rows => table(rows, "token_type_embeddings")?,
            },
            norm: norm(config, &embeddings.pp("LayerNorm"))?,
            layers: (0..config.num_hidden_layers)
                .map(|number| Layer::load(family, config, &layers.pp(number)))
                .collect::<Result<_>>()?,
        }))
    }

    /// One vector a token, text by text.
    pub(in crate::transformer) fn forward<'s>(&self, texts: &[Text], scratch: &'s mut Scratch) -> Result<&'s [f32]> {
        self.embed(texts, &mut scratch.states)?;
        self.machine.run(Pass { stack: self, texts, scratch: &mut *scratch });
        Ok(&scratch.states)
    }

    fn embed(&self, texts: &[Text], states: &mut Vec<f32>) -> Result<()> {
        let hidden = self.hidden;
        let several = self.kinds.len() > self.hidden;
        states.clear();
        for text in texts {
            let mut last = self.padding;
            for (token, &id) in text.ids.iter().enumerate() {
                let position = if self.family == Family::Roberta {
                    // Padding does not count, also when a text spells it out.
                    last += u32::from(id != self.padding);
                    if id == self.padding { self.padding } else { last }
                } else {
                    token as u32
                };
                // A tokenizer may number a pair's second text where the model knows one kind only, as RoBERTa does.
                let kind = if several { text.kinds.get(token).copied().unwrap_or_default() } else { 0 };
                let (Some(word), Some(place)) = (row(&self.words, id, hidden), row(&self.positions, position, hidden))
                else {
                    bail!("token {id} at position {position} has no embedding");
                };
                let start = states.len();
                states.extend(word.iter().zip(place).map(|(x, y)| x + y));
                if !self.kinds.is_empty() {
                    let Some(kind) = row(&self.kinds, kind, hidden) else { bail!("kind {kind} has no embedding") };
                    states[start..].iter_mut().zip(kind).for_each(|(x, y)| *x += y);
                }
            }
        }
        Ok(())
    }
}

/// A row of a table of embeddings.
fn row(table: &[f32], at: u32, hidden: usize) -> Option<&[f32]> {
    table.get(at as usize * hidden..)?.get(..hidden)
}

/// Embedded texts on their way through the layers.
struct Pass<'a> {
    stack: &'a Stack,
    texts: &'a [Text<'a>],
    scratch: &'a mut Scratch,
}

impl Work for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<P: Processor>(self, processor: P) {
        self.stack.norm.apply(&mut self.scratch.states);
        for layer in &self.stack.layers {
            layer.forward(processor, self.stack, self.texts, self.scratch);
        }
    }
}

impl Layer {
    fn load(family: Family, config: &Config, root: &VarBuilder) -> Result<Layer> {
        let names = family.names();
        let (hidden, wide) = (config.hidden_size, config.intermediate_size);
        let (mut weights, mut bias) = map(hidden, hidden, &root.pp(names.query))?;
        // Scores are divided by the root of a head's size: the queries' weights are, once.
        let scale = ((hidden / config.num_attention_heads) as f32).sqrt().recip();
        weights.iter_mut().chain(&mut bias).for_each(|x| *x *= scale);
        for name in [names.key, names.value] {
            let (more, more_bias) = map(hidden, hidden, &root.pp(name))?;
            weights.extend(more);
            bias.extend(more_bias);
        }
        let linear = |from: usize, to: usize, name: &str| {
            map(from, to, &root.pp(name)).map(|(weights, bias)| Linear::new(from, &weights, &bias))
        };
        Ok(Layer {
            joined: Linear::new(hidden, &weights, &bias),
            attended: linear(hidden, hidden, names.attended)?,
            attended_norm: norm(config, &root.pp(names.attended_norm))?,
            widen: linear(hidden, wide, names.widen)?,
            activation: activation(config)?,
            narrow: linear(wide, hidden, names.narrow)?,
            norm: norm(config, &root.pp(names.norm))?,
        })
    }

    #[inline(always)]
    fn forward<P: Processor>(&self, processor: P, stack: &Stack, texts: &[Text], scratch: &mut Scratch) {
        let Scratch { states, rows, joined, mixed, wide, head } = scratch;
        let hidden = stack.hidden;
        rows.fill(states, hidden);
        self.joined.forward(processor, rows, None, joined);
        mixed.resize(states.len(), 0.0);
        let mut start = 0;
        for text in texts {
            let end = start + text.ids.len();
            let (joined, mixed) =
                (&joined[start * 3 * hidden..end * 3 * hidden], &mut mixed[start * hidden..end * hidden]);
            head.attend(processor, joined, hidden, stack.heads, mixed);
            start = end;
        }
        rows.fill(mixed, hidden);
        self.attended.forward(processor, rows, None, mixed);
        self.attended_norm.add_and_apply(states, mixed);
        rows.fill(states, hidden);
        self.widen.forward(processor, rows, Some(self.activation), wide);
        rows.fill(wide, self.widen.outputs());
        self.narrow.forward(processor, rows, None, mixed);
        self.norm.add_and_apply(states, mixed);
    }
}

fn numbers(root: &VarBuilder, shape: impl Into<candle_core::Shape>, name: &str) -> Result<Vec<f32>> {
    root.get(shape.into(), name)?.flatten_all()?.to_vec1()
}

/// Weights by output, and a bias: zeros where there is none.
fn map(from: usize, to: usize, root: &VarBuilder) -> Result<(Vec<f32>, Vec<f32>)> {
    let bias = if root.contains_tensor("bias") { numbers(root, to, "bias")? } else { vec![0.0; to] };
    Ok((numbers(root, (to, from), "weight")?, bias))
}

fn norm(config: &Config, root: &VarBuilder) -> Result<Norm> {
    let (weight, bias) = layers::norm_names(root);
    let size = config.hidden_size;
    let (weight, bias) = (numbers(root, size, weight)?, numbers(root, size, bias)?);
    Ok(Norm { weight, bias, epsilon: config.layer_norm_eps as f32 })
}

fn activation(config: &Config) -> Result<Activation> {
    use candle_nn::Activation as Named;
    match layers::activation(config)? {
        Named::Gelu => Ok(Activation::Gelu),
        Named::NewGelu => Ok(Activation::GeluTanh),
        Named::Relu => Ok(Activation::Relu),
        Named::Silu => Ok(Activation::Silu),
        other => bail!("activation {other:?} is not supported"),
    }
}
