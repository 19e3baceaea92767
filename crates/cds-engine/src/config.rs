//! Settings in layers: flags over environment over `.cds.toml` over the user's file over defaults. One table names
//! every setting, its domain and what a project may choose; each value knows where it came from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cds_index::{OpenError, ProjectRoot, open_owner_file};
use cds_search::{Preset, canonical_number};
use serde::Serialize;

use crate::error::{Error, ErrorKind};
use crate::limits::{LEAST_MEMORY, MOST_JOBS, parse_size};
use crate::preset_numbers::{self, PresetNumber, PresetNumbers};
use crate::request::MAX_LIMIT;
use crate::settings_file::{self, Entry, Scalar};
use crate::trust::{ProjectMay, Zero};

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Number(u64),
    /// Text.
    Text(String),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Number(n) => write!(f, "{n}"),
            Value::Text(t) => write!(f, "{t:?}"),
        }
    }
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The table.
    Default,
    /// A file.
    File(PathBuf),
    /// An environment variable.
    Environment(String),
    /// The command line.
    Flag,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File(path) => write!(f, "{}", path.display()),
            Origin::Environment(name) => write!(f, "${name}"),
            Origin::Flag => f.write_str("command line"),
        }
    }
}

/// One row of [`SETTINGS`].
#[derive(Debug)]
pub struct Setting {
    /// `section.name`, as in the files.
    pub key: &'static str,
    /// Environment variables, the first one set wins.
    pub env: &'static [&'static str],
    /// As it would be written in a file.
    pub default: &'static str,
    /// Which values there are.
    pub domain: Domain,
    /// Which of them a project may choose.
    pub project: ProjectMay,
    /// What it does.
    pub about: &'static str,
}

/// The values of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// `true` or `false`
    Switch,
    /// Whole numbers between two, both included.
    Number(u64, u64),
    /// An amount of memory, such as `500M`; empty: chosen by cds.
    Memory,
    /// One of these words, in any case.
    Word(&'static [&'static str]),
    /// Any text.
    Text,
}

const ANY: Domain = Domain::Number(0, u64::MAX);
const PATH: ProjectMay = ProjectMay::Never("it names a path outside the root");
const NETWORK: ProjectMay = ProjectMay::Never("it names a network service");
const MACHINE: ProjectMay = ProjectMay::Never("it decides how often this machine looks for changes");
const LOWER: ProjectMay = ProjectMay::AtMost(Zero::Lowest);
/// The same where 0 stands for no limit.
const BOUNDED: ProjectMay = ProjectMay::AtMost(Zero::Unlimited);

const fn row(
    key: &'static str,
    env: &'static [&'static str],
    default: &'static str,
    domain: Domain,
    project: ProjectMay,
    about: &'static str,
) -> Setting {
    Setting { key, env, default, domain, project, about }
}

/// Every setting there is, sorted. A new row chooses [`ProjectMay::Any`] only where every value of the domain is harmless to who cloned the
/// project: it names no path, no network service and no program, raises no limit and disables no check.
#[rustfmt::skip]
pub const SETTINGS: &[Setting] = &[
    row("index.comments",         &["CDS_INDEX_COMMENTS"],    "true",        Domain::Switch, ProjectMay::Any,
        "words of comments and doc comments can be found"),
    row("index.dir",              &["CDS_INDEX_DIR", "GRAPH_INDEX_DIR"], "\"\"",        Domain::Text, PATH,
        "where the index lives; empty: .cds-index in the root"),
    row("index.jobs",             &["CDS_JOBS"],              "0",           Domain::Number(0, MOST_JOBS), BOUNDED,
        "threads to index with; 0: one for each core"),
    row("index.languages",        &["CDS_LANGUAGES"],         "\"\"",        Domain::Text, ProjectMay::PathInside,
        "folder of language data over the built-in one; empty: languages beside the user's file"),
    row("index.max_file_size",    &["CDS_MAX_FILE_SIZE"],     "1000000",     ANY, LOWER,
        "larger files are listed as skipped, in bytes"),
    row("index.max_files",        &["CDS_MAX_FILES"],         "200000",      ANY, BOUNDED,
        "a first index of more files is asked about; 0: never"),
    row("index.max_memory",       &["CDS_MAX_MEMORY"],        "\"\"",        Domain::Memory, ProjectMay::AtMostSize,
        "memory to index with, such as 500M; empty: half of what the machine or container has, if that is little"),
    row("index.max_total_size",   &["CDS_MAX_TOTAL_SIZE"],    "5000000000",  ANY, BOUNDED,
        "a first index of more bytes of source is asked about; 0: never"),
    row("index.nice",             &["CDS_NICE"],              "false",       Domain::Switch, ProjectMay::Only(true),
        "leave the processor to others first, where the system can"),
    row("index.wait",             &["CDS_WAIT"],              "600",         ANY, LOWER,
        "seconds to wait for another process that writes the index; 0: not at all"),
    row("models.dense",           &["CDS_MODELS_DENSE"],      "\"builtin\"", Domain::Text, ProjectMay::Model,
        "what makes vectors: builtin, none, service, or a model of `cds model list`"),
    row("models.reranker",        &["CDS_MODELS_RERANKER"],   "\"none\"",    Domain::Text, ProjectMay::Model,
        "what judges the first hits anew: none, or a model of `cds model list`"),
    row("models.service_model",   &["CDS_EMBEDDINGS_MODEL"],  "\"\"",        Domain::Text, NETWORK,
        "name of the model at the embeddings service"),
    row("models.service_url",     &["CDS_EMBEDDINGS_URL"],    "\"\"",        Domain::Text, NETWORK,
        "embeddings service that speaks OpenAI's protocol; its key comes from $CDS_EMBEDDINGS_KEY alone"),
    row("models.sparse",          &["CDS_MODELS_SPARSE"],     "\"builtin\"", Domain::Text, ProjectMay::Model,
        "what weighs terms: builtin, none, or a model of `cds model list`"),
    row("output.color",           &["CDS_COLOR"],             "\"auto\"",    Domain::Word(&["auto", "always", "never"]), ProjectMay::Any,
        "auto, always or never"),
    row("output.format",          &["CDS_FORMAT"],            "\"human\"",   Domain::Word(&["human", "json", "jsonl", "toon", "markdown", "paths"]), ProjectMay::Any,
        "human, json, jsonl, toon, markdown or paths"),
    row("search.chunks_per_file", &["CDS_CHUNKS_PER_FILE"],   "1",           Domain::Number(1, u64::MAX), ProjectMay::Any,
        "chunks of one file among the hits"),
    row("search.limit",           &["CDS_LIMIT"],             "10",          Domain::Number(1, MAX_LIMIT as u64), ProjectMay::Any,
        "hits"),
    row("search.max_tokens",      &["CDS_MAX_TOKENS"],        "0",           ANY, BOUNDED,
        "budget of an answer in estimated tokens; 0: none"),
    row("search.preset",          &["CDS_PRESET"],            "\"default\"", Domain::Word(PRESET_NAMES), ProjectMay::Any,
        "default, cds-index, bm25, dense, sparse, hybrid, swiftindex, rice, rice-sparse, rice-dense or breeze"),
    row("search.rerank_limit_ms", &["CDS_RERANK_LIMIT_MS"],   "2000",        ANY, LOWER,
        "time a reranker may take; then hits stay as they were"),
    row("search.snippet",         &["CDS_SNIPPET"],           "\"preview\"", Domain::Word(&["fold", "preview", "full"]), ProjectMay::Any,
        "fold, preview or full"),
    row("search.time_limit_ms",   &["CDS_TIME_LIMIT_MS"],     "10000",       ANY, BOUNDED,
        "then the answer is partial; 0: none"),
    row("search.update",          &["CDS_UPDATE"],            "true",        Domain::Switch, ProjectMay::Only(true),
        "look for changed files before answering"),
    row("search.upper_threshold", &["CDS_UPPER_THRESHOLD"],   "5",           ANY, ProjectMay::Any,
        "names that are enough without BM25 (preset cds-index)"),
    row("watch.debounce_ms",      &["CDS_WATCH_DEBOUNCE_MS"], "500",         ANY, MACHINE,
        "quiet that `cds watch` waits for before an update; a storm puts it off four times as long"),
    row("watch.poll",             &["CDS_WATCH_POLL"],        "0",           ANY, MACHINE,
        "seconds between looks of `cds watch`; 0: the system tells what changes"),
];

/// As in the table of presets, which a test compares.
const PRESET_NAMES: &[&str] = &[
    "default",
    "cds-index",
    "bm25",
    "dense",
    "sparse",
    "hybrid",
    "swiftindex",
    "rice",
    "rice-sparse",
    "rice-dense",
    "breeze",
];

/// A setting that cannot be used, with its place.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ConfigError {
    /// File, variable or flag.
    pub place: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Error {
        Error { kind: ErrorKind::Invalid, message: error.to_string() }
    }
}

/// The settings in force.
#[derive(Clone, Debug)]
pub struct Config {
    values: BTreeMap<&'static str, (Value, Origin)>,
    preset_numbers: PresetNumbers,
    user_folder: Option<PathBuf>,
    home_folder: Option<PathBuf>,
    embeddings_key: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        let values = SETTINGS.iter().map(|s| {
            let value = parse(s, s.default.trim_matches('"')).expect("defaults are in their own domain");
            (s.key, (value, Origin::Default))
        });
        Config {
            values: values.collect(),
            preset_numbers: PresetNumbers::default(),
            user_folder: None,
            home_folder: None,
            embeddings_key: None,
        }
    }
}

/// Reads `text` as a value of the setting's domain.
fn parse(setting: &Setting, text: &str) -> Result<Value, String> {
    let key = setting.key;
    match setting.domain {
        Domain::Text => Ok(Value::Text(text.to_owned())),
        Domain::Switch => match text {
            "true" | "1" | "yes" | "on" => Ok(Value::Bool(true)),
            "false" | "0" | "no" | "off" => Ok(Value::Bool(false)),
            _ => Err(format!("{key} must be true or false, not {text:?}")),
        },
        Domain::Number(least, most) => {
            let number: u64 = text.parse().map_err(|_| format!("{key} must be a whole number, not {text:?}"))?;
            match number {
                n if (least..=most).contains(&n) => Ok(Value::Number(n)),
                n if most == u64::MAX => Err(format!("{key} must be at least {least}, not {n}")),
                n => Err(format!("{key} must be between {least} and {most}, not {n}")),
            }
        }
        Domain::Memory if text.is_empty() => Ok(Value::Text(String::new())),
        Domain::Memory => match parse_size(text) {
            None => Err(format!("{key} {text:?}: use bytes, or a number with K, M or G, such as 500M")),
            Some(bytes) if bytes < LEAST_MEMORY => {
                Err(format!("{key} must be at least {}M, not {text}", LEAST_MEMORY >> 20))
            }
            Some(_) => Ok(Value::Text(text.to_owned())),
        },
        Domain::Word(words) => match words.iter().find(|word| word.eq_ignore_ascii_case(text)) {
            Some(word) => Ok(Value::Text((*word).to_owned())),
            None => Err(format!("{key} {text:?}: use {}", words.join(", "))),
        },
    }
}

/// The most bytes of a settings file.
const MAX_SETTINGS: u64 = 1_000_000;

/// The text of a settings file: the project's, which may be anything, or the user's.
pub(crate) fn read_settings(root: &Path, path: &Path) -> Result<String, OpenError> {
    let open = match path.strip_prefix(root) {
        Ok(inside) => ProjectRoot::at(root).open(inside, MAX_SETTINGS),
        Err(_) => open_owner_file(path, MAX_SETTINGS),
    };
    open?.read_text()
}

fn setting(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|s| s.key == key)
}

/// `search.preset` in a file that also has tables of preset numbers: a TOML key cannot be both a text and a table.
const PRESET_BESIDE_TABLES: &str = "search.preset.name";

/// The settings of a project, in its root.
pub(crate) const PROJECT_FILE: &str = ".cds.toml";

fn read(root: &Path, path: &Path) -> Result<Option<String>, ConfigError> {
    match read_settings(root, path) {
        Ok(text) => Ok(Some(text)),
        // A root that is no folder is reported when it is opened.
        Err(OpenError::NotFound) => Ok(None),
        Err(e) => {
            let message = format!("{e}: settings must be a regular text file of at most {MAX_SETTINGS} bytes");
            Err(ConfigError { place: path.display().to_string(), message })
        }
    }
}

/// The row of an entry and its value.
fn parse_entry(entry: &Entry) -> Result<(&'static Setting, Value), ConfigError> {
    let error = |message| ConfigError { place: entry.place.clone(), message };
    let key = if entry.key == PRESET_BESIDE_TABLES { "search.preset" } else { &entry.key };
    let row = setting(key).ok_or_else(|| error(unknown(key)))?;
    let text = match (&entry.value, row.domain) {
        (Some(Scalar::Text(text)), _) | (Some(Scalar::Other(text)), Domain::Switch | Domain::Number(..)) => text,
        (_, Domain::Switch) => return Err(error(format!("{} must be true or false", row.key))),
        (_, Domain::Number(..)) => return Err(error(format!("{} must be a whole number", row.key))),
        (_, Domain::Memory | Domain::Word(_) | Domain::Text) => {
            return Err(error(format!("{} must be a text in quotes", row.key)));
        }
    };
    Ok((row, parse(row, text).map_err(error)?))
}

impl Config {
    /// Defaults, then the user's file, then the environment: what the owner of the machine decided. The project's file comes between the
    /// last two, as far as it may.
    pub fn load(root: &Path, env: impl Fn(&str) -> Option<String>) -> Result<Config, ConfigError> {
        let mut config = Config::default();
        let user =
            env("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| env("HOME").map(|h| Path::new(&h).join(".config")));
        config.home_folder = env("HOME").or_else(|| env("USERPROFILE")).filter(|h| !h.is_empty()).map(PathBuf::from);
        config.embeddings_key = env("CDS_EMBEDDINGS_KEY").filter(|key| !key.is_empty());
        config.user_folder = user.map(|dir| dir.join("cds"));
        if let Some(path) = config.user_folder.as_ref().map(|dir| dir.join("config.toml"))
            && let Some(text) = read(root, &path)?
        {
            for entry in settings_file::entries(&path, &text)? {
                if config.add_preset_number(&path, &entry)? {
                    continue;
                }
                let (row, value) = parse_entry(&entry)?;
                config.values.insert(row.key, (value, Origin::File(path.clone())));
            }
        }
        for row in SETTINGS {
            if let Some((name, text)) = row.env.iter().find_map(|name| env(name).map(|text| (*name, text))) {
                let value = parse(row, &text).map_err(|message| ConfigError { place: format!("${name}"), message })?;
                config.values.insert(row.key, (value, Origin::Environment(name.to_owned())));
            }
        }
        let path = root.join(PROJECT_FILE);
        if let Some(text) = read(root, &path)? {
            config.add_project(root, &path, &text)?;
        }
        Ok(config)
    }

    /// Adds what a project's file says, where the environment does not say otherwise. Values are compared with the owner's.
    fn add_project(&mut self, root: &Path, path: &Path, text: &str) -> Result<(), ConfigError> {
        for entry in settings_file::entries(path, text)? {
            if self.add_preset_number(path, &entry)? {
                continue;
            }
            let (row, value) = parse_entry(&entry)?;
            let (owners, origin) = &self.values[row.key];
            let checked = row.project.check(row, &value, owners, root);
            checked.map_err(|message| ConfigError { place: entry.place.clone(), message })?;
            if !matches!(origin, Origin::Environment(_)) {
                self.values.insert(row.key, (value, Origin::File(path.to_owned())));
            }
        }
        Ok(())
    }

    /// Adds a number of a preset; false if the entry is a setting. A project may set them all: they order hits, and counts are bounded.
    fn add_preset_number(&mut self, path: &Path, entry: &Entry) -> Result<bool, ConfigError> {
        let Some(key) = entry.key.strip_prefix(preset_numbers::TABLES).filter(|_| entry.key != PRESET_BESIDE_TABLES)
        else {
            return Ok(false);
        };
        let added = self.preset_numbers.add(key, entry.value.as_ref(), Origin::File(path.to_owned()));
        added.map(|()| true).map_err(|message| ConfigError { place: entry.place.clone(), message })
    }

    /// Numbers of presets that settings files replace, by preset and name.
    pub fn preset_numbers(&self) -> impl Iterator<Item = &PresetNumber> {
        self.preset_numbers.all()
    }

    /// Every number of a preset with its value and where that came from.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] if there is no preset of that name.
    pub fn preset_values(&self, name: &str) -> Result<Vec<(&'static str, f32, Origin)>, Error> {
        let preset = Preset::find(name)?;
        let set: Vec<&PresetNumber> = self.preset_numbers_of(name).collect();
        let values = preset.clone().with(set.iter().map(|number| (number.name.as_str(), number.value)))?.values();
        let origin = |name: &str| {
            let of_name = set.iter().find(|number| canonical_number(&number.name) == name);
            of_name.map_or(Origin::Default, |number| number.origin.clone())
        };
        Ok(values.into_iter().map(|(name, value)| (name, value, origin(name))).collect())
    }

    /// The numbers of one preset that settings files replace.
    pub fn preset_numbers_of(&self, preset: &str) -> impl Iterator<Item = &PresetNumber> {
        self.preset_numbers.of(preset)
    }

    /// Sets a value from the command line.
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), ConfigError> {
        let error = |message| ConfigError { place: "command line".to_owned(), message };
        let row = setting(key).ok_or_else(|| error(unknown(key)))?;
        let value = parse(row, text).map_err(error)?;
        self.values.insert(row.key, (value, Origin::Flag));
        Ok(())
    }

    /// Every setting with its value and origin, in the table's order.
    pub fn rows(&self) -> impl Iterator<Item = (&'static Setting, &Value, &Origin)> {
        SETTINGS.iter().filter_map(|s| self.values.get(s.key).map(|(v, o)| (s, v, o)))
    }

    /// Where the user keeps settings and language data.
    pub fn user_folder(&self) -> Option<&Path> {
        self.user_folder.as_deref()
    }

    /// Where the user lives.
    pub(crate) fn home_folder(&self) -> Option<&Path> {
        self.home_folder.as_deref()
    }

    /// What an embeddings service is shown. A secret: it is read from the environment and printed nowhere.
    pub(crate) fn embeddings_key(&self) -> Option<&str> {
        self.embeddings_key.as_deref()
    }

    /// Whether nobody set it.
    pub fn is_default(&self, key: &str) -> bool {
        self.values.get(key).is_some_and(|(_, origin)| *origin == Origin::Default)
    }

    /// Whether a setting was made for this run alone: by a flag or in the environment.
    pub fn is_wish(&self, key: &str) -> bool {
        let is_wish = |origin: &Origin| matches!(origin, Origin::Flag | Origin::Environment(_));
        self.values.get(key).is_some_and(|(_, origin)| is_wish(origin))
    }

    fn value(&self, key: &str) -> &Value {
        &self.values.get(key).unwrap_or_else(|| panic!("{key} is in the table")).0
    }

    /// A number.
    pub fn number(&self, key: &str) -> u64 {
        match self.value(key) {
            Value::Number(n) => *n,
            other => panic!("{key} is {other}"),
        }
    }

    /// A switch.
    pub fn flag(&self, key: &str) -> bool {
        match self.value(key) {
            Value::Bool(b) => *b,
            other => panic!("{key} is {other}"),
        }
    }

    /// A text.
    pub fn text(&self, key: &str) -> &str {
        match self.value(key) {
            Value::Text(t) => t,
            other => panic!("{key} is {other}"),
        }
    }
}

fn unknown(key: &str) -> String {
    let near = SETTINGS.iter().map(|s| s.key).min_by_key(|k| distance(k, key));
    match near.filter(|k| distance(k, key) <= 4) {
        Some(near) => format!("no setting {key:?}; did you mean {near:?}?"),
        None => {
            let keys: Vec<&str> = SETTINGS.iter().map(|s| s.key).collect();
            format!("no setting {key:?}; there are {}", keys.join(", "))
        }
    }
}

/// Letters to change to make one word the other.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Config, SETTINGS};

    fn load(user: &str, project: &str, env: &[(&str, &str)]) -> Result<Config, String> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("home/cds")).unwrap();
        std::fs::write(dir.path().join("home/cds/config.toml"), user).unwrap();
        std::fs::write(dir.path().join(".cds.toml"), project).unwrap();
        let home = dir.path().join("home").display().to_string();
        let env = |name: &str| match name {
            "XDG_CONFIG_HOME" => Some(home.clone()),
            _ => env.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()),
        };
        Config::load(dir.path(), env).map_err(|e| e.to_string().replace(&dir.path().display().to_string(), "DIR"))
    }

    fn check(user: &str, project: &str, env: &[(&str, &str)], expect: &str) {
        let found = load(user, project, env).map_or_else(
            |e| e,
            |mut config| {
                if env.iter().any(|(n, _)| *n == "FLAG") {
                    config.set("search.limit", "50").unwrap();
                }
                let (_, value, origin) = config.rows().find(|(s, _, _)| s.key == "search.limit").unwrap();
                let origin = origin.to_string();
                format!("{value} {}", origin.rsplit('/').next().unwrap())
            },
        );
        assert_eq!(found, expect);
    }

    #[test]
    fn later_layers_win() {
        let (user, project) = ("[search]\nlimit = 20", "[search]\nlimit = 30");
        check("", "", &[], "10 default");
        check(user, "", &[], "20 config.toml");
        check(user, project, &[], "30 .cds.toml");
        check(user, project, &[("CDS_LIMIT", "40")], "40 $CDS_LIMIT");
        check(user, project, &[("CDS_LIMIT", "40"), ("FLAG", "")], "50 command line");
    }

    #[test]
    fn numbers_of_presets_are_set_by_table() {
        let check = |user: &str, project: &str, expect: &str| {
            let found = load(user, project, &[]).map_or_else(
                |e| e,
                |config| {
                    let file = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
                    let number = |n: &crate::PresetNumber| {
                        format!("{}.{} {} {}", n.preset, n.name, n.value, file(&n.origin.to_string()))
                    };
                    let numbers: Vec<String> = config.preset_numbers().map(number).collect();
                    format!("{} [{}]", config.text("search.preset"), numbers.join(", "))
                },
            );
            assert_eq!(found, expect);
        };
        let rice = "[search.preset.rice]\ndense_weight = 0.7\nenable_reranking = false\nrerank_top_k = 50";
        let numbers =
            "rice.dense_weight 0.7 .cds.toml, rice.enable_reranking 0 .cds.toml, rice.rerank_top_k 50 .cds.toml";
        check("", rice, &format!("default [{numbers}]"));
        check("", &format!("[search.preset]\nname = \"rice\"\n{rice}"), &format!("rice [{numbers}]"));
        // The two names mean the same number.
        check("[search.preset.rice]\ndense = 0.1\nrrf_k = 20", "[search.preset.rice]\ndense_weight = 1", {
            "default [rice.dense_weight 1 .cds.toml, rice.rrf_k 20 config.toml]"
        });
        check(
            "",
            "[search.preset.swiftindex]\nsource_boost = 1_0.5",
            "default [swiftindex.source_boost 10.5 .cds.toml]",
        );
        check("", "[search.preset.nice]\nk = 1", {
            "DIR/.cds.toml:2: preset: no preset \"nice\"; there are default, cds-index, bm25, dense, sparse, hybrid, swiftindex, rice, rice-sparse, rice-dense, breeze"
        });
        check("", "[search.preset.rice]\n\nalpha = 2", "DIR/.cds.toml:3: alpha must be between 0 and 1, not 2");
        check("", "[search.preset.rice]\nk = \"1\"", {
            "DIR/.cds.toml:2: search.preset.rice.k must be a number, true or false"
        });
        check("", "[search.preset]\nrice = 1", "DIR/.cds.toml:2: search.preset.rice must be a table of numbers");
        let error = load("", "[search.preset.rice]\nbeta = 1", &[]).unwrap_err();
        assert!(error.starts_with("DIR/.cds.toml:2: the preset rice has no number \"beta\"; it has k1, b,"), "{error}");
    }

    #[test]
    fn every_number_of_a_preset_has_a_value_and_an_origin() {
        let config = load("", "[search.preset.rice]\nrrf_k = 20", &[]).unwrap();
        let values = config.preset_values("rice").unwrap();
        let shown = |wanted: &str| {
            let row = values.iter().find(|(name, ..)| *name == wanted).map(|(_, value, origin)| {
                format!("{value} {}", origin.to_string().rsplit('/').next().unwrap_or_default())
            });
            row.unwrap_or_default()
        };
        assert_eq!(
            (shown("k"), shown("sparse"), shown("rerank")),
            ("20 .cds.toml".into(), "0.5 default".into(), "1 default".into())
        );
        assert!(config.preset_values("nice").is_err());
    }

    #[test]
    fn mistakes_name_their_place() {
        check(
            "",
            "[search]\n\nlimits = 3",
            &[],
            "DIR/.cds.toml:3: no setting \"search.limits\"; did you mean \"search.limit\"?",
        );
        check(
            "",
            "[search]\nlimit = \"many\"",
            &[],
            "DIR/.cds.toml:2: search.limit must be a whole number, not \"many\"",
        );
        check("", "", &[("CDS_LIMIT", "x")], "$CDS_LIMIT: search.limit must be a whole number, not \"x\"");
        assert!(load("", "x = 1", &[]).unwrap_err().contains("no setting \"x\"; there are index.comments"));
        check("", "[search]\nlimit = 0", &[], "DIR/.cds.toml:2: search.limit must be between 1 and 1000, not 0");
        check("", "[search]\nlimit = [1]", &[], "DIR/.cds.toml:2: search.limit must be a whole number");
        check("", "[search]\npreset = 5", &[], "DIR/.cds.toml:2: search.preset must be a text in quotes");
    }

    #[test]
    fn a_place_is_the_line_of_the_key_itself() {
        let check = |text: &str, line: usize| {
            let error = load("", text, &[]).unwrap_err();
            assert!(error.starts_with(&format!("DIR/.cds.toml:{line}: ")), "{text:?}: {error}");
        };
        check("[index]\ndir = \"x\"", 2);
        check("index = { comments = true, dir = \"x\" }", 1);
        check("\n\nindex.dir = \"x\"", 3);
        check("[search]\nlimit = 3\n[index]\n# dir = 1\ncomments = true\n  dir = \"x\"", 6);
        check("[index]\nlanguages = \"\"\"\ndir\"\"\"\ndir = \"x\"", 4);
        // The first mistake of a file, whatever its name.
        check("[watch]\npoll = 1\n[index]\ndir = \"x\"", 2);
    }

    #[test]
    fn errors_of_syntax_name_line_and_column_and_repeat_nothing() {
        let secret = "s3cr3t";
        for text in ["[search", "s3cr3t", "[search]\nlimit = s3cr3t", "a = \"s3cr3t\"\na = 's3cr3t", "\n  s3cr3t: 1"] {
            let error = load("", text, &[]).unwrap_err();
            let place = error.strip_prefix("DIR/.cds.toml:").and_then(|rest| rest.split_once(": no valid TOML: "));
            let (line, column) = place.and_then(|(place, _)| place.split_once(':')).expect("a place");
            assert!(line.parse::<usize>().is_ok() && column.parse::<usize>().is_ok(), "{error}");
            assert!(!error.contains(secret) && !error.contains('\n'), "{error}");
        }
        assert!(load("", "[search]\nlimit = x", &[]).unwrap_err().starts_with("DIR/.cds.toml:2:9: "));
    }

    #[test]
    fn names_of_presets_are_those_of_the_table() {
        assert_eq!(super::PRESET_NAMES, cds_search::PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>());
    }

    #[test]
    fn the_table_is_sorted_and_has_no_doubles() {
        assert!(SETTINGS.is_sorted_by(|a, b| a.key < b.key));
    }

    #[cfg(unix)]
    #[test]
    fn settings_that_are_no_regular_file_are_refused_at_once() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};

        let check = |make: &dyn Fn(&Path), expect: &str| {
            let dir = tempfile::tempdir().unwrap();
            make(&dir.path().join(".cds.toml"));
            let error = Config::load(dir.path(), |_| None).expect_err("it is refused");
            assert!(error.message.starts_with(expect), "{}", error.message);
        };
        let link = |to: &'static str| move |path: &Path| std::os::unix::fs::symlink(to, path).unwrap();
        let pipe = |path: &Path| mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
        check(&pipe, "a pipe, not a regular file");
        check(&link("/dev/zero"), "a symbolic link, not followed");
        // Nothing of what it leads to is shown.
        check(&link("/etc/hostname"), "a symbolic link, not followed");
        let huge = |path: &Path| std::fs::File::create(path).unwrap().set_len(10_000_000_000).unwrap();
        check(&huge, "10000000000 bytes, more than the limit of 1000000");
        check(&|path| std::fs::write(path, b"\xff").unwrap(), "not UTF-8");
    }
}
