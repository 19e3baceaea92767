//! One question to one engine.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use cds_engine::{Engine, Hit, Result, RetrieveRequest, SearchRequest};
use serde::Serialize;

use crate::set::{Family, Question};

/// Hits that are asked for unless the request says: as many as the score looks at, and enough functions that ten
/// of them are left when names count once.
const QUERY_LIMIT: usize = 10;
const ISSUE_LIMIT: usize = 100;

/// Values are functions to the graph, but nobody would look for them under that name.
const VALUES: &[&str] = &["constant", "event", "field", "property", "variable"];

/// A hit, as far as it is judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Found {
    /// Relative to the repository's root.
    pub path: String,
    /// First line.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// `path:Class.method` for definitions, the path for the rest; only where functions are ranked.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its standing.
    pub score: f32,
    /// Estimated tokens of all its text.
    pub tokens: u32,
    /// Evidence that was added, by name.
    pub signals: BTreeMap<&'static str, f32>,
    /// What multiplied the sum, by name.
    pub factors: BTreeMap<&'static str, f32>,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) hits: Vec<Found>,
    pub(crate) latency_ms: f64,
    pub(crate) warnings: Vec<String>,
}

/// Asks, and times the search alone.
pub(crate) fn ask(engine: &Engine, prefix: &str, question: &Question, options: &SearchRequest) -> Result<Answer> {
    let family = question.family();
    let request = request(question, options);
    let started = Instant::now();
    let response = engine.search(&request)?;
    let latency_ms = started.elapsed().as_secs_f64() * 1e3;
    let names = match family {
        Family::Queries => vec![String::new(); response.hits.len()],
        Family::Issues => names(engine, &response.hits)?,
    };
    let hits = response.hits.iter().zip(names).map(|(hit, name)| {
        let signals = |multiplies: bool| hit.signals.iter().filter(move |s| s.multiplies == multiplies);
        Found {
            path: format!("{prefix}{}", hit.path),
            start_line: hit.start_line,
            end_line: hit.end_line,
            name: if name.is_empty() { name } else { format!("{prefix}{name}") },
            score: hit.score.unwrap_or(0.0),
            // A document is read by its chunks.
            tokens: if hit.chunks.is_empty() {
                hit.token_count
            } else {
                hit.chunks.iter().map(|chunk| chunk.token_count).sum()
            },
            signals: signals(false).map(|s| (s.name, s.value)).collect(),
            factors: signals(true).map(|s| (s.name, s.value)).collect(),
        }
    });
    Ok(Answer { hits: hits.collect(), latency_ms, warnings: response.warnings })
}

/// The options with the question in them, and what is usual for its kind where they are silent.
pub(crate) fn request(question: &Question, options: &SearchRequest) -> SearchRequest {
    let is_issue = question.family() == Family::Issues;
    let usual = if is_issue { ISSUE_LIMIT } else { QUERY_LIMIT };
    let mut filters = options.filters.clone();
    if is_issue && filters.types.is_empty() && filters.kinds.is_empty() {
        // What is mended is a function.
        filters.types.push("function".to_owned());
    }
    SearchRequest {
        query: question.query.clone(),
        limit: options.limit.or(options.files.is_none().then_some(usual)),
        granularity: options.granularity.clone().or(is_issue.then(|| "entity".to_owned())),
        // Budgets are measured, not applied.
        max_tokens: Some(0),
        filters,
        ..options.clone()
    }
}

/// What each hit counts as: a function inside another is that one.
fn names(engine: &Engine, hits: &[Hit]) -> Result<Vec<String>> {
    let is_definition = |hit: &Hit| match hit.entity_type {
        "class" => true,
        "function" => !VALUES.contains(&hit.kind),
        _ => false,
    };
    let around = |hit: &Hit| -> Vec<String> {
        let parts = &hit.scope_path;
        (1..parts.len()).map(|n| format!("{}:{}", hit.path, parts[..n].join("."))).collect()
    };
    let ids: BTreeSet<String> = hits.iter().filter(|hit| is_definition(hit)).flat_map(around).collect();
    let request =
        RetrieveRequest { ids: ids.into_iter().collect(), snippet: Some("fold".to_owned()), max_tokens: None };
    let outer = engine.retrieve(&request)?;
    let functions: BTreeSet<&str> =
        outer.hits.iter().filter(|hit| hit.entity_type == "function").map(|hit| hit.id.as_str()).collect();
    let name = |hit: &Hit| {
        if !is_definition(hit) {
            return hit.path.clone();
        }
        around(hit).into_iter().find(|id| functions.contains(id.as_str())).unwrap_or_else(|| hit.id.clone())
    };
    Ok(hits.iter().map(name).collect())
}
