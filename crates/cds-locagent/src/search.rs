//! The search tool: what LocAgent's `search_code_snippets` finds, term by term, and the text it answers with.
//!
//! Each term goes through the stages of [`entities`](crate::entities), then, unless these end the search, through the code index. What was found for
//! all terms is merged and written down by [`render`](crate::render).

use compact_str::CompactString;
use serde::Serialize;

use crate::bm25::{Index, QueryError};
use crate::chunks::Chunk;
use crate::fnmatch::Pattern;
use crate::graph::{Graph, NodeType, is_test};
use crate::names::Names;
use crate::{pyset, pystr, render};

/// Lines shown before and after a line that is in no entity.
const CONTEXT: i64 = 20;

/// How many entities of the best chunk are shown.
const SHOWN_OF_A_CHUNK: usize = 5;

/// Spans that are no entity.
const LOOSE_SPANS: [&str; 3] = ["docstring", "imports", "comments"];

/// What a search reads.
#[derive(Clone, Copy)]
pub struct Repository<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The names in it.
    pub names: &'a Names,
    /// The chunks.
    pub chunks: &'a [Chunk],
    /// The index whose documents are the chunks.
    pub code: &'a Index,
}

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

/// An answer.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// How it was found.
    pub steps: Vec<Step>,
    /// What the agent reads.
    pub text: String,
}

/// What was done for one term, or for the lines.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "step")]
pub enum Step {
    /// The term was taken for a test's and not searched.
    Refused {
        /// The term.
        term: String,
    },
    /// The term was searched.
    Searched {
        /// The term.
        term: String,
        /// Whether it is all terms together.
        joint: bool,
        /// From names and ids.
        entity_results: Vec<Found>,
        /// From the code index; none if that was not asked.
        content_results: Option<Vec<Found>>,
    },
    /// Lines were looked up.
    Lines {
        /// File and lines.
        term: String,
        /// What holds the lines.
        line_results: Vec<Found>,
    },
}

/// How much of a result is shown. In the order of what is preferred when several terms find the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// All of its code.
    Complete,
    /// Lines of a file.
    CodeSnippet,
    /// All of it, if short, otherwise its skeleton.
    Preview,
    /// Its id.
    Fold,
}

/// One result.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The node.
    #[serde(skip)]
    pub node: u32,
    /// Its id.
    pub nid: CompactString,
    /// What it is.
    #[serde(rename = "type", serialize_with = "kind_name")]
    pub kind: NodeType,
    /// How much is shown.
    pub format: Format,
    /// First and last line; none where LocAgent has not looked.
    pub lines: Option<(i64, i64)>,
    /// Why it is here.
    pub source: String,
    /// The heading of a snippet, where it is not the usual one.
    pub desc: Option<String>,
    /// What follows a snippet.
    pub message: Option<String>,
}

fn kind_name<S: serde::Serializer>(kind: &NodeType, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

/// Why a search fails altogether. LocAgent raises an exception in these cases, whatever the other terms would find.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// `IndexError`: the code index was asked for a term without a usable word.
    #[error("`{0}` has no word of two characters that could be searched in the code: use a longer word or an exact id")]
    NoToken(String),
    /// `ValueError`: ten hits are wanted, and an index has fewer documents.
    #[error(
        "the index of {index} has {documents} documents and LocAgent's search needs 10: use an exact id, or the default mode"
    )]
    TooFewDocuments {
        /// Which one.
        index: &'static str,
        /// What it has.
        documents: u32,
    },
    /// `KeyError`: a result has no lines, because it is a folder or an empty file.
    #[error("`{0}` has no code, and LocAgent fails on showing its lines: ask for `{0}` itself, or for another name")]
    NoLines(CompactString),
}

impl SearchError {
    /// The exception LocAgent raises.
    pub fn exception(&self) -> &'static str {
        match self {
            Self::NoToken(_) => "IndexError",
            Self::TooFewDocuments { .. } => "ValueError",
            Self::NoLines(_) => "KeyError",
        }
    }
}

/// Answers a question.
pub fn search(repository: Repository, request: &Request) -> Result<Outcome, SearchError> {
    let mut notice = String::new();
    let files = Files::new(repository.graph, request.file_pattern.as_deref(), &mut notice);
    let search = Search { repository, files };
    let mut steps = search.terms(&request.terms, &mut notice)?;
    steps.extend(search.lines(request)?);
    let text = render::answer(repository.graph, &notice, &steps)?;
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

/// The files a search is restricted to.
pub(crate) enum Files {
    /// There is none in the graph, and nothing is restricted.
    All,
    /// Per node, whether it is one.
    Some(Vec<bool>),
}

impl Files {
    /// Files, tests aside, that match; all of them when none does.
    fn new(graph: &Graph, pattern: Option<&str>, notice: &mut String) -> Self {
        let eligible = |node: &crate::graph::Node| node.kind == NodeType::File && !is_test(&node.id);
        let all: Vec<bool> = graph.nodes.iter().map(eligible).collect();
        if !all.contains(&true) {
            if let Some(pattern) = pattern.filter(|pattern| !pattern.is_empty()) {
                *notice += &no_files(pattern);
            }
            return Self::All;
        }
        let Some(pattern) = pattern.filter(|pattern| !pattern.is_empty()) else { return Self::Some(all) };
        let matching: Vec<bool> = if pattern.contains(['*', '?', '[']) {
            let pattern = Pattern::new(pattern);
            graph.nodes.iter().zip(&all).map(|(node, &file)| file && pattern.matches(&node.id)).collect()
        } else {
            graph.nodes.iter().zip(&all).map(|(node, &file)| file && node.id.contains(pattern)).collect()
        };
        if matching.contains(&true) {
            return Self::Some(matching);
        }
        *notice += &no_files(pattern);
        Self::Some(all)
    }

    /// Whether the file of an id is one of them. A folder's never is.
    pub(crate) fn include(&self, graph: &Graph, id: &str) -> bool {
        match self {
            Self::All => true,
            Self::Some(files) => graph.find(file_of(id)).is_some_and(|file| files[file as usize]),
        }
    }
}

fn no_files(pattern: &str) -> String {
    format!("No files found for file pattern '{pattern}'. Will search all files.\n...\n")
}

/// The path in an id.
pub(crate) fn file_of(id: &str) -> &str {
    id.split(':').next().unwrap_or(id)
}

pub(crate) struct Search<'a> {
    pub(crate) repository: Repository<'a>,
    pub(crate) files: Files,
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
        let hits = self.repository.code.query(term).map_err(|error| query_error(error, term, "code"))?;
        let chunk = &self.repository.chunks[hits[0].document as usize];
        let graph = self.repository.graph;
        let Some(file) = graph.find(&chunk.file).filter(|_| self.files.include(graph, &chunk.file)) else {
            return Ok(Vec::new());
        };
        let spans = pyset::order(chunk.span_ids.iter().map(String::as_str));
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
        let graph = self.repository.graph;
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

/// First and last line of a node. A file's last line is the empty one after its last line end; a folder and an empty file have none.
pub(crate) fn lines_of(graph: &Graph, node: u32) -> Option<(i64, i64)> {
    let code = graph.code(node);
    let entity = &graph.nodes[node as usize];
    match entity.kind {
        _ if code.is_empty() => None,
        NodeType::Directory => None,
        NodeType::File => Some((1, code.matches('\n').count() as i64 + 1)),
        NodeType::Class | NodeType::Function => Some((entity.start_line.into(), entity.end_line.into())),
    }
}

impl Found {
    fn new(graph: &Graph, node: u32, format: Format, source: &str) -> Self {
        let entity = &graph.nodes[node as usize];
        Self {
            node,
            nid: entity.id.clone(),
            kind: entity.kind,
            format,
            lines: None,
            source: source.to_owned(),
            desc: None,
            message: None,
        }
    }

    /// Found by its id.
    pub(crate) fn exact(graph: &Graph, node: u32) -> Self {
        Self::new(
            graph,
            node,
            Format::Complete,
            &format!("Exact match found for entity name `{}`.", graph.nodes[node as usize].id),
        )
    }

    /// Only named.
    pub(crate) fn fold(graph: &Graph, node: u32, source: &str) -> Self {
        Self::new(graph, node, Format::Fold, source)
    }

    /// Shown if it is short. What has no lines cannot be.
    pub(crate) fn preview(graph: &Graph, node: u32, source: &str) -> Result<Self, SearchError> {
        let lines = lines_of(graph, node).ok_or_else(|| SearchError::NoLines(graph.nodes[node as usize].id.clone()))?;
        Ok(Self { lines: Some(lines), ..Self::new(graph, node, Format::Preview, source) })
    }

    fn snippet(graph: &Graph, file: u32, lines: (i64, i64), source: &str) -> Self {
        Self { lines: Some(lines), ..Self::new(graph, file, Format::CodeSnippet, source) }
    }
}
