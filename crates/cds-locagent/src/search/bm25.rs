//! BM25 as bm25s 0.2 computes it: weights of every term in every document, made beforehand in single precision, and summed for a query.
//!
//! Equal scores must be equal to the last bit, because the order among them is part of the answer. So each operation here has the precision and the
//! place it has there.

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

/// An inverted index with finished weights.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Index {
    documents: u32,
    /// Stems, sorted.
    terms: Vec<CompactString>,
    /// Where the postings of each term start; one more than there are terms.
    starts: Vec<u32>,
    postings: Vec<Posting>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Posting {
    document: u32,
    weight: f32,
}

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
        for document in documents {
            counts.add(document);
        }
        counts.finish()
    }

    /// How many documents there are.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// How many different stems there are.
    pub fn vocabulary(&self) -> usize {
        self.terms.len()
    }

    /// The ten best documents, best first, those with score zero included.
    pub fn query(&self, text: &str) -> Result<[Hit; numpy::TOP], QueryError> {
        let scores = self.scores(text)?;
        if scores.len() < numpy::TOP {
            return Err(QueryError::TooFewDocuments(self.documents));
        }
        Ok(numpy::top(&scores).map(|document| Hit { document, score: scores[document as usize] }))
    }

    /// A word said twice counts twice; the sums run in the order of the words.
    fn scores(&self, text: &str) -> Result<Vec<f32>, QueryError> {
        let stemmer = Stemmer::create(Algorithm::English);
        let mut scores = vec![0.0; self.documents as usize];
        let mut any = false;
        each_word(text, &mut String::new(), |word| {
            if is_stop_word(word) {
                return;
            }
            any = true;
            for posting in self.postings(&stemmer.stem(word)) {
                scores[posting.document as usize] += posting.weight;
            }
        });
        if any { Ok(scores) } else { Err(QueryError::NoToken) }
    }

    fn postings(&self, stem: &str) -> &[Posting] {
        match self.terms.binary_search_by(|term| term.as_str().cmp(stem)) {
            Ok(term) => &self.postings[self.starts[term] as usize..self.starts[term + 1] as usize],
            Err(_) => &[],
        }
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
struct Counts {
    stemmer: Stemmer,
    lower: String,
    /// Word as written, lower-cased, to the number of its stem: most words are met many times and stemmed once.
    words: FxHashMap<CompactString, u32>,
    stems: FxHashMap<CompactString, u32>,
    /// How often each stem is in the current document, and which are.
    in_document: Vec<u32>,
    met: Vec<u32>,
    /// Tokens of each document.
    lengths: Vec<u32>,
    /// Stem and how often it is in the document, document by document.
    counts: Vec<(u32, u32)>,
    /// Where each document ends in `counts`.
    ends: Vec<usize>,
}

impl Counts {
    fn new() -> Self {
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

    fn add(&mut self, text: &str) {
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
        self.lengths.push(length);
        for stem in self.met.drain(..) {
            self.counts.push((stem, std::mem::take(&mut self.in_document[stem as usize])));
        }
        self.ends.push(self.counts.len());
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

    fn finish(self) -> Index {
        let mut terms: Vec<(CompactString, u32)> = self.stems.into_iter().collect();
        terms.sort_unstable();
        let mut rank = vec![0; terms.len()];
        for (place, (_, stem)) in terms.iter().enumerate() {
            rank[*stem as usize] = place;
        }
        let mut starts = vec![0_u32; terms.len() + 1];
        for (stem, _) in &self.counts {
            starts[rank[*stem as usize] + 1] += 1;
        }
        let idf: Vec<f32> = starts[1..].iter().map(|&frequency| idf(self.lengths.len(), frequency)).collect();
        for term in 1..starts.len() {
            starts[term] += starts[term - 1];
        }
        let mut next = starts.clone();
        let mut postings = vec![Posting { document: 0, weight: 0.0 }; self.counts.len()];
        let mean = self.lengths.iter().map(|&length| f64::from(length)).sum::<f64>() / self.lengths.len() as f64;
        let mut from = 0;
        for (document, (&length, &end)) in self.lengths.iter().zip(&self.ends).enumerate() {
            let norm = norm(length, mean);
            for &(stem, count) in &self.counts[from..end] {
                let term = rank[stem as usize];
                let count = count as f32;
                postings[next[term] as usize] =
                    Posting { document: document as u32, weight: idf[term] * (count / (norm + count)) };
                next[term] += 1;
            }
            from = end;
        }
        Index {
            documents: self.lengths.len() as u32,
            terms: terms.into_iter().map(|(term, _)| term).collect(),
            starts,
            postings,
        }
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
