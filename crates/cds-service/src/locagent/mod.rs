//! LocAgent's tools as operations: its parameter names, and exactly the text that `--compat locagent` prints.
//!
//! They are asked of a repository of their own ([`held`]), which has nothing in common with the index of the project but its directory.

mod held;

use std::ops::Range;

use cds_engine::{CancelToken, Engine, sanitize_json};
use cds_locagent::graph::{EdgeRow, EdgeType, NodeRow, NodeType};
use cds_locagent::search::{Request, SearchError, entity_contents};
use cds_locagent::{Bound, Direction, TreeRequest, Unfinished};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fault::{Fault, FaultKind};

/// Terms, entities or lines of a request.
const MOST: usize = 100;

/// Characters of a term, an entity or a pattern.
const LONGEST: usize = 1_000;

/// Bytes of a tree. The whole tree of a large repository has hundreds of megabytes.
const TREE: usize = 8 << 20;

/// `search_code_snippets`.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct LocagentSearchRequest {
    /// Names, ids or words: at most 100.
    search_terms: Vec<String>,
    /// Lines of the one file that `file_path_or_pattern` names.
    line_nums: Vec<i64>,
    /// A pattern over whole paths, or a part of a path; none: `**/*.py`, which no file at the root matches.
    file_path_or_pattern: Option<String>,
}

/// `explore_tree_structure`.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct LocagentExploreRequest {
    /// Ids of nodes: `path`, `path:Class.method`.
    start_entities: Vec<String>,
    /// Which way edges are followed; none: `downstream`.
    #[schemars(extend("enum" = ["downstream", "upstream", "both", null]))]
    direction: Option<String>,
    /// How deep; none: 2; -1: as deep as LocAgent goes, which is 20.
    #[schemars(range(min = -1))]
    traversal_depth: Option<i64>,
    /// Only nodes of these types; none: all.
    #[schemars(extend("items" = { "type": "string", "enum": ["directory", "file", "class", "function"] }))]
    entity_type_filter: Vec<String>,
    /// Only edges of these types; none: all.
    #[schemars(extend("items" = { "type": "string", "enum": ["contains", "imports", "inherits", "invokes"] }))]
    dependency_type_filter: Vec<String>,
}

/// `get_entity_contents`.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct LocagentRetrieveRequest {
    /// Ids of nodes: at most 100.
    entity_names: Vec<String>,
}

/// A part of the graph.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct LocagentGraphRequest {
    /// `nodes` or `edges`; none: `nodes`.
    #[schemars(extend("enum" = ["nodes", "edges", null]))]
    part: Option<String>,
    /// Rows that are left out at the beginning.
    offset: Option<u64>,
    /// Rows at most; none: 1,000.
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<u32>,
}

/// What LocAgent's agent reads.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LocagentText {
    /// The text, as the command line prints it.
    text: String,
}

/// Rows of the graph.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LocagentGraphResponse {
    /// A JSON object a line, as `cds graph export --compat locagent` prints them.
    text: String,
    /// Rows in all.
    total: u64,
    /// Where the next rows begin, if there are more.
    next_offset: Option<u64>,
}

pub(crate) fn search(engine: &Engine, asked: LocagentSearchRequest) -> Result<LocagentText, Fault> {
    bounded("search_terms", &asked.search_terms)?;
    bounded("file_path_or_pattern", asked.file_path_or_pattern.as_slice())?;
    if asked.line_nums.len() > MOST {
        return Err(Fault::parameter("line_nums", "at most 100 lines", &asked.line_nums.len().to_string()));
    }
    let mut request = Request { terms: asked.search_terms, line_nums: asked.line_nums, ..Request::default() };
    request.file_pattern = asked.file_path_or_pattern.or(request.file_pattern);
    let repository = held::repository(engine)?;
    let outcome = repository.search_until(&request, &stop()).map_err(failed)?;
    Ok(LocagentText { text: outcome.text })
}

pub(crate) fn explore(engine: &Engine, asked: LocagentExploreRequest) -> Result<LocagentText, Fault> {
    bounded("start_entities", &asked.start_entities)?;
    let direction = match asked.direction.as_deref() {
        None | Some("downstream") => Direction::Downstream,
        Some("upstream") => Direction::Upstream,
        Some("both") => Direction::Both,
        Some(other) => return Err(Fault::parameter("direction", "downstream, upstream or both", other)),
    };
    let depth = match asked.traversal_depth.unwrap_or(2) {
        -1 => None,
        depth => {
            let is_wrong = |_| Fault::parameter("traversal_depth", "-1, or a number from 0 on", &depth.to_string());
            Some(u32::try_from(depth).map_err(is_wrong)?)
        }
    };
    let request = TreeRequest {
        starts: asked.start_entities,
        direction,
        depth,
        node_types: types("entity_type_filter", &asked.entity_type_filter, &NodeType::ALL, NodeType::name)?,
        edge_types: types("dependency_type_filter", &asked.dependency_type_filter, &EdgeType::ALL, EdgeType::name)?,
    };
    let repository = held::repository(engine)?;
    let bound = Bound { stop: &stop(), bytes: TREE };
    let text = repository.trees_within(&request, &bound).map_err(|why| match why {
        Unfinished::Stopped => Fault::new(FaultKind::Timeout, why.to_string()),
        Unfinished::TooLong(_) => Fault::new(FaultKind::Invalid, why.to_string()),
    })?;
    Ok(LocagentText { text })
}

pub(crate) fn retrieve(engine: &Engine, asked: LocagentRetrieveRequest) -> Result<LocagentText, Fault> {
    bounded("entity_names", &asked.entity_names)?;
    let repository = held::repository(engine)?;
    let text = entity_contents(&repository.graph, &asked.entity_names).map_err(failed)?;
    Ok(LocagentText { text })
}

pub(crate) fn graph(engine: &Engine, asked: LocagentGraphRequest) -> Result<LocagentGraphResponse, Fault> {
    let is_edges = match asked.part.as_deref() {
        None | Some("nodes") => false,
        Some("edges") => true,
        Some(other) => return Err(Fault::parameter("part", "nodes or edges", other)),
    };
    let repository = held::repository(engine)?;
    let graph = &repository.graph;
    let total = if is_edges { graph.edges.len() } else { graph.nodes.len() };
    let begin = usize::try_from(asked.offset.unwrap_or(0)).unwrap_or(usize::MAX).min(total);
    let end = begin.saturating_add(asked.limit.unwrap_or(1_000).min(10_000) as usize).min(total);
    let rows: Range<usize> = begin..end;
    let mut text = String::new();
    if is_edges {
        graph.edges[rows].iter().try_for_each(|edge| push(&mut text, &EdgeRow::of(graph, edge)))?;
    } else {
        graph.by_id()[rows].iter().try_for_each(|node| push(&mut text, &NodeRow::of(graph, *node)))?;
    }
    let next_offset = (end < total).then_some(end as u64);
    Ok(LocagentGraphResponse { text, total: total as u64, next_offset })
}

/// A line, as the command line writes it.
fn push(text: &mut String, row: &impl Serialize) -> Result<(), Fault> {
    let line = serde_json::to_string(row).map_err(|e| Fault::new(FaultKind::Internal, e.to_string()))?;
    text.push_str(&sanitize_json(&line));
    text.push('\n');
    Ok(())
}

/// Whether the request that this thread answers has ended.
fn stop() -> impl Fn() -> bool {
    let token = CancelToken::current();
    move || token.is_cancelled()
}

fn bounded(field: &str, given: &[String]) -> Result<(), Fault> {
    if given.len() > MOST {
        return Err(Fault::parameter(field, "at most 100", &given.len().to_string()));
    }
    match given.iter().map(|text| text.chars().count()).find(|length| *length > LONGEST) {
        Some(length) => Err(Fault::parameter(field, "at most 1,000 characters", &length.to_string())),
        None => Ok(()),
    }
}

fn types<T: Copy>(
    field: &str,
    given: &[String],
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<Option<Vec<T>>, Fault> {
    let known = |text: &String| {
        let names = || all.iter().map(|one| name(*one)).collect::<Vec<_>>().join(", ");
        let found = all.iter().copied().find(|one| name(*one) == text);
        found.ok_or_else(|| Fault::parameter(field, &format!("one of {}", names()), text))
    };
    if given.is_empty() { Ok(None) } else { given.iter().map(known).collect::<Result<_, _>>().map(Some) }
}

fn failed(error: SearchError) -> Fault {
    match error {
        SearchError::Stopped => Fault::new(FaultKind::Timeout, error.to_string()),
        _ => Fault::new(FaultKind::Invalid, format!("LocAgent fails here with {}: {error}", error.exception())),
    }
}
