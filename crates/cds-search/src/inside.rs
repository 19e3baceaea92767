//! Definitions without a chunk of their own: constants, fields, aliases, and functions nested in another. The chunk around them is found by
//! its words; when a filter is about definitions, each of them is compared with it and shown if its name has a word of the query.

use std::cell::RefCell;

use cds_index::Snapshot;
use cds_index::tokenize::Tokenizer;
use cds_model::{ChunkId, EntityId};

use crate::filter::CompiledFilter;
use crate::query::ParsedQuery;

/// Finds them for one query.
pub(crate) struct Inside<'a> {
    snapshot: &'a Snapshot,
    query: &'a ParsedQuery,
    filter: &'a CompiledFilter<'a>,
    tokenizer: RefCell<Tokenizer>,
}

impl<'a> Inside<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, query: &'a ParsedQuery, filter: &'a CompiledFilter<'a>) -> Inside<'a> {
        Inside { snapshot, query, filter, tokenizer: RefCell::default() }
    }

    /// Whether the filter asks for what may have no chunk of its own.
    pub(crate) fn is_asked(&self) -> bool {
        self.filter.judges_inside()
    }

    /// Those that begin in a chunk, pass the filter and have a word of the query in their name.
    pub(crate) fn of(&self, chunk: ChunkId) -> Vec<EntityId> {
        if !self.is_asked() {
            return Vec::new();
        }
        let Some(view) = self.snapshot.chunk(chunk) else { return Vec::new() };
        if !view.document().is_some_and(|d| self.filter.accepts_file(d)) {
            return Vec::new();
        }
        let own = view.entity().map(|entity| entity.id);
        let judged = view
            .entities()
            .filter(|e| Some(e.id) != own && self.filter.accepts_inside(self.snapshot, *e) && self.is_named(e.name()));
        judged.map(|e| e.id).collect()
    }

    fn is_named(&self, name: &str) -> bool {
        let words = self.tokenizer.borrow_mut().terms(name);
        let answers = |word: &str| {
            let mut terms = self.query.terms.iter();
            terms.any(|t| t.text == word || t.is_prefix && word.starts_with(t.text.as_str()))
        };
        words.iter().any(|word| answers(&word.text))
    }
}
