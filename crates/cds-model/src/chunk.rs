//! Pieces of a file that are retrieved as one.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::{Kind, Span};

/// A span of a file that is retrieved as one. Everything else that is said of a chunk (its definitions,
/// references, breadcrumb, hash, id) follows from its span and the file's other facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// The bytes it holds; consecutive chunks touch or overlap.
    pub span: Span,
    /// What it is: the kind of its entity, `section` or `block`.
    pub node_type: Kind,
    /// The entity it shows, as a position in the file's list.
    pub entity: Option<u32>,
    /// Which piece of a long entity or block it is, from 0.
    pub part: u16,
    /// The language of the embedded block that most of it is; none: the file's own.
    pub language: Option<CompactString>,
    /// Headings above it, outermost first (sections only).
    pub headings: Vec<CompactString>,
    /// Estimated language-model tokens.
    pub token_count: u32,
}

/// Estimates how many tokens a language model would count in `text`: one for each word of up to
/// six letters and for each further six, one for up to three digits, one for a run of punctuation.
/// Within about 15 % of cl100k on source code, and it needs no vocabulary.
pub fn estimate_tokens(text: &str) -> u32 {
    let mut tokens = 0u32;
    let mut run = 0u8;
    let mut last = SPACE;
    // Every byte of every file passes here twice: a table, no branches on what a byte is.
    for byte in text.bytes() {
        let class = CLASS[byte as usize];
        let goes_on = class == last && run < BYTES_A_TOKEN[class as usize];
        tokens += u32::from(!goes_on && class != SPACE);
        run = if goes_on { run.saturating_add(1) } else { 1 };
        last = class;
    }
    tokens
}

const SPACE: u8 = 0;
const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const PUNCTUATION: u8 = 3;
const WIDE: u8 = 4;

/// By class: how many bytes of a run make one token.
const BYTES_A_TOKEN: [u8; 5] = [u8::MAX, 6, 3, 2, 3];

const CLASS: [u8; 256] = {
    let mut table = [PUNCTUATION; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b' ' | b'\t' | b'\r' | b'\n' => SPACE,
            0x80.. => WIDE,
            _ => PUNCTUATION,
        };
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::estimate_tokens;

    #[test]
    fn tokens_grow_with_text_and_ignore_space() {
        let cases = [("", 0), ("   \n", 0), ("word", 1), ("internationalisation", 4), ("a b", 2), ("x = 12345;", 5)];
        for (text, expect) in cases {
            assert_eq!(estimate_tokens(text), expect, "{text:?}");
        }
    }
}
