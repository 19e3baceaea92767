//! The strings of an index. Those of the first part are written once; an update writes what was added since, which is little, and numbers
//! stay what they were.

use cds_graph::{StoredStrings, Symbols};

use super::catalog::Catalog;
use super::manifest::Manifest;
use super::map::Mapped;
use super::{part_path, path};
use crate::Result;

pub(crate) struct Strings {
    /// Those of the first part.
    first: StringMaps,
    /// Those added since; none where all was written at once.
    since: Option<StringMaps>,
}

/// Strings and their slots.
struct StringMaps {
    bytes: Mapped,
    slots: Mapped,
}

impl StringMaps {
    fn open(catalog: &Catalog, bytes: &str, slots: &str) -> Result<StringMaps> {
        let maps = StringMaps { bytes: catalog.map(bytes)?, slots: catalog.map(slots)? };
        maps.slots.check_rows::<u32>()?;
        Ok(maps)
    }

    fn stored(&self) -> StoredStrings<'_> {
        StoredStrings { bytes: self.bytes.all(), slots: self.slots.rows().all() }
    }

    /// As [`cds_graph::text_at`], of verified bytes.
    fn text(&self, at: usize) -> Option<&str> {
        let len = self.bytes.get(at..at + 2)?;
        let len = usize::from(u16::from_le_bytes([len[0], len[1]]));
        std::str::from_utf8(self.bytes.get(at + 2..at + 2 + len)?).ok()
    }
}

impl Strings {
    pub(crate) fn open(catalog: &Catalog, manifest: &Manifest) -> Result<Strings> {
        let of_part = |name: &str| format!("{}/{name}", manifest.parts.first().map_or("", |part| part.name.as_str()));
        let of_generation = |name: &str| format!("{}/{name}", manifest.generation);
        let since = (of_generation(path::STRINGS), of_generation(path::SLOTS));
        let is_since = catalog.contains(&since.0);
        Ok(Strings {
            first: StringMaps::open(catalog, &of_part(part_path::STRINGS), &of_part(part_path::SLOTS))?,
            since: is_since.then(|| StringMaps::open(catalog, &since.0, &since.1)).transpose()?,
        })
    }

    /// The string at a position; empty when the position is damaged.
    pub(crate) fn get(&self, at: u32) -> &str {
        let (at, first) = (at as usize, self.first.bytes.len());
        let text = match (at.checked_sub(first), &self.since) {
            (Some(at), Some(since)) => since.text(at),
            _ => self.first.text(at),
        };
        text.unwrap_or_default()
    }

    /// Bytes of all.
    pub(crate) fn len(&self) -> u32 {
        (self.first.bytes.len() + self.since.as_ref().map_or(0, |since| since.bytes.len())) as u32
    }

    /// To go on with.
    pub(crate) fn writer(&self) -> Symbols<'_> {
        let since = self.since.as_ref().map(StringMaps::stored);
        Symbols::after(self.first.stored(), since.unwrap_or_default())
    }

    /// Its files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Mapped> {
        std::iter::once(&self.first).chain(&self.since).flat_map(|maps| [&maps.bytes, &maps.slots])
    }
}
