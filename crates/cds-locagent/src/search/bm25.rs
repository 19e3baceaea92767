//! BM25 as bm25s 0.2 computes it: weights of every term in every document, in single precision, and summed for a query.
//!
//! Equal scores must be equal to the last bit, because the order among them is part of the answer. So each operation here has the precision and the
//! place it has there. What is kept are counts, and weights are computed when they are asked for: counts of documents that did not change
//! stay true when others come and go, so an update counts the words of new documents only.

use std::cmp::Ordering;

use compact_str::CompactString;
use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::like::{numpy, pystr};

const K1: f64 = 1.5;
const B: f64 = 0.75;

/// Words that are neither indexed nor searched, sorted. The list of bm25s; a word is compared before it is stemmed.
const STOP_WORDS: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of",
    "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
];

/// An inverted index.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Index {
    /// Tokens of each document.
    lengths: Vec<u32>,
    /// Stems, sorted.
    terms: Vec<CompactString>,
    /// Where the postings of each term start; one more than there are terms.
    starts: Vec<u32>,
    postings: Vec<Posting>,
    /// What each document's length adds below the line.
    norms: Vec<f32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Posting {
    document: u32,
    /// How often the term is in the document.
    count: u32,
}

/// Documents of an earlier index that are unchanged.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'a> {
    /// The earlier index.
    pub(crate) index: &'a Index,
    /// For each of its documents the number it has now, or [`GONE`]. Numbers rise.
    pub(crate) now: &'a [u32],
}

/// Instead of a document's number: there is no such document any more.
pub(crate) const GONE: u32 = u32::MAX;

/// A document found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its number, in the order in which the documents were given.
    pub document: u32,
    /// May be zero: there are always ten hits.
    pub score: f32,
}

/// Why a query cannot be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryError {
    /// It has no word of two characters that is not a stop word.
    NoToken,
    /// The index has fewer than ten documents, and ten hits are always wanted.
    TooFewDocuments(u32),
}

impl Index {
    /// Indexes documents, numbered as they come.
    pub fn build<'a>(documents: impl IntoIterator<Item = &'a str>) -> Self {
        let mut counts = Counts::new();
        for (number, document) in (0..).zip(documents) {
            counts.add(number, document);
        }
        counts.finish(None)
    }

    /// How many documents there are.
    pub fn documents(&self) -> u32 {
        self.lengths.len() as u32
    }

    /// How many different stems there are.
    pub fn vocabulary(&self) -> usize {
        self.terms.len()
    }

    /// The ten best documents, best first, those with score zero included.
    pub fn query(&self, text: &str) -> Result<[Hit; numpy::TOP], QueryError> {
        let scores = self.scores(text)?;
        if scores.len() < numpy::TOP {
            return Err(QueryError::TooFewDocuments(self.documents()));
        }
        Ok(numpy::top(&scores).map(|document| Hit { document, score: scores[document as usize] }))
    }

    /// A word said twice counts twice; the sums run in the order of the words.
    fn scores(&self, text: &str) -> Result<Vec<f32>, QueryError> {
        let stemmer = Stemmer::create(Algorithm::English);
        let mut scores = vec![0.0; self.lengths.len()];
        let mut any = false;
        each_word(text, &mut String::new(), |word| {
            if is_stop_word(word) {
                return;
            }
            any = true;
            let postings = self.postings(&stemmer.stem(word));
            let idf = idf(scores.len(), postings.len() as u32);
            for posting in postings {
                let (document, count) = (posting.document as usize, posting.count as f32);
                scores[document] += idf * (count / (self.norms[document] + count));
            }
        });
        if any { Ok(scores) } else { Err(QueryError::NoToken) }
    }

    fn postings(&self, stem: &str) -> &[Posting] {
        match self.terms.binary_search_by(|term| term.as_str().cmp(stem)) {
            Ok(term) => self.postings_of(term),
            Err(_) => &[],
        }
    }

    fn postings_of(&self, term: usize) -> &[Posting] {
        &self.postings[self.starts[term] as usize..self.starts[term + 1] as usize]
    }

    /// Terms of an index of new documents and those of the documents that stay, merged. `lengths` are those of the new index.
    fn merged(self, kept: Kept<'_>) -> Self {
        let mut merged = Self { lengths: self.lengths.clone(), starts: vec![0], ..Self::default() };
        merged.postings.reserve(self.postings.len() + kept.index.postings.len());
        let (mut new, mut old) = (0, 0);
        while new < self.terms.len() || old < kept.index.terms.len() {
            let order = match (self.terms.get(new), kept.index.terms.get(old)) {
                (Some(new), Some(old)) => new.cmp(old),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let term = if order.is_le() { &self.terms[new] } else { &kept.index.terms[old] };
            let begin = merged.postings.len();
            if order.is_le() {
                merged.postings.extend_from_slice(self.postings_of(new));
                new += 1;
            }
            if order.is_ge() {
                let from = merged.postings.len();
                let stay = kept.index.postings_of(old).iter().filter_map(|posting| {
                    let document = kept.now[posting.document as usize];
                    (document != GONE).then_some(Posting { document, ..*posting })
                });
                merged.postings.extend(stay);
                if begin < from && from < merged.postings.len() {
                    merged.postings[begin..].sort_unstable_by_key(|posting| posting.document);
                }
                old += 1;
            }
            if begin < merged.postings.len() {
                merged.terms.push(term.clone());
                merged.starts.push(merged.postings.len() as u32);
            }
        }
        merged.postings.shrink_to_fit();
        merged
    }

    fn with_norms(mut self) -> Self {
        let mean = self.lengths.iter().map(|&length| f64::from(length)).sum::<f64>() / self.lengths.len() as f64;
        self.norms = self.lengths.iter().map(|&length| norm(length, mean)).collect();
        self
    }
}

/// Calls `each` for every word of two characters, lower-cased. `lower` is scratch space.
fn each_word(text: &str, lower: &mut String, mut each: impl FnMut(&str)) {
    lower.clear();
    if text.is_ascii() {
        lower.push_str(text);
        lower.make_ascii_lowercase();
    } else {
        // Of the whole text: how a sigma is lower-cased depends on what follows.
        *lower = text.to_lowercase();
    }
    pystr::each_word(lower, |word| {
        if word.len() > 1 && word.chars().nth(1).is_some() {
            each(word);
        }
    });
}

fn is_stop_word(word: &str) -> bool {
    word.len() <= 5 && STOP_WORDS.binary_search(&word).is_ok()
}

/// Instead of a stem's number: a stop word.
const STOPPED: u32 = u32::MAX;

/// What is counted while documents come in.
pub(crate) struct Counts {
    stemmer: Stemmer,
    lower: String,
    /// Word as written, lower-cased, to the number of its stem: most words are met many times and stemmed once.
    words: FxHashMap<CompactString, u32>,
    stems: FxHashMap<CompactString, u32>,
    /// How often each stem is in the current document, and which are.
    in_document: Vec<u32>,
    met: Vec<u32>,
    /// Tokens of each document, by number.
    lengths: Vec<u32>,
    /// Stem and how often it is in the document, document by document.
    counts: Vec<(u32, u32)>,
    /// Each document and where it ends in `counts`.
    ends: Vec<(u32, usize)>,
}

impl Counts {
    pub(crate) fn new() -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::English),
            lower: String::new(),
            words: FxHashMap::default(),
            stems: FxHashMap::default(),
            in_document: Vec::new(),
            met: Vec::new(),
            lengths: Vec::new(),
            counts: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Counts the words of a document. Numbers rise; those left out are of documents that are kept.
    pub(crate) fn add(&mut self, document: u32, text: &str) {
        let mut length = 0;
        let mut lower = std::mem::take(&mut self.lower);
        each_word(text, &mut lower, |word| {
            let stem = self.stem(word);
            if stem != STOPPED {
                length += 1;
                self.count(stem);
            }
        });
        self.lower = lower;
        self.lengths.resize(document as usize, 0);
        self.lengths.push(length);
        for stem in self.met.drain(..) {
            self.counts.push((stem, std::mem::take(&mut self.in_document[stem as usize])));
        }
        self.ends.push((document, self.counts.len()));
    }

    fn count(&mut self, stem: u32) {
        let count = &mut self.in_document[stem as usize];
        if *count == 0 {
            self.met.push(stem);
        }
        *count += 1;
    }

    fn stem(&mut self, word: &str) -> u32 {
        if let Some(&stem) = self.words.get(word) {
            return stem;
        }
        let next = self.stems.len() as u32;
        let stem = if is_stop_word(word) {
            STOPPED
        } else {
            *self.stems.entry(CompactString::from(self.stemmer.stem(word))).or_insert(next)
        };
        if stem == next {
            self.in_document.push(0);
        }
        self.words.insert(word.into(), stem);
        stem
    }

    /// The index of all documents that were added, and of those that are kept.
    pub(crate) fn finish(mut self, kept: Option<Kept<'_>>) -> Index {
        if let Some(Kept { index, now }) = kept {
            let stay = index.lengths.iter().zip(now).filter(|(_, document)| **document != GONE);
            for (length, document) in stay {
                let documents = self.lengths.len().max(*document as usize + 1);
                self.lengths.resize(documents, 0);
                self.lengths[*document as usize] = *length;
            }
        }
        let new = self.transposed();
        match kept {
            Some(kept) => new.merged(kept).with_norms(),
            None => new.with_norms(),
        }
    }

    /// Postings by term instead of by document.
    fn transposed(self) -> Index {
        let Self { stems, lengths, counts, ends, .. } = self;
        let mut terms: Vec<(CompactString, u32)> = stems.into_iter().collect();
        terms.sort_unstable();
        let mut rank = vec![0; terms.len()];
        for (place, (_, stem)) in terms.iter().enumerate() {
            rank[*stem as usize] = place;
        }
        let mut starts = vec![0_u32; terms.len() + 1];
        for (stem, _) in &counts {
            starts[rank[*stem as usize] + 1] += 1;
        }
        for term in 1..starts.len() {
            starts[term] += starts[term - 1];
        }
        let mut next = starts.clone();
        let mut postings = vec![Posting::default(); counts.len()];
        let mut from = 0;
        for (document, end) in ends {
            for &(stem, count) in &counts[from..end] {
                let term = rank[stem as usize];
                postings[next[term] as usize] = Posting { document, count };
                next[term] += 1;
            }
            from = end;
        }
        let terms = terms.into_iter().map(|(term, _)| term).collect();
        Index { lengths, terms, starts, postings, norms: Vec::new() }
    }
}

/// Computed in double, kept in single precision.
fn idf(documents: usize, frequency: u32) -> f32 {
    let (documents, frequency) = (documents as f64, f64::from(frequency));
    (1.0 + (documents - frequency + 0.5) / (frequency + 0.5)).ln() as f32
}

/// What a document's length adds below the line. A double by itself; numpy 1 makes it single before it meets an array of singles.
fn norm(length: u32, mean: f64) -> f32 {
    (K1 * ((1.0 - B) + B * f64::from(length) / mean)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_lower_cased_words_of_two_characters() {
        let check = |text: &str, expected: &[&str]| {
            let mut tokens = Vec::new();
            each_word(text, &mut String::new(), |word| {
                if !is_stop_word(word) {
                    tokens.push(word.to_owned());
                }
            });
            assert_eq!(tokens, expected, "{text:?}");
        };
        check("HTTPAdapter.get_netrc_auth", &["httpadapter", "get_netrc_auth"]);
        check("3.14 don't", &["14", "don"]);
        check("the of a ()", &[]);
        check("Straße é éa", &["straße", "éa"]);
    }

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn an_index_with_kept_documents_is_one_made_anew() {
        let check = |before: &[&str], now: &[u32], after: &[&str]| {
            let old = Index::build(before.iter().copied());
            let mut counts = Counts::new();
            for (number, text) in (0..).zip(after).filter(|(number, _)| !now.contains(number)) {
                counts.add(number, text);
            }
            let updated = counts.finish(Some(Kept { index: &old, now }));
            assert_eq!(updated, Index::build(after.iter().copied()), "{before:?} {after:?}");
        };
        let words = ["first word", "second word word", "", "third thing"];
        check(&words, &[0, 1, 2, 3], &words);
        check(&words, &[GONE, 0, GONE, 2], &["second word word", "fourth first", "third thing"]);
        check(&words, &[1, 2, 3, 5], &["word", "first word", "second word word", "", "new word", "third thing", "end"]);
        check(&words, &[GONE; 4], &["other"]);
        check(&words, &[GONE; 4], &[]);
        check(&[], &[], &words);
    }

    #[test]
    fn ten_hits_or_none() {
        let names: Vec<String> = (0..12).map(|n| format!("pkg/mod{n}.py:Widget{n}")).collect();
        let index = Index::build(names.iter().map(String::as_str));
        let hits = index.query("widget7 nothing").unwrap();
        assert_eq!(hits[0].document, 7);
        assert!(hits[0].score > 0.0 && hits[1].score == 0.0);
        assert_eq!(index.query("a ( of").unwrap_err(), QueryError::NoToken);
        let small = Index::build(["one two"]);
        assert_eq!(small.query("two").unwrap_err(), QueryError::TooFewDocuments(1));
        assert_eq!(Index::build([]).query("two").unwrap_err(), QueryError::TooFewDocuments(0));
    }
}
