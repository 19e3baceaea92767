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
    let mut run = 0u32;
    let mut last = Class::Space;
    for byte in text.bytes() {
        let class = Class::of(byte);
        let step = class.bytes_a_token();
        if class == last && run < step {
            run += 1;
        } else {
            if class != Class::Space {
                tokens += 1;
            }
            run = 1;
        }
        last = class;
    }
    tokens
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    Lower,
    Digit,
    Punct,
    Wide,
}

impl Class {
    fn of(byte: u8) -> Class {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Lower,
            b'0'..=b'9' => Class::Digit,
            b' ' | b'\t' | b'\r' | b'\n' => Class::Space,
            0x80.. => Class::Wide,
            _ => Class::Punct,
        }
    }

    fn bytes_a_token(self) -> u32 {
        match self {
            Class::Space => u32::MAX,
            Class::Lower => 6,
            Class::Digit | Class::Wide => 3,
            Class::Punct => 2,
        }
    }
}

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
