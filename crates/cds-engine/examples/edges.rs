//! Every edge of a tree with its site, as JSON lines: `edges ROOT`. What `cargo xtask graph-truth` judges.

use std::io::{BufWriter, Write};
use std::path::Path;

use cds_graph::{Changes, Symbols, Task, Tree, outline};
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
    let mut symbols = Symbols::default();
    let mut outlines: Vec<Vec<u32>> = Vec::new();
    let mut sources: Vec<Source> = Vec::new();
    let mut node = 0;
    for path in paths {
        let Ok(text) = std::fs::read_to_string(Path::new(&root).join(&path)) else { continue };
        let language = registry.detect(&path, &text);
        let facts = extract(registry, language, &text);
        outlines.push(outline(&mut symbols, &language.spec.link, &facts));
        let next = node + 1 + facts.entities.len() as u32;
        sources.push(Source { path, text, facts, node });
        node = next;
    }
    let mut tree = Tree::new(&symbols);
    for (source, outline) in sources.iter().zip(&outlines) {
        let language = registry.detect(&source.path, &source.text);
        tree.add(&source.path, language.shown(), &language.spec.link, source.node, outline);
        if Tree::wants_text(&source.path) {
            tree.add_manifest(&source.path, &source.text);
        }
    }
    let linked = cds_graph::link(
        Task {
            tree: &tree,
            facts: &|at| Some(sources[at as usize].facts.clone()),
            folder_node: &|_| None,
            known: Vec::new(),
            changes: Changes::all(),
        },
        |sites| sites,
    );
    let linked: Vec<_> = linked.files.into_iter().flatten().collect();
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
    for (edge, _) in linked.iter().flat_map(|file| &file.edges).filter(|(_, outside)| outside.is_none()) {
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
    for site in linked.iter().flat_map(|file| &file.unresolved) {
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
