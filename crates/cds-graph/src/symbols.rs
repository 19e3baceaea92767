//! Strings as small numbers: facts of a whole tree are compared and kept by number.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// A string of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Symbol(pub(crate) u32);

#[derive(Default)]
pub(crate) struct Symbols {
    known: FxHashMap<Arc<str>, Symbol>,
    texts: Vec<Arc<str>>,
}

impl Symbols {
    pub(crate) fn add(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.known.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.known.insert(text, symbol);
        symbol
    }

    pub(crate) fn get(&self, text: &str) -> Option<Symbol> {
        self.known.get(text).copied()
    }

    pub(crate) fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol.0 as usize]
    }
}
