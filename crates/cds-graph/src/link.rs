//! All files to one list of edges: imports, then bases, then calls, each by what the ones before have found.

use cds_model::{Certainty, EdgeKind, EntityType, ReferenceKind};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::modules::{Modules, Target};
use crate::resolve::{Resolver, Value, begin};
use crate::symbols::Symbol;
use crate::tree::{File, TOP, Tree, Use, is_block, is_callable, is_type};

/// A name with more candidates than this is left unresolved: so many guesses tell nothing.
pub const MAX_CANDIDATES: usize = 8;

/// Overloads of one name in one scope that are all linked.
const MAX_OVERLOADS: usize = 4;

/// What linking found.
#[derive(Debug, Default)]
pub struct Linked {
    /// Import, invoke and inherit edges, one for each site, sorted by source, then position.
    pub edges: Vec<Edge>,
    /// Calls that may mean too many entities to say which, sorted by source, then position.
    pub unresolved: Vec<Unresolved>,
    /// Names of modules and types that are not in the tree. Their nodes follow `first_outside`, in this order.
    pub outside: Vec<String>,
    /// The node of the first of them.
    pub first_outside: u32,
    /// Calls of something that the tree does not define.
    pub calls_outside: u64,
}

/// One site that joins two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The node it begins at.
    pub from: u32,
    /// First byte of the name in the file of `from`.
    pub start: u32,
    /// The node it leads to.
    pub to: u32,
    /// What it says.
    pub kind: EdgeKind,
    /// How it is known.
    pub certainty: Certainty,
    /// Among how many this one was found.
    pub candidates: u16,
    /// The line of the site.
    pub line: u32,
    /// What an import calls it, for [`Tree::text`].
    pub alias: Option<u32>,
}

/// A call that may mean too many entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unresolved {
    /// The node that calls.
    pub from: u32,
    /// First byte of the name.
    pub start: u32,
    /// One of the entities of that name: its spelling is the site's.
    pub like: u32,
    /// How many there are.
    pub candidates: u32,
    /// The line of the site.
    pub line: u32,
}

/// Where an import leads, before outside modules have nodes.
enum End {
    Node(u32),
    Outside(String),
}

/// Edges of one file, before outside modules have nodes.
#[derive(Default)]
struct FileEdges {
    edges: Vec<(Edge, Option<String>)>,
    /// What a name may mean in this file, called bare or on something.
    guesses: FxHashMap<(Symbol, bool), Vec<u32>>,
    unresolved: Vec<Unresolved>,
    calls_outside: u64,
}

/// Links all files. `folder_node` gives the node of a folder; `nodes` is how many there are.
pub fn link(tree: &mut Tree, folder_node: impl Fn(&str) -> Option<u32> + Sync, nodes: u32) -> Linked {
    // Whatever order files came in, they are linked in that of their paths.
    tree.files.sort_by(|a, b| a.path.cmp(&b.path));
    tree.manifests.sort();
    let tree = &*tree;
    let modules = Modules::new(tree);
    let mut resolver = Resolver::new(tree, &modules);
    add_extensions(&mut resolver);
    let inherited: Vec<FileEdges> =
        (0..tree.files.len()).into_par_iter().map(|at| inherit_edges(&resolver, at as u32)).collect();
    for edge in inherited.iter().flat_map(|f| &f.edges) {
        let base = edge.1.is_none().then_some(edge.0.to);
        // Bases of a block are bases of the type it extends.
        let owner = resolver.spaces.first(resolver.type_of_block(edge.0.from));
        resolver.bases.entry(owner).or_default().push(base);
    }
    let named = names(tree);
    let resolver = &resolver;
    let rest: Vec<FileEdges> = (0..tree.files.len())
        .into_par_iter()
        .map(|at| {
            let mut edges = import_edges(resolver, &folder_node, at as u32);
            let file = &tree.files[at];
            for used in file.uses.iter().filter(|u| u.kind == ReferenceKind::Call) {
                call_edges(resolver, &named, at as u32, used, &mut edges);
            }
            edges.guesses = FxHashMap::default();
            edges
        })
        .collect();
    join(inherited, rest, nodes)
}

/// Gives outside modules their nodes and puts everything in order.
fn join(inherited: Vec<FileEdges>, rest: Vec<FileEdges>, nodes: u32) -> Linked {
    let mut linked = Linked { first_outside: nodes, ..Linked::default() };
    let all = || inherited.iter().chain(&rest);
    linked.outside = all().flat_map(|f| &f.edges).filter_map(|e| e.1.clone()).collect();
    linked.outside.sort();
    linked.outside.dedup();
    for file in all() {
        for (edge, outside) in &file.edges {
            let mut edge = *edge;
            if let Some(name) = outside {
                edge.to = nodes + linked.outside.binary_search(name).expect("collected above") as u32;
            }
            linked.edges.push(edge);
        }
        linked.unresolved.extend(&file.unresolved);
        linked.calls_outside += file.calls_outside;
    }
    linked.edges.par_sort_unstable();
    linked.edges.dedup();
    linked.unresolved.sort_unstable();
    linked
}

/// Blocks and methods that name the type they belong to, by that type.
fn add_extensions(resolver: &mut Resolver) {
    let tree = resolver.tree;
    let found: Vec<(u32, u32)> = (0..tree.files.len())
        .into_par_iter()
        .flat_map_iter(|at| {
            let file = &tree.files[at];
            let resolver = &*resolver;
            file.entities.iter().enumerate().filter_map(move |(local, definition)| {
                begin();
                let local = local as u32;
                let node = file.node_of(local);
                if let Some(scope) = definition.scope {
                    let owner = resolver.owner(at as u32, definition.parent, tree.symbols.text(scope))?;
                    return Some((resolver.spaces.first(owner), node));
                }
                let owner = resolver.type_of_block(node);
                (owner != node).then_some((owner, node))
            })
        })
        .collect();
    for (owner, block) in found {
        resolver.extensions.entry(owner).or_default().push(block);
    }
}

/// Entities that a call may mean, by name.
fn names(tree: &Tree) -> FxHashMap<Symbol, Vec<u32>> {
    let mut named: FxHashMap<Symbol, Vec<u32>> = FxHashMap::default();
    for file in &tree.files {
        for (local, definition) in file.entities.iter().enumerate() {
            if is_callable(definition.kind) || (is_type(definition.kind) && !is_block(definition.kind)) {
                named.entry(definition.name).or_default().push(file.node_of(local as u32));
            }
        }
    }
    named
}

fn edge(file: &File, used: &Use, to: u32, kind: EdgeKind, certainty: Certainty, candidates: usize) -> Edge {
    Edge {
        from: file.node_of(used.scope),
        start: used.start,
        to,
        kind,
        certainty,
        candidates: candidates.min(usize::from(u16::MAX)) as u16,
        line: used.line,
        alias: None,
    }
}

fn inherit_edges(resolver: &Resolver, at: u32) -> FileEdges {
    let file = &resolver.tree.files[at as usize];
    let mut found = FileEdges::default();
    for used in file.uses.iter().filter(|u| u.kind == ReferenceKind::Base && u.scope != TOP) {
        begin();
        // A base is looked up where the type stands, not inside it.
        let outer = file.parent(used.scope);
        let name = resolver.tree.symbols.text(used.name);
        let path = match used.receiver {
            Some(receiver) => format!("{}.{name}", resolver.tree.symbols.text(receiver)),
            None => name.to_owned(),
        };
        let mut push = |to: u32, certainty, outside| {
            found.edges.push((edge(file, used, to, EdgeKind::Inherit, certainty, 1), outside));
        };
        match resolver.path(at, outer, u32::MAX, &path, 0) {
            Some((Value::Entity(node), how)) if node != file.node_of(used.scope) => push(node, how, None),
            _ => push(0, Certainty::Named, Some(name.to_owned())),
        }
    }
    found
}

fn import_edges(resolver: &Resolver, folder_node: &impl Fn(&str) -> Option<u32>, at: u32) -> FileEdges {
    let tree = resolver.tree;
    let file = &tree.files[at as usize];
    let mut found = FileEdges::default();
    for (i, import) in file.imports.iter().enumerate().filter(|(_, i)| !i.is_export) {
        begin();
        let target = &resolver.targets[at as usize][i];
        let node_of = |value: Value| match value {
            Value::Entity(node) | Value::Instance(node) | Value::Held(node) => Some(node),
            Value::Module(place) => match place.file {
                Some(f) => Some(tree.files[f as usize].node),
                None => folder_node(&resolver.modules.folders[place.folder? as usize].path),
            },
            Value::Package(_) | Value::Table(..) | Value::Bases(_) | Value::Outside | Value::Hidden => None,
        };
        let mut ends = Vec::new();
        let value = resolver.import_value(at, i, 0);
        match (value.and_then(node_of), target) {
            (Some(node), _) => ends.push(End::Node(node)),
            (None, Target::Outside(name)) => ends.push(End::Outside(name.clone())),
            (None, Target::Package(name)) => {
                let files = &resolver.modules.packages[name];
                ends.extend(files.iter().map(|&f| End::Node(tree.files[f as usize].node)));
            }
            // The name is made in a way that is not seen: the module is what is sure.
            (None, Target::Place { place, .. }) => ends.extend(node_of(Value::Module(*place)).map(End::Node)),
            (None, Target::Names(path)) => ends.push(End::Outside(match import.name {
                Some(name) => format!("{path}.{}", tree.symbols.text(name)),
                None => path.clone(),
            })),
            (None, Target::Unknown) => {}
        }
        for end in ends {
            let (to, outside) = match end {
                End::Node(node) => (node, None),
                End::Outside(name) => (0, Some(name)),
            };
            if to == file.node && outside.is_none() {
                continue;
            }
            let edge = Edge {
                from: file.node_of(import.scope),
                start: import.start,
                to,
                kind: EdgeKind::Import,
                certainty: Certainty::Imported,
                candidates: 1,
                line: import.line,
                alias: import.alias.map(|a| a.0),
            };
            found.edges.push((edge, outside));
        }
    }
    found
}

fn call_edges(resolver: &Resolver, named: &FxHashMap<Symbol, Vec<u32>>, at: u32, used: &Use, found: &mut FileEdges) {
    begin();
    let tree = resolver.tree;
    let file = &tree.files[at as usize];
    let rules = &tree.rules[file.rule as usize];
    let name = tree.symbols.text(used.name);
    let resolved = match used.receiver {
        None => {
            let is_base = rules.base.iter().any(|b| b == name);
            let is_this = rules.this_type.iter().any(|t| t == name);
            if is_base || is_this {
                resolver.path(at, used.scope, used.start, name, 0)
            } else {
                resolver.function(at, used.scope, used.start, used.name, 0)
            }
        }
        Some(receiver) => {
            let on = resolver.path(at, used.scope, used.start, tree.symbols.text(receiver), 0);
            on.and_then(|(value, how)| {
                if value == Value::Hidden {
                    return None;
                }
                let member = resolver.member_as(at, value, used.name, true, 0)?;
                let how = match value {
                    Value::Module(_) | Value::Package(_) => Certainty::Imported,
                    Value::Table(..) => how,
                    Value::Entity(node) if resolver.kind_of(node).is_none_or(|k| !is_type(k)) => how,
                    _ => how.max(Certainty::Typed),
                };
                Some((member, how))
            })
        }
    };
    let push = |found: &mut FileEdges, to: u32, how: Certainty, count: usize| {
        found.edges.push((edge(file, used, to, EdgeKind::Invoke, how, count), None));
    };
    match resolved {
        Some((Value::Entity(node), how)) => {
            let (all, how) = resolver.bodies(node, how);
            for &to in &all {
                push(found, to, how, all.len());
            }
        }
        // An object that is called, `super()` alone, a module that is called: what is run is not named.
        Some((Value::Instance(node), how)) if used.receiver.is_none() => push(found, node, how, 1),
        // A name that is bound here to something unknown is not what is called so elsewhere.
        Some((Value::Bases(_) | Value::Outside | Value::Hidden, _)) => found.calls_outside += 1,
        Some((Value::Module(place), how)) => match resolver.default_of(place) {
            Some(node) => push(found, node, how, 1),
            None => found.calls_outside += 1,
        },
        Some((Value::Package(_), _)) if used.receiver.is_none() => found.calls_outside += 1,
        _ if rules.capitals && used.receiver.is_some_and(|r| is_capitals(tree.symbols.text(r))) => {
            found.calls_outside += 1;
        }
        _ => by_name(resolver, named, at, used, found),
    }
}

/// Whether a path is one of modules or types only: `A.B`.
fn is_capitals(path: &str) -> bool {
    let mut parts = path.split(['.', ':']).filter(|p| !p.is_empty());
    parts.all(|p| p.starts_with(char::is_uppercase) && p.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// Nothing but the name is known.
fn by_name(resolver: &Resolver, named: &FxHashMap<Symbol, Vec<u32>>, at: u32, used: &Use, found: &mut FileEdges) {
    let tree = resolver.tree;
    let file = &tree.files[at as usize];
    let rules = &tree.rules[file.rule as usize];
    let name = tree.symbols.text(used.name);
    let family = |rule: u16| tree.rules[rule as usize].family.as_deref();
    let same_family =
        |rule: u16| rule == file.rule || (family(rule).is_some() && family(rule) == rules.family.as_deref());
    let fits = |node: &&u32| {
        let (other, local) = resolver.place_of(**node);
        let other = &tree.files[other as usize];
        let definition = &other.entities[local as usize];
        let in_type = definition.scope.is_some() || other.type_around(definition.parent).is_some();
        // What is called on something is a member, or a function that may stand in a module; what is called bare is not a
        // member, unless members are.
        let placed =
            if used.receiver.is_some() { is_callable(definition.kind) } else { !in_type || rules.bare_members };
        let is_elsewhere = definition.is_own && !std::ptr::eq(other, file);
        placed && same_family(other.rule) && !is_elsewhere && !resolver.bodies.is_declared(**node)
    };
    let bare_and_known = used.receiver.is_none() && !rules.globals;
    if bare_and_known || rules.builtins.iter().any(|b| b == name) {
        found.calls_outside += 1;
        return;
    }
    // Common names have thousands of owners: each file judges them once.
    let judge = || named.get(&used.name).into_iter().flatten().filter(fits).copied().collect();
    let FileEdges { edges, guesses, .. } = found;
    let candidates: &Vec<u32> = guesses.entry((used.name, used.receiver.is_some())).or_insert_with(judge);
    match candidates.len() {
        0 => found.calls_outside += 1,
        count @ 1..=MAX_CANDIDATES => {
            for &to in candidates {
                edges.push((edge(file, used, to, EdgeKind::Invoke, Certainty::Named, count), None));
            }
        }
        count => found.unresolved.push(Unresolved {
            from: file.node_of(used.scope),
            start: used.start,
            like: candidates[0],
            candidates: count as u32,
            line: used.line,
        }),
    }
}

impl Resolver<'_> {
    /// The type that a block adds to; the node itself when it is no block or its type is not in the tree.
    pub(crate) fn type_of_block(&self, node: u32) -> u32 {
        let (at, local) = self.place_of(node);
        let file = &self.tree.files[at as usize];
        match file.entities.get(local as usize) {
            Some(definition) if definition.is_partial => self.extended(node, 0).unwrap_or(node),
            Some(definition) if is_block(definition.kind) => {
                let name = self.tree.symbols.text(definition.name);
                self.type_named(at, definition.parent, name, 0).unwrap_or(node)
            }
            _ => node,
        }
    }

    /// What is run when an entity is called: its overloads, and where these are only declared, their bodies.
    fn bodies(&self, node: u32, how: Certainty) -> (Vec<u32>, Certainty) {
        let is_declaration = |node: &u32| {
            let (at, local) = self.place_of(*node);
            self.tree.files[at as usize].entities.get(local as usize).is_some_and(|d| d.is_declaration)
        };
        let mut all = self.overloads(node);
        if !all.iter().all(is_declaration) {
            all.retain(|n| !is_declaration(n));
            return (all, how);
        }
        let (at, local) = self.place_of(node);
        let bodies = self.bodies.of(self.tree, at, local);
        let mut files: Vec<u32> = bodies.iter().map(|&b| self.place_of(b).0).collect();
        files.dedup();
        match bodies.len() {
            1..=MAX_OVERLOADS if files.len() == 1 => (bodies.to_vec(), how),
            // One for each platform or program: which of them is not known.
            1..=MAX_OVERLOADS => (bodies.to_vec(), Certainty::Named),
            _ => (all, how),
        }
    }

    /// The type or space that the head of a definition names.
    fn owner(&self, at: u32, scope: u32, written: &str) -> Option<u32> {
        if let Some(owner) = self.type_named(at, scope, written, 0) {
            return Some(owner);
        }
        match self.path(at, scope, u32::MAX, written, 0)?.0 {
            Value::Entity(node) if self.spaces.is_space(node) => Some(node),
            _ => None,
        }
    }

    /// An entity and those that share its name and scope: overloads, redefinitions.
    fn overloads(&self, node: u32) -> Vec<u32> {
        let (at, local) = self.place_of(node);
        let file = &self.tree.files[at as usize];
        let Some(definition) = file.entities.get(local as usize) else { return vec![node] };
        let same = |l: &u32| {
            let other = &file.entities[*l as usize];
            (other.kind, other.scope) == (definition.kind, definition.scope)
        };
        let all: Vec<u32> =
            file.members(definition.parent, definition.name).filter(same).map(|l| file.node_of(l)).collect();
        if self.tree.rules[file.rule as usize].clauses {
            return all[..1].to_vec();
        }
        // Several files of a package may define it, each for another system.
        let is_outermost = definition.parent == TOP && definition.scope.is_none();
        let all = if is_outermost && all.len() == 1 { self.twins(node, definition.name) } else { all };
        if all.len() > MAX_OVERLOADS || definition.kind.entity_type() == EntityType::Class { vec![node] } else { all }
    }

    /// What a module gives when it is called itself.
    fn default_of(&self, place: crate::modules::Place) -> Option<u32> {
        let default = self.tree.symbols.get("default")?;
        match self.member(place.file?, Value::Module(place), default, 0)? {
            Value::Entity(node) => Some(node),
            _ => None,
        }
    }
}
