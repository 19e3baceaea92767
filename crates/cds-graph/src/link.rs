//! All files to one list of edges: imports, then bases, then calls, each by what the ones before have found.

use cds_model::{Certainty, EdgeKind, EntityType, FileFacts, ReferenceKind};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::changes::Changes;
use crate::dependencies::{DepKind, KeySet, Stored, file_key, key};
use crate::lookup::{Caller, Lookup, Tables};
use crate::modules::{Modules, Target};
use crate::outline::{Definition, TOP, is_block, is_callable, is_type};
use crate::resolve::Value;
use crate::symbols::Symbol;
use crate::tree::{Name, Tree};

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
    /// See [`LinkedFile::dependencies`].
    pub dependencies: &'a [u8],
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
    /// Calls that may mean too many entities to say which, or only hidden ones, sorted by source, then position.
    pub unresolved: Vec<Unresolved>,
    /// Calls of something that the tree does not define.
    pub calls_outside: u32,
    /// Keys of what its edges depend on in the rest of the tree.
    pub dependencies: Vec<u8>,
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

/// A call that may mean too many entities, or only such as are not visible where it stands.
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

/// Entities that a name may mean.
enum Guess {
    /// Few enough that each gets an edge.
    Linked(Vec<u32>),
    /// Too many, or none of them visible to the call; none at all for a name from outside the tree.
    Unresolved(Vec<u32>),
}

/// Edges of one file, before outside modules have nodes.
#[derive(Default)]
struct FileEdges {
    edges: Vec<(Edge, Option<String>)>,
    /// What a name may mean in this file, called bare or on something.
    guesses: FxHashMap<(Symbol, bool, Caller), Guess>,
    unresolved: Vec<Unresolved>,
    calls_outside: u32,
}

/// Links what is not known yet, and what the changes can affect. There are many sites, so `keep` is given those of a file as soon as they
/// are known, and what it makes of them is all that stays.
pub fn link<E: Send>(task: Task, keep: impl Fn(Vec<Site>) -> E + Sync) -> Linked<E> {
    let Task { tree, facts, folder_node, known, mut changes } = task;
    let (modules, named) = rayon::join(|| Modules::new(tree), || Named::new(tree));
    let mut tables = Tables::new(tree, &modules);
    changes.finish(&tables, &known);
    let mut linking = Linking::new(tree, &known, &changes);
    linking.settle(&known, |files| files.par_iter().map(|&at| recorded(&tables, at, extensions)).collect());
    tables.add_extensions(linking.extensions.iter().flatten());
    linking.phase = Phase::Bases;
    linking.done = vec![false; tree.file_count()];
    linking.settle(&known, |files| {
        let step = |lookup: &Lookup| {
            // A file that became due in this phase records what its extensions depend on, too.
            let _ = extensions(lookup);
            inherit_edges(lookup)
        };
        files.par_iter().map(|&at| recorded(&tables, at, step)).collect()
    });
    tables.add_bases(linking.bases.iter().flatten(), NONE);
    let tables = &tables;
    let Linking { due, inherited, keys, extensions, bases, .. } = linking;
    let work = due.into_par_iter().zip(inherited).zip(keys).enumerate();
    let files = work.map(|(at, ((due, inherited), mut links))| {
        let at = at as u32;
        let (found, keys) = due.then(|| {
            recorded(tables, at, |lookup| {
                let mut edges = import_edges(lookup, folder_node);
                let facts = facts(at);
                for call in facts.iter().flat_map(|facts| calls(lookup, facts)) {
                    call_edges(lookup, &named, &call, &mut edges);
                }
                edges
            })
        })?;
        let FileEdges { mut edges, mut unresolved, calls_outside, .. } = found;
        edges.extend(inherited);
        edges.sort_unstable();
        edges.dedup();
        unresolved.sort_unstable();
        links.extend(keys);
        let dependencies = Stored::pack(tables.target_keys(at), links);
        Some(LinkedFile { edges: keep(edges), unresolved, calls_outside, dependencies })
    });
    Linked { files: files.collect(), extensions, bases }
}

/// Runs `work` on behalf of a file; returns its result and the keys of what it looked up.
fn recorded<T>(tables: &Tables, at: u32, work: impl FnOnce(&Lookup) -> T) -> (T, Vec<u32>) {
    let recorder = tables.recorder(at);
    let done = work(&Lookup::new(tables, &recorder, at));
    (done, recorder.finish())
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
    /// Keys of what was looked up.
    keys: Vec<Vec<u32>>,
}

impl<'a> Linking<'a> {
    fn new(tree: &'a Tree<'a>, known: &[Known], changes: &Changes) -> Linking<'a> {
        let count = tree.file_count();
        let is_due = |at: usize| known.get(at).is_none_or(|k| !k.is_same || changes.touches(k.dependencies));
        let due: Vec<bool> = (0..count).into_par_iter().map(is_due).collect();
        Linking {
            tree,
            phase: Phase::Extensions,
            due,
            done: vec![false; count],
            extensions: (0..count).map(|at| known.get(at).map(|k| k.extensions.clone()).unwrap_or_default()).collect(),
            bases: (0..count).map(|at| known.get(at).map(|k| k.bases.clone()).unwrap_or_default()).collect(),
            inherited: vec![Vec::new(); count],
            keys: vec![Vec::new(); count],
        }
    }

    /// Works on due files until no more become due: when what belongs to a type changed, all files that depend on it are due as well.
    fn settle(&mut self, known: &[Known], work: impl Fn(&[u32]) -> Vec<(Stepped, Vec<u32>)>) {
        loop {
            let all = 0..self.tree.file_count() as u32;
            let files: Vec<u32> = all.filter(|at| self.due[*at as usize] && !self.done[*at as usize]).collect();
            if files.is_empty() {
                return;
            }
            let mut keys = Vec::new();
            for (&at, (stepped, looked_up)) in files.iter().zip(work(&files)) {
                let at = at as usize;
                self.done[at] = true;
                self.keys[at].extend(looked_up);
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
            let keys = KeySet::from_iter(keys);
            let (due, known) = (&self.due, &known);
            let more = (0..known.len())
                .into_par_iter()
                .filter(|at| !due[*at] && Stored::read(known[*at].dependencies).has_any(&keys));
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

/// The key of the bases and extensions of a type.
fn owner_key(tree: &Tree, node: u32) -> u32 {
    let files = tree.files();
    let file = &files[files.partition_point(|f| f.node <= node).saturating_sub(1)];
    let entity = node.checked_sub(file.node + 1).and_then(|local| file.contents().entities.get(local as usize));
    key(DepKind::Bases, entity.map_or(0, |entity| file_key(file.key, entity.name)))
}

/// Blocks and methods that name the type they belong to, by that type.
fn extensions(lookup: &Lookup) -> Stepped {
    let file = lookup.own_file();
    let row = |(definition, local): (&Definition, u32)| {
        lookup.begin();
        let node = file.node_of(local);
        if let Some(scope) = definition.scope() {
            let owner = lookup.owner(lookup.own, definition.parent, lookup.text(scope))?;
            return Some([lookup.first(owner), node]);
        }
        let owner = lookup.type_of_block(node);
        (owner != node).then_some([owner, node])
    };
    Stepped { rows: file.contents().entities.iter().zip(0..).filter_map(row).collect(), edges: Vec::new() }
}

/// Entities that a call may mean by their name alone, in order of name and node. A sorted list is one piece of memory, and few names are
/// looked up when little changed. All that is judged of a candidate is part of the key of its name.
struct Named(Vec<Candidate>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    name: Symbol,
    node: u32,
    rule: u16,
    is_callable: bool,
    /// Whether it is a member of a type.
    in_type: bool,
}

impl Named {
    fn new(tree: &Tree) -> Named {
        let mut named = Vec::new();
        for file in tree.files() {
            let entities = file.contents().entities;
            let parent = |definition: &Definition| entities.get(definition.parent as usize);
            for (definition, local) in entities.iter().zip(0..) {
                let kind = definition.kind();
                if !is_callable(kind) && (!is_type(kind) || is_block(kind)) {
                    continue;
                }
                let mut around = std::iter::successors(parent(definition), |outer| parent(outer));
                named.push(Candidate {
                    name: definition.name,
                    node: file.node_of(local),
                    rule: file.rule,
                    is_callable: is_callable(kind),
                    in_type: definition.scope().is_some() || around.any(|outer| is_type(outer.kind())),
                });
            }
        }
        named.par_sort_unstable();
        Named(named)
    }

    fn of(&self, name: Symbol, lookup: &Lookup) -> impl Iterator<Item = &Candidate> {
        lookup.record_name(name);
        let first = self.0.partition_point(|candidate| candidate.name < name);
        self.0[first..].iter().take_while(move |candidate| candidate.name == name)
    }
}

/// Where in a file a name is used.
#[derive(Clone, Copy)]
struct Place {
    scope: u32,
    start: u32,
    line: u32,
}

/// A call as the facts of its file have it.
struct Call<'f> {
    name: Name<'f>,
    receiver: Option<&'f str>,
    place: Place,
    is_test: bool,
}

/// The calls of a file.
fn calls<'f>(lookup: &Lookup, facts: &'f FileFacts) -> impl Iterator<Item = Call<'f>> {
    let calls = facts.references.iter().filter(|r| r.kind == ReferenceKind::Call);
    let is_test_file = lookup.own_file().is_test;
    calls.map(move |r| Call {
        name: lookup.name_of(&r.name),
        receiver: r.receiver.as_deref(),
        place: Place { scope: r.enclosing.unwrap_or(TOP), start: r.start, line: r.line },
        is_test: is_test_file || r.enclosing.is_some_and(|around| facts.entities[around as usize].is_test),
    })
}

fn edge(lookup: &Lookup, at: Place, to: u32, kind: EdgeKind, certainty: Certainty, candidates: usize) -> Edge {
    Edge {
        from: lookup.own_file().node_of(at.scope),
        start: at.start,
        to,
        kind,
        certainty,
        candidates: candidates.min(usize::from(u16::MAX)) as u16,
        line: at.line,
        alias: None,
    }
}

fn inherit_edges(lookup: &Lookup) -> Stepped {
    let file = lookup.own_file();
    let contents = file.contents();
    let mut found = Stepped { rows: Vec::new(), edges: Vec::new() };
    for used in contents.bases.iter().filter(|u| u.scope != TOP) {
        lookup.begin();
        // A base is looked up where the type stands, not inside it.
        let outer = lookup.file(lookup.own).parent(used.scope);
        let name = lookup.text(used.name);
        let path = match used.receiver.get() {
            Some(receiver) => format!("{}.{name}", lookup.text(receiver)),
            None => name.to_owned(),
        };
        let own = file.node_of(used.scope);
        let base = base_named(lookup, outer, &path).filter(|(node, _)| *node != own);
        let (to, how, outside) = match base {
            Some((node, how)) => (node, how, None),
            None => (0, Certainty::Named, Some(name.to_owned())),
        };
        let at = Place { scope: used.scope, start: used.start, line: used.line };
        found.edges.push((edge(lookup, at, to, EdgeKind::Inherit, how, 1), outside));
        // Bases of a block are bases of the type it extends.
        lookup.begin();
        let owner = lookup.first(lookup.type_of_block(own));
        found.rows.push([owner, base.map_or(NONE, |(node, _)| node)]);
    }
    found
}

/// What a base is called, looked up from a scope outwards. A method of that name does not hide a type.
fn base_named(lookup: &Lookup, mut scope: u32, path: &str) -> Option<(u32, Certainty)> {
    let is_method = |node: u32| {
        let (at, local) = lookup.place_of(node);
        let file = lookup.file(at);
        let definition = file.entity(local).filter(|definition| is_callable(definition.kind()));
        definition.and_then(|definition| file.entity(definition.parent)).is_some_and(|around| is_type(around.kind()))
    };
    loop {
        let (Value::Entity(node), how) = lookup.path(lookup.own, scope, u32::MAX, path, 0)? else { return None };
        if !is_method(node) {
            return Some((node, how));
        }
        if scope == TOP {
            return None;
        }
        scope = lookup.file(lookup.own).parent(scope);
    }
}

fn import_edges(lookup: &Lookup, folder_node: &dyn Fn(&str) -> Option<u32>) -> FileEdges {
    let at = lookup.own;
    let file = lookup.own_file();
    let mut found = FileEdges::default();
    for (i, import) in file.contents().imports.iter().enumerate().filter(|(_, i)| !i.is_export()) {
        lookup.begin();
        let target = lookup.target(at, i);
        let node_of = |value: Value| match value {
            Value::Entity(node) | Value::Instance(node) | Value::Held(node) => Some(node),
            Value::Module(place) => match place.file {
                Some(f) => Some(lookup.file(f).node()),
                None => folder_node(lookup.folder_path(place.folder?)),
            },
            Value::Package(_) | Value::Table(..) | Value::Bases(_) | Value::Outside | Value::Hidden => None,
        };
        let mut ends = Vec::new();
        let value = lookup.import_value(at, i, import, 0);
        let certainty = value.map_or(Certainty::Imported, |(_, how)| how);
        match (value.and_then(|(value, _)| node_of(value)), target) {
            (Some(node), _) => ends.push(End::Node(node)),
            (None, Target::Outside(name)) => ends.push(End::Outside(name.clone())),
            (None, Target::Package(name)) => {
                let files = lookup.package_files(name);
                ends.extend(files.iter().map(|&f| End::Node(lookup.file(f).node())));
            }
            // The name is made in a way that is not seen: the module is what is sure.
            (None, Target::Place { place, .. }) => ends.extend(node_of(Value::Module(*place)).map(End::Node)),
            (None, Target::Names(path)) => ends.push(End::Outside(match import.name.get() {
                Some(name) => format!("{path}.{}", lookup.text(name)),
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
                certainty,
                candidates: 1,
                line: import.line,
                alias: import.alias.number(),
            };
            found.edges.push((edge, outside));
        }
    }
    found
}

fn call_edges(lookup: &Lookup, named: &Named, call: &Call, found: &mut FileEdges) {
    lookup.begin();
    let &Call { name, receiver, place, .. } = call;
    let at = lookup.own;
    let rules = lookup.rules(at);
    let resolved = match receiver {
        None => {
            let is_base = rules.base.iter().any(|b| b == name.text);
            let is_this = rules.this_type.iter().any(|t| t == name.text);
            if is_base || is_this {
                lookup.path(at, place.scope, place.start, name.text, 0)
            } else {
                lookup.function(at, place.scope, place.start, name, 0)
            }
        }
        Some(receiver) => {
            let on = lookup.path(at, place.scope, place.start, receiver, 0);
            on.and_then(|(value, how)| {
                if value == Value::Hidden {
                    return None;
                }
                if let Value::Module(place) = value {
                    let (member, taken) = lookup.module_member(at, place, name, 0)?;
                    return Some((member, if how == Certainty::Named { how } else { taken }));
                }
                let member = lookup.member_as(at, value, name, true, 0)?;
                let how = match value {
                    Value::Package(_) => Certainty::Imported,
                    Value::Table(..) => how,
                    Value::Entity(node) if lookup.kind_of(node).is_none_or(|k| !is_type(k)) => how,
                    _ => how.max(Certainty::Typed),
                };
                Some((member, how))
            })
        }
    };
    let push = |found: &mut FileEdges, to: u32, how: Certainty, count: usize| {
        found.edges.push((edge(lookup, place, to, EdgeKind::Invoke, how, count), None));
    };
    match resolved {
        Some((Value::Entity(node), how)) => {
            let (all, how) = lookup.bodies(node, how);
            for &to in &all {
                push(found, to, how, all.len());
            }
        }
        // An object that is called, `super()` alone, a module that is called: what is run is not named.
        Some((Value::Instance(node), how)) if receiver.is_none() => push(found, node, how, 1),
        // A name that is bound here to something unknown is not what is called so elsewhere.
        Some((Value::Bases(_) | Value::Outside | Value::Hidden, _)) => found.calls_outside += 1,
        Some((Value::Module(module), how)) => match lookup.default_of(module) {
            Some(node) => push(found, node, how, 1),
            None => found.calls_outside += 1,
        },
        Some((Value::Package(_), _)) if receiver.is_none() => found.calls_outside += 1,
        _ if rules.capitals && receiver.is_some_and(is_capitals) => {
            found.calls_outside += 1;
        }
        _ => by_name(lookup, named, call, found),
    }
}

/// Whether a path is one of modules or types only: `A.B`.
fn is_capitals(path: &str) -> bool {
    let mut parts = path.split(['.', ':']).filter(|p| !p.is_empty());
    parts.all(|p| p.starts_with(char::is_uppercase) && p.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// Nothing but the name is known.
fn by_name(lookup: &Lookup, named: &Named, call: &Call, found: &mut FileEdges) {
    let &Call { name, receiver, place, is_test } = call;
    let rules = lookup.rules(lookup.own);
    let own_rule = lookup.own_file().rule;
    let fits = |candidate: &&Candidate| {
        // What is called on something is a member, or a function that may stand in a module; what is called bare is not a
        // member, unless members are.
        let placed = if receiver.is_some() { candidate.is_callable } else { !candidate.in_type || rules.bare_members };
        let is_related = lookup.is_same_family(own_rule, candidate.rule);
        placed && is_related && !lookup.is_declared(candidate.node, name.symbol)
    };
    let bare_and_known = receiver.is_none() && !rules.globals;
    if bare_and_known || rules.builtins.iter().any(|b| b == name.text) {
        found.calls_outside += 1;
        return;
    }
    let is_outside = receiver.is_some_and(|on| !rules.this.iter().chain(&rules.this_type).any(|own| own == on));
    let caller = Caller { is_test, is_outside };
    // Common names have thousands of owners: each file judges them once.
    let judge = || {
        let nodes = named.of(name.symbol, lookup).filter(fits).map(|candidate| candidate.node);
        let (reached, hidden): (Vec<u32>, Vec<u32>) = nodes.partition(|node| lookup.reaches(*node, caller));
        match reached.len() {
            0 => Guess::Unresolved(hidden),
            1..=MAX_CANDIDATES => Guess::Linked(reached),
            _ => Guess::Unresolved(reached),
        }
    };
    let FileEdges { edges, guesses, .. } = found;
    match guesses.entry((name.symbol, receiver.is_some(), caller)).or_insert_with(judge) {
        Guess::Linked(all) => {
            for &to in all.iter() {
                edges.push((edge(lookup, place, to, EdgeKind::Invoke, Certainty::Named, all.len()), None));
            }
        }
        Guess::Unresolved(all) => match all.first() {
            None => found.calls_outside += 1,
            Some(&like) => found.unresolved.push(Unresolved {
                from: lookup.own_file().node_of(place.scope),
                start: place.start,
                like,
                candidates: all.len() as u32,
                line: place.line,
            }),
        },
    }
}

impl Lookup<'_> {
    /// The type that a block adds to; the node itself when it is no block or its type is not in the tree.
    pub(crate) fn type_of_block(&self, node: u32) -> u32 {
        let (at, local) = self.place_of(node);
        match self.file(at).entity(local) {
            Some(definition) if definition.is_partial() => self.extended(node, 0).unwrap_or(node),
            Some(definition) if is_block(definition.kind()) => {
                let name = self.text(definition.name);
                self.type_named(at, definition.parent, name, 0).unwrap_or(node)
            }
            _ => node,
        }
    }

    /// What is run when an entity is called: its overloads, and where these are only declared, their bodies.
    fn bodies(&self, node: u32, how: Certainty) -> (Vec<u32>, Certainty) {
        let is_declaration = |&node: &u32| self.entity(node).is_some_and(Definition::is_declaration);
        let mut all = self.overloads(node);
        if !all.iter().all(is_declaration) {
            all.retain(|n| !is_declaration(n));
            return (all, how);
        }
        let bodies = self.bodies_of(node);
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
            Value::Entity(node) if self.is_space(node) => Some(node),
            _ => None,
        }
    }

    /// An entity and those that share its name and scope: overloads, redefinitions.
    fn overloads(&self, node: u32) -> Vec<u32> {
        let (at, local) = self.place_of(node);
        let file = self.file(at);
        let Some(definition) = file.entity(local) else { return vec![node] };
        let same = |&local: &u32| {
            let head = |entity: &Definition| (entity.kind(), entity.scope());
            file.entity(local).is_some_and(|other| head(other) == head(definition))
        };
        // One more than are linked tells that there are too many; a file may have thousands.
        let all = file.members(definition.parent, definition.name).filter(same).take(MAX_OVERLOADS + 1);
        let all: Vec<u32> = all.map(|l| file.node_of(l)).collect();
        if self.rules(at).clauses {
            return all[..1].to_vec();
        }
        // Several files of a package may define it, each for another system.
        let is_outermost = definition.parent == TOP && definition.scope().is_none();
        let all = if is_outermost && all.len() == 1 { self.twins(node, definition.name) } else { all };
        if all.len() > MAX_OVERLOADS || definition.kind().entity_type() == EntityType::Class { vec![node] } else { all }
    }

    /// What a module gives when it is called itself.
    fn default_of(&self, place: crate::modules::Place) -> Option<u32> {
        match self.member(place.file?, Value::Module(place), self.name_of("default"), 0)? {
            Value::Entity(node) => Some(node),
            _ => None,
        }
    }
}
