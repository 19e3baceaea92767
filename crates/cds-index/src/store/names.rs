//! Name to entities. One finite-state map over lower-case names serves every way of asking: exact (the stored
//! spelling is compared), prefix (a range of the map), any case, and a few edits away (an automaton walks the map).

use std::collections::BTreeMap;

use cds_model::EntityId;
use fst::automaton::{Levenshtein, Str};
use fst::{Automaton, IntoStreamer, Streamer};

/// How a name was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameMatch {
    /// Spelled exactly so.
    Exact,
    /// Spelled so but for case.
    AnyCase,
    /// Begins so, case counts.
    Prefix,
    /// Begins so but for case.
    PrefixAnyCase,
    /// At most this many letters differ.
    Fuzzy(u32),
}

/// Collects names while a generation is written.
#[derive(Default)]
pub(crate) struct NamesWriter {
    names: BTreeMap<String, Vec<u32>>,
}

impl NamesWriter {
    pub(crate) fn add(&mut self, name: &str, entity: u32) {
        if !name.is_empty() {
            self.names.entry(name.to_lowercase()).or_default().push(entity);
        }
    }

    /// The map, and the lists it points into: a count, then that many ids. What another index has is added: `moved` tells what an
    /// entity of it is here, if it is still there.
    pub(crate) fn finish(self, kept: Option<(&Names, &dyn Fn(u32) -> Option<u32>)>) -> (Vec<u8>, Vec<u32>) {
        let mut lists = Vec::new();
        let mut map = fst::MapBuilder::memory();
        let mut push = |name: &[u8], ids: &[u32]| {
            if !ids.is_empty() {
                map.insert(name, lists.len() as u64).expect("names come sorted, once each, into memory");
                lists.push(ids.len() as u32);
                lists.extend(ids);
            }
        };
        let mut new = self.names.into_iter().peekable();
        let mut ids = Vec::new();
        if let Some((kept, moved)) = kept {
            let mut stream = kept.map.stream();
            while let Some((name, at)) = stream.next() {
                while let Some((name, ids)) = new.next_if(|(own, _)| own.as_bytes() < name) {
                    push(name.as_bytes(), &ids);
                }
                ids.clear();
                ids.extend(kept.list(at).iter().filter_map(|id| moved(*id)));
                if let Some((_, own)) = new.next_if(|(own, _)| own.as_bytes() == name) {
                    ids.extend(own);
                    ids.sort_unstable();
                }
                push(name, &ids);
            }
        }
        for (name, ids) in new {
            push(name.as_bytes(), &ids);
        }
        (map.into_inner().expect("memory cannot fail"), lists)
    }
}

/// The mapped index.
pub(crate) struct Names {
    pub(crate) map: fst::Map<super::map::MappedBytes>,
    pub(crate) lists: super::map::Mapped,
}

impl Names {
    fn list(&self, at: u64) -> &[u32] {
        let words: &[u32] = self.lists.rows();
        let read = || {
            let (count, ids) = words.get(usize::try_from(at).ok()?..)?.split_first()?;
            ids.get(..*count as usize)
        };
        read().unwrap_or_default()
    }

    /// Every name with its entities, in order.
    pub(crate) fn each(&self, mut take: impl FnMut(&str, &[u32])) {
        let mut stream = self.map.stream();
        while let Some((name, at)) = stream.next() {
            take(&String::from_utf8_lossy(name), self.list(at));
        }
    }

    /// Entities whose name answers `name`, in order of the map, then of position. `spelled` gives an entity's name.
    pub(crate) fn find<'a>(
        &self,
        name: &str,
        how: NameMatch,
        most: usize,
        spelled: impl Fn(EntityId) -> &'a str,
    ) -> Vec<EntityId> {
        let lower = name.to_lowercase();
        let mut found = Vec::new();
        let mut take = |ids: &[u32], keep: &dyn Fn(&str) -> bool| {
            let kept = ids.iter().map(|&i| EntityId(i)).filter(|&id| keep(spelled(id)));
            found.extend(kept.take(most - found.len()));
            found.len() < most
        };
        match how {
            NameMatch::Exact | NameMatch::AnyCase => {
                if let Some(at) = self.map.get(&lower) {
                    take(self.list(at), &|n| how == NameMatch::AnyCase || n == name);
                }
            }
            NameMatch::Prefix | NameMatch::PrefixAnyCase => {
                let any_case = how == NameMatch::PrefixAnyCase;
                let mut stream = self.map.search(Str::new(&lower).starts_with()).into_stream();
                while let Some((_, at)) = stream.next() {
                    if !take(self.list(at), &|n| any_case || n.starts_with(name)) {
                        break;
                    }
                }
            }
            NameMatch::Fuzzy(edits) => {
                // Too long a name makes too large an automaton: then nothing is near.
                let Ok(automaton) = Levenshtein::new(&lower, edits) else { return found };
                let mut stream = self.map.search(automaton).into_stream();
                let mut near: Vec<(usize, u64)> = Vec::new();
                while let Some((key, at)) = stream.next() {
                    let shared = key.iter().zip(lower.as_bytes()).take_while(|(a, b)| a == b).count();
                    near.push((shared, at));
                }
                // Those that begin alike first: people misspell the ends of words.
                near.sort_by_key(|(shared, at)| (std::cmp::Reverse(*shared), *at));
                for (_, at) in near {
                    if !take(self.list(at), &|_| true) {
                        break;
                    }
                }
            }
        }
        found
    }
}
