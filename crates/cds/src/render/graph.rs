//! Parts of the graph, drawn: a tree for terminals, DOT and Mermaid for pictures.

use std::collections::BTreeMap;
use std::fmt::Write;

use cds_engine::{GraphEdge, GraphNode, GraphResponse};

use super::paint::{Painter, Style};

/// Each node once; what was shown before is marked and not opened again.
pub(super) fn tree(response: &GraphResponse, painter: &Painter) -> String {
    let mut below: BTreeMap<&str, Vec<&GraphEdge>> = BTreeMap::new();
    for edge in &response.edges {
        below.entry(near(edge)).or_default().push(edge);
    }
    let known: BTreeMap<&str, &GraphNode> =
        response.from.iter().chain(&response.nodes).map(|n| (n.id.as_str(), n)).collect();
    let mut out = String::new();
    for start in &response.from {
        let _ = writeln!(out, "{}", title(start, painter));
        branches(&mut out, &start.id, "", &below, &known, painter);
    }
    out
}

fn branches(
    out: &mut String,
    id: &str,
    indent: &str,
    below: &BTreeMap<&str, Vec<&GraphEdge>>,
    known: &BTreeMap<&str, &GraphNode>,
    painter: &Painter,
) {
    let edges = below.get(id).map(Vec::as_slice).unwrap_or_default();
    for (at, edge) in edges.iter().enumerate() {
        let is_last = at + 1 == edges.len();
        let (branch, rest) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let arrow = if edge.backward { "<-" } else { "->" };
        let there = far(edge);
        let shown = known.get(there).map_or_else(|| there.to_owned(), |n| title(n, painter));
        let mut how = edge.certainty.to_owned();
        if edge.candidates > 1 {
            let _ = write!(how, " 1 of {}", edge.candidates);
        }
        let site = if edge.site.is_empty() { String::new() } else { format!(" @{}", edge.site) };
        let alias = edge.alias.as_deref().map(|a| format!(" as {a}")).unwrap_or_default();
        let again = if edge.repeated { " (shown above)" } else { "" };
        let label = painter.paint(Style::Dim, &format!("{}{alias} {arrow}", edge.kind));
        let tail = painter.paint(Style::Dim, &format!("{how}{site}{again}"));
        let _ = writeln!(out, "{indent}{branch}{label} {shown}  {tail}");
        if !edge.repeated {
            branches(out, there, &format!("{indent}{rest}"), below, known, painter);
        }
    }
}

fn title(node: &GraphNode, painter: &Painter) -> String {
    format!("{} {}", painter.paint(Style::Bold, &node.id), painter.paint(Style::Dim, node.kind))
}

/// The end of an edge that the walk came from, and the other one.
fn near(edge: &GraphEdge) -> &str {
    if edge.backward { &edge.to } else { &edge.from }
}

fn far(edge: &GraphEdge) -> &str {
    if edge.backward { &edge.from } else { &edge.to }
}

/// Guesses are dashed.
pub(super) fn dot(response: &GraphResponse) -> String {
    let mut out = String::from("digraph cds {\n  rankdir=LR;\n  node [shape=box];\n");
    for node in response.from.iter().chain(&response.nodes) {
        let id = escape(&node.id);
        let _ = writeln!(out, "  \"{id}\" [tooltip=\"{} {}:{}\"];", node.kind, escape(&node.path), node.start_line);
    }
    for edge in &response.edges {
        let style = if edge.certainty == "named" { ", style=dashed" } else { "" };
        let (from, to) = (escape(&edge.from), escape(&edge.to));
        let _ = writeln!(out, "  \"{from}\" -> \"{to}\" [label=\"{}\"{style}];", edge.kind);
    }
    out.push_str("}\n");
    out
}

pub(super) fn mermaid(response: &GraphResponse) -> String {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = String::from("flowchart LR\n");
    for node in response.from.iter().chain(&response.nodes) {
        let next = numbers.len();
        if numbers.contains_key(node.id.as_str()) {
            continue;
        }
        numbers.insert(&node.id, next);
        let _ = writeln!(out, "  n{next}[\"{}\"]", node.id.replace('"', "#quot;"));
    }
    for edge in &response.edges {
        let (Some(from), Some(to)) = (numbers.get(edge.from.as_str()), numbers.get(edge.to.as_str())) else { continue };
        let arrow = if edge.certainty == "named" { "-." } else { "--" };
        let end = if edge.certainty == "named" { ".->" } else { "-->" };
        let _ = writeln!(out, "  n{from} {arrow} {} {end} n{to}", edge.kind);
    }
    out
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
