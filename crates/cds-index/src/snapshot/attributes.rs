//! Attributes of entities that filters compare for many entities at once, without the facts of their files.

use cds_model::EntityId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Snapshot;
use super::views::EntityView;
use crate::store::rows::attribute;

impl Snapshot {
    /// The entities that name one of these as a base, interface, protocol, trait or mixin.
    pub fn conforming(&self, names: &[String]) -> FxHashSet<EntityId> {
        let rows = self.attribute_rows().all().iter().filter(|row| row.attribute == attribute::CONFORMANCE);
        // Most conformances are repeated, and equal ones are one string.
        let mut compared: FxHashMap<u32, bool> = FxHashMap::default();
        let mut is_named = |text: u32| {
            *compared.entry(text).or_insert_with(|| {
                let conformance = self.string(text);
                names.iter().any(|name| name == conformance)
            })
        };
        rows.filter(|row| is_named(row.text)).map(|row| EntityId(row.entity)).collect()
    }
}

impl<'a> EntityView<'a> {
    /// The signature of an entity that has members: `impl Display for Foo`, `class A(B)`.
    pub fn signature(self) -> Option<&'a str> {
        let rows = self.snapshot.attribute_rows();
        let first = rows.partition_point(|row| row.entity < self.id.0);
        let row = rows.get(first)?;
        let is_own = row.entity == self.id.0 && row.attribute == attribute::SIGNATURE;
        is_own.then(|| self.snapshot.string(row.text))
    }

    /// The bases, interfaces, protocols, traits and mixins that it names, in order.
    pub fn conformances(self) -> impl Iterator<Item = &'a str> {
        let rows = self.snapshot.attribute_rows();
        let from = rows.partition_point(|row| row.entity < self.id.0);
        let end = rows.partition_point(|row| row.entity <= self.id.0);
        let own = rows.slice(from..end).iter().filter(|row| row.attribute == attribute::CONFORMANCE);
        own.map(move |row| self.snapshot.string(row.text))
    }
}
