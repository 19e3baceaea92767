//! Name to the chunks that use it: a finite-state map over names as they are spelled, pointing into lists of chunks
//! that are written as differences, seven bits a byte.

use compact_str::CompactString;
use fst::{MapBuilder, Streamer};
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
            list.push(chunk);
        }
    }

    /// The map, and the lists it points into: how many bytes, then those. What another index has is added: `moved` tells what a
    /// chunk of it is here, if it is still there.
    pub(crate) fn finish(self, kept: Option<(&Uses, &dyn Fn(u32) -> Option<u32>)>) -> (Vec<u8>, Vec<u8>) {
        let UsesWriter { known, lists } = self;
        let mut names: Vec<(CompactString, u32)> = known.into_iter().filter(|(n, _)| !n.is_empty()).collect();
        names.sort_unstable();
        let mut map = MapBuilder::memory();
        let mut bytes = Vec::new();
        let mut add = |name: &[u8], list: &[u8]| {
            if !list.is_empty() {
                map.insert(name, bytes.len() as u64).expect("names come sorted, once each, into memory");
                push(&mut bytes, list.len() as u32);
                bytes.extend(list);
            }
        };
        let mut new = names.into_iter().map(|(name, at)| (name, &lists[at as usize].bytes)).peekable();
        let mut chunks: Vec<u32> = Vec::new();
        if let Some((kept, moved)) = kept {
            let mut stream = kept.map.stream();
            while let Some((name, at)) = stream.next() {
                while let Some((name, list)) = new.next_if(|(own, _)| own.as_bytes() < name) {
                    add(name.as_bytes(), list);
                }
                chunks.clear();
                chunks.extend(kept.list(at).filter_map(moved));
                if let Some((_, own)) = new.next_if(|(own, _)| own.as_bytes() == name) {
                    chunks.extend(unpacked(own));
                    chunks.sort_unstable();
                }
                let mut list = List::default();
                chunks.iter().for_each(|chunk| list.push(*chunk));
                add(name, &list.bytes);
            }
        }
        for (name, list) in new {
            add(name.as_bytes(), list);
        }
        (map.into_inner().expect("memory cannot fail"), bytes)
    }
}

impl List {
    fn push(&mut self, chunk: u32) {
        push(&mut self.bytes, chunk - self.next);
        self.next = chunk + 1;
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
        self.map.get(name).into_iter().flat_map(|at| self.list(at))
    }

    /// Every name with its chunks, in order.
    pub(crate) fn each(&self, mut take: impl FnMut(&str, &[u32])) {
        let mut stream = self.map.stream();
        while let Some((name, at)) = stream.next() {
            take(&String::from_utf8_lossy(name), &self.list(at).collect::<Vec<_>>());
        }
    }

    fn list(&self, at: u64) -> impl Iterator<Item = u32> {
        let mut rest = self.lists.bytes().get(at as usize..).unwrap_or_default();
        let length = pull(&mut rest).unwrap_or(0) as usize;
        unpacked(rest.get(..length).unwrap_or_default())
    }
}

fn unpacked(mut rest: &[u8]) -> impl Iterator<Item = u32> {
    let mut next = 0u32;
    std::iter::from_fn(move || {
        let chunk = next.checked_add(pull(&mut rest)?)?;
        next = chunk.checked_add(1)?;
        Some(chunk)
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
    use super::{Mapped, MappedBytes, Uses, UsesWriter};

    fn written(uses: &[(&str, u32)]) -> (tempfile::TempDir, Uses) {
        let mut writer = UsesWriter::default();
        for (name, chunk) in uses {
            writer.add(name, *chunk);
        }
        let (map, lists) = writer.finish(None);
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
