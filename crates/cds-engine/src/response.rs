//! What is answered: one shape, snake_case, in every door. Empty optional fields are left out.

use std::collections::BTreeMap;

use cds_model::Signal;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// The answer to a search.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SearchResponse {
    /// As asked.
    pub query: String,
    /// As understood.
    pub parsed_query: ParsedQuery,
    /// How many there are in all: as many as all pages have.
    pub total: usize,
    /// Whether there are more than that. What is near in meaning has no end, and time may run out.
    #[serde(skip_serializing_if = "is_false")]
    pub total_is_lower_bound: bool,
    /// Whether time ran out, a model could not be used, or the index is not whole yet.
    pub partial: bool,
    /// What the reader should know.
    pub warnings: Vec<String>,
    /// Milliseconds by stage.
    pub timings_ms: BTreeMap<&'static str, f64>,
    /// Best first.
    pub hits: Vec<Hit>,
    /// Suggested next queries.
    pub follow_ups: Vec<String>,
    /// Pass it as `cursor` to go on.
    pub next_cursor: Option<String>,
}

/// How a query was understood.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct ParsedQuery {
    /// As asked.
    pub original: String,
    /// `symbol`, `natural`, `mixed`, `path` or `regex`.
    pub kind: &'static str,
    /// `navigational`, `factual`, `exploratory` or `analytical`.
    pub intent: &'static str,
    /// How sure the intent is, from 0 to 1.
    pub confidence: f32,
    /// Words without stop words.
    pub keywords: Vec<String>,
    /// Words that are names in code.
    pub code_terms: Vec<String>,
    /// Languages that it asks for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<&'static str>,
    /// Other words for its words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expanded: Vec<String>,
    /// Whether a model that is loaded or asked over the network took part. The tables inside the binary are none.
    pub used_model: bool,
    /// Whether it was read as a report: a long text with a title, prose, code and stacks.
    pub is_report: bool,
}

impl ParsedQuery {
    /// As it is told.
    pub(crate) fn of(original: &str, parsed: &cds_search::ParsedQuery) -> ParsedQuery {
        ParsedQuery {
            original: original.to_owned(),
            kind: parsed.kind.name(),
            intent: parsed.intent.name(),
            confidence: parsed.confidence,
            keywords: parsed.keywords.clone(),
            code_terms: parsed.code_terms.clone(),
            languages: parsed.languages.clone(),
            expanded: parsed.expansions.clone(),
            used_model: parsed.used_model,
            is_report: parsed.report.is_some(),
        }
    }
}

/// One hit: a chunk, an entity or a document.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Hit {
    /// `path:Outer.inner` for entities, `path:10-20` for other chunks, the path for documents.
    pub id: String,
    /// The chunk's own id, equal as long as its text and place are.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub chunk_id: String,
    /// Relative to the root.
    pub path: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// First byte in the file on disk.
    pub start_byte: u32,
    /// One past the last byte.
    pub end_byte: u32,
    /// The language it is written in: that of the embedded block it lies in, or the file's.
    pub language: String,
    /// `directory`, `file`, `class` or `function`.
    pub entity_type: &'static str,
    /// The language's own word, `block` or `section`.
    pub kind: &'static str,
    /// The entity's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `Outer > Inner > member`
    #[serde(skip_serializing_if = "String::is_empty")]
    pub breadcrumb: String,
    /// The same as a list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scope_path: Vec<String>,
    /// The signature of the entity around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_context: Option<String>,
    /// Everything before the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The line that the signature begins on.
    #[serde(skip)]
    pub signature_line: u32,
    /// Without markers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc_comment: Option<String>,
    /// Keywords in front of the name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modifiers: Vec<String>,
    /// Decorators, annotations, attributes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decorators: Vec<String>,
    /// Bases, interfaces, traits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conformances: Vec<String>,
    /// Names the chunk declares, those of entities first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub definitions: Vec<String>,
    /// Names the chunk uses, those of calls and types first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// Whether it declares a type.
    pub is_type_declaration: bool,
    /// Whether it is a test.
    pub is_test: bool,
    /// Whether its definition was recovered from a part of a file with syntax errors: its lines and parameters may be incomplete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recovered: bool,
    /// Whether others may use it.
    pub is_public: bool,
    /// 0..1; none where nothing was ranked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// The same in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance_percent: Option<u32>,
    /// `name`, `bm25` or `hybrid`; for names how they answered: `exact`, `prefix`, `any_case`, `fuzzy`, `member`.
    /// None where an id was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_type: Option<&'static str>,
    /// Each retriever's score. In presets that mix retrievers, `rrf` is the sum of their weights, each divided by `k` plus the rank.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<&'static str, f32>,
    /// Each retriever's rank, from 1.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ranks: BTreeMap<&'static str, u32>,
    /// What made the score, in the order of application: evidence that is added, the greatest first; multipliers of the sum; then what the
    /// graph or a reranker adds.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "by_name")]
    #[schemars(with = "BTreeMap<String, f32>")]
    pub signals: Vec<Signal>,
    /// Line, first and last-plus-one character of each match in the snippet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub highlights: Vec<(u32, u32, u32)>,
    /// The text shown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub snippet: String,
    /// The line it begins on.
    pub snippet_line: u32,
    /// The text at each level, where the request names several.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub snippets: BTreeMap<&'static str, String>,
    /// Searches only: words of the query that the hit has in its text, its name or its path, in the order of the query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matched_terms: Vec<String>,
    /// Estimated tokens of the whole chunk.
    pub token_count: u32,
    /// blake3 of the file's bytes from `start_byte` to `end_byte`, of hits that are chunks.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hash: String,
    /// Seconds since 1970.
    pub indexed_at: i64,
    /// Steps from a direct hit.
    pub hop_depth: u32,
    /// Whether the file has changed since it was indexed.
    pub stale: bool,
    /// How many more chunks of the file matched.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_in_file: u32,
    /// Chunks grouped by file only: the score of the group, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_score: Option<f32>,
    /// Documents only: number of chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_count: Option<u32>,
    /// Documents only: every language in it, the one with most tokens first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Documents only: the language with most tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_language: Option<String>,
    /// Documents only: bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Documents only: seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<i64>,
    /// Documents only: its best chunks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chunks: Vec<Hit>,
}

impl Hit {
    /// Notes how it stands and who found it.
    pub(crate) fn rank(&mut self, score: f32, match_type: &'static str) {
        self.score = Some(score);
        self.relevance_percent = Some((score * 100.0).round() as u32);
        self.match_type = Some(match_type);
    }
}

/// Signals as an object: name to number.
fn by_name<S: Serializer>(signals: &[Signal], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(signals.iter().map(|s| (s.name, s.value)))
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !*value
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(n: &u32) -> bool {
    *n == 0
}
