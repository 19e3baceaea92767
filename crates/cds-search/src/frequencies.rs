//! How many chunks have a term: asked again and again for the same names, so the last are remembered.

use cds_index::Snapshot;
use cds_index::tokenize::Tokenizer;
use tantivy::Term;

use crate::lru::Lru;

/// Terms that are remembered.
const KEPT: usize = 100;

/// Frequencies of terms, by generation and term.
pub struct Frequencies {
    known: Lru<(String, String), u64>,
}

impl Default for Frequencies {
    fn default() -> Frequencies {
        Frequencies { known: Lru::new(KEPT) }
    }
}

impl Frequencies {
    /// In how many chunks a name stands; none if the index cannot say.
    pub fn of(&self, snapshot: &Snapshot, name: &str) -> u64 {
        let key = (snapshot.manifest().generation.clone(), name.to_owned());
        if let Some(known) = self.known.get(&key) {
            return known;
        }
        let mut tokenizer = Tokenizer::default();
        let terms = tokenizer.terms(name);
        let whole = terms.iter().find(|t| t.is_whole).or(terms.first());
        let term = whole.map(|t| Term::from_field_text(snapshot.fields().content, &t.text));
        let frequency = term.map_or(0, |term| snapshot.doc_freq(&term).unwrap_or(0));
        // What was read of a damaged index is not remembered.
        if snapshot.damage().is_ok() {
            self.known.insert(key, frequency);
        }
        frequency
    }

    /// The names that are remembered, least recently asked for first.
    pub fn kept(&self) -> Vec<String> {
        self.known.keys().into_iter().map(|(_, name)| name).collect()
    }
}
