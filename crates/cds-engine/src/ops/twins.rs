//! Entities that are one thing to whoever asks: overloads, a type and what adds to it, a type that is written in several places.

use cds_index::{EntityView, Registry, Snapshot};
use cds_model::EntityType;
use rustc_hash::FxHashMap;

/// Finds out which entities belong together.
pub(super) struct Twins<'a> {
    registry: &'a Registry,
    snapshot: &'a Snapshot,
}

impl<'a> Twins<'a> {
    pub(super) fn new(registry: &'a Registry, snapshot: &'a Snapshot) -> Twins<'a> {
        Twins { registry, snapshot }
    }

    /// Groups entities of one name in their order. In a group, what is declared stands before what adds to it.
    pub(super) fn group(&self, entities: Vec<EntityView<'a>>) -> Vec<Vec<EntityView<'a>>> {
        let in_files = joined(entities.into_iter().map(|e| (e.shared_key(), vec![e])));
        joined(in_files.into_iter().filter_map(|group| Some((self.key(*group.first()?), group))))
    }

    /// What entities that belong together have in common.
    fn key(&self, entity: EntityView<'a>) -> String {
        let owner = self.snapshot.entity(self.snapshot.extended(entity.id)).unwrap_or(entity);
        // Methods belong to a type as well, but are not parts of its declaration.
        let continues =
            entity.entity_type() == EntityType::Class && (is_block(entity) || owner.name() == entity.name());
        let entity = if continues { owner } else { entity };
        let language = entity.document().map_or("", |d| d.language());
        let rules = self.registry.by_name(language).map(|l| &l.spec.link);
        let is_open = rules.is_some_and(|rules| rules.open.iter().any(|kind| kind == entity.kind().name()));
        // A block without an owner adds to a type from outside the tree, which other blocks may add to as well.
        if is_open || is_block(entity) {
            format!("{language} {}", entity.scope_path().join(".").replace("::", "."))
        } else {
            entity.shared_key()
        }
    }
}

/// Joins groups with equal keys, in the order in which keys come first.
fn joined<'a>(groups: impl Iterator<Item = (String, Vec<EntityView<'a>>)>) -> Vec<Vec<EntityView<'a>>> {
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut joined: Vec<Vec<EntityView>> = Vec::new();
    for (key, group) in groups {
        let place = *places.entry(key).or_insert(joined.len());
        match joined.get_mut(place) {
            Some(known) => known.extend(group),
            None => joined.push(group),
        }
    }
    for group in &mut joined {
        group.sort_by_key(|e| (is_block(*e), e.id));
    }
    joined
}

/// Whether an entity adds to a type that is declared elsewhere.
fn is_block(entity: EntityView) -> bool {
    matches!(entity.kind().name(), "extension" | "impl" | "instance")
}
