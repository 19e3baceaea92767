//! Every edge of a tree with its site, as JSON lines: `edges ROOT`. What `cargo xtask graph-truth` judges.

use std::io::{BufWriter, Write};
use std::path::Path;

use cds_graph::Tree;
use cds_lang::{Registry, extract};
use cds_model::FileFacts;

struct Source {
    path: String,
    text: String,
    facts: FileFacts,
    node: u32,
}

fn main() -> std::io::Result<()> {
    let root = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let registry = Registry::builtin();
    let mut paths: Vec<String> = ignore::WalkBuilder::new(&root)
        .build()
        .flatten()
        .filter(|e| e.file_type().is_some_and(|t| t.is_file()))
        .filter_map(|e| Some(e.path().strip_prefix(&root).ok()?.to_string_lossy().into_owned()))
        .collect();
    paths.sort();
    let mut tree = Tree::default();
    let mut sources: Vec<Source> = Vec::new();
    let mut node = 0;
    for path in paths {
        let Ok(text) = std::fs::read_to_string(Path::new(&root).join(&path)) else { continue };
        let language = registry.detect(&path, &text);
        let facts = extract(registry, language, &text);
        tree.add(&path, language.shown(), &language.spec.link, node, &facts);
        if Tree::wants_text(&path) {
            tree.add_manifest(&path, &text);
        }
        let next = node + 1 + facts.entities.len() as u32;
        sources.push(Source { path, text, facts, node });
        node = next;
    }
    let linked = cds_graph::link(&mut tree, |_| None, node);
    let at = |node: u32| {
        let source = &sources[sources.partition_point(|s| s.node <= node) - 1];
        (source, node.checked_sub(source.node + 1))
    };
    let column = |source: &Source, start: u32| {
        let before = &source.text[..start as usize];
        before.len() - before.rfind('\n').map_or(0, |i| i + 1)
    };
    let word = |source: &Source, start: u32| -> String {
        source.text[start as usize..].chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$')).collect()
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    for edge in linked.edges.iter().filter(|e| e.to < linked.first_outside) {
        let (source, _) = at(edge.from);
        let (target, local) = at(edge.to);
        let to = local.map_or(target.path.clone(), |l| format!("{}:{}", target.path, target.facts.qualified_name(l)));
        let row = serde_json::json!({
            "edge": edge.kind.name(),
            "certainty": edge.certainty.name(),
            "candidates": edge.candidates,
            "path": source.path,
            "line": edge.line,
            "column": column(source, edge.start),
            "name": word(source, edge.start),
            "to": to,
            "to_path": target.path,
            "to_line": local.map_or(1, |l| target.facts.entities[l as usize].name_line),
        });
        writeln!(out, "{row}")?;
    }
    for site in &linked.unresolved {
        let (source, _) = at(site.from);
        let row = serde_json::json!({
            "edge": "unresolved",
            "path": source.path,
            "line": site.line,
            "column": column(source, site.start),
            "name": word(source, site.start),
            "candidates": site.candidates,
        });
        writeln!(out, "{row}")?;
    }
    out.flush()
}
