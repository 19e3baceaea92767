//! One vector a chunk: numbers of one byte each, and a scale. All have length one, so a product is a cosine.
//!
//! Every chunk is looked at: first its sketch (`sketches.rs`), then the vector itself where the sketch says that it may be near enough.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use cds_graph::Rows;
use cds_model::ChunkId;
use serde::{Deserialize, Serialize};
use zerocopy::IntoBytes;

use super::best::Best;
use super::checksums::{Summed, Summer};
use super::map::Mapped;
use super::rows::{ChunkRow, DocumentRow, NONE};
use super::sketches::{self, SketchQuery};
use crate::{Error, Result, private_fs};

/// A vector as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Quantised {
    pub(crate) scale: f32,
    pub(crate) codes: Vec<i8>,
}

impl Quantised {
    /// Each number as a share of the largest. One of zeros stays zero.
    pub(crate) fn of(vector: &[f32]) -> Quantised {
        let largest = vector.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        if largest == 0.0 {
            return Quantised { scale: 0.0, codes: vec![0; vector.len()] };
        }
        let scale = largest / 127.0;
        Quantised { scale, codes: vector.iter().map(|x| (x / scale).round() as i8).collect() }
    }
}

/// Writes vectors as they come.
pub(crate) struct VectorsWriter {
    file: BufWriter<File>,
    path: PathBuf,
    sums: Summer,
    tables: VectorTables,
}

/// What is kept of vectors beside their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct VectorTables {
    pub(crate) scales: Vec<f32>,
    pub(crate) sketches: Vec<u64>,
}

impl VectorTables {
    fn add(&mut self, vector: &Quantised) {
        self.scales.push(vector.scale);
        sketches::add(&vector.codes, vector.scale, &mut self.sketches);
    }
}

impl VectorsWriter {
    pub(crate) fn create(path: &Path) -> Result<VectorsWriter> {
        let file = BufWriter::with_capacity(1 << 18, private_fs::create(path).map_err(Error::io(path))?);
        Ok(VectorsWriter { file, path: path.to_owned(), sums: Summer::default(), tables: VectorTables::default() })
    }

    pub(crate) fn add(&mut self, vectors: &[Quantised]) -> Result<()> {
        for vector in vectors {
            let codes = vector.codes.as_bytes();
            self.sums.update(codes);
            self.file.write_all(codes).map_err(Error::io(&self.path))?;
            self.tables.add(vector);
        }
        Ok(())
    }

    /// What was written, and what is still to be.
    pub(crate) fn finish(mut self) -> Result<(Summed, VectorTables)> {
        self.file.flush().map_err(Error::io(&self.path))?;
        Ok((self.sums.finish(), self.tables))
    }
}

/// The mapped vectors of a generation.
pub(crate) struct VectorMaps {
    pub(crate) codes: Mapped,
    pub(crate) scales: Mapped,
    pub(crate) sketches: Mapped,
}

/// How the nearest files are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileChoice {
    /// By their sketches.
    Likely,
    /// By their cosines.
    Exact,
}

/// Vectors of all chunks, part by part.
#[derive(Clone)]
pub struct Vectors<'a> {
    parts: Vec<PartVectors<'a>>,
    dimensions: usize,
    /// How many chunks there are.
    len: usize,
    /// Files and chunks, which say where a chunk's vector lies; `None`: all lie in one part, in their order.
    rows: Option<(Rows<'a, DocumentRow>, Rows<'a, ChunkRow>)>,
}

#[derive(Clone, Copy)]
struct PartVectors<'a> {
    codes: Rows<'a, u8>,
    scales: Rows<'a, f32>,
    sketches: Rows<'a, u64>,
    /// Which chunk each is, or that it is none any more; `None`: they are numbered through.
    chunks: Option<&'a [u32]>,
}

impl<'a> PartVectors<'a> {
    fn chunk(&self, at: usize) -> Option<ChunkId> {
        let Some(chunks) = self.chunks else { return Some(ChunkId(at as u32)) };
        chunks.get(at).filter(|chunk| **chunk != NONE).map(|chunk| ChunkId(*chunk))
    }

    /// The numbers of one byte at a place, and what they are to be multiplied with.
    fn row(&self, at: usize, dimensions: usize) -> Option<(&'a [u8], f32)> {
        let start = at.checked_mul(dimensions)?;
        let codes = self.codes.slice(start..start + dimensions);
        Some((Some(codes).filter(|codes| codes.len() == dimensions)?, *self.scales.get(at)?))
    }
}

/// Vectors in memory, in the form they have on disk.
#[derive(Clone, Debug, Default)]
pub struct VectorTable {
    codes: Vec<u8>,
    tables: VectorTables,
    dimensions: usize,
}

impl VectorTable {
    /// An empty table for vectors of that many numbers.
    pub fn new(dimensions: usize) -> VectorTable {
        VectorTable { dimensions, ..VectorTable::default() }
    }

    /// Adds the next vector.
    pub fn push(&mut self, vector: &[f32]) {
        let quantised = Quantised::of(vector);
        self.codes.extend_from_slice(quantised.codes.as_bytes());
        self.tables.add(&quantised);
    }

    /// To be searched.
    pub fn vectors(&self) -> Vectors<'_> {
        let VectorTables { scales, sketches } = &self.tables;
        let (codes, len) = (self.codes.as_slice().into(), scales.len());
        let (scales, sketches) = (scales.as_slice().into(), sketches.as_slice().into());
        let part = PartVectors { codes, scales, sketches, chunks: None };
        Vectors { parts: vec![part], dimensions: self.dimensions, len, rows: None }
    }
}

impl<'a> Vectors<'a> {
    /// Vectors of parts, each with the chunks they are of.
    pub(crate) fn new(
        parts: impl Iterator<Item = (&'a VectorMaps, &'a [u32])>,
        dimensions: usize,
        documents: Rows<'a, DocumentRow>,
        chunks: Rows<'a, ChunkRow>,
    ) -> Result<Vectors<'a>> {
        let part = |(maps, chunks): (&'a VectorMaps, &'a [u32])| {
            let (codes, scales): (Rows<u8>, Rows<f32>) = (maps.codes.rows(), maps.scales.rows());
            if codes.len() != scales.len() * dimensions {
                return Err(Error::damaged(maps.codes.path(), "not as many vectors as scales"));
            }
            let sketches: Rows<u64> = maps.sketches.rows();
            if sketches.len() != scales.len() * sketches::stride(dimensions) {
                return Err(Error::damaged(maps.sketches.path(), "not as many sketches as vectors"));
            }
            Ok(PartVectors { codes, scales, sketches, chunks: Some(chunks) })
        };
        let parts = parts.map(part).collect::<Result<_>>()?;
        Ok(Vectors { parts, dimensions, len: chunks.len(), rows: Some((documents, chunks)) })
    }

    /// How many chunks have one.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A chunk's numbers of one byte, and what they are to be multiplied with.
    fn row(&self, chunk: ChunkId) -> Option<(&'a [u8], f32)> {
        let (part, at) = match self.rows {
            None => (0, chunk.index()),
            Some((documents, chunks)) => {
                let document = documents.get(chunks.get(chunk.index())?.file as usize)?;
                (document.part as usize, chunk.0.checked_sub(document.first_chunk)?.checked_add(document.doc)? as usize)
            }
        };
        self.parts.get(part)?.row(at, self.dimensions)
    }

    /// A chunk's vector.
    pub fn get(&self, chunk: ChunkId) -> Option<Vec<f32>> {
        let (codes, scale) = self.row(chunk)?;
        Some(codes.iter().map(|x| f32::from(x.cast_signed()) * scale).collect())
    }

    pub(crate) fn quantised(&self, chunk: u32) -> Option<Quantised> {
        let (codes, scale) = self.row(ChunkId(chunk))?;
        Some(Quantised { scale, codes: codes.iter().map(|x| x.cast_signed()).collect() })
    }

    /// The `most` nearest chunks that pass, with their cosines, nearest first; equal ones by chunk.
    pub fn nearest(&self, query: &[f32], most: usize, passes: impl Fn(ChunkId) -> bool) -> Vec<(ChunkId, f32)> {
        let scan = Scan::new(self, query);
        let list = scan.nearest(most, &passes);
        scan.finish();
        list
    }

    /// The `most` nearest chunks that pass and the nearest chunk of each of the `most` nearest files, with their cosines, nearest first. One
    /// scan finds both. Files are chosen by their sketches: one at the end of the list may be missed.
    pub fn nearest_with_files(
        &self,
        query: &[f32],
        most: usize,
        passes: impl Fn(ChunkId) -> bool,
    ) -> Vec<(ChunkId, f32)> {
        let scan = Scan::new(self, query);
        let mut list = scan.nearest(most, &passes);
        if list.len() == most {
            list.extend(scan.nearest_of_files(most, FileChoice::Likely, &passes));
            list.sort_by(better);
            list.dedup_by_key(|(chunk, _)| *chunk);
        }
        scan.finish();
        list
    }

    /// The nearest chunk that passes of each of the `most` nearest files, with their cosines, nearest first. A list is the beginning of every
    /// longer one.
    pub fn nearest_files(&self, query: &[f32], most: usize, passes: impl Fn(ChunkId) -> bool) -> Vec<(ChunkId, f32)> {
        let scan = Scan::new(self, query);
        let list = scan.nearest_of_files(most, FileChoice::Exact, &passes);
        scan.finish();
        list
    }

    /// Cosines of some chunks, off by the query's rounding; zero for one that has no vector.
    pub fn cosines(&self, query: &[f32], chunks: impl Iterator<Item = ChunkId>) -> Vec<f32> {
        let coarse = Quantised::of(query);
        chunks.map(|chunk| self.row(chunk).map_or(0.0, |row| cosine(&coarse, row))).collect()
    }
}

fn cosine(query: &Quantised, (row, scale): (&[u8], f32)) -> f32 {
    dot::product(&query.codes, row) as f32 * scale * query.scale
}

// The signature that sorting wants.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn better((a, high): &(ChunkId, f32), (b, low): &(ChunkId, f32)) -> std::cmp::Ordering {
    low.total_cmp(high).then(a.cmp(b))
}

thread_local! {
    /// Memory for the guesses of a scan, reused by the next one.
    static GUESSES: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
}

/// Guesses that are skipped at once if none of them is large enough, as nearly all are.
const BLOCK: usize = 32;

/// How many times as many candidates as requested are kept until they are scored with the exact query.
const RESCORED: usize = 3;

/// One query compared with the sketches of all vectors.
struct Scan<'v, 'a> {
    vectors: &'v Vectors<'a>,
    query: &'v [f32],
    coarse: Quantised,
    /// The most that a guess lies below its cosine.
    margin: f32,
    /// The guess for each vector, part by part.
    guesses: Vec<f32>,
}

impl<'v, 'a> Scan<'v, 'a> {
    fn new(vectors: &'v Vectors<'a>, query: &'v [f32]) -> Scan<'v, 'a> {
        let sketched = SketchQuery::new(query);
        let mut guesses = GUESSES.take();
        guesses.clear();
        guesses.resize(vectors.parts.iter().map(|part| part.scales.len()).sum(), 0.0);
        let mut rest = guesses.as_mut_slice();
        for part in &vectors.parts {
            let (own, others) = rest.split_at_mut(part.scales.len());
            sketched.guess(part.sketches.all(), own);
            rest = others;
        }
        Scan { vectors, query, coarse: Quantised::of(query), margin: sketched.margin(), guesses }
    }

    /// Returns the memory of the guesses.
    fn finish(self) {
        GUESSES.set(self.guesses);
    }

    /// The parts, each with the guesses for its vectors.
    fn parts(&self) -> impl Iterator<Item = (&PartVectors<'a>, &[f32])> {
        let mut rest = self.guesses.as_slice();
        self.vectors.parts.iter().map(move |part| {
            let (own, others) = rest.split_at(part.scales.len());
            rest = others;
            (part, own)
        })
    }

    fn nearest(&self, most: usize, passes: &impl Fn(ChunkId) -> bool) -> Vec<(ChunkId, f32)> {
        let kept = most.saturating_mul(RESCORED);
        let mut likely = Best::new(kept);
        for (part, guesses) in self.parts() {
            for (block, guesses) in guesses.chunks(BLOCK).enumerate() {
                if largest(guesses) < likely.least() {
                    continue;
                }
                for (at, guess) in (block * BLOCK..).zip(guesses) {
                    if *guess >= likely.least()
                        && let Some(chunk) = part.chunk(at).filter(|chunk| passes(*chunk))
                    {
                        likely.push(chunk, *guess);
                    }
                }
            }
        }
        // The cosines of the best guesses bound the guesses that can still matter.
        let least = self.bound(likely.into_list().into_iter().map(|(chunk, _)| chunk), most);
        let mut best = Best::new(kept);
        for (part, guesses) in self.parts() {
            for (block, guesses) in guesses.chunks(BLOCK).enumerate().filter(|(_, guesses)| largest(guesses) >= least) {
                for (at, _) in (block * BLOCK..).zip(guesses).filter(|(_, guess)| **guess >= least) {
                    let chunk = part.chunk(at).filter(|chunk| passes(*chunk));
                    if let Some((chunk, row)) = chunk.zip(part.row(at, self.vectors.dimensions)) {
                        best.push(chunk, cosine(&self.coarse, row));
                    }
                }
            }
        }
        self.exact(best, most)
    }

    /// The nearest chunk of each of the `most` nearest files.
    fn nearest_of_files(
        &self,
        most: usize,
        choice: FileChoice,
        passes: &impl Fn(ChunkId) -> bool,
    ) -> Vec<(ChunkId, f32)> {
        let Some((documents, _)) = self.vectors.rows else { return Vec::new() };
        let parts: Vec<&[f32]> = self.parts().map(|(_, guesses)| guesses).collect();
        // The chunks of a file are consecutive in its part.
        let files = documents.all().iter().filter_map(|document| {
            let first = document.doc as usize;
            Some((document, parts.get(document.part as usize)?.get(first..first + document.chunks as usize)?))
        });
        let files: Vec<(&DocumentRow, &[f32])> = files.collect();
        let mut likely = Best::new(most.saturating_mul(RESCORED));
        for (document, own) in &files {
            if largest(own) >= likely.least() {
                let passing = (document.first_chunk..).map(ChunkId).zip(*own).filter(|(chunk, _)| passes(*chunk));
                if let Some((chunk, guess)) = passing.max_by(|a, b| a.1.total_cmp(b.1)) {
                    likely.push(chunk, *guess);
                }
            }
        }
        let likely = likely.into_list();
        let least = match choice {
            FileChoice::Likely => likely.last().map_or(f32::MIN, |(_, guess)| *guess),
            FileChoice::Exact => self.bound(likely.iter().map(|(chunk, _)| *chunk), most),
        };
        let mut best = Best::new(most.saturating_mul(RESCORED));
        for (document, own) in files.iter().filter(|(_, own)| largest(own) >= least) {
            let passing = || (document.first_chunk..).map(ChunkId).zip(*own).filter(|(chunk, _)| passes(*chunk));
            // Chunks that may be the nearest of their file.
            let highest = passing().fold(f32::MIN, |highest, (_, guess)| highest.max(*guess));
            let close = passing().filter(|(_, guess)| **guess >= least.max(highest - 2.0 * self.margin));
            let cosines = close.filter_map(|(chunk, _)| Some((chunk, cosine(&self.coarse, self.vectors.row(chunk)?))));
            if let Some((chunk, cosine)) = cosines.min_by(better) {
                best.push(chunk, cosine);
            }
        }
        self.exact(best, most)
    }

    /// The least guess of a chunk that may be among the `most` nearest, given some of the nearest.
    fn bound(&self, likely: impl Iterator<Item = ChunkId>, most: usize) -> f32 {
        let mut near = self.vectors.cosines(self.query, likely);
        if near.len() <= most {
            return f32::MIN;
        }
        *near.select_nth_unstable_by(most, |a, b| b.total_cmp(a)).1 - self.margin
    }

    /// The best with the cosines of the exact query.
    fn exact(&self, best: Best, most: usize) -> Vec<(ChunkId, f32)> {
        let mut list: Vec<(ChunkId, f32)> = best.into_list();
        for (chunk, score) in &mut list {
            let Some((row, scale)) = self.vectors.row(*chunk) else { continue };
            let exact: f32 = row.iter().zip(self.query).map(|(x, q)| f32::from(x.cast_signed()) * q).sum();
            *score = exact * scale;
        }
        list.sort_by(better);
        list.truncate(most);
        list
    }
}

fn largest(guesses: &[f32]) -> f32 {
    guesses.iter().fold(f32::MIN, |largest, guess| if *guess > largest { *guess } else { largest })
}

/// The product of bytes. The loop is plain; on processors that have AVX2 it is compiled a second time for it, twice as fast.
mod dot {
    pub(super) fn product(query: &[i8], row: &[u8]) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[allow(unsafe_code)]
            // SAFETY: the processor has the feature, as was just asked.
            return unsafe { with_avx2(query, row) };
        }
        plain(query, row)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn with_avx2(query: &[i8], row: &[u8]) -> i32 {
        plain(query, row)
    }

    // Both compilations are of this one loop.
    #[allow(clippy::inline_always)]
    #[inline(always)]
    fn plain(query: &[i8], row: &[u8]) -> i32 {
        row.iter().zip(query).map(|(x, q)| i32::from(x.cast_signed()) * i32::from(*q)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_and_filters_apply_before() {
        let mut table = VectorTable::new(4);
        for i in 0..1000 {
            let a = i as f32 * 0.001;
            table.push(&[a.cos(), a.sin(), 0.0, 0.0]);
        }
        let vectors = table.vectors();
        let ids = |list: Vec<(ChunkId, f32)>| list.into_iter().map(|(c, _)| c.0).collect::<Vec<_>>();
        let near = vectors.nearest(&[1.0, 0.0, 0.0, 0.0], 5, |_| true);
        assert!(near.iter().all(|(c, score)| c.0 < 60 && *score > 0.99), "{near:?}");
        assert_eq!(
            ids(vectors.nearest(&[1.0, 0.0, 0.0, 0.0], 3, |c| c.0 >= 997)).len(),
            3,
            "asking for three gives three"
        );
        assert!(vectors.nearest(&[1.0, 0.0, 0.0, 0.0], 5, |_| false).is_empty());
        let zero = vectors.nearest(&[0.0; 4], 2, |_| true);
        assert_eq!(zero.len(), 2);
    }

    /// Numbers that look random and are the same each time.
    fn noise(seed: &mut u64) -> f32 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    #[test]
    fn the_ten_nearest_are_those_of_whole_numbers() {
        let mut seed = 7;
        let mut vector = || {
            let mut vector: Vec<f32> = (0..64).map(|_| noise(&mut seed)).collect();
            cds_encode::normalise(&mut vector);
            vector
        };
        let rows: Vec<Vec<f32>> = (0..2_000).map(|_| vector()).collect();
        let mut table = VectorTable::new(64);
        for row in &rows {
            table.push(row);
        }
        let mut agree = 0;
        for _ in 0..50 {
            let query = vector();
            let mut exact: Vec<(usize, f32)> =
                rows.iter().map(|row| row.iter().zip(&query).map(|(a, b)| a * b).sum()).enumerate().collect();
            exact.sort_by(|a, b| b.1.total_cmp(&a.1));
            let found = table.vectors().nearest(&query, 10, |_| true);
            agree += exact[..10].iter().filter(|(row, _)| found.iter().any(|(c, _)| c.0 as usize == *row)).count();
        }
        // Random vectors are nearly equally far from each other: real ones agree more.
        assert!(agree >= 485, "{agree} of 500");
    }

    #[test]
    fn r12_search_takes_longer_only_as_there_is_more() {
        let mut seed = 3;
        let mut time = |count: usize| {
            let mut table = VectorTable::new(32);
            for _ in 0..count {
                let row: Vec<f32> = (0..32).map(|_| noise(&mut seed)).collect();
                table.push(&row);
            }
            let query: Vec<f32> = (0..32).map(|_| noise(&mut seed)).collect();
            let once = || {
                let started = std::time::Instant::now();
                assert_eq!(table.vectors().nearest(&query, 10, |_| true).len(), 10);
                started.elapsed()
            };
            (0..5).map(|_| once()).min().unwrap_or_default()
        };
        let (few, many) = (time(10_000), time(100_000));
        // Ten times as many; the rest is room for a busy machine.
        assert!(many < 40 * few, "{few:?} and {many:?}");
    }

    #[test]
    fn both_ways_of_multiplying_agree() {
        let query: Vec<i8> = (0..256).map(|i| (i * 37 % 251) as u8 as i8).collect();
        let rows: Vec<u8> = (0..256 * 9).map(|i| (i * 91 % 256) as u8).collect();
        for row in rows.chunks(256) {
            let found = dot::product(&query, row);
            let expect: i32 = row.iter().zip(&query).map(|(x, q)| i32::from(*x as i8) * i32::from(*q)).sum();
            assert_eq!(found, expect);
        }
    }
}
