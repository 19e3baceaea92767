//! All files to one list of edges: imports, then bases, then calls, each by what the ones before have found.

use cds_model::{Certainty, EdgeKind, EntityType, FileFacts};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::asked::{Of, ask_name, file_key, has_any, key, pack, record};
use crate::changes::Changes;
use crate::modules::{Modules, Target};
use crate::resolve::{Resolver, Value, begin};
use crate::symbols::Symbol;
use crate::tree::{Definition, File, TOP, Tree, Use, calls, is_block, is_callable, is_type};

/// A name with more candidates than this is left unresolved: so many guesses tell nothing.
pub const MAX_CANDIDATES: usize = 8;

/// Overloads of one name in one scope that are all linked.
const MAX_OVERLOADS: usize = 4;

/// What is to be linked.
pub struct Task<'a> {
    /// All files.
    pub tree: &'a Tree<'a>,
    /// Facts of a file, by its position in the tree: its calls are read from them.
    pub facts: &'a (dyn Fn(u32) -> Option<FileFacts> + Sync),
    /// The node of a folder.
    pub folder_node: &'a (dyn Fn(&str) -> Option<u32> + Sync),
    /// What an earlier linking found of each file; empty, or one for each.
    pub known: Vec<Known<'a>>,
    /// What changed since.
    pub changes: Changes,
}

/// What an earlier linking found of a file, in nodes of today.
#[derive(Default)]
pub struct Known<'a> {
    /// Whether the file is the one that was linked.
    pub is_same: bool,
    /// See [`LinkedFile::asked`].
    pub asked: &'a [u8],
    /// See [`Linked::extensions`].
    pub extensions: Vec<[u32; 2]>,
    /// See [`Linked::bases`].
    pub bases: Vec<[u32; 2]>,
}

/// A site, and the name of where it leads if that is outside the tree.
pub type Site = (Edge, Option<String>);

/// What linking found; `E` is what was kept of the sites of a file.
pub struct Linked<E> {
    /// What was found of each file that was linked; `None` for those whose edges are as they were.
    pub files: Vec<Option<LinkedFile<E>>>,
    /// Of each file, types and spaces and what of the file belongs to them without lying in them.
    pub extensions: Vec<Vec<[u32; 2]>>,
    /// Of each file, types and their bases in the order they are written; [`NONE`] for one from outside the tree.
    pub bases: Vec<Vec<[u32; 2]>>,
}

/// What was found of one file.
pub struct LinkedFile<E> {
    /// What was kept of its import, invoke and inherit edges: one for each site, sorted by source, then position.
    pub edges: E,
    /// Calls that may mean too many entities to say which, sorted by source, then position.
    pub unresolved: Vec<Unresolved>,
    /// Calls of something that the tree does not define.
    pub calls_outside: u32,
    /// What it asked of the rest of the tree: unless that changes, its edges do not.
    pub asked: Vec<u8>,
}

/// No node.
pub const NONE: u32 = u32::MAX;

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
    /// What an import calls it, among the symbols.
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
    calls_outside: u32,
}

/// Links what is not known yet, and what the changes can affect. There are many sites, so `keep` is given those of a file as soon as they
/// are known, and what it makes of them is all that stays.
pub fn link<E: Send>(task: Task, keep: impl Fn(Vec<Site>) -> E + Sync) -> Linked<E> {
    let Task { tree, facts, folder_node, known, changes } = task;
    let (modules, named) = rayon::join(|| Modules::new(tree), || Named::new(tree));
    let mut resolver = Resolver::new(tree, &modules);
    let mut linking = Linking::new(tree, &known, &changes);
    linking.settle(&known, |files| {
        let found = files.par_iter().map(|&at| record(tree.files[at as usize].key, || extensions(&resolver, at)));
        found.collect()
    });
    for [owner, block] in linking.extensions.iter().flatten() {
        resolver.extensions.entry(*owner).or_default().push(*block);
    }
    linking.phase = Phase::Bases;
    linking.done = vec![false; tree.files.len()];
    linking.settle(&known, |files| {
        let found = files.par_iter().map(|&at| {
            let key = tree.files[at as usize].key;
            // What is linked because of bases asks anew for all, so that all it asks is noted.
            let (edges, keys) = record(key, || {
                let _ = extensions(&resolver, at);
                inherit_edges(&resolver, at)
            });
            (edges, keys)
        });
        found.collect()
    });
    for [owner, base] in linking.bases.iter().flatten() {
        resolver.bases.entry(*owner).or_default().push((*base != NONE).then_some(*base));
    }
    let resolver = &resolver;
    let Linking { due, inherited, asked, extensions, bases, .. } = linking;
    let work = due.into_par_iter().zip(inherited).zip(asked).enumerate();
    let files = work.map(|(at, ((due, inherited), mut asked))| {
        let at = at as u32;
        let (found, keys) = due.then(|| {
            record(tree.files[at as usize].key, || {
                let mut edges = import_edges(resolver, folder_node, at);
                for used in &facts(at).map(|facts| calls(tree.symbols, &facts)).unwrap_or_default() {
                    call_edges(resolver, &named, at, used, &mut edges);
                }
                edges
            })
        })?;
        let FileEdges { mut edges, mut unresolved, calls_outside, .. } = found;
        edges.extend(inherited);
        edges.sort_unstable();
        edges.dedup();
        unresolved.sort_unstable();
        asked.extend(keys);
        Some(LinkedFile { edges: keep(edges), unresolved, calls_outside, asked: pack(asked) })
    });
    Linked { files: files.collect(), extensions, bases }
}

/// Which of the two steps before calls is being taken.
#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Extensions,
    Bases,
}

/// What is linked so far.
struct Linking<'a> {
    tree: &'a Tree<'a>,
    phase: Phase,
    due: Vec<bool>,
    done: Vec<bool>,
    extensions: Vec<Vec<[u32; 2]>>,
    bases: Vec<Vec<[u32; 2]>>,
    /// Inherit edges.
    inherited: Vec<Vec<(Edge, Option<String>)>>,
    asked: Vec<Vec<u32>>,
}

impl<'a> Linking<'a> {
    fn new(tree: &'a Tree<'a>, known: &[Known], changes: &Changes) -> Linking<'a> {
        let count = tree.files.len();
        let is_due = |at: usize| known.get(at).is_none_or(|k| !k.is_same || changes.touches(k.asked));
        let due: Vec<bool> = (0..count).into_par_iter().map(is_due).collect();
        Linking {
            tree,
            phase: Phase::Extensions,
            due,
            done: vec![false; count],
            extensions: (0..count).map(|at| known.get(at).map(|k| k.extensions.clone()).unwrap_or_default()).collect(),
            bases: (0..count).map(|at| known.get(at).map(|k| k.bases.clone()).unwrap_or_default()).collect(),
            inherited: vec![Vec::new(); count],
            asked: vec![Vec::new(); count],
        }
    }

    /// Works on what is due until nothing more becomes so: what belongs to a type may be another thing than before, and then all who asked
    /// for it are due as well.
    fn settle(&mut self, known: &[Known], work: impl Fn(&[u32]) -> Vec<(Stepped, Vec<u32>)>) {
        loop {
            let all = 0..self.tree.files.len() as u32;
            let files: Vec<u32> = all.filter(|at| self.due[*at as usize] && !self.done[*at as usize]).collect();
            if files.is_empty() {
                return;
            }
            let mut keys = Vec::new();
            for (&at, (stepped, asked)) in files.iter().zip(work(&files)) {
                let at = at as usize;
                self.done[at] = true;
                self.asked[at].extend(asked);
                let rows = if self.phase == Phase::Extensions { &mut self.extensions[at] } else { &mut self.bases[at] };
                let before = std::mem::replace(rows, stepped.rows);
                if known.get(at).is_some() && before != *rows {
                    let changed =
                        before.iter().chain(rows.iter()).filter(|row| !before.contains(row) || !rows.contains(row));
                    let count = keys.len();
                    keys.extend(changed.map(|[owner, _]| owner_key(self.tree, *owner)));
                    // The same in another order.
                    if keys.len() == count {
                        keys.extend(rows.iter().map(|[owner, _]| owner_key(self.tree, *owner)));
                    }
                }
                self.inherited[at] = stepped.edges;
            }
            if keys.is_empty() || known.is_empty() {
                continue;
            }
            keys.sort_unstable();
            keys.dedup();
            let (due, known) = (&self.due, &known);
            let more = (0..known.len()).into_par_iter().filter(|at| !due[*at] && has_any(known[*at].asked, &keys));
            for at in more.collect::<Vec<usize>>() {
                self.due[at] = true;
            }
        }
    }
}

/// What a step found of a file: types with what belongs to them, and edges.
struct Stepped {
    rows: Vec<[u32; 2]>,
    edges: Vec<(Edge, Option<String>)>,
}

/// What is asked for before the bases of a type, or what belongs to it.
fn owner_key(tree: &Tree, node: u32) -> u32 {
    let at = tree.files.partition_point(|f| f.node <= node).saturating_sub(1);
    let file = &tree.files[at];
    let name = node.checked_sub(file.node + 1).and_then(|local| file.entities.get(local as usize)).map(|d| d.name);
    key(Of::Bases, name.map_or(0, |name| file_key(file.key, name)))
}

/// Blocks and methods that name the type they belong to, by that type.
fn extensions(resolver: &Resolver, at: u32) -> Stepped {
    let tree = resolver.tree;
    let file = &tree.files[at as usize];
    resolver.own_targets(at);
    let row = |(local, definition): (usize, &Definition)| {
        begin();
        let node = file.node_of(local as u32);
        if let Some(scope) = definition.scope() {
            let owner = resolver.owner(at, definition.parent, tree.symbols.of(scope))?;
            return Some([resolver.first(owner), node]);
        }
        let owner = resolver.type_of_block(node);
        (owner != node).then_some([owner, node])
    };
    Stepped { rows: file.entities.iter().enumerate().filter_map(row).collect(), edges: Vec::new() }
}

/// Entities that a call may mean, with their names, in order of them. A list in order is one piece of memory, and few names are asked for
/// when little changed.
struct Named(Vec<(Symbol, u32)>);

impl Named {
    fn new(tree: &Tree) -> Named {
        let is_called = |definition: &Definition| {
            let kind = definition.kind();
            is_callable(kind) || (is_type(kind) && !is_block(kind))
        };
        let mut named = Vec::new();
        for file in &tree.files {
            let own = file.entities.iter().enumerate().filter(|(_, definition)| is_called(definition));
            named.extend(own.map(|(local, definition)| (definition.name, file.node_of(local as u32))));
        }
        named.par_sort_unstable();
        Named(named)
    }

    fn of(&self, name: Symbol) -> impl Iterator<Item = u32> {
        let first = self.0.partition_point(|(own, _)| *own < name);
        self.0[first..].iter().take_while(move |(own, _)| *own == name).map(|(_, node)| *node)
    }
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

fn inherit_edges(resolver: &Resolver, at: u32) -> Stepped {
    let file = &resolver.tree.files[at as usize];
    let mut found = Stepped { rows: Vec::new(), edges: Vec::new() };
    for used in file.bases.iter().filter(|u| u.scope != TOP) {
        begin();
        // A base is looked up where the type stands, not inside it.
        let outer = file.parent(used.scope);
        let name = resolver.tree.symbols.of(used.name);
        let path = match used.receiver.get() {
            Some(receiver) => format!("{}.{name}", resolver.tree.symbols.of(receiver)),
            None => name.to_owned(),
        };
        let own = file.node_of(used.scope);
        let base = match resolver.path(at, outer, u32::MAX, &path, 0) {
            Some((Value::Entity(node), how)) if node != own => Some((node, how)),
            _ => None,
        };
        let (to, how, outside) = match base {
            Some((node, how)) => (node, how, None),
            None => (0, Certainty::Named, Some(name.to_owned())),
        };
        found.edges.push((edge(file, used, to, EdgeKind::Inherit, how, 1), outside));
        // Bases of a block are bases of the type it extends.
        begin();
        let owner = resolver.first(resolver.type_of_block(own));
        found.rows.push([owner, base.map_or(NONE, |(node, _)| node)]);
    }
    found
}

fn import_edges(resolver: &Resolver, folder_node: &dyn Fn(&str) -> Option<u32>, at: u32) -> FileEdges {
    let tree = resolver.tree;
    let file = &tree.files[at as usize];
    let mut found = FileEdges::default();
    for (i, import) in file.imports.iter().enumerate().filter(|(_, i)| !i.is_export()) {
        begin();
        let target = &resolver.targets(at)[i];
        let node_of = |value: Value| match value {
            Value::Entity(node) | Value::Instance(node) | Value::Held(node) => Some(node),
            Value::Module(place) => match place.file {
                Some(f) => Some(tree.files[f as usize].node),
                None => folder_node(resolver.modules.folder_path(place.folder?)),
            },
            Value::Package(_) | Value::Table(..) | Value::Bases(_) | Value::Outside | Value::Hidden => None,
        };
        let mut ends = Vec::new();
        let value = resolver.import_value(at, i, 0);
        match (value.and_then(node_of), target) {
            (Some(node), _) => ends.push(End::Node(node)),
            (None, Target::Outside(name)) => ends.push(End::Outside(name.clone())),
            (None, Target::Package(name)) => {
                let files = resolver.modules.package_files(name).unwrap_or_default();
                ends.extend(files.iter().map(|&f| End::Node(tree.files[f as usize].node)));
            }
            // The name is made in a way that is not seen: the module is what is sure.
            (None, Target::Place { place, .. }) => ends.extend(node_of(Value::Module(*place)).map(End::Node)),
            (None, Target::Names(path)) => ends.push(End::Outside(match import.name.get() {
                Some(name) => format!("{path}.{}", tree.symbols.of(name)),
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
                alias: import.alias.number(),
            };
            found.edges.push((edge, outside));
        }
    }
    found
}

fn call_edges(resolver: &Resolver, named: &Named, at: u32, used: &Use, found: &mut FileEdges) {
    begin();
    let tree = resolver.tree;
    let file = &tree.files[at as usize];
    let rules = &tree.rules[file.rule as usize];
    let name = tree.symbols.of(used.name);
    let resolved = match used.receiver.get() {
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
            let on = resolver.path(at, used.scope, used.start, tree.symbols.of(receiver), 0);
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
        Some((Value::Instance(node), how)) if used.receiver.get().is_none() => push(found, node, how, 1),
        // A name that is bound here to something unknown is not what is called so elsewhere.
        Some((Value::Bases(_) | Value::Outside | Value::Hidden, _)) => found.calls_outside += 1,
        Some((Value::Module(place), how)) => match resolver.default_of(place) {
            Some(node) => push(found, node, how, 1),
            None => found.calls_outside += 1,
        },
        Some((Value::Package(_), _)) if used.receiver.get().is_none() => found.calls_outside += 1,
        _ if rules.capitals && used.receiver.get().is_some_and(|r| is_capitals(tree.symbols.of(r))) => {
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
fn by_name(resolver: &Resolver, named: &Named, at: u32, used: &Use, found: &mut FileEdges) {
    let tree = resolver.tree;
    let file = &tree.files[at as usize];
    let rules = &tree.rules[file.rule as usize];
    let name = tree.symbols.of(used.name);
    let family = |rule: u16| tree.rules[rule as usize].family.as_deref();
    let same_family =
        |rule: u16| rule == file.rule || (family(rule).is_some() && family(rule) == rules.family.as_deref());
    let fits = |node: &u32| {
        let (other, local) = resolver.place_of(*node);
        let other = &tree.files[other as usize];
        let definition = &other.entities[local as usize];
        let in_type = definition.scope().is_some() || other.type_around(definition.parent).is_some();
        // What is called on something is a member, or a function that may stand in a module; what is called bare is not a
        // member, unless members are.
        let placed =
            if used.receiver.get().is_some() { is_callable(definition.kind()) } else { !in_type || rules.bare_members };
        let is_elsewhere = definition.is_own() && !std::ptr::eq(other, file);
        placed && same_family(other.rule) && !is_elsewhere && !resolver.bodies.is_declared(*node)
    };
    let bare_and_known = used.receiver.get().is_none() && !rules.globals;
    if bare_and_known || rules.builtins.iter().any(|b| b == name) {
        found.calls_outside += 1;
        return;
    }
    ask_name(used.name);
    // Common names have thousands of owners: each file judges them once.
    let judge = || named.of(used.name).filter(fits).collect();
    let FileEdges { edges, guesses, .. } = found;
    let candidates: &Vec<u32> = guesses.entry((used.name, used.receiver.get().is_some())).or_insert_with(judge);
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
            Some(definition) if definition.is_partial() => self.extended(node, 0).unwrap_or(node),
            Some(definition) if is_block(definition.kind()) => {
                let name = self.tree.symbols.of(definition.name);
                self.type_named(at, definition.parent, name, 0).unwrap_or(node)
            }
            _ => node,
        }
    }

    /// What is run when an entity is called: its overloads, and where these are only declared, their bodies.
    fn bodies(&self, node: u32, how: Certainty) -> (Vec<u32>, Certainty) {
        let is_declaration = |node: &u32| {
            let (at, local) = self.place_of(*node);
            self.tree.files[at as usize].entities.get(local as usize).is_some_and(Definition::is_declaration)
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
            (other.kind(), other.scope()) == (definition.kind(), definition.scope())
        };
        let all: Vec<u32> =
            file.members(definition.parent, definition.name).filter(same).map(|l| file.node_of(l)).collect();
        if self.tree.rules[file.rule as usize].clauses {
            return all[..1].to_vec();
        }
        // Several files of a package may define it, each for another system.
        let is_outermost = definition.parent == TOP && definition.scope().is_none();
        let all = if is_outermost && all.len() == 1 { self.twins(node, definition.name) } else { all };
        if all.len() > MAX_OVERLOADS || definition.kind().entity_type() == EntityType::Class { vec![node] } else { all }
    }

    /// What a module gives when it is called itself.
    fn default_of(&self, place: crate::modules::Place) -> Option<u32> {
        let default = self.symbol("default")?;
        match self.member(place.file?, Value::Module(place), default, 0)? {
            Value::Entity(node) => Some(node),
            _ => None,
        }
    }
}
