//! Name to the chunks that use it: a finite-state map over names as they are spelled, pointing into lists of chunks
//! that are written as differences, seven bits a byte.

use compact_str::CompactString;
use fst::MapBuilder;
use rustc_hash::FxHashMap;

use super::map::{Mapped, MappedBytes};

/// Collects uses while a generation is written. Chunks come in order.
#[derive(Default)]
pub(crate) struct UsesWriter {
    known: FxHashMap<CompactString, u32>,
    lists: Vec<List>,
}

#[derive(Default)]
struct List {
    bytes: Vec<u8>,
    /// One past the last chunk, so that 0 means that there is none.
    next: u32,
}

impl UsesWriter {
    /// A name may be given more than once for one chunk.
    pub(crate) fn add(&mut self, name: &str, chunk: u32) {
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
        if list.next <= chunk {
            push(&mut list.bytes, chunk - list.next);
            list.next = chunk + 1;
        }
    }

    /// The map, and the lists it points into: how many bytes, then those.
    pub(crate) fn finish(self) -> (Vec<u8>, Vec<u8>) {
        let mut names: Vec<(CompactString, u32)> = self.known.into_iter().filter(|(n, _)| !n.is_empty()).collect();
        names.sort_unstable();
        let mut map = MapBuilder::memory();
        let mut bytes = Vec::new();
        for (name, at) in names {
            map.insert(name, bytes.len() as u64).expect("names come sorted, once each, into memory");
            let list = &self.lists[at as usize].bytes;
            push(&mut bytes, list.len() as u32);
            bytes.extend(list);
        }
        (map.into_inner().expect("memory cannot fail"), bytes)
    }
}

/// The mapped lists.
pub(crate) struct Uses {
    pub(crate) map: fst::Map<MappedBytes>,
    pub(crate) lists: Mapped,
}

impl Uses {
    /// Chunks that use `name`, in order.
    pub(crate) fn chunks(&self, name: &str) -> impl Iterator<Item = u32> {
        let all = self.lists.bytes();
        let mut rest = self.map.get(name).and_then(|at| all.get(at as usize..)).unwrap_or_default();
        let length = pull(&mut rest).unwrap_or(0) as usize;
        let mut rest = rest.get(..length).unwrap_or_default();
        let mut next = 0u32;
        std::iter::from_fn(move || {
            let chunk = next.checked_add(pull(&mut rest)?)?;
            next = chunk.checked_add(1)?;
            Some(chunk)
        })
    }
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
    use super::{Mapped, MappedBytes, Uses, UsesWriter};

    fn written(uses: &[(&str, u32)]) -> (tempfile::TempDir, Uses) {
        let mut writer = UsesWriter::default();
        for (name, chunk) in uses {
            writer.add(name, *chunk);
        }
        let (map, lists) = writer.finish();
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            std::fs::write(folder.path().join(name), bytes).unwrap();
            Mapped::open(&folder.path().join(name), None).unwrap()
        };
        let map = fst::Map::new(MappedBytes(file("map", &map))).unwrap();
        let lists = file("lists", &lists);
        (folder, Uses { map, lists })
    }

    #[test]
    fn a_name_gives_its_chunks_once_and_in_order() {
        let (_folder, uses) =
            written(&[("b", 0), ("a", 0), ("a", 0), ("a", 1), ("a", 300), ("a", u32::MAX - 1), ("", 4)]);
        let check = |name: &str, expect: &[u32]| assert_eq!(uses.chunks(name).collect::<Vec<_>>(), expect, "{name}");
        check("a", &[0, 1, 300, u32::MAX - 1]);
        check("b", &[0]);
        check("A", &[]);
        check("", &[]);
    }

    #[test]
    fn damaged_lists_end_early() {
        let (folder, mut uses) = written(&[("a", 7), ("b", 500)]);
        uses.lists = {
            std::fs::write(folder.path().join("short"), [9, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]).unwrap();
            Mapped::open(&folder.path().join("short"), None).unwrap()
        };
        assert_eq!(uses.chunks("a").count(), 0);
        assert_eq!(uses.chunks("b").count(), 0);
    }
}
