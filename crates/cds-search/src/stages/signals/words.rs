//! Names of things beside the words of the query.

use cds_index::tokenize::Tokenizer;
use rustc_hash::FxHashMap;

/// Letters of a term that a name must have for any of its words to be near it.
const OPENING: usize = 4;

/// The query's words as names are compared with them.
pub(super) struct QueryWords {
    /// Stemmed terms with their weights.
    terms: Vec<(String, f32)>,
    total: f32,
    /// First letters of the terms: a name without any of them fits nothing, which is cheap to see.
    openings: Vec<Vec<u8>>,
    tokenizer: Tokenizer,
    /// Names seen: a file's chunks and a project's methods repeat them.
    fits: FxHashMap<String, Fit>,
}

/// How a name fits the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    /// Share of the query's weight.
    pub(super) recall: f32,
    /// Share of the name's words.
    pub(super) precision: f32,
    /// Whether every word of the name is in the query.
    pub(super) all: bool,
    /// The mean weight of the name's words that are in the query, as a share of the mean weight of the query's terms; at most 1.
    pub(super) rarity: f32,
}

impl Fit {
    /// The share of the query that the name answers, less when it says much else.
    pub(super) fn value(self) -> f32 {
        self.recall * (0.3 + 0.7 * self.precision)
    }
}

impl QueryWords {
    pub(super) fn new(terms: Vec<(String, f32)>) -> QueryWords {
        let total = terms.iter().map(|(_, w)| w).sum::<f32>().max(f32::MIN_POSITIVE);
        let opening = |(term, _): &(String, f32)| term.bytes().take(OPENING).collect();
        let openings = terms.iter().map(opening).collect();
        QueryWords { terms, total, openings, tokenizer: Tokenizer::default(), fits: FxHashMap::default() }
    }

    /// Stemmed terms with their weights.
    pub(super) fn terms(&self) -> &[(String, f32)] {
        &self.terms
    }

    fn may_fit(&self, name: &str) -> bool {
        !name.is_ascii() || self.openings.iter().any(|opening| contains(name.as_bytes(), opening))
    }

    /// The weight of the query's term that a word of a name answers.
    fn weight_of(&self, word: &str) -> f32 {
        self.terms.iter().filter(|(term, _)| is_near(term, word)).map(|(_, w)| *w).fold(0.0, f32::max)
    }

    pub(super) fn fit(&mut self, name: &str) -> Fit {
        if !self.may_fit(name) {
            return Fit { recall: 0.0, precision: 0.0, all: false, rarity: 0.0 };
        }
        if let Some(known) = self.fits.get(name) {
            return *known;
        }
        let fit = self.compare(name);
        self.fits.insert(name.to_owned(), fit);
        fit
    }

    fn compare(&mut self, name: &str) -> Fit {
        let terms = self.tokenizer.terms(name);
        let whole = terms.iter().find(|t| t.is_whole).map_or(0.0, |t| self.weight_of(&t.text));
        let parts: Vec<f32> = terms.iter().filter(|t| !t.is_whole).map(|t| self.weight_of(&t.text)).collect();
        let hit = parts.iter().filter(|w| **w > 0.0).count();
        let precision = hit as f32 / parts.len().max(1) as f32;
        let recall = ((parts.iter().sum::<f32>() + whole) / self.total).min(1.0);
        let rarity = self.rarity(parts.iter().sum::<f32>() / hit.max(1) as f32);
        Fit { recall, precision, all: hit == parts.len() && hit > 0, rarity }
    }

    /// A weight as a share of the mean weight of the query's terms, at most 1.
    fn rarity(&self, weight: f32) -> f32 {
        let mean = self.total / self.terms.len().max(1) as f32;
        (weight / mean.max(f32::MIN_POSITIVE)).min(1.0)
    }

    /// How rare the rarest of these terms is that a name has; 0 if it has none.
    pub(super) fn has(&mut self, name: &str, wanted: &[String]) -> f32 {
        if !self.may_fit(name) {
            return 0.0;
        }
        let terms = self.tokenizer.terms(name);
        let found = wanted.iter().filter(|w| terms.iter().any(|t| is_near(w, &t.text)));
        found.map(|term| self.rarity(self.weight_of(term))).fold(0.0, f32::max)
    }
}

/// Whether letters stand somewhere in a name, whatever their case; underscores within a word do not count, so short ones stay short.
fn contains(name: &[u8], opening: &[u8]) -> bool {
    name.windows(opening.len().max(1)).any(|window| window.eq_ignore_ascii_case(opening))
}

/// The same stem, or one begins the other.
fn is_near(term: &str, word: &str) -> bool {
    let shorter = term.len().min(word.len());
    term == word || shorter >= 4 && (term.starts_with(word) || word.starts_with(term))
}
