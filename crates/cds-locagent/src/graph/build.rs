//! Makes the dependency graph of a repository.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use compact_str::{CompactString, format_compact};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::graph::link::Linker;
use crate::graph::modules::{Modules, absolute_module};
use crate::graph::python::{Definition, Import, Outline, outline};
use crate::graph::walk::{Found, walk};
use crate::graph::{Edge, EdgeType, Graph, Node, NodeType, Problem, ProblemKind};

/// Reads every Python file under a folder and joins them.
pub fn build_graph(root: &Path) -> io::Result<Graph> {
    let mut walked = walk(root)?;
    let mut modules = Modules::new(root, &mut walked);
    let sources: Vec<Option<Source>> = walked.found.par_iter().map(|found| read(root, found)).collect();

    let mut draft = Draft::default();
    draft.node("/".into(), NodeType::Directory);
    for (found, source) in walked.found.iter().zip(sources) {
        match found {
            Found::Directory(path) => draft.directory(path),
            Found::File(path) => draft.file(path, source.unwrap_or(Source::Unreadable)),
        }
    }
    draft.file_imports(&mut modules);
    Ok(draft.link(&mut modules))
}

/// One file, as far as it could be read.
enum Source {
    Unreadable,
    NotText,
    NotPython(String),
    Read(String, Outline),
}

fn read(root: &Path, found: &Found) -> Option<Source> {
    let Found::File(path) = found else { return None };
    let Ok(bytes) = std::fs::read(root.join(path)) else { return Some(Source::Unreadable) };
    let Ok(text) = String::from_utf8(bytes) else { return Some(Source::NotText) };
    let text = match universal_newlines(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(text) => text,
    };
    Some(match outline(&text) {
        Some(outline) => Source::Read(text, outline),
        None => Source::NotPython(text),
    })
}

/// Python opens files as text: every line end becomes `\n`.
pub(crate) fn universal_newlines(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        text.into()
    } else {
        text.replace("\r\n", "\n").replace('\r', "\n").into()
    }
}

/// A file that was parsed.
pub(crate) struct Module {
    pub(crate) node: u32,
    /// What its imports lead to, in the order in which the file's neighbours were first met.
    pub(crate) imports: Vec<(u32, Option<CompactString>)>,
    outline_imports: Vec<Import>,
}

/// The graph while it grows.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) nodes: Vec<Node>,
    pub(crate) by_id: FxHashMap<CompactString, u32>,
    /// What holds a node; itself for the root of all and for files, which end every look upward.
    pub(crate) parents: Vec<u32>,
    /// The definition that a class or function node was last seen as, and its module.
    pub(crate) definitions: Vec<(u32, u32, Definition)>,
    pub(crate) modules: Vec<Module>,
    edges: Vec<(u32, u32, EdgeType, Option<CompactString>)>,
    texts: Vec<String>,
    problems: Vec<Problem>,
}

impl Draft {
    fn node(&mut self, id: CompactString, kind: NodeType) -> u32 {
        let at = self.nodes.len() as u32;
        self.by_id.insert(id.clone(), at);
        self.nodes.push(Node { id, kind, text: None, code: 0..0, start_line: 0, end_line: 0 });
        self.parents.push(at);
        at
    }

    fn contains(&mut self, parent: u32, child: u32) {
        self.edges.push((parent, child, EdgeType::Contains, None));
    }

    fn directory_of(&self, path: &str) -> Option<u32> {
        self.by_id.get(path.rsplit_once('/').map_or("/", |(directory, _)| directory)).copied()
    }

    fn directory(&mut self, path: &str) {
        let parent = self.directory_of(path);
        let node = self.node(path.into(), NodeType::Directory);
        if let Some(parent) = parent {
            self.contains(parent, node);
        }
    }

    fn file(&mut self, path: &str, source: Source) {
        let (text, outline) = match source {
            Source::Unreadable => return self.problem(path, ProblemKind::Unreadable),
            Source::NotText => return self.problem(path, ProblemKind::NotUtf8),
            Source::NotPython(text) => {
                self.problem(path, ProblemKind::Syntax);
                (text, None)
            }
            Source::Read(text, outline) => (text, Some(outline)),
        };
        let parent = self.directory_of(path);
        let file = self.node(path.into(), NodeType::File);
        let at = self.texts.len() as u32;
        self.nodes[file as usize].text = Some(at);
        self.nodes[file as usize].code = 0..text.len() as u32;
        self.texts.push(text);
        // What cannot be parsed is left hanging: a node that nothing contains.
        let Some(outline) = outline else { return };
        if let Some(parent) = parent {
            self.contains(parent, file);
        }
        let module = self.modules.len() as u32;
        self.modules.push(Module { node: file, imports: Vec::new(), outline_imports: outline.imports });
        self.define_all(path, file, at, module, outline.definitions);
    }

    /// A name that is defined twice is one node, which is what was seen last; it is contained as often as it is defined.
    fn define_all(&mut self, path: &str, file: u32, text: u32, module: u32, definitions: Vec<Definition>) {
        let mut last: FxHashMap<u32, usize> = FxHashMap::default();
        for definition in definitions {
            let id = format_compact!("{path}:{}", definition.name);
            let parent = match definition.name.rsplit_once('.') {
                None => file,
                Some((outer, _)) => self.by_id[format_compact!("{path}:{outer}").as_str()],
            };
            let node = match self.by_id.get(&id) {
                Some(node) => *node,
                None => self.node(id, definition.kind),
            };
            self.parents[node as usize] = parent;
            self.contains(parent, node);
            let row = &mut self.nodes[node as usize];
            (row.kind, row.text, row.code) = (definition.kind, Some(text), definition.code.clone());
            (row.start_line, row.end_line) = (definition.start_line, definition.end_line);
            match last.get(&node) {
                Some(at) => self.definitions[*at] = (node, module, definition),
                None => {
                    last.insert(node, self.definitions.len());
                    self.definitions.push((node, module, definition));
                }
            }
        }
    }

    fn problem(&mut self, path: &str, kind: ProblemKind) {
        self.problems.push(Problem { path: path.into(), kind });
    }

    fn file_imports(&mut self, modules: &mut Modules) {
        for at in 0..self.modules.len() {
            let file = self.modules[at].node;
            let imports = std::mem::take(&mut self.modules[at].outline_imports);
            let path = self.nodes[file as usize].id.clone();
            let targets = self.import_targets(&path, &imports, modules);
            for (target, alias) in &targets {
                self.edges.push((file, *target, EdgeType::Imports, alias.clone()));
            }
            self.modules[at].imports = self.in_neighbour_order(file, targets);
        }
    }

    /// LocAgent's graph library lists edges by neighbour, in the order in which neighbours came; what a file contains came before its imports.
    fn in_neighbour_order(
        &self,
        file: u32,
        targets: Vec<(u32, Option<CompactString>)>,
    ) -> Vec<(u32, Option<CompactString>)> {
        let mut first: FxHashMap<u32, usize> = FxHashMap::default();
        for (at, (target, _)) in targets.iter().enumerate() {
            let is_own = self.parents[*target as usize] == file && *target != file;
            first.entry(*target).or_insert(if is_own { 0 } else { at + 1 });
        }
        let mut targets = targets;
        // Own entities keep their node order, which is that of their first definition.
        targets.sort_by_key(|(target, _)| (first[target], if first[target] == 0 { *target } else { 0 }));
        targets
    }

    /// Where imports of a file (or of a definition in it) lead, each name on its own and nothing twice removed.
    fn import_targets(
        &self,
        path: &str,
        imports: &[Import],
        modules: &mut Modules,
    ) -> Vec<(u32, Option<CompactString>)> {
        let mut targets = Vec::new();
        for import in imports {
            match import {
                Import::Module { module, alias } => {
                    targets.extend(self.file_of(modules.resolve(module)).map(|file| (file, alias.clone())));
                }
                Import::From { level, module, names } => {
                    let module = absolute_module(path, *level, module);
                    if names.iter().any(|(name, _)| name == "*") {
                        targets.extend(self.file_of(modules.resolve(&module)).map(|file| (file, None)));
                        continue;
                    }
                    for (name, alias) in names {
                        let target = self.target_of_name(&module, name, modules);
                        targets.extend(target.map(|target| (target, alias.clone())));
                    }
                }
            }
        }
        targets
    }

    fn target_of_name(&self, module: &str, name: &str, modules: &mut Modules) -> Option<u32> {
        // A submodule settles it, even when it is on disk only and no node.
        if let Some(submodule) = modules.resolve(&format_compact!("{module}.{name}")) {
            return self.file_of(Some(submodule));
        }
        let file = modules.resolve(module)?;
        self.by_id.get(format_compact!("{file}:{name}").as_str()).copied().or_else(|| self.file_of(Some(file)))
    }

    fn file_of(&self, path: Option<CompactString>) -> Option<u32> {
        self.by_id.get(&path?).copied()
    }

    /// Imports, calls and bases of classes and functions; then everything in its final order.
    fn link(mut self, modules: &mut Modules) -> Graph {
        for at in 0..self.definitions.len() {
            let (node, module, definition) = &self.definitions[at];
            if definition.imports.is_empty() {
                continue;
            }
            let path = &self.nodes[self.modules[*module as usize].node as usize].id;
            let targets = self.import_targets(path, &definition.imports, modules);
            let node = *node;
            self.edges.extend(targets.into_iter().map(|(target, alias)| (node, target, EdgeType::Imports, alias)));
        }
        let linked = Linker::new(&self).edges();
        self.finish(linked)
    }

    fn finish(self, linked: Vec<Edge>) -> Graph {
        let mut aliases: Vec<CompactString> = self.edges.iter().filter_map(|(.., alias)| alias.clone()).collect();
        aliases.sort_unstable();
        aliases.dedup();
        let place = |alias: &CompactString| aliases.binary_search(alias).map_or(0, |at| at as u32);
        let mut edges = linked;
        edges.extend(self.edges.iter().map(|(source, target, kind, alias)| Edge {
            source: *source,
            target: *target,
            kind: *kind,
            alias: alias.as_ref().map(place),
        }));
        let mut graph =
            Graph { nodes: self.nodes, edges, aliases, texts: self.texts, problems: self.problems, ..Graph::default() };
        graph.by_id = self.by_id;
        graph.sort_edges();
        graph
    }
}
