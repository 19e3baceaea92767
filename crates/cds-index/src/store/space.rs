//! The space that vectors of an encoder are stored in.
//!
//! Vectors of many models have a few numbers that are far larger than all others, nearly the same ones in every text. Codes of one byte and
//! signs say little of the rest then. So vectors are rotated (`rotation.rs`), which spreads large numbers, and the centre of what the model
//! makes of any text is subtracted. With the rotation `R`, the centre `c` and `r = Rx - c`, the product of a vector `x` and a query `q` is
//! `r·(Rq - c) + r·c + c·Rq`: codes and signs are those of `r`, `r·c` is kept beside them, and `c·Rq` is the same for every vector.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::rotation::{rotate, rotate_back};
use super::vectors::Quantised;

/// Where vectors of a model are centred and how they are searched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VectorSpace {
    #[serde(serialize_with = "write_bits", deserialize_with = "read_bits")]
    centre: Vec<f32>,
    /// Whether sketches miss too much, so that a search compares the codes of every vector.
    #[serde(default, skip_serializing_if = "is_false")]
    scans_codes: bool,
}

/// What is kept of a vector beside its codes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(crate) struct Offset {
    /// The product of what is stored and the centre; minus infinity: there is no vector.
    pub(crate) product: f32,
    /// The length of what is stored.
    pub(crate) length: f32,
}

impl Offset {
    pub(crate) fn is_absent(self) -> bool {
        self.product == f32::NEG_INFINITY
    }
}

impl VectorSpace {
    /// A space around the mean of some vectors, which have equally many numbers.
    pub fn around(vectors: &[Vec<f32>]) -> VectorSpace {
        let mut centre = mean(vectors);
        rotate(&mut centre);
        VectorSpace { centre, scans_codes: false }
    }

    /// The same space, searched without sketches or with them.
    #[must_use]
    pub fn scanning_codes(self, scans_codes: bool) -> VectorSpace {
        VectorSpace { scans_codes, ..self }
    }

    /// Whether a search compares the codes of every vector.
    pub fn scans_codes(&self) -> bool {
        self.scans_codes
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.centre.len()
    }

    /// What tells this space from others in which the same model was used.
    pub(crate) fn hash(&self) -> [u8; 32] {
        *blake3::hash(self.centre.as_bytes()).as_bytes()
    }

    /// A vector as it is stored.
    pub(crate) fn quantise(&self, vector: &[f32]) -> Quantised {
        let rest = self.centred(vector);
        let offset = Offset { product: dot(&rest, &self.centre), length: dot(&rest, &rest).sqrt() };
        Quantised { offset: Some(offset), ..Quantised::of(&rest) }
    }

    /// What is stored where there is no vector.
    pub(crate) fn absent(&self) -> Quantised {
        let offset = Offset { product: f32::NEG_INFINITY, length: 0.0 };
        Quantised { scale: 0.0, codes: vec![0; self.dimensions()], offset: Some(offset) }
    }

    /// What stored vectors are multiplied with, and what is added to every product.
    pub(crate) fn query(&self, query: &[f32]) -> (Vec<f32>, f32) {
        let centred = self.centred(query);
        let added = dot(&centred, &self.centre) + dot(&self.centre, &self.centre);
        (centred, added)
    }

    /// A vector of the model, from the numbers that are stored.
    pub(crate) fn restore(&self, mut stored: Vec<f32>) -> Vec<f32> {
        stored.iter_mut().zip(&self.centre).for_each(|(x, c)| *x += c);
        rotate_back(&mut stored);
        stored
    }

    /// Adds the centre so many times to a sum of stored vectors.
    pub(crate) fn add_centre(&self, sum: &mut [f32], times: usize) {
        sum.iter_mut().zip(&self.centre).for_each(|(x, c)| *x += c * times as f32);
    }

    fn centred(&self, vector: &[f32]) -> Vec<f32> {
        let mut rotated = vector.to_vec();
        rotate(&mut rotated);
        rotated.iter_mut().zip(&self.centre).for_each(|(x, c)| *x -= c);
        rotated
    }
}

pub(crate) fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    let mut mean = vec![0.0; vectors.first().map_or(0, Vec::len)];
    for vector in vectors {
        mean.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
    }
    for x in &mut mean {
        *x /= vectors.len() as f32;
    }
    mean
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde asks")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// Numbers as their bits: decimals may be read as a neighbouring number.
fn write_bits<S: Serializer>(numbers: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers.iter().map(|x| x.to_bits()))
}

fn read_bits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
    let bits = Vec::<u32>::deserialize(deserializer)?;
    Ok(bits.into_iter().map(f32::from_bits).collect())
}

#[cfg(test)]
mod tests {
    use super::{VectorSpace, dot};
    use crate::VectorTable;
    use cds_model::ChunkId;

    const DIMENSIONS: usize = 768;
    const NEAREST: usize = 100;

    /// Vectors that share topics, as those of a model do, with large numbers at four places.
    struct Source {
        seed: u64,
        topics: Vec<Vec<f32>>,
        /// How large the numbers are, and which share of them varies.
        outliers: f32,
        varying: f32,
    }

    impl Source {
        fn new(outliers: f32, varying: f32) -> Source {
            let mut source = Source { seed: 5, topics: Vec::new(), outliers, varying };
            source.topics = (0..64).map(|_| (0..DIMENSIONS).map(|_| source.normal() / 8.0).collect()).collect();
            source
        }

        fn uniform(&mut self) -> f32 {
            self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.seed >> 40) as f32 / (1 << 24) as f32
        }

        fn normal(&mut self) -> f32 {
            (0..6).map(|_| self.uniform()).sum::<f32>() * 2f32.sqrt() - 3.0 * 2f32.sqrt()
        }

        fn vector(&mut self) -> Vec<f32> {
            let mut vector: Vec<f32> = (0..DIMENSIONS).map(|_| self.normal() / 16.0).collect();
            for _ in 0..8 {
                let (topic, weight) = ((self.uniform() * 64.0) as usize, 3.0 * self.normal());
                vector.iter_mut().zip(&self.topics[topic.min(63)]).for_each(|(x, t)| *x += weight * t);
            }
            cds_encode::normalise(&mut vector);
            for (at, size) in [(3, 3.0), (77, -2.5), (200, 2.0), (512, 4.0)] {
                vector[at] += self.outliers * size * (1.0 + self.varying * self.normal());
            }
            cds_encode::normalise(&mut vector);
            vector
        }
    }

    /// Searches find 99 of the 100 nearest by floats, and vectors are read as they were.
    fn check(outliers: f32, varying: f32, scans_codes: bool) {
        let mut source = Source::new(outliers, varying);
        let probes: Vec<Vec<f32>> = (0..64).map(|_| source.vector()).collect();
        let rows: Vec<Vec<f32>> = (0..5_000).map(|_| source.vector()).collect();
        let mut table = VectorTable::within(VectorSpace::around(&probes).scanning_codes(scans_codes));
        for row in &rows {
            table.push(row);
        }
        let vectors = table.vectors();
        let mut agree = 0;
        for _ in 0..20 {
            let query = source.vector();
            let mut exact: Vec<(u32, f32)> = (0..).zip(rows.iter().map(|row| dot(row, &query))).collect();
            exact.sort_by(|a, b| b.1.total_cmp(&a.1));
            let found = vectors.nearest(&query, NEAREST, |_| true);
            agree += exact[..NEAREST].iter().filter(|(row, _)| found.iter().any(|(c, _)| c.0 == *row)).count();
        }
        assert!(agree * 100 >= 20 * NEAREST * 99, "{agree} with outliers {outliers} that vary by {varying}");
        for (chunk, row) in (0..).map(ChunkId).zip(&rows) {
            let read = vectors.get(chunk).unwrap();
            let apart: Vec<f32> = read.iter().zip(row).map(|(a, b)| a - b).collect();
            assert!(dot(&apart, &apart).sqrt() < 0.02, "{}", chunk.0);
        }
    }

    #[test]
    fn the_hundred_nearest_are_those_of_floats_without_outlying_numbers() {
        check(0.0, 0.0, false);
    }

    #[test]
    fn the_hundred_nearest_are_those_of_floats_with_mildly_outlying_numbers() {
        check(0.25, 0.05, false);
    }

    #[test]
    fn the_hundred_nearest_are_those_of_floats_with_constant_outlying_numbers() {
        check(1.0, 0.05, false);
    }

    #[test]
    fn the_hundred_nearest_are_those_of_floats_with_varying_outlying_numbers() {
        check(1.0, 0.5, false);
    }

    #[test]
    fn a_scan_of_codes_finds_the_same() {
        check(1.0, 0.5, true);
    }

    #[test]
    fn a_chunk_without_a_vector_is_found_by_no_search() {
        for scans_codes in [false, true] {
            let space = VectorSpace::around(&[vec![0.5; 64]]).scanning_codes(scans_codes);
            let mut table = VectorTable::within(space.clone());
            table.push(&[0.1; 64]);
            table.push_quantised(&space.absent());
            let vectors = table.vectors();
            let query = [-0.1; 64];
            let found: Vec<u32> = vectors.nearest(&query, 5, |_| true).iter().map(|(chunk, _)| chunk.0).collect();
            assert_eq!(found, [0]);
            assert_eq!(vectors.get(ChunkId(1)).unwrap(), [0.0; 64]);
            assert_eq!(vectors.cosines(&query, [ChunkId(1), ChunkId(9)].into_iter()), [0.0, 0.0]);
        }
    }

    #[test]
    fn a_space_is_read_as_it_was_written() {
        let space = VectorSpace::around(&[vec![0.1, 1e-30, -3.3]]).scanning_codes(true);
        let text = serde_json::to_string(&space).unwrap();
        assert_eq!(serde_json::from_str::<VectorSpace>(&text).unwrap(), space);
    }
}
