//! The search tool: what LocAgent's `search_code_snippets` finds, term by term, and the text it answers with.
//!
//! Each term goes through the stages of `entities`, then, unless these end the search, through the code index. What was found for
//! all terms is merged and written down by `render`.

pub mod bm25;
mod entities;
pub mod names;
mod render;
mod results;
mod scope;
mod skeleton;

use compact_str::CompactString;

use crate::Repository;
use crate::graph::{Graph, NodeType, is_test};
use crate::like::{pyset, pystr};
use crate::search::bm25::QueryError;
use crate::search::results::lines_of;
pub use crate::search::results::{Format, Found, Outcome, SearchError, Step};
use crate::search::scope::Files;

/// Lines shown before and after a line that is in no entity.
const CONTEXT: i64 = 20;

/// How many entities of the best chunk are shown.
const SHOWN_OF_A_CHUNK: usize = 5;

/// Spans that are no entity.
const LOOSE_SPANS: [&str; 3] = ["docstring", "imports", "comments"];

/// A question.
#[derive(Clone, Debug)]
pub struct Request {
    /// Names, ids or words.
    pub terms: Vec<String>,
    /// Lines of the one file that the pattern names.
    pub line_nums: Vec<i64>,
    /// A pattern over whole paths, or a part of a path; none for every file.
    pub file_pattern: Option<String>,
}

impl Default for Request {
    /// The default pattern has a `/` in it: files at the root do not match.
    fn default() -> Self {
        Self { terms: Vec::new(), line_nums: Vec::new(), file_pattern: Some("**/*.py".to_owned()) }
    }
}

/// Answers a question.
pub(crate) fn search(
    repository: &Repository,
    request: &Request,
    stop: &dyn Fn() -> bool,
) -> Result<Outcome, SearchError> {
    let mut notice = String::new();
    let files = Files::new(&repository.graph, &repository.names, request.file_pattern.as_deref(), &mut notice);
    let search = Search { repository, files, stop };
    let mut steps = search.terms(&request.terms, &mut notice)?;
    steps.extend(search.lines(request)?);
    let text = render::answer(&repository.graph, &notice, &steps)?;
    Ok(Outcome { steps, text })
}

/// `get_entity_contents`: the code of exact ids.
pub fn entity_contents(graph: &Graph, names: &[String]) -> Result<String, SearchError> {
    let mut text = String::new();
    for name in names {
        let name = pystr::strip(name).trim_matches('.');
        if name.is_empty() {
            continue;
        }
        text += &format!("##Searching for entity `{name}`...\n### Search Result:\n");
        match visible(graph, name) {
            Some(node) => text += &render::result(graph, &Found::exact(graph, node))?,
            None => {
                text += "Invalid name. \nHint: Valid entity name should be formatted as \"file_path:QualifiedName\" or just \"file_path\"."
            }
        }
        text += "\n\n";
    }
    Ok(pystr::strip(&text).to_owned())
}

/// The node of an id, if it is not a test's.
pub fn visible(graph: &Graph, id: &str) -> Option<u32> {
    if is_test(id) { None } else { graph.find(id) }
}

pub(crate) struct Search<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) files: Files,
    pub(crate) stop: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    /// All terms, then all of them as one, without those whose search ended early.
    fn terms(&self, terms: &[String], notice: &mut String) -> Result<Vec<Step>, SearchError> {
        let (refused, terms): (Vec<&String>, Vec<&String>) = terms.iter().partition(|term| is_test(term));
        let mut steps: Vec<Step> = refused.iter().map(|term| Step::Refused { term: (*term).clone() }).collect();
        for term in refused {
            *notice += &format!("No results for test files: `{term}`. Please do not search for any test files.\n\n");
        }
        let together = |parts: &[&str]| {
            parts.iter().filter(|part| !pystr::strip(part).is_empty()).copied().collect::<Vec<_>>().join(" ")
        };
        let mut parts: Vec<&str> = terms.iter().map(|term| term.as_str()).collect();
        // Blank terms are in it as long as no term has ended early.
        let mut joint = parts.join(" ");
        for (place, term) in terms.iter().enumerate() {
            let Some(step) = self.term(term, false)? else { continue };
            let ended = matches!(step, Step::Searched { content_results: None, .. });
            steps.push(step);
            if ended && terms.len() > 1 {
                parts[place] = "";
                joint = together(&parts);
                if terms.iter().any(|term| **term == joint) {
                    joint.clear();
                }
            }
        }
        if terms.len() > 1 {
            steps.extend(self.term(&joint, true)?);
        }
        Ok(steps)
    }

    fn term(&self, term: &str, joint: bool) -> Result<Option<Step>, SearchError> {
        if (self.stop)() {
            return Err(SearchError::Stopped);
        }
        let term = pystr::strip(term).trim_matches('.');
        if term.is_empty() {
            return Ok(None);
        }
        let (entity_results, ended) = self.entities(term)?;
        let content_results = if ended { None } else { Some(self.content(term)?) };
        Ok(Some(Step::Searched { term: term.to_owned(), joint, entity_results, content_results }))
    }

    /// What the best chunk holds. The other nine are never looked at: LocAgent returns from inside its loop.
    fn content(&self, term: &str) -> Result<Vec<Found>, SearchError> {
        let hits = self.repository.code.words.query(term).map_err(|error| query_error(error, term, "code"))?;
        let chunk = &self.repository.code.chunks[hits[0].document as usize];
        let graph = &self.repository.graph;
        let Some(file) = graph.find(&chunk.file).filter(|_| self.files.include(graph, &chunk.file)) else {
            return Ok(Vec::new());
        };
        let spans = pyset::order(chunk.span_ids.iter().map(CompactString::as_str));
        let loose = spans.iter().filter(|span| LOOSE_SPANS.contains(span)).count();
        let entities = spans.iter().filter_map(|span| visible(graph, &format!("{}:{span}", chunk.file)));
        let source = "Retrieved code content using keyword search (bm25).";
        let lines = (i64::from(chunk.start_line), i64::from(chunk.end_line));
        if loose == spans.len() {
            return Ok(vec![Found::snippet(graph, file, lines, source)]);
        }
        if loose > 0 {
            let mut snippet = Found::snippet(graph, file, lines, source);
            (snippet.desc, snippet.message) = describe(graph, lines, entities.collect());
            return Ok(vec![snippet]);
        }
        let previews = entities.map(|node| Found::preview(graph, node, source)).collect::<Result<Vec<_>, _>>()?;
        Ok(previews.into_iter().take(SHOWN_OF_A_CHUNK).collect())
    }

    /// Entities at lines, then the surroundings of lines that are in none.
    fn lines(&self, request: &Request) -> Result<Option<Step>, SearchError> {
        let graph = &self.repository.graph;
        let file = request
            .file_pattern
            .as_deref()
            .and_then(|path| visible(graph, path))
            .filter(|&file| graph.nodes[file as usize].kind == NodeType::File);
        let Some(file) = file.filter(|_| !request.line_nums.is_empty()) else { return Ok(None) };
        let numbers: Vec<String> = request.line_nums.iter().map(i64::to_string).collect();
        let term = format!("{}:line {}", graph.nodes[file as usize].id, numbers.join(", "));
        let source = format!("Retrieved code context including {term}.");
        let mut line_results: Vec<Found> = Vec::new();
        let mut ranges = Vec::new();
        for &line in &request.line_nums {
            match entity_at(graph, file, line) {
                Some(node) if line_results.iter().any(|found| found.node == node) => {}
                Some(node) => line_results.push(Found::preview(graph, node, &source)?),
                None => {
                    let (_, last) = lines_of(graph, file)
                        .ok_or_else(|| SearchError::NoLines(graph.nodes[file as usize].id.clone()))?;
                    ranges.push(((line - CONTEXT).max(1), (line + CONTEXT).min(last)));
                }
            }
        }
        line_results.extend(merged(ranges).into_iter().map(|lines| Found::snippet(graph, file, lines, &source)));
        Ok(Some(Step::Lines { term, line_results }))
    }
}

/// How an index's refusal is told.
pub(crate) fn query_error(error: QueryError, term: &str, index: &'static str) -> SearchError {
    match error {
        QueryError::NoToken => SearchError::NoToken(term.to_owned()),
        QueryError::TooFewDocuments(documents) => SearchError::TooFewDocuments { index, documents },
    }
}

/// The heading of a snippet with entities in it, and what of them sticks out of its lines.
fn describe(graph: &Graph, lines: (i64, i64), mut entities: Vec<u32>) -> (Option<String>, Option<String>) {
    let first_line = |node: &u32| graph.nodes[*node as usize].start_line;
    entities.sort_by_key(first_line);
    let ids: Vec<String> = entities.iter().map(|&node| format!("`{}`", graph.nodes[node as usize].id)).collect();
    let mut hints = String::new();
    let mut hint = |node: u32| {
        let (kind, id) = (graph.nodes[node as usize].kind.name(), &graph.nodes[node as usize].id);
        hints += &format!("The code for {kind} `{id}` is incomplete; search `{id}` for the full content if needed.\n");
    };
    if let (Some(&first), Some(&last)) = (entities.first(), entities.last()) {
        if i64::from(graph.nodes[first as usize].start_line) < lines.0 {
            hint(first);
        }
        if i64::from(graph.nodes[last as usize].end_line) > lines.1 {
            hint(last);
        }
    }
    let message = if hints.is_empty() { hints } else { format!("Hint: \n{hints}") };
    (Some(format!("Found {}.", ids.join(", "))), Some(message))
}

/// The entity directly in the file that holds the line, or what is directly in that, if it is a class.
fn entity_at(graph: &Graph, file: u32, line: i64) -> Option<u32> {
    let top = child_at(graph, file, ':', line)?;
    if graph.nodes[top as usize].kind == NodeType::Class {
        child_at(graph, top, '.', line).or(Some(top))
    } else {
        Some(top)
    }
}

/// Children do not overlap, so any order will do.
fn child_at(graph: &Graph, parent: u32, separator: char, line: i64) -> Option<u32> {
    let parent = &graph.nodes[parent as usize];
    let is_child = |id: &str| {
        id.strip_prefix(parent.id.as_str())
            .and_then(|rest| rest.strip_prefix(separator))
            .is_some_and(|name| !name.contains('.'))
    };
    let holds = |node: &crate::graph::Node| i64::from(node.start_line) <= line && line <= i64::from(node.end_line);
    graph
        .nodes
        .iter()
        .position(|node| node.text == parent.text && holds(node) && is_child(&node.id))
        .map(|place| place as u32)
}

/// Ranges by their beginning, those that overlap as one.
fn merged(mut ranges: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    ranges.sort_by_key(|range| range.0);
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.0 <= last.1 => last.1 = last.1.max(range.1),
            _ => merged.push(range),
        }
    }
    merged
}
