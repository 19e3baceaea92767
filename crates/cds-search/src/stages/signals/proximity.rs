//! Words of the query that are close together: the most of its weight in three consecutive lines.

use std::collections::BTreeMap;

use cds_index::Snapshot;
use cds_index::tokenize::Tokenizer;
use cds_model::FileId;
use rustc_hash::FxHashMap;

use super::super::Candidate;
use crate::Result;

/// Lines that count as together.
const TOGETHER: usize = 3;

/// Candidates whose text is read: the index keeps no positions.
const READ: usize = 50;

/// Letters at the beginning of a term that stemming nearly always keeps.
const OPENING: usize = 3;

/// Adds the signal to the best candidates so far.
pub(super) fn add(snapshot: &Snapshot, weight: f32, terms: &[(String, f32)], list: &mut [Candidate]) -> Result<()> {
    list.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk)));
    let mut tokenizer = Tokenizer::default();
    let terms = Terms::new(terms);
    let count = list.len().min(READ);
    let read = &mut list[..count];
    // Each file is decompressed once, as far as it is needed.
    let mut ends: BTreeMap<FileId, usize> = BTreeMap::new();
    for candidate in &*read {
        let Some((file, view)) = snapshot.file_of(candidate.chunk).zip(snapshot.chunk(candidate.chunk)) else {
            continue;
        };
        let end = ends.entry(file).or_default();
        *end = view.range().end.max(*end);
    }
    let mut texts: FxHashMap<FileId, String> = FxHashMap::default();
    for (file, end) in ends {
        texts.insert(file, snapshot.text_to(file, end as u32)?);
    }
    for candidate in read {
        let Some((file, view)) = snapshot.file_of(candidate.chunk).zip(snapshot.chunk(candidate.chunk)) else {
            continue;
        };
        let text = texts.get(&file).and_then(|text| text.get(view.range())).unwrap_or_default();
        candidate.add("proximity", weight * terms.together(&mut tokenizer, text));
    }
    Ok(())
}

/// The terms of a query with their weights, at most as many as a mask has bits.
struct Terms<'a> {
    places: FxHashMap<&'a str, usize>,
    openings: Vec<&'a [u8]>,
    weights: Vec<f32>,
}

impl<'a> Terms<'a> {
    fn new(terms: &'a [(String, f32)]) -> Terms<'a> {
        let terms = &terms[..terms.len().min(u64::BITS as usize)];
        Terms {
            places: terms.iter().enumerate().map(|(place, (term, _))| (term.as_str(), place)).collect(),
            openings: terms.iter().map(|(term, _)| &term.as_bytes()[..term.len().min(OPENING)]).collect(),
            weights: terms.iter().map(|(_, weight)| *weight).collect(),
        }
    }

    /// Whether some word of a line begins like a term. Most lines have none, and are not split into words.
    fn may_have(&self, line: &str) -> bool {
        let bytes = line.as_bytes();
        let begins = |at: usize| {
            let (byte, before) = (bytes[at], at.checked_sub(1).map_or(b' ', |before| bytes[before]));
            byte.is_ascii_uppercase()
                || !before.is_ascii_alphanumeric()
                || byte.is_ascii_digit() != before.is_ascii_digit()
        };
        let has = |at: usize, opening: &[u8]| {
            bytes.get(at..at + opening.len()).is_some_and(|word| word.eq_ignore_ascii_case(opening))
        };
        !line.is_ascii()
            || (0..bytes.len())
                .filter(|at| bytes[*at].is_ascii_alphanumeric() && begins(*at))
                .any(|at| self.openings.iter().any(|opening| has(at, opening)))
    }

    /// A bit for each term that a line has.
    fn mask(&self, tokenizer: &mut Tokenizer, line: &str) -> u64 {
        if !self.may_have(line) {
            return 0;
        }
        let places = tokenizer.terms(line).into_iter().filter_map(|word| self.places.get(word.text.as_str()).copied());
        places.fold(0, |mask, place| mask | 1 << place)
    }

    fn weight(&self, mask: u64) -> f32 {
        let held = self.weights.iter().enumerate().filter(|(place, _)| mask >> place & 1 == 1);
        held.map(|(_, weight)| weight).sum()
    }

    /// The greatest share of the weight of all terms in a window of lines.
    fn together(&self, tokenizer: &mut Tokenizer, text: &str) -> f32 {
        let total = self.weight(u64::MAX);
        let lines: Vec<u64> = text.lines().map(|line| self.mask(tokenizer, line)).collect();
        let windows = lines.windows(TOGETHER.min(lines.len()).max(1));
        let mut masks: Vec<u64> = windows.map(|window| window.iter().fold(0, |all, line| all | line)).collect();
        masks.sort_unstable();
        masks.dedup();
        let best = masks.into_iter().map(|mask| self.weight(mask)).fold(0.0, f32::max);
        if total > 0.0 { best / total } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use cds_index::tokenize::Tokenizer;

    use super::Terms;

    #[test]
    fn words_count_that_stand_within_three_lines() {
        let check = |text: &str, expect: f32| {
            let terms = [("retri".to_owned(), 1.0), ("socket".to_owned(), 3.0)];
            let found = Terms::new(&terms).together(&mut Tokenizer::default(), text);
            assert!((found - expect).abs() < 1e-6, "{text:?}: {found}");
        };
        check("retry the socket", 1.0);
        check("retry\n\nsocket", 1.0);
        check("retry\n\n\nsocket", 0.75);
        check("retries", 0.25);
        check("maxRetries = 3; HTTPSocket", 1.0);
        check("max_retries_2", 0.25);
        check("nothing", 0.0);
        check("", 0.0);
    }
}
