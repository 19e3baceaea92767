//! Terms of what an update takes out of older parts: their frequencies are lowered by it. One finite-state map serves: a term with its field
//! leads to the number of chunks that had it, a field alone to the number of its terms.

use fst::MapBuilder;
use rustc_hash::FxHashMap;
use tantivy::Term;
use tantivy::schema::Field;
use tantivy::tokenizer::{TextAnalyzer, TokenStream};

use super::map::WholeMap;
use super::text::{Bm25Fields, TextRow};
use crate::tokenize::{ContentTokenizer, Tokenizer};

/// Counts terms of chunks as the text index would.
pub(crate) struct GoneWriter {
    fields: Bm25Fields,
    content: TextAnalyzer,
    words: TextAnalyzer,
    /// How many chunks have a term, and the last one that was counted.
    terms: FxHashMap<Vec<u8>, (u64, u32)>,
    tokens: FxHashMap<u32, u64>,
    chunks: u32,
    key: Vec<u8>,
}

impl GoneWriter {
    pub(crate) fn new() -> GoneWriter {
        GoneWriter {
            fields: Bm25Fields::get(),
            content: TextAnalyzer::from(ContentTokenizer::default()),
            words: TextAnalyzer::from(Tokenizer::default()),
            terms: FxHashMap::default(),
            tokens: FxHashMap::default(),
            chunks: 0,
            key: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, row: &TextRow) {
        self.chunks += 1;
        for (field, text) in row.texts(&self.fields) {
            let analyzer = if field == self.fields.content { &mut self.content } else { &mut self.words };
            let mut stream = analyzer.token_stream(text);
            while stream.advance() {
                *self.tokens.entry(field.field_id()).or_default() += 1;
                self.key.clear();
                self.key.extend(field_key(field.field_id()));
                self.key.extend(stream.token().text.as_bytes());
                match self.terms.get_mut(&self.key) {
                    Some((_, last)) if *last == self.chunks => {}
                    Some((count, last)) => (*count, *last) = (*count + 1, self.chunks),
                    None => drop(self.terms.insert(self.key.clone(), (1, self.chunks))),
                }
            }
        }
    }

    /// The map.
    pub(crate) fn finish(self) -> Vec<u8> {
        let terms = self.terms.into_iter().map(|(term, (chunks, _))| (term, chunks));
        let tokens = self.tokens.into_iter().map(|(field, count)| (field_key(field).to_vec(), count));
        let mut rows: Vec<(Vec<u8>, u64)> = terms.chain(tokens).collect();
        rows.sort_unstable();
        let mut map = MapBuilder::memory();
        for (key, count) in rows {
            map.insert(key, count).expect("keys come sorted, once each, into memory");
        }
        map.into_inner().expect("memory cannot fail")
    }
}

/// How the key of a term begins.
fn field_key(field: u32) -> [u8; 4] {
    field.to_be_bytes()
}

/// The map to read.
pub(crate) struct Gone(pub(crate) fst::Map<WholeMap>);

impl Gone {
    /// How many chunks had a term.
    pub(crate) fn doc_freq(&self, term: &Term) -> u64 {
        let key = [&field_key(term.field().field_id()), term.serialized_value_bytes()].concat();
        self.0.get(key).unwrap_or(0)
    }

    /// How many terms a field had.
    pub(crate) fn tokens(&self, field: Field) -> u64 {
        self.0.get(field_key(field.field_id())).unwrap_or(0)
    }
}
