//! Called names to nodes: candidates from structure and imports, else every namesake in the repository.

use compact_str::CompactString;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::build::{Draft, Mentions, NameId};
use crate::graph::{EdgeType, NodeType, short_name};

/// Where the calls and bases of all definitions lead.
pub(crate) struct Links {
    /// Module by module.
    pub(crate) links: Vec<Vec<Link>>,
    pub(crate) lists: Namesakes,
}

/// Edges from one source.
pub(crate) struct Link {
    pub(crate) source: u32,
    pub(crate) kind: EdgeType,
    pub(crate) targets: Targets,
}

/// What a name means.
pub(crate) enum Targets {
    One(u32),
    /// Every node of a name. Nearly all edges are of this sort, so they are not written down one by one before their number is known.
    Namesakes(NameId),
}

/// Nodes by called name, each list in the order of the nodes.
pub(crate) struct Namesakes(Vec<Vec<u32>>);

impl Namesakes {
    pub(crate) fn targets<'t>(&'t self, targets: &'t Targets) -> &'t [u32] {
        match targets {
            Targets::One(target) => std::slice::from_ref(target),
            Targets::Namesakes(name) => &self.0[name.0 as usize],
        }
    }
}

impl Links {
    /// How many edges there are.
    pub(crate) fn edges(&self) -> usize {
        self.links.iter().flatten().map(|link| self.lists.targets(&link.targets).len()).sum()
    }
}

/// What every look-up needs.
pub(crate) struct Linker<'d> {
    draft: &'d Draft,
    /// The nodes of each name that is called. Folders and files are in it too: all files are called `py`.
    lists: Namesakes,
    /// Module of a file node.
    module_of: FxHashMap<u32, u32>,
}

/// What a file's imports bring in for all definitions in it.
struct Imported {
    /// Files, classes and functions whose contents, or which themselves, are candidates.
    roots: FxHashSet<u32>,
    aliases: FxHashMap<NameId, u32>,
}

impl<'d> Linker<'d> {
    pub(crate) fn new(draft: &'d Draft) -> Self {
        let mut lists = Namesakes(vec![Vec::new(); draft.names.len()]);
        for (at, node) in draft.nodes.iter().enumerate() {
            if let Some(name) = draft.names.find(short_name(&node.id)) {
                lists.0[name.0 as usize].push(at as u32);
            }
        }
        let module_of = draft.modules.iter().enumerate().map(|(at, module)| (module.node, at as u32)).collect();
        Self { draft, lists, module_of }
    }

    /// All that `invokes` and `inherits`.
    pub(crate) fn links(self) -> Links {
        let of_one_module = |a: &Mentions, b: &Mentions| a.module == b.module;
        let modules: Vec<_> = self.draft.mentions.chunk_by(of_one_module).collect();
        let links: Vec<Vec<Link>> = modules
            .par_iter()
            .map(|of_module| {
                let imported = self.imported(of_module[0].module);
                let mut names = Names { linker: &self, imported, known: FxHashMap::default() };
                let mut links = Vec::new();
                for Mentions { node, calls, bases, .. } in *of_module {
                    names.link(*node, calls, EdgeType::Invokes, &mut links);
                    names.link(*node, bases, EdgeType::Inherits, &mut links);
                }
                links
            })
            .collect();
        Links { links, lists: self.lists }
    }

    /// Packages that a file reaches through imports of `__init__.py` files alone, then its own imports: later aliases win.
    fn imported(&self, module: u32) -> Imported {
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
                if let Some(alias) = alias.as_ref().and_then(|alias| self.draft.names.find(alias)) {
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
    imported: Imported,
    /// Namesakes that imports bring in: the same for all definitions of the file.
    known: FxHashMap<NameId, Vec<u32>>,
}

impl Names<'_, '_> {
    fn link(&mut self, caller: u32, names: &[NameId], kind: EdgeType, links: &mut Vec<Link>) {
        if names.is_empty() {
            return;
        }
        let link = |targets: Targets| Link { source: caller, kind, targets };
        let one = |target: u32| link(Targets::One(target));
        let path = self.path(caller);
        for &name in names {
            let namesakes = &self.linker.lists.0[name.0 as usize];
            if namesakes.is_empty() {
                // Nothing is called so; an alias may be.
                links.extend(self.alias(name).map(one));
                continue;
            }
            let start = links.len();
            let imported = self.imported_namesakes(name, namesakes);
            links.extend(imported.iter().copied().map(one));
            for target in namesakes {
                if !imported.contains(target)
                    && !path.contains(target)
                    && self.linker.is_inside(*target, |root| path.contains(&root))
                {
                    links.push(one(*target));
                }
            }
            links.extend(self.alias(name).map(one));
            if links.len() == start {
                links.push(link(Targets::Namesakes(name)));
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

    fn alias(&self, name: NameId) -> Option<u32> {
        self.imported.aliases.get(&name).copied()
    }

    fn imported_namesakes(&mut self, name: NameId, namesakes: &[u32]) -> Vec<u32> {
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
