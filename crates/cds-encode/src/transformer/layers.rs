//! The stack of layers: token ids to one vector a token. BERT, RoBERTa, DistilBERT and Jina's BERT are the same stack with other names,
//! other positions and, for Jina's, another feed-forward part.

use candle_core::{D, Device, Result, Tensor};
use candle_nn::{Activation, Embedding, LayerNorm, Linear, Module, VarBuilder, ops::softmax_last_dim};

use super::{
    folder::{Config, Folder},
    tokens::Batch,
};
use crate::ModelError;

/// Which of the families' conventions a folder follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Bert,
    /// RoBERTa, XLM-RoBERTa and CamemBERT: positions begin after the padding's id.
    Roberta,
    DistilBert,
    /// Jina's second generation: distances instead of positions, and gated feed-forward layers.
    Jina,
    /// Jina's for code, which also norms queries and keys, and adds the layer's input twice.
    JinaCode,
}

/// What a family calls its parts.
pub(super) struct Names {
    /// What stands before every name when a head is saved beside the stack.
    pub(super) prefix: &'static str,
    pub(super) layers: &'static str,
    pub(super) query: &'static str,
    pub(super) key: &'static str,
    pub(super) value: &'static str,
    pub(super) attended: &'static str,
    pub(super) attended_norm: &'static str,
    pub(super) widen: &'static str,
    pub(super) narrow: &'static str,
    pub(super) norm: &'static str,
}

const BERT: Names = Names {
    prefix: "bert",
    layers: "encoder.layer",
    query: "attention.self.query",
    key: "attention.self.key",
    value: "attention.self.value",
    attended: "attention.output.dense",
    attended_norm: "attention.output.LayerNorm",
    widen: "intermediate.dense",
    narrow: "output.dense",
    norm: "output.LayerNorm",
};

const ROBERTA: Names = Names { prefix: "roberta", ..BERT };

const JINA: Names = Names { widen: "mlp.gated_layers", narrow: "mlp.wo", norm: "mlp.layernorm", ..BERT };

const JINA_CODE: Names = Names { widen: "mlp.up_gated_layer", narrow: "mlp.down_layer", norm: "layer_norm_2", ..BERT };

const DISTILBERT: Names = Names {
    prefix: "distilbert",
    layers: "transformer.layer",
    query: "attention.q_lin",
    key: "attention.k_lin",
    value: "attention.v_lin",
    attended: "attention.out_lin",
    attended_norm: "sa_layer_norm",
    widen: "ffn.lin1",
    narrow: "ffn.lin2",
    norm: "output_layer_norm",
};

impl Family {
    /// The family by `model_type`, which every published configuration has. Jina's two differ in their weights' names only.
    pub(super) fn of(folder: &Folder) -> std::result::Result<Family, ModelError> {
        let config = &folder.config;
        let positions = config.position_embedding_type.as_deref().unwrap_or("absolute");
        match (config.model_type.as_str(), positions) {
            ("bert", "absolute") => Ok(Family::Bert),
            ("bert", "alibi") => {
                let weights = folder.weights()?;
                let code = Stack::root(Family::Jina, &weights).contains_tensor("encoder.layer.0.layer_norm_2.weight");
                Ok(if code { Family::JinaCode } else { Family::Jina })
            }
            ("roberta" | "xlm-roberta" | "camembert", "absolute") => Ok(Family::Roberta),
            ("distilbert", "absolute") => Ok(Family::DistilBert),
            (kind, positions) => Err(folder.unusable(&format!(
                "model type \"{kind}\" with {positions} positions is not supported: use one of bert (absolute or alibi), roberta, \
                 xlm-roberta, camembert and distilbert"
            ))),
        }
    }

    /// How many tokens there are positions for.
    pub(super) fn positions(self, config: &Config) -> usize {
        match self {
            Family::Roberta => config.max_position_embeddings.saturating_sub(self.padding(config) as usize + 1),
            Family::Bert | Family::DistilBert | Family::Jina | Family::JinaCode => config.max_position_embeddings,
        }
    }

    /// The id of the padding, which is masked and yet decides RoBERTa's positions.
    pub(super) fn padding(self, config: &Config) -> u32 {
        config.pad_token_id.unwrap_or(u32::from(self == Family::Roberta))
    }

    /// Whether distance stands for position, and a gate for half of the feed-forward part.
    fn is_jina(self) -> bool {
        matches!(self, Family::Jina | Family::JinaCode)
    }

    /// What the family calls its parts.
    pub(super) fn names(self) -> &'static Names {
        match self {
            Family::Bert => &BERT,
            Family::Roberta => &ROBERTA,
            Family::DistilBert => &DISTILBERT,
            Family::Jina => &JINA,
            Family::JinaCode => &JINA_CODE,
        }
    }
}

/// Embeddings and layers, without a head.
pub(super) struct Stack {
    family: Family,
    padding: u32,
    words: Embedding,
    positions: Option<Embedding>,
    kinds: Option<Embedding>,
    norm: LayerNorm,
    slopes: Vec<f32>,
    layers: Vec<Layer>,
}

struct Layer {
    heads: usize,
    query: Linear,
    key: Linear,
    value: Linear,
    /// Norms of queries, keys and the input added again: Jina's for code only.
    code: Option<[LayerNorm; 3]>,
    attended: Linear,
    attended_norm: LayerNorm,
    widen: Linear,
    activation: Activation,
    gate: Option<Gate>,
    narrow: Linear,
    norm: LayerNorm,
}

/// Which half of the widened states passes through the activation and then scales the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gate {
    First,
    Second,
}

impl Stack {
    /// Takes the stack's weights, whether or not a head was saved beside them.
    pub(super) fn load(family: Family, config: &Config, root: &VarBuilder) -> Result<Stack> {
        let names = family.names();
        let root = &Stack::root(family, root);
        let hidden = config.hidden_size;
        let embeddings = root.pp("embeddings");
        let table = |rows: usize, name: &str| -> Result<Embedding> {
            Ok(Embedding::new(embeddings.pp(name).get((rows, hidden), "weight")?, hidden))
        };
        let positions =
            if family.is_jina() { None } else { Some(table(config.max_position_embeddings, "position_embeddings")?) };
        let kinds = match config.type_vocab_size {
            0 => None,
            rows => Some(table(rows, "token_type_embeddings")?),
        };
        let layers = root.pp(names.layers);
        Ok(Stack {
            family,
            padding: family.padding(config),
            words: table(config.vocab_size, "word_embeddings")?,
            positions,
            kinds,
            norm: norm(config, &embeddings.pp("LayerNorm"))?,
            slopes: if family.is_jina() { slopes(config.num_attention_heads) } else { Vec::new() },
            layers: (0..config.num_hidden_layers)
                .map(|number| Layer::load(family, config, &layers.pp(number)))
                .collect::<Result<_>>()?,
        })
    }

    /// Where the stack's names begin.
    pub(super) fn root<'a>(family: Family, root: &VarBuilder<'a>) -> VarBuilder<'a> {
        let inside = root.pp(family.names().prefix);
        if inside.contains_tensor("embeddings.word_embeddings.weight") { inside } else { root.clone() }
    }

    /// The table of words, which heads of masked words share.
    pub(super) fn words(&self) -> &Tensor {
        self.words.embeddings()
    }

    /// One vector a token: rows, length, hidden size.
    pub(super) fn forward(&self, batch: &Batch) -> Result<Tensor> {
        let mut states = self.words.forward(&batch.ids)?;
        if let Some(positions) = &self.positions {
            states = states.broadcast_add(&positions.forward(&self.position_ids(batch)?)?)?;
        }
        if let Some(kinds) = &self.kinds {
            // A tokenizer may number a pair's second text where the model knows one kind only, as RoBERTa does.
            let ids = if kinds.embeddings().dim(0)? > 1 { batch.kinds.clone() } else { batch.kinds.zeros_like()? };
            states = (states + kinds.forward(&ids)?)?;
        }
        states = self.norm.forward(&states)?;
        let bias = self.bias(batch)?;
        for layer in &self.layers {
            states = layer.forward(&states, bias.as_ref())?;
        }
        Ok(states)
    }

    fn position_ids(&self, batch: &Batch) -> Result<Tensor> {
        let (rows, width) = batch.ids.dims2()?;
        if self.family != Family::Roberta {
            return Tensor::arange(0, width as u32, &Device::Cpu);
        }
        // Padding does not count, also when a text spells it out.
        let mut positions = Vec::with_capacity(rows * width);
        for row in batch.ids.to_vec2::<u32>()? {
            let mut last = self.padding;
            positions.extend(row.into_iter().map(|id| {
                let token = id != self.padding;
                last += u32::from(token);
                if token { last } else { self.padding }
            }));
        }
        Tensor::from_vec(positions, (rows, width), &Device::Cpu)
    }

    /// What is added to every attention score: minus a great deal for padding, and for Jina's a little more with each step away.
    fn bias(&self, batch: &Batch) -> Result<Option<Tensor>> {
        let (rows, width) = batch.ids.dims2()?;
        let padding = if batch.padded() {
            let masked = ((&batch.mask - 1.0)? * f64::from(f32::MAX))?;
            Some(masked.reshape((rows, 1, 1, width))?)
        } else {
            None
        };
        if self.slopes.is_empty() {
            return Ok(padding);
        }
        let mut away = Vec::with_capacity(self.slopes.len() * width * width);
        for slope in &self.slopes {
            away.extend((0..width).flat_map(|from| (0..width).map(move |to| -slope * from.abs_diff(to) as f32)));
        }
        let away = Tensor::from_vec(away, (1, self.slopes.len(), width, width), &Device::Cpu)?;
        Ok(Some(match padding {
            Some(padding) => away.broadcast_add(&padding)?,
            None => away,
        }))
    }
}

impl Layer {
    fn load(family: Family, config: &Config, root: &VarBuilder) -> Result<Layer> {
        let names = family.names();
        let (hidden, wide) = (config.hidden_size, config.intermediate_size);
        let gate = match family {
            Family::Jina => Some(Gate::First),
            Family::JinaCode => Some(Gate::Second),
            Family::Bert | Family::Roberta | Family::DistilBert => None,
        };
        let code = if family == Family::JinaCode {
            let named = |name: &str| norm(config, &root.pp(name));
            Some([named("attention.self.layer_norm_q")?, named("attention.self.layer_norm_k")?, named("layer_norm_1")?])
        } else {
            None
        };
        let square = |name: &str| linear(hidden, hidden, &root.pp(name));
        Ok(Layer {
            heads: config.num_attention_heads,
            query: square(names.query)?,
            key: square(names.key)?,
            value: square(names.value)?,
            code,
            attended: square(names.attended)?,
            attended_norm: norm(config, &root.pp(names.attended_norm))?,
            widen: linear(hidden, if gate.is_some() { 2 * wide } else { wide }, &root.pp(names.widen))?,
            activation: activation(config)?,
            gate,
            narrow: linear(wide, hidden, &root.pp(names.narrow))?,
            norm: norm(config, &root.pp(names.norm))?,
        })
    }

    fn forward(&self, input: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
        let attended = self.attended.forward(&self.attention(input, bias)?)?;
        let mut states = self.attended_norm.forward(&(attended + input)?)?;
        if let Some([_, _, again]) = &self.code {
            states = again.forward(&(states + input)?)?;
        }
        let wide = self.widen.forward(&states)?;
        let wide = match self.gate {
            None => self.activation.forward(&wide)?,
            Some(gate) => {
                let size = wide.dim(D::Minus1)? / 2;
                let (first, second) = (wide.narrow(D::Minus1, 0, size)?, wide.narrow(D::Minus1, size, size)?);
                let (scale, other) = if gate == Gate::First { (first, second) } else { (second, first) };
                (self.activation.forward(&scale.contiguous()?)? * other)?
            }
        };
        self.norm.forward(&(self.narrow.forward(&wide)? + states)?)
    }

    fn attention(&self, states: &Tensor, bias: Option<&Tensor>) -> Result<Tensor> {
        let (rows, width, hidden) = states.dims3()?;
        let size = hidden / self.heads;
        let split = |part: Tensor| -> Result<Tensor> {
            part.reshape((rows, width, self.heads, size))?.transpose(1, 2)?.contiguous()
        };
        let (mut query, mut key) = (self.query.forward(states)?, self.key.forward(states)?);
        if let Some([of_query, of_key, _]) = &self.code {
            (query, key) = (of_query.forward(&query)?, of_key.forward(&key)?);
        }
        let query = split((query * (size as f64).sqrt().recip())?)?;
        let mut scores = query.matmul(&split(key)?.t()?)?;
        if let Some(bias) = bias {
            scores = scores.broadcast_add(bias)?;
        }
        let mixed = softmax_last_dim(&scores)?.matmul(&split(self.value.forward(states)?)?)?;
        mixed.transpose(1, 2)?.reshape((rows, width, hidden))
    }
}

/// A linear map, with its bias where there is one.
pub(super) fn linear(from: usize, to: usize, root: &VarBuilder) -> Result<Linear> {
    let bias = if root.contains_tensor("bias") { Some(root.get(to, "bias")?) } else { None };
    Ok(Linear::new(root.get((to, from), "weight")?, bias))
}

/// A layer norm.
pub(super) fn norm(config: &Config, root: &VarBuilder) -> Result<LayerNorm> {
    let (weight, bias) = norm_names(root);
    let size = config.hidden_size;
    Ok(LayerNorm::new(root.get(size, weight)?, root.get(size, bias)?, config.layer_norm_eps))
}

/// What the parts of a layer norm are called; the first published weights say gamma and beta.
pub(super) fn norm_names(root: &VarBuilder) -> (&'static str, &'static str) {
    if root.contains_tensor("gamma") { ("gamma", "beta") } else { ("weight", "bias") }
}

/// The configuration's non-linear function.
pub(super) fn activation(config: &Config) -> Result<Activation> {
    // Jina's gate is named after its function.
    match config.feed_forward_type.as_deref().unwrap_or(&config.hidden_act) {
        "gelu" | "geglu" => Ok(Activation::Gelu),
        "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Ok(Activation::NewGelu),
        "relu" | "reglu" => Ok(Activation::Relu),
        "silu" | "swish" => Ok(Activation::Silu),
        other => candle_core::bail!("activation {other} is not supported"),
    }
}

/// How steeply each head of Jina's falls off with distance: a geometric row, and for a number of heads that is no power of two every
/// other entry of the next row as well.
fn slopes(heads: usize) -> Vec<f32> {
    let row = |count: usize| (1..=count).map(move |head| 2_f32.powf(-8.0 * head as f32 / count as f32));
    let power = if heads.is_power_of_two() { heads } else { heads.next_power_of_two() / 2 };
    row(power).chain(row(2 * power).step_by(2)).take(heads).collect()
}

#[cfg(test)]
mod tests {
    use super::slopes;

    #[test]
    fn heads_fall_off_geometrically() {
        assert_eq!(slopes(4), [0.25, 0.0625, 0.015_625, 0.003_906_25]);
        assert_eq!(slopes(3), [0.0625, 0.003_906_25, 0.25]);
    }
}
