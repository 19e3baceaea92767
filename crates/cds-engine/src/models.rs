//! Models the user has added, by name, and which of them the settings put to use.

use std::path::{Path, PathBuf};
use std::time::Instant;

use cds_encode::{Model, Models, Source};
use cds_index::{OpenError, OpenFile, open_owner_file};
use serde::{Deserialize, Serialize};

use crate::config::{Config, PROJECT_FILE, distance, read_settings};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};

/// The most bytes of the list of models.
const MAX_LIST: u64 = 1_000_000;

/// A model that can be put to use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownModel {
    /// What the settings call it.
    pub name: String,
    /// What it is for: `dense`, `sparse` or `reranker`.
    pub kind: String,
    /// Numbers of a vector, or terms of its vocabulary.
    pub dimensions: u32,
    /// Tells its weights from others.
    pub weights: String,
    /// Where it lies; none: inside the binary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Whether the settings name it.
    #[serde(default, skip_deserializing)]
    pub in_use: bool,
}

/// What a model did with a few texts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelTest {
    /// What it is for.
    pub kind: String,
    /// Which model it is.
    pub model: String,
    /// Milliseconds to load it.
    pub load_ms: f64,
    /// Milliseconds a text.
    pub text_ms: f64,
    /// What it says of each text: a cosine with the question, a score, or its heaviest terms.
    pub results: Vec<(String, String)>,
    /// Whether the code that answers the question came out ahead.
    pub sensible: bool,
}

/// A question, code that answers it and code that does not.
const QUESTION: &str = "read a file line by line";
const ANSWERS: &str =
    "fn lines(path: &Path) -> io::Result<Vec<String>> {\n    BufReader::new(File::open(path)?).lines().collect()\n}";
const OTHER: &str = "def cosine(a, b):\n    return dot(a, b) / (norm(a) * norm(b))";

/// The file in the user's folder that lists them.
const LIST: &str = "models.toml";

#[derive(Default, Serialize, Deserialize)]
struct List {
    #[serde(default)]
    model: Vec<KnownModel>,
}

impl List {
    fn path(config: &Config) -> Result<PathBuf> {
        let folder = config.user_folder().ok_or_else(|| {
            Error::invalid("there is no place for settings of yours: set HOME or XDG_CONFIG_HOME".to_owned())
        })?;
        Ok(folder.join(LIST))
    }

    fn read(config: &Config) -> Result<List> {
        let Ok(path) = List::path(config) else { return Ok(List::default()) };
        let text = match open_owner_file(&path, MAX_LIST).and_then(OpenFile::read_text) {
            Ok(text) => text,
            Err(OpenError::NotFound) => return Ok(List::default()),
            Err(e) => return Err(io(&path, &e)),
        };
        toml::from_str(&text).map_err(|e| Error::invalid(format!("{}: {}", path.display(), e.to_string().trim())))
    }

    fn write(&self, config: &Config) -> Result<()> {
        let path = List::path(config)?;
        let text = toml::to_string(self).expect("a list of models is plain data");
        write(&path, &format!("# Models added with `cds model add`.\n{text}"))
    }

    fn find(&self, name: &str) -> Option<&KnownModel> {
        self.model.iter().find(|model| model.name == name)
    }

    /// An error that names what there is.
    fn missing(&self, name: &str) -> String {
        let near = self.model.iter().map(|m| m.name.as_str()).min_by_key(|known| distance(known, name));
        match near.filter(|known| distance(known, name) <= 3) {
            Some(near) => format!("no model {name:?}; did you mean {near:?}?"),
            None => {
                format!("no model {name:?}: `cds model list` shows those there are, `cds model add FOLDER` adds one")
            }
        }
    }
}

fn io(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error { kind: ErrorKind::Io, message: format!("{}: {error}", path.display()) }
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| io(folder, &e))?;
    }
    std::fs::write(path, text).map_err(|e| io(path, &e))
}

/// What the settings name. A name that leads nowhere is told when the model is needed, not before.
pub(crate) fn from_settings(config: &Config, root: &Path) -> Models {
    let source = |key: &str| match config.text(key) {
        "" | "builtin" => Source::Builtin,
        "none" => Source::None,
        "service" if key == "models.dense" => service(config),
        name if name.contains(['/', '\\']) => Source::Folder(root.join(name)),
        name => match List::read(config) {
            Ok(list) => match list.find(name).and_then(|model| model.folder.clone()) {
                Some(folder) => Source::Folder(folder),
                None => Source::Missing(format!("{key}: {}", list.missing(name))),
            },
            Err(error) => Source::Missing(error.message),
        },
    };
    Models::new(source("models.dense"), source("models.sparse"), source("models.reranker"))
}

fn service(config: &Config) -> Source {
    let (url, model) = (config.text("models.service_url"), config.text("models.service_model"));
    if url.is_empty() || model.is_empty() {
        let how = "models.dense is \"service\": set models.service_url and models.service_model too";
        return Source::Missing(how.to_owned());
    }
    Source::Service { url: url.to_owned(), model: model.to_owned(), key: config.embeddings_key().map(str::to_owned) }
}

/// Those inside the binary.
fn builtin() -> [KnownModel; 2] {
    let id = cds_encode::builtin().id();
    let known = |name: &str, kind: &str, dimensions, weights: &str| KnownModel {
        name: name.to_owned(),
        kind: kind.to_owned(),
        dimensions,
        weights: weights.to_owned(),
        folder: None,
        in_use: false,
    };
    [known("builtin", "dense", id.dimensions, &id.weights), known("builtin", "sparse", 0, "related words")]
}

impl Engine {
    /// Whether an index has the vectors that the settings ask for, as far as can be told without loading a model.
    pub(crate) fn has_settings_model(&self, manifest: &cds_index::Manifest) -> bool {
        let listed =
            |name: &str| List::read(self.config()).unwrap_or_default().find(name).map(|known| known.weights.clone());
        let weights = manifest.model.as_ref().map(|model| model.weights.as_str());
        let dense = match self.config().text("models.dense") {
            "" | "builtin" => weights == Some(cds_encode::builtin().id().weights.as_str()),
            "none" => weights.is_none(),
            "service" => {
                let name = manifest.model.as_ref().map(|model| model.name.as_str());
                name == Some(self.config().text("models.service_model"))
            }
            name => listed(name).is_none_or(|known| weights == Some(known.as_str())),
        };
        let weights = manifest.sparse_model.as_ref().map(|model| model.weights.as_str());
        let sparse = match self.config().text("models.sparse") {
            "" | "builtin" | "none" => weights.is_none(),
            name => listed(name).is_none_or(|known| weights == Some(known.as_str())),
        };
        dense && sparse
    }

    /// Every model there is, those inside the binary first.
    pub fn models(&self) -> Result<Vec<KnownModel>> {
        let mut models: Vec<KnownModel> = builtin().into();
        models.extend(List::read(self.config())?.model);
        for model in &mut models {
            let set = self.config().text(&format!("models.{}", model.kind));
            model.in_use = set == model.name || set.is_empty() && model.name == "builtin";
        }
        Ok(models)
    }

    /// Adds the model of a folder under a name, by default the folder's. It is loaded once, so that what cannot be used is not added.
    pub fn add_model(&self, folder: &Path, name: Option<&str>) -> Result<KnownModel> {
        let folder = std::path::absolute(folder).map_err(|e| io(folder, &e))?;
        let model = cds_encode::open(&folder)?;
        let name = name.map_or_else(|| model.id().name.clone(), str::to_owned);
        if name.is_empty() || matches!(name.as_str(), "builtin" | "none" | "service") || name.contains(['/', '\\', '"'])
        {
            return Err(Error::invalid(format!("{name:?} cannot be a model's name: choose another with --name")));
        }
        let mut list = List::read(self.config())?;
        if let Some(known) = list.find(&name).filter(|known| known.folder.as_deref() != Some(&folder)) {
            let at = known.folder.as_deref().unwrap_or(Path::new("")).display();
            return Err(Error::invalid(format!(
                "{name:?} is the model in {at}: remove it, or choose another name with --name"
            )));
        }
        let known = KnownModel {
            kind: model.kind().to_owned(),
            dimensions: model.id().dimensions,
            weights: model.id().weights.clone(),
            folder: Some(folder),
            in_use: false,
            name,
        };
        list.model.retain(|other| other.name != known.name);
        list.model.push(known.clone());
        list.write(self.config())?;
        Ok(known)
    }

    /// Forgets a model. Its folder stays where it is.
    pub fn remove_model(&self, name: &str) -> Result<KnownModel> {
        let mut list = List::read(self.config())?;
        let Some(known) = list.find(name).cloned() else { return Err(Error::invalid(list.missing(name))) };
        if self.models()?.iter().any(|model| model.name == name && model.in_use) {
            let kind = known.kind;
            return Err(Error::invalid(format!("{name:?} is in use: `cds model use builtin --for {kind}` first")));
        }
        list.model.retain(|model| model.name != name);
        list.write(self.config())?;
        Ok(known)
    }

    /// Writes into the project's settings, or the user's, that a model is to be used; gives the setting and the file.
    pub fn use_model(&self, name: &str, purpose: Option<&str>, for_user: bool) -> Result<(String, PathBuf)> {
        let kind = match (purpose, name) {
            (Some(purpose @ ("dense" | "sparse" | "reranker")), _) => purpose.to_owned(),
            (Some(other), _) => return Err(Error::invalid(format!("--for {other:?}: use dense, sparse or reranker"))),
            (None, "builtin" | "service") => "dense".to_owned(),
            (None, "none") => return Err(Error::invalid("say what to switch off: --for dense, sparse or reranker")),
            (None, name) => self.known(name)?.kind,
        };
        if !matches!(name, "builtin" | "none" | "service") {
            let known = self.known(name)?;
            if known.kind != kind {
                return Err(Error::invalid(format!(
                    "{name:?} is a {} model: it cannot be used for {kind}",
                    known.kind
                )));
            }
        }
        if name == "service" && !for_user {
            return Err(Error::invalid(
                "a project cannot choose a network service: `cds model use service --user` writes it into your own settings",
            ));
        }
        let path = match (for_user, self.config().user_folder()) {
            (true, Some(folder)) => folder.join("config.toml"),
            (true, None) => return Err(Error::invalid("there is no place for settings of yours: set HOME")),
            (false, _) => self.root().join(PROJECT_FILE),
        };
        let text = match read_settings(self.root(), &path) {
            Ok(text) => text,
            Err(OpenError::NotFound) => String::new(),
            Err(e) => return Err(io(&path, &e)),
        };
        let mut document: toml_edit::DocumentMut =
            text.parse().map_err(|_| Error::invalid(format!("{} is no valid TOML: mend it first", path.display())))?;
        document["models"].or_insert(toml_edit::table())[&kind] = toml_edit::value(name);
        let text = document.to_string();
        if for_user {
            write(&path, &text)?;
        } else {
            cds_index::write_inside(self.root(), &path, &text).map_err(|e| io(&path, &e))?;
        }
        Ok((format!("models.{kind}"), path))
    }

    fn known(&self, name: &str) -> Result<KnownModel> {
        let list = List::read(self.config())?;
        list.find(name).cloned().ok_or_else(|| Error::invalid(list.missing(name)))
    }

    /// Loads a model and tells what it does with a question, code that answers it and code that does not.
    pub fn test_model(&self, name: &str) -> Result<ModelTest> {
        let started = Instant::now();
        if name == "builtin" {
            let vector = |text: &str| Ok::<_, Error>(cds_index::query_vector(text));
            let id = cds_encode::builtin().id().to_string();
            return dense_test(id, started, vector);
        }
        let model = match name {
            "service" => match service(self.config()) {
                Source::Service { url, model, key } => Model::Dense(cds_encode::service(&url, &model, key, None)?),
                _ => return Err(Error::invalid("set models.service_url and models.service_model first")),
            },
            name => cds_encode::open(&self.known(name)?.folder.unwrap_or_default())?,
        };
        let id = model.id().to_string();
        match model {
            Model::Dense(encoder) => {
                let vector = |text: &str| Ok::<_, Error>(encoder.encode(&[text])?.entries.pop().unwrap_or_default());
                dense_test(id, started, vector)
            }
            Model::Sparse(encoder) => {
                let load_ms = milliseconds(started);
                let started = Instant::now();
                let mut results = Vec::new();
                let mut sensible = true;
                for text in [QUESTION, ANSWERS] {
                    let mut terms = encoder.encode(&[text])?.entries.pop().unwrap_or_default();
                    sensible &= !terms.is_empty() && terms.iter().all(|(_, weight)| *weight >= 0.0);
                    terms.sort_by(|a, b| b.1.total_cmp(&a.1));
                    let shown =
                        |(term, weight): &(u32, f32)| format!("{} {weight:.2}", encoder.term(*term).unwrap_or("?"));
                    let heaviest: Vec<String> = terms.iter().take(8).map(shown).collect();
                    results.push((first_line(text), format!("{} terms: {}", terms.len(), heaviest.join(", "))));
                }
                Ok(ModelTest {
                    kind: "sparse".into(),
                    model: id,
                    load_ms,
                    text_ms: milliseconds(started) / 2.0,
                    results,
                    sensible,
                })
            }
            Model::Reranker(reranker) => {
                let load_ms = milliseconds(started);
                let started = Instant::now();
                let scores = reranker.score(QUESTION, &[ANSWERS, OTHER])?.entries;
                let text_ms = milliseconds(started) / 2.0;
                let results =
                    [ANSWERS, OTHER].into_iter().zip(&scores).map(|(text, s)| (first_line(text), format!("{s:.3}")));
                let sensible = scores.len() == 2 && scores[0] > scores[1];
                Ok(ModelTest {
                    kind: "reranker".into(),
                    model: id,
                    load_ms,
                    text_ms,
                    results: results.collect(),
                    sensible,
                })
            }
        }
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

fn dense_test(model: String, started: Instant, vector: impl Fn(&str) -> Result<Vec<f32>>) -> Result<ModelTest> {
    // The first text may still load something.
    vector(QUESTION)?;
    let load_ms = milliseconds(started);
    let started = Instant::now();
    let question = vector(QUESTION)?;
    let mut results = Vec::new();
    let mut cosines = Vec::new();
    for text in [ANSWERS, OTHER] {
        let cosine: f32 = vector(text)?.iter().zip(&question).map(|(a, b)| a * b).sum();
        results.push((first_line(text), format!("{cosine:.3}")));
        cosines.push(cosine);
    }
    let sensible = cosines[0] > cosines[1];
    Ok(ModelTest { kind: "dense".into(), model, load_ms, text_ms: milliseconds(started) / 3.0, results, sensible })
}
