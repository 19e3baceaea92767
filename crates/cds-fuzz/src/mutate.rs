//! Inputs from inputs, by a fixed seed.
//!
//! Without the coverage that libFuzzer sees, what finds most is the corpus cut, spliced and strewn with words that mean
//! something to the reader. So a word or a splice is as likely as a change of bytes.

use crate::corpus::Corpus;

/// Changes inputs of one corpus. Equal seeds make equal inputs.
pub struct Mutator<'a> {
    corpus: &'a Corpus,
    longest: usize,
    state: u64,
}

/// Bytes at the edge of something: of numbers, of ASCII, of a line, of UTF-8.
const EDGES: &[u8] =
    &[0x00, 0x01, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x27, 0x2f, 0x3d, 0x7f, 0x80, 0xbf, 0xc3, 0xe2, 0xf0, 0xff];

/// Changes of one input at most.
const MOST_CHANGES: usize = 5;

impl<'a> Mutator<'a> {
    /// A mutator for inputs up to `longest` bytes.
    pub fn new(corpus: &'a Corpus, longest: usize, seed: u64) -> Mutator<'a> {
        Mutator { corpus, longest, state: seed }
    }

    /// The next input.
    pub fn input(&mut self) -> Vec<u8> {
        let mut bytes = self.any_input().to_vec();
        for _ in 0..=self.below(MOST_CHANGES) {
            self.change(&mut bytes);
        }
        bytes.truncate(self.longest);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len() + 1);
        let span = at..at + self.below((bytes.len() - at).min(32) + 1);
        match self.below(9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 if at < bytes.len() => bytes[at] = EDGES[self.below(EDGES.len())],
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(span)),
            4 => {
                let again: Vec<u8> = bytes[span].repeat(1 + self.below(8));
                bytes.splice(at..at, again);
            }
            5 => {
                let noise: Vec<u8> = (0..self.below(8)).map(|_| self.below(256) as u8).collect();
                bytes.splice(at..at, noise);
            }
            6 => {
                let other = self.any_input();
                let from = self.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            // In place of something, or between.
            7 => drop(bytes.splice(span, self.any_word().iter().copied())),
            _ => drop(bytes.splice(at..at, self.any_word().iter().copied())),
        }
    }

    fn any_input(&mut self) -> &'a [u8] {
        let at = self.below(self.corpus.inputs.len());
        self.corpus.inputs.get(at).map_or(&[], |input| &input.bytes)
    }

    fn any_word(&mut self) -> &'a [u8] {
        let at = self.below(self.corpus.words.len());
        self.corpus.words.get(at).map_or(&[], Vec::as_slice)
    }

    /// A number below `end`; 0 where there is none.
    fn below(&mut self, end: usize) -> usize {
        // SplitMix64: a counter and three mixing steps, no table.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.state;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ (x >> 31)).checked_rem(end as u64).unwrap_or(0) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::Mutator;
    use crate::corpus::{Corpus, Input};

    #[test]
    fn equal_seeds_make_equal_inputs_within_bounds() {
        let input = |text: &str| Input { name: String::new(), bytes: text.as_bytes().to_vec() };
        let corpus = Corpus { inputs: vec![input("def f(): pass"), input("")], words: vec![b"class".to_vec()] };
        let made = |seed: u64| {
            let mut mutator = Mutator::new(&corpus, 16, seed);
            (0..500).map(|_| mutator.input()).collect::<Vec<_>>()
        };
        assert_eq!(made(1), made(1));
        assert_ne!(made(1), made(2));
        assert!(made(1).iter().all(|bytes| bytes.len() <= 16));
        assert!(made(1).iter().any(|bytes| bytes.windows(5).any(|w| w == b"class")));
    }
}
