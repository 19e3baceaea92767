//! A table of words, each with a vector, in a file that is used as it is: nothing is decoded before the first look-up.
//!
//! ```text
//! "CDSW"  version u32  dimensions u32  words u32  bytes of the word list u32
//! word list: length u8 and the word's bytes, sorted
//! scale of each row, f16
//! rows, i8
//! ```

use std::cell::RefCell;
use std::sync::LazyLock;

use compact_str::CompactString;
use rustc_hash::FxHashMap;

use crate::{ModelError, ModelId, normalise};

const MAGIC: &[u8; 4] = b"CDSW";
const VERSION: u32 = 1;
const HEAD: usize = 20;

/// Longer words are data.
const MAX_WORD: usize = 24;
/// Pieces of unknown words have at least so many letters.
const MIN_PIECE: usize = 3;
/// What names of the entity and of what is around it add to a chunk's vector, beside its content.
const NAME_WEIGHT: f32 = 0.6;
/// What the path adds.
const PATH_WEIGHT: f32 = 0.6;
/// A word of content counts its times to this power.
const CONTENT_POWER: f32 = 0.6;
/// Words remembered before the memory is emptied.
const REMEMBERED: usize = 200_000;

/// Words and their vectors.
pub struct StaticModel {
    id: ModelId,
    bytes: &'static [u8],
    /// Where each word begins in `bytes`.
    words: Vec<u32>,
    scales: Vec<f32>,
    rows: &'static [u8],
    dimensions: usize,
}

/// Beginning of the built-in weights' hash, written down because hashing them takes longer than a search.
const WEIGHTS: &str = "89cd772450549cf7";

/// The model inside the binary.
pub fn builtin() -> &'static StaticModel {
    static MODEL: LazyLock<StaticModel> = LazyLock::new(|| {
        let bytes = include_bytes!("../weights/static.cdsw");
        StaticModel::parse("cds-static", WEIGHTS, bytes).expect("the binary's own weights are whole")
    });
    &MODEL
}

impl StaticModel {
    /// Reads a table; `weights` tells it from others of that name.
    pub fn parse(name: &str, weights: &str, bytes: &'static [u8]) -> Result<Self, ModelError> {
        let number = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
        if bytes.get(..4) != Some(MAGIC) || number(4) != Some(VERSION) {
            return Err(ModelError::NotATable(VERSION));
        }
        let head = || Some((number(8)? as usize, number(12)? as usize, number(16)? as usize));
        let (dimensions, count, block) = head().ok_or(ModelError::Truncated)?;
        let mut words = Vec::with_capacity(count);
        let mut at = HEAD;
        for _ in 0..count {
            words.push(at as u32);
            at += 1 + usize::from(*bytes.get(at).ok_or(ModelError::Truncated)?);
        }
        let scales = bytes.get(at..at + 2 * count).filter(|_| at == HEAD + block).ok_or(ModelError::Truncated)?;
        let rows = bytes.get(at + 2 * count..at + 2 * count + count * dimensions).ok_or(ModelError::Truncated)?;
        let scales = scales.as_chunks::<2>().0.iter().map(|half| single(u16::from_le_bytes(*half))).collect();
        let id = ModelId { name: name.to_owned(), dimensions: dimensions as u32, weights: weights.to_owned() };
        Ok(Self { id, bytes, words, scales, rows, dimensions })
    }

    /// Which model it is.
    pub fn id(&self) -> &ModelId {
        &self.id
    }

    fn word(&self, row: u32) -> &[u8] {
        let at = self.words[row as usize] as usize;
        &self.bytes[at + 1..at + 1 + usize::from(self.bytes[at])]
    }

    fn find(&self, word: &[u8]) -> Option<u32> {
        let (mut low, mut high) = (0, self.words.len() as u32);
        while low < high {
            let middle = u32::midpoint(low, high);
            match self.word(middle).cmp(word) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// The row of a word; for one it does not know, rows of the longest known pieces from the left.
    fn rows_of(&self, word: &str) -> Vec<u32> {
        let bytes = word.as_bytes();
        if let Some(row) = self.find(bytes) {
            return vec![row];
        }
        let is_word = (2..=MAX_WORD).contains(&bytes.len()) && word.is_ascii() && !bytes.iter().all(u8::is_ascii_digit);
        let mut rows = Vec::new();
        let mut at = 0;
        while is_word && at + MIN_PIECE <= bytes.len() {
            let longest = (at + MIN_PIECE..=bytes.len()).rev().find_map(|end| Some((self.find(&bytes[at..end])?, end)));
            match longest {
                Some((row, end)) => {
                    rows.push(row);
                    at = end;
                }
                None => at += 1,
            }
        }
        rows
    }

    fn add(&self, row: u32, weight: f32, to: &mut [f32]) {
        let weight = weight * self.scales[row as usize];
        let at = row as usize * self.dimensions;
        let row = &self.rows[at..at + self.dimensions];
        to.iter_mut().zip(row).for_each(|(to, x)| *to += weight * f32::from(x.cast_signed()));
    }
}

/// Half precision to single.
fn single(half: u16) -> f32 {
    let (sign, exponent, fraction) = (u32::from(half >> 15), u32::from(half >> 10 & 0x1f), u32::from(half & 0x3ff));
    match exponent {
        0 => f32::from_bits(sign << 31) + (fraction as f32) * f32::powi(2.0, -24) * if sign == 1 { -1.0 } else { 1.0 },
        0x1f => f32::from_bits(sign << 31 | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign << 31 | (exponent + 112) << 23 | fraction << 13),
    }
}

/// Gathers the words of one text and makes its vector; used again for the next text.
pub struct WordBag {
    model: &'static StaticModel,
    counts: FxHashMap<u32, u32>,
    /// In the order they came, so that sums do not depend on a hash table.
    order: Vec<u32>,
    memory: RefCell<FxHashMap<CompactString, Box<[u32]>>>,
}

impl WordBag {
    /// An empty bag.
    pub fn new(model: &'static StaticModel) -> Self {
        Self { model, counts: FxHashMap::default(), order: Vec::new(), memory: RefCell::default() }
    }

    /// Adds a term of the index: a part of an identifier or a word of prose, lower case and stemmed.
    pub fn add(&mut self, term: &str) {
        let mut memory = self.memory.borrow_mut();
        if memory.len() > REMEMBERED {
            memory.clear();
        }
        let rows = match memory.get(term) {
            Some(rows) => rows,
            None => memory.entry(term.into()).or_insert_with(|| self.model.rows_of(term).into()),
        };
        for row in rows {
            let count = self.counts.entry(*row).or_insert(0);
            if *count == 0 {
                self.order.push(*row);
            }
            *count += 1;
        }
    }

    /// Whether no word is known.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    fn drain(&mut self, weight: impl Fn(u32) -> f32) -> Vec<f32> {
        let mut vector = vec![0.0; self.model.dimensions];
        for row in self.order.drain(..) {
            self.model.add(row, weight(self.counts[&row]), &mut vector);
        }
        self.counts.clear();
        normalise(&mut vector);
        vector
    }

    /// The vector of content: a word that is said often counts more, but not in proportion. Empties the bag.
    pub fn content(&mut self) -> Vec<f32> {
        self.drain(|count| (count as f32).powf(CONTENT_POWER))
    }

    /// The vector of a name, a path or a query: each word once. Empties the bag.
    pub fn words(&mut self) -> Vec<f32> {
        self.drain(|_| 1.0)
    }
}

/// A chunk's vector: what it says, what it is called and where it stands, each of length one before it is weighed. One bag of all is far weaker.
pub fn compose(content: &[f32], name: &[f32], path: &[f32]) -> Vec<f32> {
    let parts = content.iter().zip(name).zip(path);
    let mut vector: Vec<f32> =
        parts.map(|((content, name), path)| content + NAME_WEIGHT * name + PATH_WEIGHT * path).collect();
    normalise(&mut vector);
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three words in two dimensions.
    fn model() -> &'static StaticModel {
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION, 2, 3, 5 + 8 + 5] {
            bytes.extend(number.to_le_bytes());
        }
        for word in ["auth", "message", "pack"] {
            bytes.push(word.len() as u8);
            bytes.extend(word.as_bytes());
        }
        // 1.0, 0.5, 2.0
        for half in [0x3c00_u16, 0x3800, 0x4000] {
            bytes.extend(half.to_le_bytes());
        }
        bytes.extend([100, 0, 0, 100, 3, 4]);
        Box::leak(Box::new(StaticModel::parse("test", "", bytes.leak()).expect("whole")))
    }

    #[test]
    fn known_words_pieces_and_others() {
        let check = |word: &str, expect: &[u32]| assert_eq!(model().rows_of(word), expect, "{word}");
        check("auth", &[0]);
        check("messagepack", &[1, 2]);
        check("unauthpacked", &[0, 2]);
        check("xyz", &[]);
        check("12345", &[]);
        check("", &[]);
    }

    #[test]
    fn vectors_have_length_one_and_point_where_their_words_do() {
        let mut bag = WordBag::new(model());
        bag.add("auth");
        assert_eq!(bag.words(), [1.0, 0.0]);
        bag.add("pack");
        assert_eq!(bag.content(), [0.6, 0.8]);
        assert!(bag.is_empty());
        assert_eq!(bag.content(), [0.0, 0.0]);
        let vector = compose(&[1.0, 0.0], &[0.0, 1.0], &[0.0, 1.0]);
        assert!((vector[1] / vector[0] - 1.2).abs() < 1e-6);
    }

    #[test]
    fn the_written_hash_is_that_of_the_weights() {
        let bytes = include_bytes!("../weights/static.cdsw");
        assert_eq!(&blake3::hash(bytes).to_hex()[..16], super::WEIGHTS, "new weights: write their hash into WEIGHTS");
    }

    #[test]
    fn halves_become_singles() {
        for (half, expect) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0x0001, 5.960_464_5e-8), (0x0000, 0.0)]
        {
            assert!((single(half) - expect).abs() < 1e-12, "{half:x}");
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert_eq!(StaticModel::parse("x", "", b"nothing").err(), Some(ModelError::NotATable(VERSION)));
        assert_eq!(
            StaticModel::parse("x", "", b"CDSW\x01\0\0\0\x02\0\0\0\x09\0\0\0\x05\0\0\0").err(),
            Some(ModelError::Truncated)
        );
    }
}
