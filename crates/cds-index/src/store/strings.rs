//! The strings of an index. Those of the first part are written once; an update writes what was added since, which is little, and numbers
//! stay what they were.

use std::path::Path;

use cds_graph::{StoredStrings, Symbols, text_at};

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

/// Strings and their slots, each with its name in the manifest.
struct StringMaps {
    bytes: (String, Mapped),
    slots: (String, Mapped),
}

impl StringMaps {
    fn open(home: &Path, manifest: &Manifest, bytes: String, slots: String) -> Result<StringMaps> {
        let map = |name: String| manifest.map(home, &name).map(|map| (name, map));
        let maps = StringMaps { bytes: map(bytes)?, slots: map(slots)? };
        maps.slots.1.check_rows::<u32>()?;
        Ok(maps)
    }

    fn stored(&self) -> StoredStrings<'_> {
        StoredStrings { bytes: self.bytes.1.bytes(), slots: self.slots.1.rows() }
    }
}

impl Strings {
    pub(crate) fn open(home: &Path, manifest: &Manifest) -> Result<Strings> {
        let of_part = |name: &str| format!("{}/{name}", manifest.parts.first().map_or("", |part| part.name.as_str()));
        let of_generation = |name: &str| format!("{}/{name}", manifest.generation);
        let since = (of_generation(path::STRINGS), of_generation(path::SLOTS));
        let is_since = manifest.files.contains_key(&since.0);
        Ok(Strings {
            first: StringMaps::open(home, manifest, of_part(part_path::STRINGS), of_part(part_path::SLOTS))?,
            since: is_since.then(|| StringMaps::open(home, manifest, since.0, since.1)).transpose()?,
        })
    }

    /// The string at a position; empty when the position is damaged.
    pub(crate) fn get(&self, at: u32) -> &str {
        let first = self.first.bytes.1.bytes();
        match ((at as usize).checked_sub(first.len()), &self.since) {
            (Some(at), Some(since)) => text_at(since.bytes.1.bytes(), at as u32),
            _ => text_at(first, at),
        }
    }

    /// Bytes of all.
    pub(crate) fn len(&self) -> u32 {
        let since = self.since.as_ref().map_or(0, |since| since.bytes.1.bytes().len());
        (self.first.bytes.1.bytes().len() + since) as u32
    }

    /// To go on with.
    pub(crate) fn writer(&self) -> Symbols<'_> {
        let since = self.since.as_ref().map(StringMaps::stored);
        Symbols::after(self.first.stored(), since.unwrap_or_default())
    }

    /// Its files, by their names in the manifest.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&str, &Mapped)> {
        let maps = std::iter::once(&self.first).chain(&self.since);
        maps.flat_map(|maps| [&maps.bytes, &maps.slots]).map(|(name, map)| (name.as_str(), map))
    }
}
