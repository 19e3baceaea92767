//! How many tokens is a text?

use bpe_openai::Tokenizer;
use compact_str::CompactString;
use rustc_hash::FxHashMap;

use super::pieces::pieces;

/// The vocabulary's special tokens. LocAgent's tokenizer lets them through as such, so each counts for one wherever it is written out.
const SPECIAL: [&str; 5] = ["<|endofprompt|>", "<|endoftext|>", "<|fim_middle|>", "<|fim_prefix|>", "<|fim_suffix|>"];

/// Pieces up to this length are remembered: so long is text that is kept without an allocation.
const MAX_PIECE: usize = 24;
/// So many pieces are remembered.
const MAX_PIECES: usize = 1 << 16;

/// Counts cl100k_base tokens.
///
/// Text is counted piece by piece, and sources repeat their pieces: remembering them halves the time.
pub(crate) struct Counter {
    tokenizer: &'static Tokenizer,
    pieces: FxHashMap<CompactString, u32>,
}

impl Counter {
    pub(crate) fn new() -> Self {
        Self { tokenizer: bpe_openai::cl100k_base(), pieces: FxHashMap::default() }
    }

    pub(crate) fn count(&mut self, text: &str) -> u32 {
        let mut total = 0;
        let mut rest = text;
        while let Some((at, special)) = next_special(rest) {
            total += self.plain(&rest[..at]) + 1;
            rest = &rest[at + special.len()..];
        }
        total + self.plain(rest)
    }

    fn plain(&mut self, text: &str) -> u32 {
        match pieces(text) {
            Some(pieces) => pieces.map(|piece| self.piece(piece)).sum(),
            None => self.tokenizer.split(text).map(|piece| self.piece(piece)).sum(),
        }
    }

    fn piece(&mut self, piece: &str) -> u32 {
        // Every byte is a token.
        if piece.len() == 1 {
            return 1;
        }
        if let Some(count) = self.pieces.get(piece) {
            return *count;
        }
        let count = self.tokenizer.bpe.count(piece.as_bytes()) as u32;
        if piece.len() <= MAX_PIECE && self.pieces.len() < MAX_PIECES {
            self.pieces.insert(CompactString::new(piece), count);
        }
        count
    }
}

fn next_special(text: &str) -> Option<(usize, &'static str)> {
    text.match_indices("<|").find_map(|(at, _)| SPECIAL.iter().find(|s| text[at..].starts_with(**s)).map(|s| (at, *s)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let mut counter = Counter::new();
        for (text, expect) in [("", 0), ("class A:", 3), ("u = \\\n", 3), ("a<|endoftext|>b", 3), ("<|", 2)] {
            assert_eq!(counter.count(text), expect, "{text:?}");
            assert_eq!(counter.count(text), expect, "{text:?} again");
        }
    }
}
