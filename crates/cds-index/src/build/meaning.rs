//! What an index knows of meaning: a vector and weighted terms a chunk, whichever model makes them.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cds_encode::{Dense, DenseEncoder, Encoded, ModelError, ModelId, Models, Sparse};
use cds_model::{ProblemKind, counted};
use rustc_hash::FxHashMap;

use super::ProblemRow;
use super::cache::Cache;
use super::prepare::Prepared;
use super::rounds::Lane;
use super::space;
use crate::Result;
use crate::encode;
use crate::store::checksums::Summed;
use crate::store::part_path as path;
use crate::store::space::VectorSpace;
use crate::store::sparse::SparseWriter;
use crate::store::vectors::{Quantised, VectorTables, VectorsWriter};

/// Texts of a round: enough that those of a batch are of like length, few enough to be held.
const ROUND: usize = 512;

/// Which models a generation is made with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ModelIds {
    pub(crate) dense: Option<ModelId>,
    pub(crate) sparse: Option<ModelId>,
    /// Whether the dense one is an encoder, whose vectors are stored in a [`VectorSpace`].
    pub(crate) is_encoder: bool,
}

impl ModelIds {
    pub(crate) fn of(models: &Models) -> Result<ModelIds> {
        let sparse = match models.sparse()? {
            Some(Sparse::Encoder(encoder)) => Some(encoder.id().clone()),
            // It widens queries: an index knows nothing of it.
            Some(Sparse::Related(_)) | None => None,
        };
        let dense = models.dense()?;
        let is_encoder = matches!(dense, Some(Dense::Encoder(_)));
        Ok(ModelIds { dense: dense.map(|dense| dense.id().clone()), sparse, is_encoder })
    }
}

/// Gathers chunks and writes what models say of them.
pub(crate) struct Meaning<'a> {
    vectors: VectorsWriter,
    sparse: SparseWriter,
    dense_lane: Option<Lane<'a, Quantised>>,
    sparse_lane: Option<Lane<'a, Vec<(u32, f32)>>>,
    /// What is written where the dense model failed.
    absent: Quantised,
    space: Option<VectorSpace>,
    /// Texts that wait for a round, and whose they are.
    waiting: Vec<String>,
    paths: Vec<String>,
    first: u32,
    missed: FxHashMap<String, (usize, String)>,
    /// Whether every text of the index is asked about: then what nobody asked for can be forgotten.
    is_whole: bool,
    /// Told when a slow model is at work.
    busy: &'a dyn Fn(),
}

/// What is encoded, and how.
pub(crate) struct Encoding<'a> {
    /// Whether the model sees every text of the index.
    pub(crate) is_whole: bool,
    /// The space that the dense model's vectors are already stored in.
    pub(crate) space: Option<VectorSpace>,
    /// Told when a slow model is at work.
    pub(crate) busy: &'a dyn Fn(),
}

/// What the generation has of it.
pub(crate) struct Written {
    pub(crate) vectors: Summed,
    pub(crate) tables: VectorTables,
    /// Where the dense model's vectors are stored; none: it is a table, or failed on every text.
    pub(crate) space: Option<VectorSpace>,
    pub(crate) terms: Vec<[u32; 2]>,
    pub(crate) weights: Vec<crate::store::sparse::Weight>,
    /// Chunks that a model failed on.
    pub(crate) missed: u64,
    /// Texts that were longer than a model reads.
    pub(crate) truncated: u64,
    pub(crate) problems: Vec<ProblemRow>,
}

impl<'a> Meaning<'a> {
    pub(crate) fn create(
        folder: &Path,
        home: &Path,
        models: &'a Models,
        limit: Option<Duration>,
        cancel: &'a AtomicBool,
        encoding: Encoding<'a>,
    ) -> Result<Meaning<'a>> {
        let Encoding { is_whole, space: known, busy } = encoding;
        let mut absent = Quantised::default();
        let mut space = None;
        let dense_lane = match models.dense()? {
            Some(Dense::Encoder(encoder)) => {
                let measured = match known {
                    Some(known) => Ok(known),
                    None => {
                        busy();
                        space::measure(home, encoder.as_ref(), limit, cancel)?
                    }
                };
                let form = measured.as_ref().map_or_else(|_| Vec::new(), |space| space.hash().to_vec());
                let cache = Cache::open(home, "dense", encoder.id(), &form)?;
                let within = measured.as_ref().ok().cloned();
                let mut lane = Lane::new(cache, cancel, move |texts: &[&str]| {
                    let encoded = encode_batch(encoder.as_ref(), texts, limit)?;
                    let quantise = |vector: &Vec<f32>| match &within {
                        Some(space) => space.quantise(vector),
                        None => Quantised::of(vector),
                    };
                    let entries = encoded.entries.iter().map(quantise).collect();
                    Ok(cds_encode::Encoded { entries, truncated: encoded.truncated })
                });
                absent = Quantised::of(&vec![0.0; encoder.id().dimensions as usize]);
                match measured {
                    Ok(measured) => {
                        absent = measured.absent();
                        space = Some(measured);
                    }
                    Err(reason) => lane.give_up(reason),
                }
                Some(lane)
            }
            Some(Dense::Table(_)) | None => None,
        };
        let sparse_lane = match models.sparse()? {
            Some(Sparse::Encoder(encoder)) => {
                let cache = Cache::open(home, "sparse", encoder.id(), b"")?;
                Some(Lane::new(cache, cancel, |texts: &[&str]| encoder.encode(texts)))
            }
            Some(Sparse::Related(_)) | None => None,
        };
        Ok(Meaning {
            vectors: VectorsWriter::create(&folder.join(path::VECTORS))?,
            sparse: SparseWriter::default(),
            dense_lane,
            sparse_lane,
            absent,
            space,
            waiting: Vec::new(),
            paths: Vec::new(),
            first: 0,
            missed: FxHashMap::default(),
            is_whole,
            busy,
        })
    }

    /// Takes a file; `text` is what may be found, without comments where they are left out.
    pub(crate) fn add(&mut self, file: &Prepared, text: &str) -> Result<()> {
        if self.dense_lane.is_none() {
            self.vectors.add(&file.vectors)?;
        }
        if self.dense_lane.is_none() && self.sparse_lane.is_none() {
            return Ok(());
        }
        for chunk in &file.facts.chunks {
            let scope = chunk.entity.map(|entity| file.facts.scope_path(entity)).unwrap_or_default();
            self.waiting.push(encode::passage(&file.path, &scope, &text[chunk.span.range()]));
            self.paths.push(file.path.clone());
        }
        if self.waiting.len() >= ROUND { self.round() } else { Ok(()) }
    }

    fn round(&mut self) -> Result<()> {
        let texts = std::mem::take(&mut self.waiting);
        let paths = std::mem::take(&mut self.paths);
        if !texts.is_empty() {
            (self.busy)();
        }
        if let Some(lane) = &mut self.dense_lane {
            let entries = lane.round(&texts)?;
            miss(&mut self.missed, &paths, &entries, &lane.reason);
            let vectors: Vec<Quantised> =
                entries.into_iter().map(|entry| entry.unwrap_or_else(|| self.absent.clone())).collect();
            self.vectors.add(&vectors)?;
        }
        if let Some(lane) = &mut self.sparse_lane {
            let entries = lane.round(&texts)?;
            miss(&mut self.missed, &paths, &entries, &lane.reason);
            for (i, terms) in entries.iter().enumerate() {
                self.sparse.add(self.first + i as u32, terms.as_deref().unwrap_or_default());
            }
        }
        self.first += texts.len() as u32;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Written> {
        self.round()?;
        let truncated = self.dense_lane.as_ref().map_or(0, |lane| lane.truncated)
            + self.sparse_lane.as_ref().map_or(0, |lane| lane.truncated);
        if self.is_whole {
            // Without a space no text was encoded: cached entries stay.
            self.dense_lane.filter(|_| self.space.is_some()).map_or(Ok(()), Lane::close)?;
            self.sparse_lane.map_or(Ok(()), Lane::close)?;
        }
        let (vectors, tables) = self.vectors.finish()?;
        let (terms, weights) = self.sparse.finish();
        let missed = self.missed.values().map(|(count, _)| *count as u64).sum();
        let row = |(path, (count, reason)): (String, (usize, String))| ProblemRow {
            path,
            reason: ProblemKind::NotEncoded.name().to_owned(),
            detail: format!("{} without meaning: {reason}; the next `cds index` tries again", counted(count, "chunk")),
            skipped: false,
            stamp: None,
        };
        let problems = self.missed.into_iter().map(row).collect();
        Ok(Written { vectors, tables, space: self.space, terms, weights, missed, truncated, problems })
    }
}

/// Notes the chunks that a model failed on, by file.
fn miss<T>(missed: &mut FxHashMap<String, (usize, String)>, paths: &[String], entries: &[Option<T>], reason: &str) {
    for (path, _) in paths.iter().zip(entries).filter(|(_, entry)| entry.is_none()) {
        let (count, why) = missed.entry(path.clone()).or_default();
        *count += 1;
        reason.clone_into(why);
    }
}

/// Encodes a batch, in one attempt of at most `limit` if an answer waits for it.
pub(super) fn encode_batch(
    encoder: &dyn DenseEncoder,
    texts: &[&str],
    limit: Option<Duration>,
) -> std::result::Result<Encoded<Vec<f32>>, ModelError> {
    match limit {
        Some(limit) => encoder.encode_within(texts, limit),
        None => encoder.encode(texts),
    }
}
