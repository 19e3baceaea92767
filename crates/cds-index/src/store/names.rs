//! Name to entities. A finite-state map a part over lower-case names serves every way of asking: exact (the stored
//! spelling is compared), prefix (a range of the map), any case, and a few edits away (an automaton walks the map).

use std::ops::Range;

use cds_graph::Rows;
use cds_model::EntityId;
use compact_str::CompactString;
use fst::automaton::{AlwaysMatch, Levenshtein};
use fst::{Automaton, Streamer};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::map::WholeMap;
use super::moves::Moves;

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

/// Names of one part to their numbers: each name stands in the oldest part that has it.
pub(crate) type NameMap = fst::Map<WholeMap>;

/// Finds a name among the parts that stay: its number, counted through all of them.
pub(crate) fn number_in(maps: &[NameMap], name: &[u8]) -> Option<u32> {
    let mut first = 0;
    for map in maps {
        if let Some(at) = map.get(name) {
            return Some(first + at as u32);
        }
        first += map.len() as u32;
    }
    None
}

/// Collects names while a generation is written: their strings by number, which take less memory than names.
#[derive(Default)]
pub(crate) struct NamesWriter {
    /// A string and an entity of that name.
    named: Vec<(u32, u32)>,
}

/// What is kept of an index: the names of the parts that stay, their lists, and what an entity or chunk of it is now, if it is still there.
pub(crate) struct Kept<'a, L> {
    pub(crate) maps: &'a [NameMap],
    pub(crate) lists: &'a L,
    pub(crate) moved: Moves,
}

impl NamesWriter {
    pub(crate) fn add(&mut self, name: u32, entity: u32) {
        self.named.push((name, entity));
    }

    /// The map of names that no part has that stays, and the lists of all: where each begins, then entities. `text` tells strings.
    pub(crate) fn finish<'s>(self, text: impl Fn(u32) -> &'s str, kept: Option<Kept<Names>>) -> (Vec<u8>, Vec<u32>) {
        let mut named = self.named;
        named.sort_unstable();
        let spelled = spelled(&named, text);
        let mut map = fst::MapBuilder::memory();
        // Names that are new: where the list of each ends, and all lists.
        let (mut ends, mut new): (Vec<usize>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut more: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut ids = Vec::new();
        for spellings in spelled.chunk_by(|a, b| a.0 == b.0) {
            let name = &spellings[0].0;
            ids.clear();
            ids.extend(spellings.iter().flat_map(|(_, own)| &named[own.clone()]).map(|(_, entity)| *entity));
            ids.sort_unstable();
            match kept.as_ref().and_then(|kept| number_in(kept.maps, name.as_bytes())) {
                Some(number) => drop(more.insert(number, ids.clone())),
                None => {
                    map.insert(name, ends.len() as u64).expect("names come sorted, once each, into memory");
                    new.extend(&ids);
                    ends.push(new.len());
                }
            }
        }
        drop(spelled);
        let count = kept.as_ref().map_or(0, |kept| kept.maps.iter().map(fst::Map::len).sum::<usize>());
        let known = kept.as_ref().map_or(0, |kept| kept.lists.lists.rows::<u32>().len());
        let mut words = Vec::with_capacity(known + named.len() + ends.len() + 64);
        words.resize(count + ends.len() + 1, 0);
        let first = words.len();
        if let Some(kept) = kept {
            let lists = kept.lists.lists();
            for number in 0..count as u32 {
                let start = words.len();
                words.extend(lists.get(number).iter().filter_map(|id| kept.moved.get(*id)));
                if let Some(ids) = more.get(&number) {
                    words.extend(ids);
                    words[start..].sort_unstable();
                }
                words[number as usize + 1] = (words.len() - first) as u32;
            }
        }
        let before = words.len() - first;
        words.extend(new);
        for (end, word) in ends.into_iter().zip(&mut words[count + 1..]) {
            *word = (before + end) as u32;
        }
        (map.into_inner().expect("memory cannot fail"), words)
    }
}

/// Names in lower case, sorted, each with its entities in `named`, which is sorted by string: spellings that differ in case follow each other.
fn spelled<'s>(named: &[(u32, u32)], text: impl Fn(u32) -> &'s str) -> Vec<(CompactString, Range<usize>)> {
    let mut at = 0;
    let spelled = named.chunk_by(|a, b| a.0 == b.0).map(|own| {
        let range = at..at + own.len();
        at = range.end;
        (CompactString::from(text(own[0].0).to_lowercase()), range)
    });
    let mut spelled: Vec<(CompactString, Range<usize>)> = spelled.filter(|(name, _)| !name.is_empty()).collect();
    spelled.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.start.cmp(&b.1.start)));
    spelled
}

/// The mapped index.
pub(crate) struct Names {
    /// One a part.
    pub(crate) maps: Vec<NameMap>,
    pub(crate) lists: super::map::Mapped,
}

/// Where the list of each name begins, and one more; then entities.
struct Lists<'a> {
    starts: Rows<'a, u32>,
    ids: Rows<'a, u32>,
}

impl<'a> Lists<'a> {
    fn get(&self, number: u32) -> &'a [u32] {
        match self.starts.slice(number as usize..number as usize + 2) {
            &[from, to] => self.ids.slice(from as usize..to as usize),
            _ => &[],
        }
    }
}

impl Names {
    fn lists(&self) -> Lists<'_> {
        let count: usize = self.maps.iter().map(fst::Map::len).sum();
        let (starts, ids) = self.lists.rows().split_at(count + 1);
        Lists { starts, ids }
    }

    fn list(&self, number: u32) -> &[u32] {
        self.lists().get(number)
    }

    /// Names that an automaton accepts, in order, with their numbers, until `take` has enough.
    fn search<A: Automaton + Clone>(&self, automaton: &A, mut take: impl FnMut(&[u8], u32) -> bool) {
        let mut union = fst::map::OpBuilder::new();
        let mut firsts = Vec::with_capacity(self.maps.len());
        let mut first = 0;
        for map in &self.maps {
            union = union.add(map.search(automaton.clone()));
            firsts.push(first);
            first += map.len() as u32;
        }
        let mut stream = union.union();
        while let Some((name, values)) = stream.next() {
            for value in values {
                if !take(name, firsts[value.index] + value.value as u32) {
                    return;
                }
            }
        }
    }

    /// Every name with its entities, in order.
    pub(crate) fn each(&self, mut take: impl FnMut(&str, &[u32])) {
        self.search(&AlwaysMatch, |name, number| {
            let ids = self.list(number);
            if !ids.is_empty() {
                take(&String::from_utf8_lossy(name), ids);
            }
            true
        });
    }

    /// Entities whose name answers `name`, in order of names, then of position. `spelled` gives an entity's name.
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
                if let Some(number) = number_in(&self.maps, lower.as_bytes()) {
                    take(self.list(number), &|n| how == NameMatch::AnyCase || n == name);
                }
            }
            NameMatch::Prefix | NameMatch::PrefixAnyCase => {
                let any_case = how == NameMatch::PrefixAnyCase;
                let automaton = Prefix(lower.as_bytes());
                self.search(&automaton, |_, number| take(self.list(number), &|n| any_case || n.starts_with(name)));
            }
            NameMatch::Fuzzy(edits) => {
                // Too long a name makes too large an automaton: then nothing is near.
                let Ok(automaton) = Levenshtein::new(&lower, edits) else { return found };
                let mut near: Vec<(usize, u32)> = Vec::new();
                self.search(&Shared(&automaton), |key, number| {
                    near.push((key.iter().zip(lower.as_bytes()).take_while(|(a, b)| a == b).count(), number));
                    true
                });
                // Those that begin alike first: people misspell the ends of words. Names come in order, and stay so.
                near.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
                for (_, number) in near {
                    if !take(self.list(number), &|_| true) {
                        break;
                    }
                }
            }
        }
        found
    }
}

/// What begins with these bytes.
#[derive(Clone, Copy)]
struct Prefix<'a>(&'a [u8]);

impl Automaton for Prefix<'_> {
    /// How much of it was met; none when something else was.
    type State = Option<usize>;

    fn start(&self) -> Option<usize> {
        Some(0)
    }

    fn is_match(&self, met: &Option<usize>) -> bool {
        *met == Some(self.0.len())
    }

    fn can_match(&self, met: &Option<usize>) -> bool {
        met.is_some()
    }

    fn accept(&self, met: &Option<usize>, byte: u8) -> Option<usize> {
        let met = (*met)?;
        match self.0.get(met) {
            None => Some(met),
            Some(next) => (*next == byte).then_some(met + 1),
        }
    }
}

/// One automaton for several maps.
struct Shared<'a, A>(&'a A);

impl<A> Clone for Shared<'_, A> {
    fn clone(&self) -> Self {
        Shared(self.0)
    }
}

impl<A: Automaton> Automaton for Shared<'_, A> {
    type State = A::State;

    fn start(&self) -> A::State {
        self.0.start()
    }

    fn is_match(&self, state: &A::State) -> bool {
        self.0.is_match(state)
    }

    fn can_match(&self, state: &A::State) -> bool {
        self.0.can_match(state)
    }

    fn accept(&self, state: &A::State, byte: u8) -> A::State {
        self.0.accept(state, byte)
    }
}
