//! What belongs to what: the members of a type, the parts of a file or folder, methods that take each other's place.

use std::cell::RefCell;

use cds_graph::{Direction, Walk};
use cds_index::{DocumentView, EntityView, NameMatch, ROOT, Snapshot};
use cds_model::{Certainty, EdgeKind, EntityId, EntityType};
use rustc_hash::FxHashMap;

/// Bearers of one method's name that are looked at.
const MOST_BEARERS: usize = 5_000;

/// Types above or below one that are looked at.
const MOST_TYPES: usize = 2_000;

/// Kinds that say what a type must have.
const PROMISES: &[&str] = &["interface", "protocol", "trait"];

/// The folder of a path.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Files below a folder; all of them below none and below the root.
pub(super) fn files_below<'a>(snapshot: &'a Snapshot, folder: &str) -> impl Iterator<Item = DocumentView<'a>> {
    let is_all = folder.is_empty() || folder == ROOT;
    let inside = move |path: &str| is_all || path.strip_prefix(folder).is_some_and(|r| r.starts_with('/'));
    snapshot.documents().filter(move |d| inside(d.path()))
}

/// Whether a type owns a method, wherever the method is written.
fn owns(owner: EntityView, method: EntityView) -> bool {
    let same_file = || method.document().map(|d| d.id) == owner.document().map(|d| d.id);
    let is_same = |p: EntityView| p.id == owner.id || is_type(p) && same_file() && p.shared_key() == owner.shared_key();
    let by_place = method.parent().is_some_and(is_same);
    // A receiver is named, not nested in: `func (s *Store) Get()`.
    let by_name = || {
        let is_receiver = method.scope() == Some(owner.name());
        is_receiver && folder(&method.path()) == folder(&owner.path())
    };
    by_place || by_name()
}

pub(super) fn is_type(entity: EntityView) -> bool {
    entity.entity_type() == EntityType::Class
}

/// All nodes that are part of an entity, itself first.
pub(super) fn parts(snapshot: &Snapshot, own: &[EntityView]) -> Vec<u32> {
    let mut nodes: Vec<u32> = own.iter().map(|e| e.id.0).collect();
    for entity in own {
        match (entity.entity_type(), entity.document()) {
            (EntityType::Directory, _) => {
                for document in files_below(snapshot, &entity.path()) {
                    nodes.push(document.entity().0);
                    nodes.extend(document.entities().map(|id| id.0));
                }
            }
            (EntityType::File, Some(document)) => nodes.extend(document.entities().map(|id| id.0)),
            (_, Some(document)) => {
                nodes.extend(nested(snapshot, *entity, document));
                nodes.extend(received(snapshot, *entity, document));
            }
            _ => {}
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Definitions inside a definition. They stand behind it, up to its last line.
fn nested(snapshot: &Snapshot, entity: EntityView, document: DocumentView) -> Vec<u32> {
    let (_, last) = entity.lines();
    let behind = document.entities().filter(|id| *id > entity.id).filter_map(|id| snapshot.entity(id));
    let inside = |e: &EntityView| std::iter::successors(e.parent(), |p| p.parent()).any(|p| p.id == entity.id);
    behind.take_while(|e| e.lines().0 <= last).filter(inside).map(|e| e.id.0).collect()
}

/// Methods that name a type as their receiver, in its folder.
fn received(snapshot: &Snapshot, entity: EntityView, document: DocumentView) -> Vec<u32> {
    if !is_type(entity) {
        return Vec::new();
    }
    let here = entity.path();
    let of = |d: DocumentView| -> Vec<u32> {
        let all = d.entities().filter_map(|id| snapshot.entity(id));
        all.filter(|e| e.scope() == Some(entity.name())).map(|e| e.id.0).collect()
    };
    let beside = |d: &DocumentView| d.language() == document.language() && folder(d.path()) == folder(&here);
    files_below(snapshot, folder(&here)).filter(beside).flat_map(of).collect()
}

/// The types that own a method: one, and what adds to it under the same id.
fn owners<'a>(snapshot: &'a Snapshot, method: EntityView<'a>) -> Vec<EntityView<'a>> {
    if method.entity_type() != EntityType::Function {
        return Vec::new();
    }
    let name = match (method.parent().filter(|p| is_type(*p)), method.scope()) {
        (Some(parent), _) => parent.name(),
        (None, Some(scope)) => scope,
        (None, None) => return Vec::new(),
    };
    let named = snapshot.find_names(name, NameMatch::Exact, MOST_BEARERS);
    named.into_iter().filter_map(|id| snapshot.entity(id)).filter(|e| is_type(*e) && owns(*e, method)).collect()
}

/// Methods of other types that a method may stand for, or be stood for by: of the types below its own, or of those above.
pub(super) fn counterparts(snapshot: &Snapshot, method: u32, direction: Direction) -> Vec<u32> {
    let Some(method) = snapshot.entity(EntityId(method)) else { return Vec::new() };
    let own: Vec<u32> = owners(snapshot, method).iter().map(|e| e.id.0).collect();
    if own.is_empty() {
        return Vec::new();
    }
    let (depth, kinds) = (super::MAX_DEPTH, vec![EdgeKind::Inherit]);
    let walk = Walk { direction, depth, kinds, floor: Certainty::Typed, limit: MOST_TYPES };
    let walked = cds_graph::walk(snapshot.graph(), &own, &walk, |_| true);
    let types: Vec<EntityView> =
        walked.taken.iter().filter(|t| !t.repeated).filter_map(|t| snapshot.entity(EntityId(t.to))).collect();
    if types.is_empty() {
        return Vec::new();
    }
    // Types and bearers may be many, so they are not held against each other one by one.
    let near = |e: EntityView| (e.document().map(|d| d.id), e.name().to_owned());
    let by_file: FxHashMap<_, EntityView> = types.iter().map(|t| (near(*t), *t)).collect();
    let by_name: FxHashMap<&str, Vec<EntityView>> = types.iter().fold(FxHashMap::default(), |mut all, t| {
        all.entry(t.name()).or_insert_with(Vec::new).push(*t);
        all
    });
    let is_theirs = |m: EntityView| match (m.parent().filter(|p| is_type(*p)), m.scope()) {
        (Some(parent), _) => by_file.get(&near(parent)).is_some_and(|t| owns(*t, m)),
        (None, Some(scope)) => by_name.get(scope).is_some_and(|types| types.iter().any(|t| owns(*t, m))),
        (None, None) => false,
    };
    let bearers = snapshot.find_names(method.name(), NameMatch::Exact, MOST_BEARERS);
    let bearers = bearers.into_iter().filter_map(|id| snapshot.entity(id)).filter(|e| e.id != method.id);
    let functions = bearers.filter(|e| e.entity_type() == EntityType::Function);
    functions.filter(|m| is_theirs(*m)).map(|m| m.id.0).collect()
}

/// What methods stand for, remembered during one walk: many of them stand for the same.
pub(super) struct Stand<'a> {
    snapshot: &'a Snapshot,
    direction: Direction,
    below: RefCell<FxHashMap<u32, u32>>,
}

impl<'a> Stand<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, direction: Direction) -> Stand<'a> {
        Stand { snapshot, direction, below: RefCell::default() }
    }

    /// Counterparts of a method, each with how many a call of the upper one may mean.
    pub(super) fn of(&self, method: u32) -> Vec<(u32, u32)> {
        let others = counterparts(self.snapshot, method, self.direction);
        let all = others.len() as u32;
        let among = |other: u32| match self.direction {
            Direction::Forward => {
                let count = || counterparts(self.snapshot, other, Direction::Backward).len() as u32;
                *self.below.borrow_mut().entry(other).or_insert_with(count)
            }
            _ => all,
        };
        others.into_iter().map(|other| (other, among(other) + 1)).collect()
    }
}

/// Types that have every method of an interface without saying that they implement it, with the first such method. Only those
/// whose methods name their receiver: elsewhere a type says what it implements.
pub(super) fn look_alikes<'a>(
    snapshot: &'a Snapshot,
    interface: EntityView<'a>,
) -> Vec<(EntityView<'a>, EntityView<'a>)> {
    let Some(document) = interface.document().filter(|_| PROMISES.contains(&interface.kind().name())) else {
        return Vec::new();
    };
    let members = document.entities().filter_map(|id| snapshot.entity(id));
    let wanted: Vec<&str> =
        members.filter(|m| m.parent().is_some_and(|p| p.id == interface.id)).map(EntityView::name).collect();
    let Some(first) = wanted.first() else { return Vec::new() };
    let bearers = |name: &str| -> Vec<EntityView<'a>> {
        let found = snapshot.find_names(name, NameMatch::Exact, MOST_BEARERS).into_iter();
        let methods = found.filter_map(|id| snapshot.entity(id)).filter(|m| m.scope().is_some());
        methods.filter(|m| m.document().is_some_and(|d| d.language() == document.language())).collect()
    };
    let mut found = Vec::new();
    for method in bearers(first) {
        let [owner] = owners(snapshot, method)[..] else { continue };
        if wanted[1..].iter().all(|name| bearers(name).iter().any(|m| owns(owner, *m))) {
            found.push((owner, method));
        }
    }
    found.sort_by_key(|(owner, _)| (owner.is_test(), owner.id));
    found
}
