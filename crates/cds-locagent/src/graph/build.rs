//! Makes the dependency graph of a repository.

use std::borrow::Cow;

use compact_str::{CompactString, format_compact};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::graph::link::{Link, Linker, Links};
use crate::graph::modules::{Modules, absolute_module};
use crate::graph::python::{Definition, Import, Outline, outline};
use crate::graph::walk::Found;
use crate::graph::{Alias, Edge, EdgeType, Graph, Node, NodeType, Problem, ProblemKind};
use crate::text::{Blob, Text};

/// One file, as far as it could be read. This is all that the graph needs of it, and says nothing of other files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Parsed {
    Unreadable,
    NotText,
    NotPython(Text),
    /// With its [`Outline`].
    Read(Text, Blob),
}

impl Parsed {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(bytes) else { return Self::NotText };
        let text = universal_newlines(text);
        let kept = Text::new(&text);
        match outline(&text) {
            Some(outline) => Self::Read(kept, Blob::pack(&outline)),
            None => Self::NotPython(kept),
        }
    }

    pub(crate) fn text(&self) -> Option<&Text> {
        match self {
            Self::Unreadable | Self::NotText => None,
            Self::NotPython(text) | Self::Read(text, _) => Some(text),
        }
    }
}

/// Joins files. `parsed` gives each by its path.
pub(crate) fn join<'a>(found: &[Found], mut modules: Modules, parsed: impl Fn(&str) -> &'a Parsed) -> Graph {
    let mut draft = Draft::default();
    draft.node("/".into(), NodeType::Directory);
    for found in found {
        match found {
            Found::Directory(path) => draft.directory(path),
            Found::File(path) => draft.file(path, parsed(path)),
        }
    }
    draft.file_imports(&mut modules);
    draft.link(&mut modules)
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

/// What the definition that a class or function node was last seen as mentions.
pub(crate) struct Mentions {
    pub(crate) node: u32,
    pub(crate) module: u32,
    pub(crate) calls: Box<[NameId]>,
    pub(crate) bases: Box<[NameId]>,
    imports: Vec<Import>,
}

/// Number of a called name. There are ten times as many calls as there are names.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NameId(pub(crate) u32);

/// The numbers of names.
#[derive(Default)]
pub(crate) struct NameTable(FxHashMap<CompactString, NameId>);

impl NameTable {
    fn add(&mut self, name: CompactString) -> NameId {
        let next = NameId(self.0.len() as u32);
        *self.0.entry(name).or_insert(next)
    }

    fn add_all(&mut self, names: Vec<CompactString>) -> Box<[NameId]> {
        names.into_iter().map(|name| self.add(name)).collect()
    }

    pub(crate) fn find(&self, name: &str) -> Option<NameId> {
        self.0.get(name).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The graph while it grows.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) nodes: Vec<Node>,
    pub(crate) by_id: FxHashMap<CompactString, u32>,
    /// What holds a node; itself for the root of all and for files, which end every look upward.
    pub(crate) parents: Vec<u32>,
    /// What the definitions mention, those of a module next to each other.
    pub(crate) mentions: Vec<Mentions>,
    pub(crate) names: NameTable,
    pub(crate) modules: Vec<Module>,
    edges: Vec<(u32, u32, EdgeType, Option<CompactString>)>,
    texts: Vec<Text>,
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

    fn file(&mut self, path: &str, parsed: &Parsed) {
        let (text, outline) = match parsed {
            Parsed::Unreadable => return self.problem(path, ProblemKind::Unreadable),
            Parsed::NotText => return self.problem(path, ProblemKind::NotUtf8),
            Parsed::NotPython(text) => {
                self.problem(path, ProblemKind::Syntax);
                (text, None)
            }
            Parsed::Read(text, outline) => (text, Some(outline.unpack::<Outline>())),
        };
        let parent = self.directory_of(path);
        let file = self.node(path.into(), NodeType::File);
        let at = self.texts.len() as u32;
        self.nodes[file as usize].text = Some(at);
        self.nodes[file as usize].code = 0..text.len();
        self.texts.push(text.clone());
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
            let Definition { calls, bases, imports, .. } = definition;
            let (calls, bases) = (self.names.add_all(calls), self.names.add_all(bases));
            let mentions = Mentions { node, module, calls, bases, imports };
            match last.get(&node) {
                Some(at) => self.mentions[*at] = mentions,
                None => {
                    last.insert(node, self.mentions.len());
                    self.mentions.push(mentions);
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
        for at in 0..self.mentions.len() {
            let Mentions { node, module, imports, .. } = &self.mentions[at];
            if imports.is_empty() {
                continue;
            }
            let path = &self.nodes[self.modules[*module as usize].node as usize].id;
            let targets = self.import_targets(path, imports, modules);
            let node = *node;
            self.edges.extend(targets.into_iter().map(|(target, alias)| (node, target, EdgeType::Imports, alias)));
        }
        self.by_id = FxHashMap::default();
        let linked = Linker::new(&self).links();
        (self.mentions, self.names) = Default::default();
        self.finish(linked)
    }

    fn finish(mut self, linked: Links) -> Graph {
        let mut aliases: Vec<CompactString> = self.edges.iter().filter_map(|(.., alias)| alias.clone()).collect();
        aliases.sort_unstable();
        aliases.dedup();
        let place = |alias: &CompactString| aliases.binary_search(alias).map_or(Alias::default(), Alias::at);
        // There are many more edges than anything else: room for all is made once.
        let mut edges = Vec::with_capacity(self.edges.len() + linked.edges());
        edges.extend(std::mem::take(&mut self.edges).iter().map(|(source, target, kind, alias)| Edge {
            source: *source,
            target: *target,
            kind: *kind,
            alias: alias.as_ref().map(place).unwrap_or_default(),
        }));
        for Link { source, kind, targets } in linked.links.into_iter().flatten() {
            let edge = |target: &u32| Edge { source, target: *target, kind, alias: Alias::default() };
            edges.extend(linked.lists.targets(&targets).iter().map(edge));
        }
        let mut graph =
            Graph { nodes: self.nodes, edges, aliases, texts: self.texts, problems: self.problems, ..Graph::default() };
        graph.sort();
        graph
    }
}
