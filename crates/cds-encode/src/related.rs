//! Words of a query and the words that code says instead: `authentication` and `auth`, `credential`, `login`. Learnt from pairs of
//! prose and code; the answer to SPLADE of a machine without a transformer.
//!
//! ```text
//! "CDSR"  version u32  rows u32  words u32  bytes of the word list u32
//! word list: length u8 and the word's bytes, sorted
//! rows, sorted: word u16, count u8, count x (word u16, weight u8)
//! ```

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::ModelError;

const MAGIC: &[u8; 4] = b"CDSR";
const VERSION: u32 = 1;
const HEAD: usize = 20;

/// A table of related words.
pub struct Related {
    rows: FxHashMap<&'static str, Vec<(&'static str, f32)>>,
}

/// The table inside the binary.
pub fn related() -> &'static Related {
    static TABLE: LazyLock<Related> = LazyLock::new(|| {
        Related::parse(include_bytes!("../weights/related.cdsw")).expect("the binary's own table is whole")
    });
    &TABLE
}

impl Related {
    /// Reads a table.
    pub fn parse(bytes: &'static [u8]) -> Result<Related, ModelError> {
        let mut at = Reader { bytes, at: 4 };
        if bytes.get(..4) != Some(MAGIC) || at.number(4)? != VERSION as usize {
            return Err(ModelError::NotATable(VERSION));
        }
        let (rows, words, block) = (at.number(4)?, at.number(4)?, at.number(4)?);
        let mut list = Vec::new();
        for _ in 0..words {
            let length = at.number(1)?;
            list.push(std::str::from_utf8(at.take(length)?).map_err(|_| ModelError::NotATable(VERSION))?);
        }
        if at.at != HEAD + block {
            return Err(ModelError::Truncated);
        }
        let mut table = FxHashMap::default();
        for _ in 0..rows {
            let word = *list.get(at.number(2)?).ok_or(ModelError::Truncated)?;
            let count = at.number(1)?;
            let mut others = Vec::with_capacity(count);
            for _ in 0..count {
                let other = *list.get(at.number(2)?).ok_or(ModelError::Truncated)?;
                others.push((other, at.number(1)? as f32 / 255.0));
            }
            table.insert(word, others);
        }
        Ok(Related { rows: table })
    }

    /// What code says for a word of the index (lower case and stemmed), with weights below one, the likeliest first.
    pub fn of(&self, word: &str) -> &[(&'static str, f32)] {
        self.rows.get(word).map_or(&[], Vec::as_slice)
    }
}

struct Reader {
    bytes: &'static [u8],
    at: usize,
}

impl Reader {
    fn take(&mut self, length: usize) -> Result<&'static [u8], ModelError> {
        let part = self.bytes.get(self.at..self.at + length).ok_or(ModelError::Truncated)?;
        self.at += length;
        Ok(part)
    }

    /// A number of that many bytes.
    fn number(&mut self, length: usize) -> Result<usize, ModelError> {
        Ok(self.take(length)?.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Related, related};
    use crate::ModelError;

    #[test]
    fn prose_leads_to_code() {
        let words: Vec<&str> = related().of("authent").iter().map(|(word, _)| *word).collect();
        assert!(words.contains(&"auth"), "{words:?}");
        assert!(related().of("zzzz").is_empty());
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let check = |bytes: &'static [u8], expect: ModelError| assert_eq!(Related::parse(bytes).err(), Some(expect));
        check(b"nothing at all", ModelError::NotATable(1));
        check(b"CDSR", ModelError::Truncated);
        check(b"CDSR\x01\0\0\0\x01\0\0\0\x01\0\0\0\x02\0\0\0\x01a\x05\0\x00", ModelError::Truncated);
    }
}
