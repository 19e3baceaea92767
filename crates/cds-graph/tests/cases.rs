//! Runs `tests/cases/*.md`. A case is a heading, prose that says why, code blocks tagged with a language and a path, and a
//! block tagged `edges`: what links them. `UPDATE_EXPECT=1` writes what is found into the files: read the diff before you
//! commit it. Language data is read from disk, so that editing a rule needs no build.

use std::fmt::Write;
use std::path::Path;
use std::sync::LazyLock;

use cds_graph::{Changes, Symbols, Task, Tree, outline};
use cds_lang::{LanguageFiles, Registry, extract};
use cds_model::{EdgeKind, FileFacts};

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cds-lang/languages");
    let read = |name: &str, file: &str| std::fs::read_to_string(folder.join(name).join(file)).ok();
    Registry::new(|name| LanguageFiles {
        toml: read(name, "language.toml"),
        tags: read(name, "tags.scm"),
        imports: read(name, "imports.scm"),
    })
    .unwrap_or_else(|e| panic!("{e}"))
});

struct Source {
    path: String,
    facts: FileFacts,
    node: u32,
}

/// How the table of strings is filled before linking. Edges must not depend on it: an updated index keeps strings of files that are
/// gone and has numbered its strings in another order than a clean build.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Strings {
    InOrder,
    Backwards,
    /// Every word of every file is in the table first, also words that are no symbol of a clean build.
    AfterAllWords,
}

/// Links files and returns one line per edge.
fn edges(files: &[(String, String)], strings: Strings) -> String {
    let mut sources = Vec::new();
    let mut node = 0;
    for (path, text) in files {
        let language = REGISTRY.detect(path, text);
        let facts = extract(&REGISTRY, language, text);
        let next = node + 1 + facts.entities.len() as u32;
        sources.push(Source { path: path.clone(), facts, node });
        node = next;
    }
    let mut order: Vec<usize> = (0..files.len()).collect();
    let mut symbols = Symbols::default();
    match strings {
        Strings::InOrder => {}
        Strings::Backwards => order.reverse(),
        Strings::AfterAllWords => {
            symbols.add("default");
            for (path, text) in files {
                for word in path.split(['/', '.']).chain(text.split(|c: char| !c.is_alphanumeric() && c != '_')) {
                    symbols.add(word);
                }
            }
        }
    }
    let mut outlines = vec![Vec::new(); files.len()];
    for i in order {
        let (path, text) = &files[i];
        outlines[i] = outline(&mut symbols, &REGISTRY.detect(path, text).spec.link, &sources[i].facts);
    }
    let mut tree = Tree::new(&symbols);
    let mut sorted: Vec<usize> = (0..files.len()).collect();
    sorted.sort_by_key(|i| &files[*i].0);
    for &i in &sorted {
        let (path, text) = &files[i];
        let language = REGISTRY.detect(path, text);
        tree.add(path, language.shown(), &language.spec.link, sources[i].node, &outlines[i]);
        if Tree::wants_text(path) {
            tree.add_manifest(path, text);
        }
    }
    let mut folders: Vec<String> = Vec::new();
    for (path, _) in files {
        let parts = path.match_indices('/').map(|(i, _)| path[..i].to_owned());
        folders.extend(parts);
    }
    folders.sort();
    folders.dedup();
    let first_folder = node;
    let linked = cds_graph::link(
        Task {
            tree: &tree,
            facts: &|at| Some(sources[sorted[at as usize]].facts.clone()),
            folder_node: &|path| {
                folders.binary_search_by(|f| f.as_str().cmp(path)).ok().map(|i| first_folder + i as u32)
            },
            known: Vec::new(),
            changes: Changes::all(),
        },
        |sites| sites,
    );
    let linked: Vec<_> = linked.files.into_iter().flatten().collect();
    let mut edges: Vec<_> = linked.iter().flat_map(|file| &file.edges).collect();
    edges.sort();
    let mut unresolved: Vec<_> = linked.iter().flat_map(|file| &file.unresolved).collect();
    unresolved.sort();
    let show = |node: u32| -> String {
        if node >= first_folder {
            return format!("{}/", folders[(node - first_folder) as usize]);
        }
        let source = sources.iter().rfind(|s| s.node <= node).expect("nodes begin at 0");
        match node.checked_sub(source.node + 1) {
            Some(local) => format!("{}:{}", source.path, source.facts.qualified_name(local)),
            None => source.path.clone(),
        }
    };
    let mut out = String::new();
    for (edge, outside) in edges {
        let many = if edge.candidates > 1 { format!(" of {}", edge.candidates) } else { String::new() };
        let alias = edge.alias.map(|a| format!(" as {}", symbols.text(a)));
        let how = if edge.kind == EdgeKind::Import { String::new() } else { format!(" {}", edge.certainty.name()) };
        let to = outside.as_ref().map_or_else(|| show(edge.to), |name| format!("outside {name}"));
        let (from, line) = (show(edge.from), edge.line);
        let _ = writeln!(out, "{} {from} -> {to}{}{how}{many} @{line}", edge.kind.name(), alias.unwrap_or_default());
    }
    for site in unresolved {
        let (from, line) = (show(site.from), site.line);
        let _ = writeln!(out, "unresolved {from} -> {} of {} @{line}", show(site.like), site.candidates);
    }
    out
}

fn check(path: &Path) -> datatest_stable::Result<()> {
    let text = std::fs::read_to_string(path)?;
    let lines: Vec<&str> = text.lines().collect();
    let mut title = "";
    let mut files: Vec<(String, String)> = Vec::new();
    let mut rewritten = String::new();
    let mut wrong = String::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if let Some(heading) = line.strip_prefix("## ") {
            title = heading;
            files.clear();
        }
        let _ = writeln!(rewritten, "{line}");
        if let Some(tag) = line.strip_prefix("```").filter(|t| !t.is_empty()) {
            let end = (at + 1..lines.len()).find(|&i| lines[i] == "```").expect("the block is closed");
            let body = lines[at + 1..end].iter().map(|l| format!("{l}\n")).collect::<String>();
            if tag == "edges" {
                let found = edges(&files, Strings::InOrder);
                for strings in [Strings::Backwards, Strings::AfterAllWords] {
                    assert_eq!(
                        found,
                        edges(&files, strings),
                        "{title}: edges depend on the table of strings, {strings:?}"
                    );
                }
                if found != body {
                    let _ = writeln!(wrong, "## {title}\n--- expected\n{body}--- found\n{found}");
                }
                rewritten.push_str(&found);
            } else {
                let path = tag.split_once(' ').expect("a language and a path").1;
                files.push((path.to_owned(), body.clone()));
                rewritten.push_str(&body);
            }
            rewritten.push_str("```\n");
            at = end;
        }
        at += 1;
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, rewritten)?;
        return Ok(());
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.into()) }
}

datatest_stable::harness! {
    { test = check, root = "tests/cases", pattern = r"\.md$" },
}
