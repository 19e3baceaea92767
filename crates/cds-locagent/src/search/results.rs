//! What a search gives: results, how they were come by, and the reasons why there are none.

use compact_str::CompactString;
use serde::Serialize;

use crate::graph::{Graph, NodeType};

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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
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
        "the index of {index} is too small ({documents}) and LocAgent's search needs 10 entries: use an exact id, or the default mode"
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
    /// The caller has given up. LocAgent has no such thing.
    #[error("time ran out: ask for fewer terms")]
    Stopped,
}

impl SearchError {
    /// The exception LocAgent raises.
    pub fn exception(&self) -> &'static str {
        match self {
            Self::NoToken(_) => "IndexError",
            Self::TooFewDocuments { .. } => "ValueError",
            Self::NoLines(_) => "KeyError",
            Self::Stopped => "TimeoutError",
        }
    }
}

/// First and last line of a node. A file's last line is the empty one after its last line end; a folder and an empty file have none.
pub(crate) fn lines_of(graph: &Graph, node: u32) -> Option<(i64, i64)> {
    let entity = &graph.nodes[node as usize];
    match entity.kind {
        _ if entity.code.is_empty() => None,
        NodeType::Directory => None,
        NodeType::File => Some((1, graph.line_count(node).into())),
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

    pub(crate) fn snippet(graph: &Graph, file: u32, lines: (i64, i64), source: &str) -> Self {
        Self { lines: Some(lines), ..Self::new(graph, file, Format::CodeSnippet, source) }
    }
}
