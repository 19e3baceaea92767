//! Names of a stretch of text, by the number of the word that each is: most words of a program are names, so steps from one to the next are
//! small, and where it stands the text tells.

use std::ops::Range;

use cds_model::Name;
use serde::{Deserialize, Serialize};

/// Names in the text that they are taken from, packed.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct PackedNames {
    /// Those that are words: steps from one to the next, and behind them two bits that say what is done with the name.
    words: Vec<u32>,
    /// Others: first byte, length, the same two bits.
    others: Vec<(u32, u32, u32)>,
}

impl PackedNames {
    /// Packs names in order of position; `text` begins at the byte `base` of what they are positions in.
    pub(crate) fn new(text: &[u8], base: u32, names: &[Name]) -> PackedNames {
        let mut packed = PackedNames::default();
        let mut words = words(text).enumerate().peekable();
        let mut next = 0;
        for name in names {
            let (start, end) = (name.start.wrapping_sub(base), name.end.wrapping_sub(base));
            let roles = u32::from(name.is_definition) | u32::from(name.is_use) << 1;
            while words.next_if(|(_, word)| word.start < start as usize).is_some() {}
            match words.next_if(|(_, word)| *word == (start as usize..end as usize)) {
                Some((at, _)) => {
                    packed.words.push((at as u32 - next) << 2 | roles);
                    next = at as u32 + 1;
                }
                None => packed.others.push((start, end.wrapping_sub(start), roles)),
            }
        }
        packed
    }

    /// The way back. Words that are not there give no names.
    pub(crate) fn unpack(&self, text: &[u8], base: u32) -> Vec<Name> {
        let at = |start: u32, end: u32, roles: u32| Name {
            start: start.wrapping_add(base),
            end: end.wrapping_add(base),
            is_definition: roles & 1 != 0,
            is_use: roles & 2 != 0,
        };
        let mut words = words(text);
        let found = self.words.iter().map_while(|step| {
            let word = words.nth((step >> 2) as usize)?;
            Some(at(word.start as u32, word.end as u32, *step))
        });
        let mut names: Vec<Name> = found.collect();
        if !self.others.is_empty() {
            names.extend(self.others.iter().map(|(start, len, roles)| at(*start, start.wrapping_add(*len), *roles)));
            names.sort_unstable();
        }
        names
    }
}

/// Runs of letters, digits and underscores; every byte of a character beyond ASCII counts as a letter.
fn words(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text.get(at..)?.iter().position(is_word)?;
        at = start + text[start..].iter().position(|byte| !is_word(byte)).unwrap_or(text.len() - start);
        Some(start..at)
    })
}

#[cfg(test)]
mod tests {
    use super::PackedNames;
    use cds_model::Name;

    #[test]
    fn names_come_back_in_order() {
        let check = |text: &str, names: &[&str]| {
            // Names may lie in each other: the next begins behind the beginning of the one before it.
            let mut from = 0;
            let mut expect: Vec<Name> = Vec::new();
            for (i, name) in names.iter().enumerate() {
                let at = from + text[from..].find(name).expect("names stand in order");
                from = at + 1;
                let (start, end) = (100 + at as u32, 100 + (at + name.len()) as u32);
                expect.push(Name { start, end, is_definition: i % 2 == 1, is_use: i % 3 != 1 });
            }
            let packed = PackedNames::new(text.as_bytes(), 100, &expect);
            assert_eq!(packed.unpack(text.as_bytes(), 100), expect, "{text}");
            // Of another text no name lies outside.
            assert!(packed.unpack(b"", 100).len() <= packed.others.len());
        };
        check("", &[]);
        check("let logger = config.get(été_1);", &["logger", "config", "été_1"]);
        check("$el.save! 'aws-sdk' x", &["$el", "save!", "aws-sdk", "x"]);
        check("a.b a", &["a.b", "b", "a"]);
        check(&"word ".repeat(500), &["word"; 400]);
    }
}
