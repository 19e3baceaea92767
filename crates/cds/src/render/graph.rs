//! Parts of the graph, drawn: a tree for terminals, DOT and Mermaid for pictures.

use std::collections::BTreeMap;

use cds_engine::{GraphEdge, GraphNode, GraphResponse, sanitize_line};

use super::paint::Style;
use crate::output::TextOutput;

/// Each node once; what was shown before is marked and not opened again.
pub(super) fn tree(out: &mut TextOutput, response: &GraphResponse) {
    let mut below: BTreeMap<&str, Vec<&GraphEdge>> = BTreeMap::new();
    for edge in &response.edges {
        below.entry(near(edge)).or_default().push(edge);
    }
    let known: BTreeMap<&str, &GraphNode> =
        response.from.iter().chain(&response.nodes).map(|n| (n.id.as_str(), n)).collect();
    for start in &response.from {
        title(out, start);
        out.end();
        branches(out, &start.id, "", &below, &known);
    }
}

fn branches(
    out: &mut TextOutput,
    id: &str,
    indent: &str,
    below: &BTreeMap<&str, Vec<&GraphEdge>>,
    known: &BTreeMap<&str, &GraphNode>,
) {
    let edges = below.get(id).map(Vec::as_slice).unwrap_or_default();
    for (at, edge) in edges.iter().enumerate() {
        let is_last = at + 1 == edges.len();
        let (branch, rest) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let arrow = if edge.backward { "<-" } else { "->" };
        let there = far(edge);
        let alias = edge.alias.as_deref().map(|a| format!(" as {a}")).unwrap_or_default();
        write!(out, "{indent}{branch}");
        out.styled(Style::Dim, format_args!("{}{alias} {arrow}", edge.kind));
        write!(out, " ");
        match known.get(there) {
            Some(node) => title(out, node),
            None => write!(out, "{there}"),
        }
        let one_of = if edge.candidates > 1 { format!(" 1 of {}", edge.candidates) } else { String::new() };
        let site = if edge.site.is_empty() { String::new() } else { format!(" @{}", edge.site) };
        let again = if edge.repeated { " (shown above)" } else { "" };
        write!(out, "  ");
        out.styled(Style::Dim, format_args!("{}{one_of}{site}{again}", edge.certainty));
        out.end();
        if !edge.repeated {
            branches(out, there, &format!("{indent}{rest}"), below, known);
        }
    }
}

fn title(out: &mut TextOutput, node: &GraphNode) {
    out.styled(Style::Bold, &node.id);
    write!(out, " ");
    out.styled(Style::Dim, node.kind);
}

/// The end of an edge that the walk came from, and the other one.
fn near(edge: &GraphEdge) -> &str {
    if edge.backward { &edge.to } else { &edge.from }
}

fn far(edge: &GraphEdge) -> &str {
    if edge.backward { &edge.from } else { &edge.to }
}

fn is_external(node: &GraphNode) -> bool {
    node.entity_type == "external"
}

/// Guesses are dashed, and so is what the tree does not have.
pub(super) fn dot(out: &mut TextOutput, response: &GraphResponse) {
    for head in ["digraph cds {", "  rankdir=LR;", "  node [shape=box];"] {
        out.line(format_args!("{head}"));
    }
    for node in response.from.iter().chain(&response.nodes) {
        let (id, place) = (dot_text(&node.id), dot_text(&node.path));
        if is_external(node) {
            out.line(format_args!("  \"{id}\" [tooltip=\"{}\", style=dashed];", node.kind));
            continue;
        }
        out.line(format_args!("  \"{id}\" [tooltip=\"{} {place}:{}\"];", node.kind, node.start_line));
    }
    for edge in &response.edges {
        let style = if edge.certainty == "named" { ", style=dashed" } else { "" };
        let (from, to) = (dot_text(&edge.from), dot_text(&edge.to));
        out.line(format_args!("  \"{from}\" -> \"{to}\" [label=\"{}\"{style}];", edge.kind));
    }
    out.line(format_args!("}}"));
}

/// What the tree does not have is rounded.
pub(super) fn mermaid(out: &mut TextOutput, response: &GraphResponse) {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    out.line(format_args!("flowchart LR"));
    for node in response.from.iter().chain(&response.nodes) {
        let next = numbers.len();
        if numbers.contains_key(node.id.as_str()) {
            continue;
        }
        numbers.insert(&node.id, next);
        let (open, close) = if is_external(node) { ("([", "])") } else { ("[", "]") };
        out.line(format_args!("  n{next}{open}\"{}\"{close}", mermaid_text(&node.id)));
    }
    for edge in &response.edges {
        let (Some(from), Some(to)) = (numbers.get(edge.from.as_str()), numbers.get(edge.to.as_str())) else { continue };
        let arrow = if edge.certainty == "named" { "-." } else { "--" };
        let end = if edge.certainty == "named" { ".->" } else { "-->" };
        out.line(format_args!("  n{from} {arrow} {} {end} n{to}", edge.kind));
    }
}

/// The inside of a quoted string of DOT. A backslash is doubled, since labels know escapes of their own.
fn dot_text(text: &str) -> String {
    sanitize_line(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// The inside of a quoted label of Mermaid, which reads HTML, Markdown, entities, line breaks and directives in it.
fn mermaid_text(text: &str) -> String {
    let mut label = String::with_capacity(text.len());
    for c in sanitize_line(text).chars() {
        match c {
            '"' | '#' | '%' | '&' | '<' | '>' | '\\' | '`' => label.push_str(&format!("#{};", u32::from(c))),
            c => label.push(c),
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::{dot_text, mermaid_text};

    #[test]
    fn labels_stay_inside_their_quotes() {
        let check = |text: &str, dot: &str, mermaid: &str| {
            assert_eq!((dot_text(text).as_str(), mermaid_text(text).as_str()), (dot, mermaid), "{text:?}");
        };
        check("src/a.py:Session.get", "src/a.py:Session.get", "src/a.py:Session.get");
        check("a[b]{c}(d)|e;", "a[b]{c}(d)|e;", "a[b]{c}(d)|e;");
        check("\"]; evil [\"", "\\\"]; evil [\\\"", "#34;]; evil [#34;");
        check("a\\", "a\\\\", "a#92;");
        check("a\nb", "a\\\\nb", "a#92;nb");
        check("<img src=x>", "<img src=x>", "#60;img src=x#62;");
        check("%%{init}%%`x`&#35;", "%%{init}%%`x`&#35;", "#37;#37;{init}#37;#37;#96;x#96;#38;#35;35;");
        check("\x1b\u{202e}", "\\\\x1b\\\\u{202e}", "#92;x1b#92;u{202e}");
    }
}
