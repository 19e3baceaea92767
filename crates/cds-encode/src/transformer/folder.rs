//! What lies in a model's folder, and which encoder it is for.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use candle_core::{DType, Device};
use candle_nn::VarBuilder;
use serde::{Deserialize, de::DeserializeOwned};

use crate::{ModelError, ModelId};

/// A folder whose necessary files were read, and none understood beyond their form.
pub(super) struct Folder {
    path: PathBuf,
    pub(super) config: Config,
    pub(super) tokenizer: Vec<u8>,
    weights: Vec<u8>,
    modules: Vec<Module>,
}

/// What a folder's model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Dense,
    Sparse,
    Reranker,
}

/// How the hidden states of a text become one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// The average of the tokens, padding apart.
    Mean,
    /// The first token, which stands for the text.
    First,
    /// The largest of each dimension.
    Max,
}

/// `config.json`, as far as the families share it. DistilBERT's names are aliases.
#[derive(Debug, Deserialize)]
pub(super) struct Config {
    #[serde(default)]
    pub(super) architectures: Vec<String>,
    #[serde(default)]
    pub(super) model_type: String,
    pub(super) vocab_size: usize,
    #[serde(alias = "dim")]
    pub(super) hidden_size: usize,
    #[serde(alias = "n_layers")]
    pub(super) num_hidden_layers: usize,
    #[serde(alias = "n_heads")]
    pub(super) num_attention_heads: usize,
    #[serde(alias = "hidden_dim")]
    pub(super) intermediate_size: usize,
    #[serde(alias = "activation", default = "gelu")]
    pub(super) hidden_act: String,
    pub(super) max_position_embeddings: usize,
    #[serde(default)]
    pub(super) type_vocab_size: usize,
    #[serde(default = "epsilon")]
    pub(super) layer_norm_eps: f64,
    #[serde(default)]
    pub(super) pad_token_id: Option<u32>,
    #[serde(default)]
    pub(super) position_embedding_type: Option<String>,
    #[serde(default)]
    pub(super) feed_forward_type: Option<String>,
    #[serde(default)]
    pub(super) id2label: Option<serde_json::Map<String, serde_json::Value>>,
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn epsilon() -> f64 {
    1e-12
}

/// A line of `modules.json`: the steps sentence-transformers runs one after the other.
#[derive(Debug, Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

/// `1_Pooling/config.json`: older files have a flag a mode, newer ones a word.
#[derive(Debug, Default, Deserialize)]
struct PoolingFile {
    #[serde(default)]
    pooling_mode: Option<String>,
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_max_tokens: bool,
}

#[derive(Debug, Default, Deserialize)]
struct Limits {
    #[serde(default)]
    max_seq_length: Option<usize>,
    /// A float: tokenizers without a limit say 1e30.
    #[serde(default)]
    model_max_length: Option<f64>,
}

impl Folder {
    /// Reads the files that every model needs.
    pub(super) fn read(path: &Path) -> Result<Folder, ModelError> {
        if !path.is_dir() {
            return Err(ModelError::Unusable(format!(
                "no folder {}: give the one that holds the model's config.json",
                path.display()
            )));
        }
        let config = need(path, "config.json", "copy it from where the model was published")?;
        let config = parse(path, "config.json", &config)?;
        let weights = need(path, "model.safetensors", weights_remedy(path))?;
        let remedy = "write it with transformers: AutoTokenizer.from_pretrained(folder).save_pretrained(folder)";
        let tokenizer = need(path, "tokenizer.json", remedy)?;
        let modules = optional(path, "modules.json")?.unwrap_or_default();
        let folder = Folder { path: path.to_owned(), config, tokenizer, weights, modules };
        let (hidden, heads) = (folder.config.hidden_size, folder.config.num_attention_heads);
        if heads == 0 || hidden % heads != 0 {
            return Err(
                folder.unusable(&format!("config.json divides {hidden} numbers among {heads} heads: copy it again"))
            );
        }
        Ok(folder)
    }

    /// The steps of sentence-transformers decide where they are listed, the architecture where not: plain BERT is also published with
    /// its masked-word head, and a pooling beside it says that the head is not meant.
    pub(super) fn purpose(&self) -> Result<Purpose, ModelError> {
        if self.has_step("SpladePooling") {
            return Ok(Purpose::Sparse);
        }
        if self.has_step("Pooling") {
            return Ok(Purpose::Dense);
        }
        let Some(architecture) = self.config.architectures.first() else {
            return Err(
                self.unusable("config.json names no architecture: add \"architectures\", such as [\"BertModel\"]")
            );
        };
        match architecture {
            name if name.ends_with("ForMaskedLM") => Ok(Purpose::Sparse),
            name if name.ends_with("ForSequenceClassification") => Ok(Purpose::Reranker),
            name if name.ends_with("Model") => Ok(Purpose::Dense),
            name => Err(self.unusable(&format!(
                "architecture {name} is not one that encodes text: use a …Model (vectors), …ForMaskedLM (SPLADE) or \
                 …ForSequenceClassification (cross-encoder)"
            ))),
        }
    }

    /// How sentence-transformers pools this model; the average where it does not say.
    pub(super) fn pooling(&self) -> Result<Pooling, ModelError> {
        if self.has_step("Dense") {
            return Err(self.unusable("a Dense layer follows the pooling, which is not supported: use a model without"));
        }
        let step = self.modules.iter().find(|module| module.step() == "Pooling");
        let directory = step.map_or("1_Pooling", |module| module.path.as_str());
        let Some(file) = optional::<PoolingFile>(&self.path, &format!("{directory}/config.json"))? else {
            return Ok(Pooling::Mean);
        };
        let modes = [
            (file.pooling_mode_mean_tokens, "mean", Pooling::Mean),
            (file.pooling_mode_cls_token, "cls", Pooling::First),
            (file.pooling_mode_max_tokens, "max", Pooling::Max),
        ];
        let word = file.pooling_mode.as_deref();
        let mut chosen = modes.iter().filter(|(flag, name, _)| *flag || word == Some(name)).map(|mode| mode.2);
        match (chosen.next(), chosen.next()) {
            (Some(pooling), None) => Ok(pooling),
            _ => Err(self.unusable(&format!(
                "{directory}/config.json asks for a pooling that is not supported: exactly one of mean, cls and max"
            ))),
        }
    }

    /// The most tokens of a text that the model reads, its own marks included.
    pub(super) fn limit(&self, positions: usize) -> Result<usize, ModelError> {
        let sentence =
            optional::<Limits>(&self.path, "sentence_bert_config.json")?.and_then(|file| file.max_seq_length);
        let tokenizer = optional::<Limits>(&self.path, "tokenizer_config.json")?.and_then(|file| file.model_max_length);
        let tokenizer = tokenizer.map(|limit| limit as usize);
        Ok([sentence, tokenizer].into_iter().flatten().filter(|&limit| limit > 0).fold(positions, usize::min))
    }

    /// The weights by name, widened to single precision.
    pub(super) fn weights(&self) -> Result<VarBuilder<'_>, ModelError> {
        VarBuilder::from_slice_safetensors(&self.weights, DType::F32, &Device::Cpu)
            .map_err(|error| self.unusable(&format!("model.safetensors is damaged ({error}): copy it again")))
    }

    /// The folder's name, and a hash of all that decides the vectors.
    pub(super) fn id(&self, dimensions: usize, salt: &str) -> ModelId {
        let name = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let name = name.file_name().map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned());
        let mut hash = blake3::Hasher::new();
        hash.update(&self.weights);
        hash.update(&self.tokenizer);
        hash.update(salt.as_bytes());
        let weights = hash.finalize().to_hex()[..16].to_owned();
        ModelId { name, dimensions: dimensions as u32, weights }
    }

    /// An error that says which folder it is about.
    pub(super) fn unusable(&self, what: &str) -> ModelError {
        ModelError::Unusable(format!("{}: {what}", self.path.display()))
    }

    /// What candle says when the weights are not those that `config.json` describes.
    pub(super) fn mismatch(&self, error: candle_core::Error) -> ModelError {
        self.unusable(&format!(
            "model.safetensors is not what config.json describes ({error}): copy both from one place"
        ))
    }

    fn has_step(&self, kind: &str) -> bool {
        self.modules.iter().any(|module| module.step() == kind)
    }
}

impl Module {
    /// The last part of the Python class: its package was renamed between versions.
    fn step(&self) -> &str {
        self.kind.rsplit('.').next().unwrap_or_default()
    }
}

/// The most bytes of a file of a model: the weights of larger ones are split, which is not read here.
const MAX_FILE: u64 = 16 << 30;

/// A regular file; a pipe or a device would not end.
fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() || meta.len() > MAX_FILE {
        return Err(std::io::Error::other("not a regular file of a model's size"));
    }
    let mut bytes = Vec::with_capacity(meta.len() as usize + 1);
    fs::File::open(path)?.take(meta.len()).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn need(folder: &Path, name: &str, remedy: &str) -> Result<Vec<u8>, ModelError> {
    read(&folder.join(name)).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => ModelError::Unusable(format!("{} has no {name}: {remedy}", folder.display())),
        _ => ModelError::Unusable(format!("{}: {name} cannot be read ({error})", folder.display())),
    })
}

fn optional<T: DeserializeOwned>(folder: &Path, name: &str) -> Result<Option<T>, ModelError> {
    match read(&folder.join(name)) {
        Ok(bytes) => parse(folder, name, &bytes).map(Some),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ModelError::Unusable(format!("{}: {name} cannot be read ({error})", folder.display()))),
    }
}

fn parse<T: DeserializeOwned>(folder: &Path, name: &str, bytes: &[u8]) -> Result<T, ModelError> {
    serde_json::from_slice(bytes)
        .map_err(|error| ModelError::Unusable(format!("{}: {name} is not understood ({error})", folder.display())))
}

/// Weights in another form are the usual reason for their absence.
fn weights_remedy(folder: &Path) -> &'static str {
    let has = |name: &str| folder.join(name).exists();
    if has("model.safetensors.index.json") {
        "it is split in parts; join them with transformers: \
         AutoModel.from_pretrained(folder).save_pretrained(folder, max_shard_size=\"100GB\")"
    } else if has("pytorch_model.bin") {
        "convert pytorch_model.bin with transformers, using the class that config.json names: \
         Class.from_pretrained(folder).save_pretrained(folder, safe_serialization=True)"
    } else {
        "copy it from where the model was published"
    }
}
