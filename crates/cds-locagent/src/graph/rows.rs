//! Rows of an export.

use serde::Serialize;

use crate::graph::{Edge, Graph};

/// A node as it is exported.
#[derive(Debug, Serialize)]
pub struct NodeRow<'g> {
    /// Its id.
    pub id: &'g str,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// First line; none for a file and a folder.
    pub start_line: Option<u32>,
    /// Last line.
    pub end_line: Option<u32>,
}

impl<'g> NodeRow<'g> {
    /// The row of a node.
    pub fn of(graph: &'g Graph, node: u32) -> Self {
        let node = &graph.nodes[node as usize];
        let lines = (node.start_line > 0).then_some((node.start_line, node.end_line));
        let (start_line, end_line) = lines.unzip();
        Self { id: &node.id, kind: node.kind.name(), start_line, end_line }
    }
}

/// An edge as it is exported.
#[derive(Debug, Serialize)]
pub struct EdgeRow<'g> {
    /// The id of its source.
    pub source: &'g str,
    /// The id of its target.
    pub target: &'g str,
    /// What it says.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The name after `as`.
    pub alias: Option<&'g str>,
}

impl<'g> EdgeRow<'g> {
    /// The row of an edge.
    pub fn of(graph: &'g Graph, edge: &Edge) -> Self {
        let id = |node: u32| graph.nodes[node as usize].id.as_str();
        Self { source: id(edge.source), target: id(edge.target), kind: edge.kind.name(), alias: graph.alias(edge) }
    }
}
