//! One vector a chunk: numbers of one byte each, and a scale. All have length one, so a product is a cosine. Those of an encoder are rotated
//! and centred first (`space.rs`); those of the built-in table are stored as they are.
//!
//! Every chunk is looked at: first its sketch (`sketches.rs`), then the vector itself where the sketch says that it may be near enough.

use std::borrow::Cow;
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
use super::space::{Offset, VectorSpace};
use crate::{Error, Result, private_fs};

/// A vector as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Quantised {
    pub(crate) scale: f32,
    pub(crate) codes: Vec<i8>,
    /// Only in a [`VectorSpace`].
    pub(crate) offset: Option<Offset>,
}

impl Quantised {
    /// Each number as a share of the largest. One of zeros stays zero.
    pub(crate) fn of(vector: &[f32]) -> Quantised {
        let largest = vector.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        if largest == 0.0 {
            return Quantised { scale: 0.0, codes: vec![0; vector.len()], offset: None };
        }
        let scale = largest / 127.0;
        Quantised { scale, codes: vector.iter().map(|x| (x / scale).round() as i8).collect(), offset: None }
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
    /// Only in a [`VectorSpace`].
    pub(crate) offsets: Vec<Offset>,
}

impl VectorTables {
    fn add(&mut self, vector: &Quantised) {
        self.scales.push(vector.scale);
        sketches::add(&vector.codes, vector.scale, &mut self.sketches);
        self.offsets.extend(vector.offset);
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
    /// Only in a [`VectorSpace`], and where there are vectors.
    pub(crate) offsets: Option<Mapped>,
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
    /// `None`: they are stored as they are.
    space: Option<&'a VectorSpace>,
}

#[derive(Clone, Copy)]
struct PartVectors<'a> {
    codes: Rows<'a, u8>,
    scales: Rows<'a, f32>,
    sketches: Rows<'a, u64>,
    /// As many as vectors in a [`VectorSpace`], else `None`.
    offsets: Option<Rows<'a, Offset>>,
    /// Which chunk each is, or that it is none any more; `None`: they are numbered through.
    chunks: Option<&'a [u32]>,
}

impl<'a> PartVectors<'a> {
    fn chunk(&self, at: usize) -> Option<ChunkId> {
        let Some(chunks) = self.chunks else { return Some(ChunkId(at as u32)) };
        chunks.get(at).filter(|chunk| **chunk != NONE).map(|chunk| ChunkId(*chunk))
    }

    /// The vector at a place.
    fn row(&self, at: usize, dimensions: usize) -> Option<VectorRow<'a>> {
        let start = at.checked_mul(dimensions)?;
        let codes = self.codes.slice(start..start + dimensions);
        let offset = match self.offsets {
            Some(offsets) => Some(*offsets.get(at)?),
            None => None,
        };
        let codes = Some(codes).filter(|codes| codes.len() == dimensions)?;
        Some(VectorRow { codes, scale: *self.scales.get(at)?, offset })
    }

    /// The length of the longest of some vectors.
    fn longest(&self, range: std::ops::Range<usize>) -> f32 {
        self.offsets
            .map_or(0.0, |offsets| offsets.slice(range).iter().fold(0.0, |most, offset| offset.length.max(most)))
    }
}

/// A stored vector: numbers of one byte, what they are to be multiplied with, and what is added to a product.
#[derive(Clone, Copy)]
struct VectorRow<'a> {
    codes: &'a [u8],
    scale: f32,
    offset: Option<Offset>,
}

impl VectorRow<'_> {
    fn is_absent(&self) -> bool {
        self.offset.is_some_and(Offset::is_absent)
    }
}

/// Vectors in memory, in the form they have on disk.
#[derive(Clone, Debug, Default)]
pub struct VectorTable {
    codes: Vec<u8>,
    tables: VectorTables,
    dimensions: usize,
    space: Option<VectorSpace>,
}

impl VectorTable {
    /// An empty table for vectors of that many numbers.
    pub fn new(dimensions: usize) -> VectorTable {
        VectorTable { dimensions, ..VectorTable::default() }
    }

    /// An empty table for vectors that are stored in a space.
    pub fn within(space: VectorSpace) -> VectorTable {
        VectorTable { dimensions: space.dimensions(), space: Some(space), ..VectorTable::default() }
    }

    /// Adds the next vector.
    pub fn push(&mut self, vector: &[f32]) {
        let quantised = match &self.space {
            Some(space) => space.quantise(vector),
            None => Quantised::of(vector),
        };
        self.push_quantised(&quantised);
    }

    pub(crate) fn push_quantised(&mut self, quantised: &Quantised) {
        self.codes.extend_from_slice(quantised.codes.as_bytes());
        self.tables.add(quantised);
    }

    /// The same vectors, all of whose codes a search compares.
    pub(crate) fn searched_by_codes(self) -> VectorTable {
        VectorTable { space: self.space.map(|space| space.scanning_codes(true)), ..self }
    }

    /// To be searched.
    pub fn vectors(&self) -> Vectors<'_> {
        let VectorTables { scales, sketches, offsets } = &self.tables;
        let (codes, len) = (self.codes.as_slice().into(), scales.len());
        let (scales, sketches) = (scales.as_slice().into(), sketches.as_slice().into());
        let offsets = self.space.as_ref().map(|_| offsets.as_slice().into());
        let part = PartVectors { codes, scales, sketches, offsets, chunks: None };
        Vectors { parts: vec![part], dimensions: self.dimensions, len, rows: None, space: self.space.as_ref() }
    }
}

impl<'a> Vectors<'a> {
    /// Vectors of parts, each with the chunks they are of.
    pub(crate) fn new(
        parts: impl Iterator<Item = (&'a VectorMaps, &'a [u32])>,
        dimensions: usize,
        space: Option<&'a VectorSpace>,
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
            let offsets = space.map(|_| maps.offsets.as_ref().map_or_else(|| [].as_slice().into(), Mapped::rows));
            if offsets.is_some_and(|offsets: Rows<Offset>| offsets.len() != scales.len())
                || space.is_some_and(|space| space.dimensions() != dimensions)
            {
                return Err(Error::damaged(maps.scales.path(), "not as many offsets as vectors"));
            }
            Ok(PartVectors { codes, scales, sketches, offsets, chunks: Some(chunks) })
        };
        let parts = parts.map(part).collect::<Result<_>>()?;
        Ok(Vectors { parts, dimensions, len: chunks.len(), rows: Some((documents, chunks)), space })
    }

    /// How many chunks have one.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A chunk's vector as it is stored.
    fn row(&self, chunk: ChunkId) -> Option<VectorRow<'a>> {
        let (part, at) = match self.rows {
            None => (0, chunk.index()),
            Some((documents, chunks)) => {
                let document = documents.get(chunks.get(chunk.index())?.file as usize)?;
                (document.part as usize, chunk.0.checked_sub(document.first_chunk)?.checked_add(document.doc)? as usize)
            }
        };
        self.parts.get(part)?.row(at, self.dimensions)
    }

    /// A chunk's vector, in the model's own space; zeros where the model failed on the chunk.
    pub fn get(&self, chunk: ChunkId) -> Option<Vec<f32>> {
        let row = self.row(chunk)?;
        let stored = row.codes.iter().map(|x| f32::from(x.cast_signed()) * row.scale).collect();
        match self.space {
            Some(space) if !row.is_absent() => Some(space.restore(stored)),
            _ => Some(stored),
        }
    }

    pub(crate) fn quantised(&self, chunk: u32) -> Option<Quantised> {
        let VectorRow { codes, scale, offset } = self.row(ChunkId(chunk))?;
        Some(Quantised { scale, codes: codes.iter().map(|x| x.cast_signed()).collect(), offset })
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
        let query = VectorQuery::new(self.space, query);
        let row = |chunk| self.row(chunk).filter(|row| !row.is_absent());
        chunks.map(|chunk| row(chunk).map_or(0.0, |row| query.coarse_cosine(row))).collect()
    }
}

/// A query as stored vectors are compared with it.
struct VectorQuery<'q> {
    numbers: Cow<'q, [f32]>,
    coarse: Quantised,
    /// What is added to every product in a [`VectorSpace`].
    added: f32,
}

impl<'q> VectorQuery<'q> {
    fn new(space: Option<&VectorSpace>, query: &'q [f32]) -> VectorQuery<'q> {
        let (numbers, added) = match space {
            Some(space) => {
                let (numbers, added) = space.query(query);
                (Cow::Owned(numbers), added)
            }
            None => (Cow::Borrowed(query), 0.0),
        };
        VectorQuery { coarse: Quantised::of(&numbers), numbers, added }
    }

    /// The cosine, off by the query's rounding.
    fn coarse_cosine(&self, row: VectorRow) -> f32 {
        let product = dot::product(&self.coarse.codes, row.codes) as f32 * row.scale * self.coarse.scale;
        self.with_offset(product, row)
    }

    fn cosine(&self, row: VectorRow) -> f32 {
        let product: f32 = row.codes.iter().zip(&*self.numbers).map(|(x, q)| f32::from(x.cast_signed()) * q).sum();
        self.with_offset(product * row.scale, row)
    }

    fn with_offset(&self, product: f32, row: VectorRow) -> f32 {
        row.offset.map_or(product, |offset| product + offset.product + self.added)
    }
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

/// One query compared with all vectors, by their sketches or, in a space where those miss too much, by their codes.
///
/// Vectors of a [`VectorSpace`] differ in length, and so do the margins of their guesses: there a guess is the largest cosine that is likely,
/// and no margin is left to subtract.
struct Scan<'v, 'a> {
    vectors: &'v Vectors<'a>,
    query: VectorQuery<'v>,
    /// The most that a guess lies below its cosine.
    margin: f32,
    /// How much of its length is in the guess for a vector.
    spread: f32,
    /// The guess for each vector, part by part.
    guesses: Vec<f32>,
}

impl<'v, 'a> Scan<'v, 'a> {
    fn new(vectors: &'v Vectors<'a>, query: &'v [f32]) -> Scan<'v, 'a> {
        let query = VectorQuery::new(vectors.space, query);
        let mut guesses = GUESSES.take();
        guesses.clear();
        guesses.resize(vectors.parts.iter().map(|part| part.scales.len()).sum(), 0.0);
        let mut scan = Scan { vectors, query, margin: 0.0, spread: 0.0, guesses: Vec::new() };
        if vectors.space.is_some_and(VectorSpace::scans_codes) {
            scan.guess_by_codes(&mut guesses);
        } else {
            scan.guess_by_sketches(&mut guesses);
        }
        Scan { guesses, ..scan }
    }

    fn guess_by_sketches(&mut self, mut guesses: &mut [f32]) {
        let sketched = SketchQuery::new(&self.query.numbers);
        match self.vectors.space {
            Some(_) => self.spread = sketched.margin() * length(&self.query.numbers),
            None => self.margin = sketched.margin(),
        }
        for part in &self.vectors.parts {
            let (own, others) = guesses.split_at_mut(part.scales.len());
            sketched.guess(part.sketches.all(), own);
            if let Some(offsets) = part.offsets {
                for (guess, offset) in own.iter_mut().zip(offsets.all()) {
                    *guess += self.spread * offset.length + offset.product + self.query.added;
                }
            }
            guesses = others;
        }
    }

    fn guess_by_codes(&self, guesses: &mut [f32]) {
        let parts = self.vectors.parts.iter();
        let rows = parts.flat_map(|part| (0..part.scales.len()).map(|at| part.row(at, self.vectors.dimensions)));
        for (guess, row) in guesses.iter_mut().zip(rows) {
            *guess = row.map_or(f32::NEG_INFINITY, |row| self.query.coarse_cosine(row));
        }
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
                        best.push(chunk, self.query.coarse_cosine(row));
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
        let parts: Vec<(&PartVectors, &[f32])> = self.parts().collect();
        // The chunks of a file are consecutive in its part.
        let files = documents.all().iter().filter_map(|document| {
            let first = document.doc as usize;
            let (_, guesses) = parts.get(document.part as usize)?;
            Some((document, guesses.get(first..first + document.chunks as usize)?))
        });
        let files: Vec<(&DocumentRow, &[f32])> = files.collect();
        let mut likely = Best::new(most.saturating_mul(RESCORED));
        for (document, own) in &files {
            if largest(own) >= likely.least() {
                let passing = (document.first_chunk..).map(ChunkId).zip(*own).filter(|(chunk, _)| passes(*chunk));
                // Below every number: there is no vector.
                let best = passing.max_by(|a, b| a.1.total_cmp(b.1)).filter(|(_, guess)| **guess > f32::NEG_INFINITY);
                if let Some((chunk, guess)) = best {
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
            let first = document.doc as usize;
            let longest = || parts[document.part as usize].0.longest(first..first + document.chunks as usize);
            let margin = if self.spread > 0.0 { self.spread * longest() } else { self.margin };
            let close = passing().filter(|(_, guess)| **guess >= least.max(highest - 2.0 * margin));
            let row = |chunk| self.vectors.row(chunk);
            let cosines = close.filter_map(|(chunk, _)| Some((chunk, self.query.coarse_cosine(row(chunk)?))));
            if let Some((chunk, cosine)) = cosines.min_by(better) {
                best.push(chunk, cosine);
            }
        }
        self.exact(best, most)
    }

    /// The least guess of a chunk that may be among the `most` nearest, given some of the nearest.
    fn bound(&self, likely: impl Iterator<Item = ChunkId>, most: usize) -> f32 {
        let cosine = |chunk| self.vectors.row(chunk).map_or(0.0, |row| self.query.coarse_cosine(row));
        let mut near: Vec<f32> = likely.map(cosine).collect();
        if near.len() <= most {
            return f32::MIN;
        }
        *near.select_nth_unstable_by(most, |a, b| b.total_cmp(a)).1 - self.margin
    }

    /// The best with the cosines of the exact query.
    fn exact(&self, best: Best, most: usize) -> Vec<(ChunkId, f32)> {
        let mut list: Vec<(ChunkId, f32)> = best.into_list();
        for (chunk, score) in &mut list {
            let Some(row) = self.vectors.row(*chunk) else { continue };
            *score = self.query.cosine(row);
        }
        list.sort_by(better);
        list.truncate(most);
        list
    }
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
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
