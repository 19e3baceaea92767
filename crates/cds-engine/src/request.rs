//! What is asked, in a user's words; checked here, once, for every door. Fields are called what flags are called.

use std::collections::BTreeMap;

use cds_lang::Registry;
use cds_model::{EntityType, Filters, Granularity, KINDS, Kind, Pattern, Query, Snippet};

use cds_search::{PRESETS, Preset};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use crate::config::distance;
use crate::engine::Engine;
use crate::error::{Error, Result};

/// A search.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SearchRequest {
    /// The words.
    pub query: String,
    /// How many hits; none: the setting's.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// `file`, `document`, `chunk`, `entity` or `both`; none: as the preset says.
    #[schemars(extend("enum" = ["file", "document", "chunk", "entity", "both", null]))]
    pub granularity: Option<String>,
    /// How many chunks of one file; none: the setting's, 3 for documents, all for chunks.
    #[schemars(range(min = 1))]
    pub chunks_per_file: Option<usize>,
    /// What hits must be like.
    #[serde(flatten)]
    pub filters: FilterRequest,
    /// A preset's name; none: the setting's.
    pub preset: Option<String>,
    /// `fold`, `preview` or `full`; several separated by commas come as `snippets`. None: the setting's.
    #[schemars(extend("pattern" = SNIPPETS))]
    pub snippet: Option<String>,
    /// Budget in estimated tokens; none: the setting's.
    pub max_tokens: Option<usize>,
    /// Names that are enough without BM25; none: the setting's.
    pub upper_threshold: Option<usize>,
    /// Where an earlier answer left off.
    pub cursor: Option<String>,
    /// The least cosine of what meaning finds, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_similarity: Option<f32>,
    /// How much meaning counts beside words, 0 to 1, in a preset that mixes both.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub semantic_weight: Option<f32>,
    /// How much ranks count beside scores, 0 to 1, in such a preset.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub alpha: Option<f32>,
    /// Numbers of the preset to replace, by name.
    #[serde(deserialize_with = "pairs")]
    #[schemars(with = "BTreeMap<String, f32>")]
    pub set: Vec<(String, f32)>,
    /// How many documents, where hits are documents or both; none: 5.
    #[schemars(range(min = 1, max = 1000))]
    pub files: Option<usize>,
    /// Whether words are left out, so that meaning alone finds.
    pub no_bm25: bool,
    /// Whether a reranker reads the first candidates; none: as the preset says.
    pub rerank: Option<bool>,
    /// Steps that the graph is followed from the best hits, up to 5; 0: none.
    #[schemars(range(max = 5))]
    pub depth: u32,
    /// How much standing counts beside novelty, 0 to 1; none: hits that are alike may follow each other.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mmr: Option<f32>,
}

/// Filters as written. Lists are satisfied by any of their members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FilterRequest {
    /// Languages, by name or alias.
    #[serde(rename = "lang", deserialize_with = "one_or_many")]
    pub languages: Vec<String>,
    /// Path globs, prefixes or extensions.
    #[serde(rename = "path", deserialize_with = "one_or_many")]
    pub paths: Vec<String>,
    /// Path globs to leave out.
    #[serde(deserialize_with = "one_or_many")]
    pub exclude: Vec<String>,
    /// Entity types.
    #[serde(rename = "type", deserialize_with = "one_or_many")]
    pub types: Vec<String>,
    /// Kinds, such as `struct` or `method`.
    #[serde(rename = "kind", deserialize_with = "one_or_many")]
    pub kinds: Vec<String>,
    /// A name, a glob or `/regex/`.
    pub node_name: Option<String>,
    /// The same for the entity around it, by name or signature.
    pub parent_context: Option<String>,
    /// Least and greatest nesting depth.
    pub scope_depth: Option<(u32, u32)>,
    /// Names defined.
    #[serde(deserialize_with = "one_or_many")]
    pub has_definitions: Vec<String>,
    /// Names used.
    #[serde(deserialize_with = "one_or_many")]
    pub has_references: Vec<String>,
    /// Names conformed to.
    #[serde(deserialize_with = "one_or_many")]
    pub conformances: Vec<String>,
    /// Tests only, or none.
    pub is_test: Option<bool>,
    /// Public only, or none.
    pub is_public: Option<bool>,
    /// Seconds since 1970, or `90s`, `15m`, `12h`, `7d`, `4w` before now.
    pub modified_since: Option<String>,
}

/// A list, or its only member.
pub(crate) fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Many(Vec<String>),
        One(String),
    }
    Ok(match Given::deserialize(deserializer)? {
        Given::Many(list) => list,
        Given::One(member) => vec![member],
    })
}

fn pairs<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Vec<(String, f32)>, D::Error> {
    Ok(BTreeMap::deserialize(deserializer)?.into_iter().collect())
}

/// A request, checked.
#[derive(Clone)]
pub(crate) struct Checked {
    pub(crate) query: Query,
    pub(crate) snippet: Snippet,
    /// Every level that a hit shows, where the request names several.
    pub(crate) snippets: Vec<Snippet>,
    pub(crate) max_tokens: usize,
    pub(crate) offset: usize,
    /// The most files that hits come from.
    pub(crate) files: Option<usize>,
    pub(crate) upper_threshold: usize,
    pub(crate) min_similarity: Option<f32>,
    /// Numbers of the preset that settings and the request replace, in this order.
    pub(crate) set: Vec<(String, f32)>,
    pub(crate) mmr: Option<f32>,
    /// Options that have no effect.
    pub(crate) warnings: Vec<String>,
    /// Documents that come before chunks, where both are asked for.
    pub(crate) documents: Option<Query>,
}

/// Documents, and chunks of each, unless the request says.
const DOCUMENTS: usize = 5;
const CHUNKS_PER_DOCUMENT: usize = 3;

/// What `snippet` may be.
pub(crate) const SNIPPETS: &str = "^(fold|preview|full)(, ?(fold|preview|full))*$";

/// Hits that may be asked for at once.
pub(crate) const MAX_LIMIT: usize = 1_000;
/// How far answers can be leafed through.
const MAX_CURSOR: usize = 1_000_000;
/// Steps along the graph from the best hits.
const MAX_DEPTH: u32 = 5;
/// Values of one filter.
const MAX_VALUES: usize = 1_000;
/// Characters of a name, a pattern or a value of a filter. Of a query as many are read.
const MAX_CHARS: usize = cds_search::MAX_QUERY;

/// Refuses a number that is out of bounds, and names it.
pub(crate) fn between(name: &str, value: usize, least: usize, most: usize) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::invalid(format!("{name} must be between {least} and {most}, not {value}")))
}

/// Refuses a text that is too long, and says how long it may be.
pub(crate) fn short_enough(name: &str, text: &str) -> Result<()> {
    if text.chars().nth(MAX_CHARS).is_none() {
        return Ok(());
    }
    let count = text.chars().count();
    Err(Error::invalid(format!("{name} must have at most {MAX_CHARS} characters, not {count}")))
}

impl SearchRequest {
    pub(crate) fn check(&self, engine: &Engine) -> Result<Checked> {
        let config = engine.config();
        let preset = self.preset.clone().unwrap_or_else(|| config.text("search.preset").to_owned());
        let mut warnings = Vec::new();
        let set = self.preset_numbers(engine, Preset::find(&preset)?, &mut warnings)?;
        let chosen = Preset::find(&preset)?.clone().with(set.iter().map(|(name, value)| (name.as_str(), *value)))?;
        let granularity = match &self.granularity {
            Some(name) => one_of("granularity", name, &Granularity::ALL, Granularity::name)?,
            None => chosen.granularity,
        };
        let chunks_per_file = self.chunks_per_file.unwrap_or_else(|| match granularity {
            Granularity::Document | Granularity::Chunk => CHUNKS_PER_DOCUMENT,
            // Documents come first, for the sake of other files.
            Granularity::Both => usize::MAX,
            _ => config.number("search.chunks_per_file") as usize,
        });
        let configured = || config.number("search.limit") as usize;
        let limit = self.limit.unwrap_or_else(|| match granularity {
            Granularity::Document => self.files.unwrap_or(DOCUMENTS),
            Granularity::File if self.files.is_some() => self.files.unwrap_or_default(),
            _ if config.is_default("search.limit") => chosen.limit.unwrap_or_else(configured),
            _ => configured(),
        });
        let is_by_file = matches!(granularity, Granularity::File | Granularity::Document);
        if self.files.is_some() && self.limit.is_some() && is_by_file {
            return Err(Error::invalid("files and limit mean the same where hits are files: give one of them"));
        }
        between("limit", limit, 1, MAX_LIMIT)?;
        between("files", self.files.unwrap_or(1), 1, MAX_LIMIT)?;
        between("depth", self.depth as usize, 0, MAX_DEPTH as usize)?;
        if chunks_per_file == 0 {
            return Err(Error::invalid("chunks_per_file must be at least 1"));
        }
        let snippet = self.snippet.as_deref().unwrap_or_else(|| config.text("search.snippet"));
        let level = |name: &str| one_of("snippet", name.trim(), &Snippet::ALL, Snippet::name);
        let snippets = snippet.split(',').map(level).collect::<Result<Vec<Snippet>>>()?;
        let offset = match &self.cursor {
            None => 0,
            // No index has more chunks than fit into 32 bits.
            Some(cursor) => cursor.parse::<u32>().map_err(|_| {
                Error::invalid(format!("cursor {cursor:?} is not one of ours: use the next_cursor of an answer"))
            })? as usize,
        };
        between("cursor", offset, 0, MAX_CURSOR)?;
        let both = granularity == Granularity::Both;
        let granularity = if both { Granularity::Chunk } else { granularity };
        let filters = self.filters.check(engine)?;
        let whole = |filters: Filters, granularity| Filters {
            whole_files: granularity == Granularity::Document && !filters.languages.is_empty(),
            ..filters
        };
        let documents = both.then(|| whole(filters.clone(), Granularity::Document));
        let filters = whole(filters, granularity);
        let query = Query { text: self.query.clone(), limit, granularity, chunks_per_file, filters, preset };
        let documents = documents.map(|filters| Query {
            filters,
            limit: self.files.unwrap_or(DOCUMENTS),
            granularity: Granularity::Document,
            chunks_per_file: self.chunks_per_file.unwrap_or(CHUNKS_PER_DOCUMENT),
            ..query.clone()
        });
        Ok(Checked {
            query,
            documents,
            snippet: snippets[0],
            snippets: if snippets.len() > 1 { snippets } else { Vec::new() },
            max_tokens: self.max_tokens.unwrap_or_else(|| config.number("search.max_tokens") as usize),
            upper_threshold: self.upper_threshold.unwrap_or_else(|| config.number("search.upper_threshold") as usize),
            offset,
            files: self.files.filter(|_| granularity == Granularity::Chunk && !both),
            min_similarity: share("min_similarity", self.min_similarity)?,
            set,
            mmr: share("mmr", self.mmr)?,
            warnings,
        })
    }

    /// The numbers of a preset that settings and the request replace. Options that the preset does not have are ignored with a warning; unknown
    /// names in `set` are errors.
    fn preset_numbers(
        &self,
        engine: &Engine,
        preset: &Preset,
        warnings: &mut Vec<String>,
    ) -> Result<Vec<(String, f32)>> {
        let configured = engine.config().preset_numbers_of(preset.name);
        let mut set: Vec<(String, f32)> = configured.map(|number| (number.name.clone(), number.value)).collect();
        set.extend_from_slice(&self.set);
        let options = [
            ("semantic_weight", share("semantic_weight", self.semantic_weight)?),
            ("alpha", share("alpha", self.alpha)?),
            ("rerank", self.rerank.map(|on| f32::from(u8::from(on)))),
        ];
        for (name, value) in options.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            if preset.has(name) {
                set.push((name.to_owned(), value));
            } else {
                let having: Vec<&str> =
                    PRESETS.iter().filter(|other| other.has(name)).map(|other| other.name).collect();
                warnings.push(format!(
                    "{name} has no effect in preset {}: the presets that have it are {}",
                    preset.name,
                    having.join(", ")
                ));
            }
        }
        Ok(set)
    }
}

/// A number from 0 to 1.
fn share(name: &str, value: Option<f32>) -> Result<Option<f32>> {
    match value {
        Some(share) if !(0.0..=1.0).contains(&share) => {
            Err(Error::invalid(format!("{name} must be between 0 and 1, not {share}")))
        }
        value => Ok(value),
    }
}

impl FilterRequest {
    /// The cost of the patterns of names; those that are too long to be accepted cost nothing.
    pub(crate) fn names_cost(&self) -> usize {
        let accepted = |text: &&str| short_enough("", text).is_ok();
        let names = [&self.node_name, &self.parent_context].into_iter().filter_map(Option::as_deref).filter(accepted);
        names.map(|name| cds_search::name_cost(&Pattern::parse(name))).sum()
    }

    pub(crate) fn check(&self, engine: &Engine) -> Result<Filters> {
        for (name, list) in [
            ("lang", &self.languages),
            ("path", &self.paths),
            ("exclude", &self.exclude),
            ("type", &self.types),
            ("kind", &self.kinds),
            ("has_definitions", &self.has_definitions),
            ("has_references", &self.has_references),
            ("conformances", &self.conformances),
        ] {
            if list.len() > MAX_VALUES {
                return Err(Error::invalid(format!("{name} takes at most {MAX_VALUES} values, not {}", list.len())));
            }
            list.iter().try_for_each(|value| short_enough(name, value))?;
        }
        short_enough("node_name", self.node_name.as_deref().unwrap_or_default())?;
        short_enough("parent_context", self.parent_context.as_deref().unwrap_or_default())?;
        let kinds: Vec<&str> = KINDS.iter().map(|k| k.name).collect();
        let kind = |name: &String| Kind::from_name(name).ok_or_else(|| unknown("kind", name, &kinds));
        Ok(Filters {
            languages: self.languages.iter().map(|l| language(engine.registry()?, l)).collect::<Result<_>>()?,
            paths: self.paths.clone(),
            exclude: self.exclude.clone(),
            entity_types: self
                .types
                .iter()
                .map(|t| one_of("type", t, &EntityType::ALL, EntityType::name))
                .collect::<Result<_>>()?,
            node_types: self.kinds.iter().map(kind).collect::<Result<_>>()?,
            node_name: self.node_name.as_deref().map(Pattern::parse),
            parent_context: self.parent_context.as_deref().map(Pattern::parse),
            scope_depth: match self.scope_depth {
                Some((least, most)) if least > most => {
                    return Err(Error::invalid(format!("scope_depth: {least} is more than {most}")));
                }
                depth => depth,
            },
            has_definitions: self.has_definitions.clone(),
            has_references: self.has_references.clone(),
            conformances: self.conformances.clone(),
            whole_files: false,
            is_test: self.is_test,
            is_public: self.is_public,
            modified_since: self.modified_since.as_deref().map(since).transpose()?,
        })
    }
}

fn language(registry: &Registry, name: &str) -> Result<String> {
    match registry.by_name(name) {
        Some(language) => Ok(language.shown().to_owned()),
        None => Err(unknown("language", name, &registry.shown_names())),
    }
}

pub(crate) fn one_of<T: Copy>(field: &str, name: &str, all: &[T], name_of: impl Fn(T) -> &'static str) -> Result<T> {
    let names: Vec<&str> = all.iter().map(|t| name_of(*t)).collect();
    all.iter().copied().find(|t| name_of(*t) == name).ok_or_else(|| unknown(field, name, &names))
}

fn unknown(field: &str, name: &str, valid: &[&str]) -> Error {
    let near = valid.iter().min_by_key(|v| distance(v, name)).filter(|v| distance(v, name) <= 2);
    let hint = near.map(|v| format!(" (did you mean {v:?}?)")).unwrap_or_default();
    Error::invalid(format!("unknown {field} {name:?}{hint}; valid are: {}", valid.join(", ")))
}

fn since(text: &str) -> Result<i64> {
    let bad = || Error::invalid(format!("modified_since {text:?}: use seconds since 1970, or 90s, 15m, 12h, 7d, 4w"));
    let unit = match text.chars().last() {
        Some('s') => 1,
        Some('m') => 60,
        Some('h') => 3_600,
        Some('d') => 86_400,
        Some('w') => 604_800,
        _ => return text.parse().map_err(|_| bad()),
    };
    let count: i64 = text[..text.len() - 1].parse().map_err(|_| bad())?;
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs() as i64);
    Ok(now.saturating_sub(count.saturating_mul(unit)))
}
