//! Name to the chunks that declare and use it: finite-state maps over names as they are spelled, one a part, and lists that are written as
//! differences, seven bits a byte. A chunk stands in a list twice where it does both: as the even number and as the odd one.

use cds_graph::Rows;
use compact_str::CompactString;
use fst::{MapBuilder, Streamer};
use rustc_hash::FxHashMap;
use zerocopy::IntoBytes;

use super::map::Mapped;
use super::names::{Kept, NameMap, number_in};

/// What a chunk does with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameRole {
    /// It declares it.
    Defines,
    /// It uses it.
    Uses,
}

impl NameRole {
    fn entry(self, chunk: u32) -> u32 {
        debug_assert!(chunk < u32::MAX / 2, "a chunk takes more room than two numbers");
        chunk * 2 + u32::from(self == NameRole::Uses)
    }
}

/// Collects names while a generation is written. Chunks come in order.
#[derive(Default)]
pub(crate) struct UsesWriter {
    known: FxHashMap<CompactString, u32>,
    lists: Vec<List>,
}

#[derive(Default)]
struct List {
    bytes: Vec<u8>,
    /// One past the last entry, so that 0 means that there is none.
    next: u32,
}

impl UsesWriter {
    /// A name may be given more than once for one chunk. Of a chunk come names that it declares first.
    pub(crate) fn add(&mut self, name: &str, role: NameRole, chunk: u32) {
        let entry = role.entry(chunk);
        let at = match self.known.get(name) {
            Some(&at) => at,
            None => {
                let at = self.lists.len() as u32;
                self.known.insert(name.into(), at);
                self.lists.push(List::default());
                at
            }
        };
        let list = &mut self.lists[at as usize];
        if list.next <= entry {
            list.push(entry);
        }
    }

    /// The map of names that no part has that stays, and the lists of all: where each begins, in words of four bytes, then those.
    pub(crate) fn finish(self, kept: Option<Kept<Uses>>) -> (Vec<u8>, Vec<u8>) {
        let UsesWriter { known, lists } = self;
        let mut names: Vec<(CompactString, u32)> = known.into_iter().filter(|(n, _)| !n.is_empty()).collect();
        names.sort_unstable();
        let mut map = MapBuilder::memory();
        let mut new = Vec::new();
        let mut more: FxHashMap<u32, u32> = FxHashMap::default();
        for (name, at) in names {
            match kept.as_ref().and_then(|kept| number_in(kept.maps, name.as_bytes())) {
                Some(number) => drop(more.insert(number, at)),
                None => {
                    map.insert(name, new.len() as u64).expect("names come sorted, once each, into memory");
                    new.push(at);
                }
            }
        }
        let count = kept.as_ref().map_or(0, |kept| kept.maps.iter().map(fst::Map::len).sum::<usize>());
        let mut starts: Vec<u32> = Vec::with_capacity(count + new.len() + 1);
        let mut bytes = Vec::new();
        let mut entries: Vec<u32> = Vec::new();
        if let Some(kept) = kept {
            let old = kept.lists.lists();
            bytes.reserve(old.bytes.len() + old.bytes.len() / 64);
            for number in 0..count as u32 {
                starts.push(bytes.len() as u32);
                let more = more.get(&number);
                entries.clear();
                let moved = |entry: u32| Some(kept.moved.get(entry / 2)? * 2 + entry % 2);
                entries.extend(unpacked(old.get(number)).filter_map(moved));
                if let Some(at) = more {
                    entries.extend(unpacked(&lists[*at as usize].bytes));
                    entries.sort_unstable();
                }
                let mut next = 0;
                for entry in &entries {
                    push(&mut bytes, entry - next);
                    next = entry + 1;
                }
            }
        }
        for at in new {
            starts.push(bytes.len() as u32);
            bytes.extend(&lists[at as usize].bytes);
        }
        starts.push(bytes.len() as u32);
        let mut all = starts.as_bytes().to_vec();
        all.extend(bytes);
        (map.into_inner().expect("memory cannot fail"), all)
    }
}

impl List {
    fn push(&mut self, entry: u32) {
        push(&mut self.bytes, entry - self.next);
        self.next = entry + 1;
    }
}

/// The mapped lists.
pub(crate) struct Uses {
    /// One a part.
    pub(crate) maps: Vec<NameMap>,
    pub(crate) lists: Mapped,
}

/// Where the list of each name begins, and one more; then all lists.
struct Lists<'a> {
    starts: Rows<'a, u8>,
    bytes: Rows<'a, u8>,
}

impl<'a> Lists<'a> {
    fn get(&self, number: u32) -> &'a [u8] {
        let first = number as usize * 4;
        match self.starts.slice(first..first + 8).as_chunks().0 {
            &[from, to] => self.bytes.slice(u32::from_le_bytes(from) as usize..u32::from_le_bytes(to) as usize),
            _ => &[],
        }
    }
}

impl Uses {
    /// Chunks that do this with `name`, in order.
    pub(crate) fn chunks(&self, name: &str, role: NameRole) -> impl Iterator<Item = u32> {
        let entries = number_in(&self.maps, name.as_bytes()).into_iter().flat_map(|number| self.list(number));
        entries.filter(move |entry| entry % 2 == role.entry(0)).map(|entry| entry / 2)
    }

    /// Every name with its entries, by name.
    pub(crate) fn each(&self, mut take: impl FnMut(&str, &[u32])) {
        let mut all: Vec<(String, Vec<u32>)> = Vec::new();
        let mut first = 0;
        for map in &self.maps {
            let mut stream = map.stream();
            while let Some((name, at)) = stream.next() {
                let entries: Vec<u32> = self.list(first + at as u32).collect();
                all.push((String::from_utf8_lossy(name).into_owned(), entries));
            }
            first += map.len() as u32;
        }
        all.sort();
        all.iter().filter(|(_, entries)| !entries.is_empty()).for_each(|(name, entries)| take(name, entries));
    }

    fn lists(&self) -> Lists<'_> {
        let count: usize = self.maps.iter().map(fst::Map::len).sum();
        let (starts, bytes) = self.lists.rows().split_at((count + 1) * 4);
        Lists { starts, bytes }
    }

    fn list(&self, number: u32) -> impl Iterator<Item = u32> {
        unpacked(self.lists().get(number))
    }
}

fn unpacked(mut rest: &[u8]) -> impl Iterator<Item = u32> {
    let mut next = 0u32;
    std::iter::from_fn(move || {
        let entry = next.checked_add(pull(&mut rest)?)?;
        next = entry.checked_add(1)?;
        Some(entry)
    })
}

fn push(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn pull(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in (0..32).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Mapped, NameRole, Uses, UsesWriter};
    use crate::store::checksums::Summed;
    use crate::store::map::WholeMap;

    fn mapped(path: &std::path::Path, bytes: &[u8]) -> Mapped {
        std::fs::write(path, bytes).unwrap();
        Mapped::open(path, Summed::of(bytes), &Arc::default()).unwrap()
    }

    const ROLES: [NameRole; 2] = [NameRole::Defines, NameRole::Uses];

    fn written(uses: &[(&str, NameRole, u32)]) -> (tempfile::TempDir, Uses) {
        let mut writer = UsesWriter::default();
        for (name, role, chunk) in uses {
            writer.add(name, *role, *chunk);
        }
        let (map, lists) = writer.finish(None);
        let folder = tempfile::tempdir().unwrap();
        let map = WholeMap::new(mapped(&folder.path().join("map"), &map)).unwrap();
        let (map, lists) = (fst::Map::new(map).unwrap(), mapped(&folder.path().join("lists"), &lists));
        (folder, Uses { maps: vec![map], lists })
    }

    #[test]
    fn a_name_gives_its_chunks_once_and_in_order() {
        let [defines, uses] = ROLES;
        let last = u32::MAX / 2 - 1;
        let (_folder, written) = written(&[
            ("b", defines, 0),
            ("a", uses, 0),
            ("a", uses, 0),
            ("a", defines, 1),
            ("a", uses, 1),
            ("a", uses, 300),
            ("a", uses, last),
            ("", uses, 4),
        ]);
        let check = |name: &str, expect: [&[u32]; 2]| {
            assert_eq!(ROLES.map(|role| written.chunks(name, role).collect::<Vec<_>>()), expect, "{name}");
        };
        check("a", [&[1], &[0, 1, 300, last]]);
        check("b", [&[0], &[]]);
        check("A", [&[], &[]]);
        check("", [&[], &[]]);
    }

    #[test]
    fn damaged_lists_end_early() {
        let (folder, mut uses) = written(&[("a", NameRole::Defines, 7), ("b", NameRole::Uses, 500)]);
        uses.lists = mapped(&folder.path().join("short"), &[9, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
        for (name, role) in ["a", "b"].into_iter().flat_map(|name| ROLES.map(|role| (name, role))) {
            assert_eq!(uses.chunks(name, role).count(), 0, "{name}");
        }
    }
}
