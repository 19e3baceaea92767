//! Called names to nodes: candidates from structure and imports, else every namesake in the repository.

use compact_str::CompactString;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::build::Draft;
use crate::graph::{Edge, EdgeType, NodeType, short_name};

/// What every look-up needs.
pub(crate) struct Linker<'d> {
    draft: &'d Draft,
    /// Nodes by short name, folders and files too: all files are called `py`.
    by_name: FxHashMap<&'d str, Vec<u32>>,
    /// Module of a file node.
    module_of: FxHashMap<u32, u32>,
}

/// What a file's imports bring in for all definitions in it.
struct Imported<'d> {
    /// Files, classes and functions whose contents, or which themselves, are candidates.
    roots: FxHashSet<u32>,
    aliases: FxHashMap<&'d str, u32>,
}

impl<'d> Linker<'d> {
    pub(crate) fn new(draft: &'d Draft) -> Self {
        let mut by_name: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        for (at, node) in draft.nodes.iter().enumerate() {
            by_name.entry(short_name(&node.id)).or_default().push(at as u32);
        }
        let module_of = draft.modules.iter().enumerate().map(|(at, module)| (module.node, at as u32)).collect();
        Self { draft, by_name, module_of }
    }

    /// All `invokes` and `inherits` edges.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        let of_one_module = |a: &(u32, u32, _), b: &(u32, u32, _)| a.1 == b.1;
        let modules: Vec<_> = self.draft.definitions.chunk_by(of_one_module).collect();
        let edges: Vec<Vec<Edge>> = modules
            .par_iter()
            .map(|definitions| {
                let module = definitions[0].1;
                let mut names = Names { linker: self, imported: self.imported(module), known: FxHashMap::default() };
                let mut edges = Vec::new();
                for (node, _, definition) in *definitions {
                    names.link(*node, &definition.calls, EdgeType::Invokes, &mut edges);
                    names.link(*node, &definition.bases, EdgeType::Inherits, &mut edges);
                }
                edges
            })
            .collect();
        edges.concat()
    }

    /// Packages that a file reaches through imports of `__init__.py` files alone, then its own imports: later aliases win.
    fn imported(&self, module: u32) -> Imported<'d> {
        let own = self.draft.modules[module as usize].node;
        let mut packages: Vec<u32> = Vec::new();
        let mut open = vec![own];
        while let Some(file) = open.pop() {
            for (target, _) in self.imports(file) {
                let node = &self.draft.nodes[*target as usize];
                let is_package = node.kind == NodeType::File && node.id.ends_with("__init__.py");
                if is_package && *target != own && !packages.contains(target) {
                    packages.push(*target);
                    open.push(*target);
                }
            }
        }
        let mut imported = Imported { roots: packages.iter().copied().collect(), aliases: FxHashMap::default() };
        for file in packages.into_iter().chain([own]) {
            for (target, alias) in self.imports(file) {
                imported.roots.insert(*target);
                if let Some(alias) = alias {
                    imported.aliases.insert(alias, *target);
                }
            }
        }
        imported
    }

    fn imports(&self, file: u32) -> &'d [(u32, Option<CompactString>)] {
        self.module_of.get(&file).map_or(&[], |module| &self.draft.modules[*module as usize].imports)
    }

    fn is_class(&self, node: u32) -> bool {
        self.draft.nodes[node as usize].kind == NodeType::Class
    }

    /// Whether a node is contained in one of `roots`, directly or through classes only.
    fn is_inside(&self, node: u32, is_root: impl Fn(u32) -> bool) -> bool {
        let mut at = node;
        loop {
            let parent = self.draft.parents[at as usize];
            if parent == at {
                return false;
            }
            if is_root(parent) {
                return true;
            }
            if !self.is_class(parent) {
                return false;
            }
            at = parent;
        }
    }
}

/// Look-ups for the definitions of one file.
struct Names<'l, 'd> {
    linker: &'l Linker<'d>,
    imported: Imported<'d>,
    /// Namesakes that imports bring in: the same for all definitions of the file.
    known: FxHashMap<&'l str, Vec<u32>>,
}

impl<'l> Names<'l, '_> {
    fn link(&mut self, caller: u32, names: &'l [CompactString], kind: EdgeType, edges: &mut Vec<Edge>) {
        if names.is_empty() {
            return;
        }
        let path = self.path(caller);
        for name in names {
            let Some(namesakes) = self.linker.by_name.get(name.as_str()) else {
                // Nothing is called so; an alias may be.
                edges.extend(self.alias(name).map(|target| edge(caller, target, kind)));
                continue;
            };
            let start = edges.len();
            let imported = self.imported_namesakes(name, namesakes);
            edges.extend(imported.iter().map(|target| edge(caller, *target, kind)));
            for target in namesakes {
                if !imported.contains(target)
                    && !path.contains(target)
                    && self.linker.is_inside(*target, |root| path.contains(&root))
                {
                    edges.push(edge(caller, *target, kind));
                }
            }
            edges.extend(self.alias(name).map(|target| edge(caller, target, kind)));
            if edges.len() == start {
                edges.extend(namesakes.iter().map(|target| edge(caller, *target, kind)));
            }
        }
    }

    /// A node and all that encloses it, up to its file.
    fn path(&self, node: u32) -> Vec<u32> {
        let mut path = vec![node];
        let mut at = node;
        while self.linker.draft.parents[at as usize] != at {
            at = self.linker.draft.parents[at as usize];
            path.push(at);
        }
        path
    }

    fn alias(&self, name: &str) -> Option<u32> {
        self.imported.aliases.get(name).copied()
    }

    fn imported_namesakes(&mut self, name: &'l str, namesakes: &[u32]) -> Vec<u32> {
        let Self { linker, imported, known } = self;
        let is_root = |node: u32| imported.roots.contains(&node);
        known
            .entry(name)
            .or_insert_with(|| {
                let nodes = &linker.draft.nodes;
                let is_entity = |node: u32| matches!(nodes[node as usize].kind, NodeType::Class | NodeType::Function);
                // An imported function brings itself; files and classes bring what is in them.
                let opens = |node: u32| is_root(node) && nodes[node as usize].kind != NodeType::Function;
                let brought_in = |node: u32| is_entity(node) && (is_root(node) || linker.is_inside(node, opens));
                namesakes.iter().copied().filter(|node| brought_in(*node)).collect()
            })
            .clone()
    }
}

fn edge(source: u32, target: u32, kind: EdgeType) -> Edge {
    Edge { source, target, kind, alias: None }
}
