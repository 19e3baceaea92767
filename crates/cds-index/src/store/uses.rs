//! Name to the chunks that declare and use it: finite-state maps over names as they are spelled, one a part, and a list a name. An entry of a
//! list is how many chunks lie between it and the one before, and what the chunk does with the name; seven bits a byte.

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
    Defines = 1,
    /// It uses it.
    Uses = 2,
}

/// Bits of an entry that say what a chunk does.
const ROLE_BITS: u32 = 2;

/// Lists behind each place where one is known to begin. Most are short: a place for each would take more room than they do.
const BLOCK: u32 = 16;

/// Collects names while a generation is written. Chunks come in order.
#[derive(Default)]
pub(crate) struct UsesWriter {
    known: FxHashMap<CompactString, u32>,
    lists: Vec<List>,
}

/// The entries of a name, packed.
#[derive(Default)]
struct List {
    bytes: Vec<u8>,
    /// Where the last entry begins.
    last: usize,
    /// One past its chunk, so that 0 means that there is none.
    next: u32,
}

impl List {
    /// Adds what a chunk does, which may be told bit by bit. Chunks come in order.
    fn push(&mut self, chunk: u32, roles: u8) {
        if self.next == chunk + 1 {
            // The first byte of an entry has its lowest bits.
            self.bytes[self.last] |= roles;
            return;
        }
        self.last = self.bytes.len();
        push(&mut self.bytes, u64::from(chunk - self.next) << ROLE_BITS | u64::from(roles));
        self.next = chunk + 1;
    }
}

/// Lists as they are stored.
#[derive(Default)]
struct ListsWriter {
    starts: Vec<u32>,
    count: u32,
    bytes: Vec<u8>,
}

impl ListsWriter {
    fn push(&mut self, list: &[u8]) {
        if self.count.is_multiple_of(BLOCK) {
            self.starts.push(self.bytes.len() as u32);
        }
        self.count += 1;
        push(&mut self.bytes, list.len() as u64);
        self.bytes.extend(list);
    }

    fn finish(mut self) -> Vec<u8> {
        self.starts.push(self.bytes.len() as u32);
        let mut all = self.starts.as_bytes().to_vec();
        all.extend(self.bytes);
        all
    }
}

impl UsesWriter {
    /// A name may be given more than once for one chunk.
    pub(crate) fn add(&mut self, name: &str, role: NameRole, chunk: u32) {
        let at = match self.known.get(name) {
            Some(&at) => at,
            None => {
                let at = self.lists.len() as u32;
                self.known.insert(name.into(), at);
                self.lists.push(List::default());
                at
            }
        };
        self.lists[at as usize].push(chunk, role as u8);
    }

    /// The map of names that no part has that stays, and the lists of all.
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
        let mut writer = ListsWriter::default();
        let mut entries: Vec<(u32, u8)> = Vec::new();
        if let Some(kept) = kept {
            let count = kept.maps.iter().map(fst::Map::len).sum::<usize>();
            let old = kept.lists.lists();
            writer.bytes.reserve(old.bytes.len() + old.bytes.len() / 64);
            for number in 0..count as u32 {
                entries.clear();
                let moved = |(chunk, roles)| Some((kept.moved.get(chunk)?, roles));
                entries.extend(unpacked(old.get(number)).filter_map(moved));
                if let Some(at) = more.get(&number) {
                    entries.extend(unpacked(&lists[*at as usize].bytes));
                    entries.sort_unstable();
                }
                let mut list = List::default();
                for (chunk, roles) in &entries {
                    list.push(*chunk, *roles);
                }
                writer.push(&list.bytes);
            }
        }
        for at in new {
            writer.push(&lists[at as usize].bytes);
        }
        (map.into_inner().expect("memory cannot fail"), writer.finish())
    }
}

/// The mapped lists.
pub(crate) struct Uses {
    /// One a part.
    pub(crate) maps: Vec<NameMap>,
    pub(crate) lists: Mapped,
}

/// Where every [`BLOCK`]th list begins, and where the last ends; then all lists, the length before each.
struct Lists<'a> {
    starts: Rows<'a, u8>,
    bytes: Rows<'a, u8>,
}

impl<'a> Lists<'a> {
    fn get(&self, number: u32) -> &'a [u8] {
        let first = (number / BLOCK) as usize * 4;
        let &[from, to] = self.starts.slice(first..first + 8).as_chunks().0 else { return &[] };
        let mut block = self.bytes.slice(u32::from_le_bytes(from) as usize..u32::from_le_bytes(to) as usize);
        let mut next = || -> Option<&'a [u8]> {
            let len = usize::try_from(pull(&mut block)?).ok()?;
            let (list, rest) = block.split_at_checked(len)?;
            block = rest;
            Some(list)
        };
        let skipped = (0..number % BLOCK).all(|_| next().is_some());
        next().filter(|_| skipped).unwrap_or_default()
    }
}

impl Uses {
    /// Chunks that do this with `name`, in order.
    pub(crate) fn chunks(&self, name: &str, role: NameRole) -> impl Iterator<Item = u32> {
        let entries = number_in(&self.maps, name.as_bytes()).into_iter().flat_map(|number| self.list(number));
        entries.filter(move |(_, roles)| roles & role as u8 != 0).map(|(chunk, _)| chunk)
    }

    /// Every name with its chunks and what they do, by name.
    pub(crate) fn each(&self, mut take: impl FnMut(&str, &[(u32, u8)])) {
        let mut all: Vec<(String, Vec<(u32, u8)>)> = Vec::new();
        let mut first = 0;
        for map in &self.maps {
            let mut stream = map.stream();
            while let Some((name, at)) = stream.next() {
                let entries = self.list(first + at as u32).collect();
                all.push((String::from_utf8_lossy(name).into_owned(), entries));
            }
            first += map.len() as u32;
        }
        all.sort();
        all.iter().filter(|(_, entries)| !entries.is_empty()).for_each(|(name, entries)| take(name, entries));
    }

    fn lists(&self) -> Lists<'_> {
        let count: usize = self.maps.iter().map(fst::Map::len).sum();
        let (starts, bytes) = self.lists.rows().split_at((count.div_ceil(BLOCK as usize) + 1) * 4);
        Lists { starts, bytes }
    }

    fn list(&self, number: u32) -> impl Iterator<Item = (u32, u8)> {
        unpacked(self.lists().get(number))
    }
}

/// Chunks and what they do.
fn unpacked(mut rest: &[u8]) -> impl Iterator<Item = (u32, u8)> {
    let mut next = 0u32;
    std::iter::from_fn(move || {
        let entry = pull(&mut rest)?;
        let chunk = next.checked_add(u32::try_from(entry >> ROLE_BITS).ok()?)?;
        next = chunk.checked_add(1)?;
        Some((chunk, entry as u8 & ((1 << ROLE_BITS) - 1)))
    })
}

fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn pull(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
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
        let last = u32::MAX - 1;
        let (_folder, written) = written(&[
            ("b", defines, 0),
            ("a", uses, 0),
            ("a", uses, 0),
            ("a", uses, 1),
            ("a", defines, 1),
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
    fn every_name_of_many_has_its_own_list() {
        let names: Vec<String> = (0..100).map(|i| format!("name{i:03}")).collect();
        let all: Vec<(&str, NameRole, u32)> =
            (0..).zip(&names).map(|(i, n)| (n.as_str(), NameRole::Uses, i * 300)).collect();
        let (_folder, written) = written(&all);
        for (name, role, chunk) in all {
            assert_eq!(written.chunks(name, role).collect::<Vec<_>>(), [chunk], "{name}");
        }
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
