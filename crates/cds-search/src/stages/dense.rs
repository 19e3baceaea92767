//! Chunks near the query in meaning.

use std::time::Duration;

use cds_encode::Dense;
use cds_index::query_vector;
use cds_model::{CancelToken, ChunkId, Granularity};
use rustc_hash::FxHashSet;

use super::beside::{Clock, Finding};
use crate::Result;
use crate::pipeline::Asked;
use crate::preset::{Fusion, Retriever};
use crate::store::{Embedded, VectorStore};

/// How many each retriever hands over.
pub(crate) const CANDIDATES: usize = 100;

/// What is less similar than this has nothing to do with the query.
const LEAST_SIMILAR: f32 = 0.2;

/// Chunks that are looked at for the sake of other files, as a multiple of those that are looked at anyway.
const DEEPEST: usize = 64;

/// The most that a query waits for a service that encodes it.
const MODEL_LIMIT: Duration = Duration::from_secs(2);

/// The time that a query waits for a model: at most half of what is left to answer.
fn model_limit() -> Duration {
    CancelToken::current().remaining().map_or(MODEL_LIMIT, |remaining| MODEL_LIMIT.min(remaining / 2))
}

fn is_alone(asked: &Asked) -> bool {
    matches!(asked.preset.fusion, Fusion::Mixed(m) if m.is_alone())
}

/// Whether pages are cut from the list of one retriever: it is alone, and a hit is a file with one chunk.
fn is_paged(asked: &Asked) -> bool {
    let is_by_file = matches!(asked.query.granularity, Granularity::File | Granularity::Document);
    is_alone(asked) && is_by_file && asked.query.chunks_per_file == 1
}

/// How many chunks and files a retriever hands over. Where lists are mixed the depth changes the order, so it is the same for every page.
fn depth(asked: &Asked) -> usize {
    if is_paged(asked) { CANDIDATES.max(asked.wanted() + 1) } else { CANDIDATES }
}

/// Takes more of a list that is in order until it has chunks of enough files: as many of the best chunks, and the best chunk of each file.
/// One large file does not keep others from being found.
pub(crate) fn deepen(
    asked: &Asked,
    nearest: impl Fn(usize) -> Result<(bool, Vec<(ChunkId, f32)>)>,
) -> Result<(bool, Vec<(ChunkId, f32)>)> {
    let (files, is_paged) = (depth(asked), is_paged(asked));
    let mut most = files;
    loop {
        let (is_cut, chunks) = nearest(most)?;
        let mut seen = FxHashSet::default();
        let is_first =
            |(chunk, _): &(ChunkId, f32)| asked.snapshot.file_of(*chunk).is_some_and(|file| seen.insert(file));
        let first: Vec<bool> = chunks.iter().map(is_first).collect();
        if is_cut && seen.len() < files && most < files * DEEPEST {
            most *= 4;
            continue;
        }
        let (found, mut others) = (chunks.len(), 0);
        let list = chunks.into_iter().zip(first).enumerate().filter_map(|(at, (chunk, is_first))| {
            others += usize::from(is_first);
            (at < files && !is_paged || is_first && others <= files).then_some(chunk)
        });
        let list: Vec<(ChunkId, f32)> = list.collect();
        return Ok((is_cut || list.len() < found, list));
    }
}

pub(crate) fn find(asked: &Asked) -> Result<Finding> {
    let mut finding = Finding::new(Retriever::Dense);
    let limit = model_limit();
    let dense = match asked.tools.models.dense_within(Some(limit)) {
        Ok(Some(dense)) => dense,
        Ok(None) => {
            if is_alone(asked) {
                finding.fail("vectors are switched off (models.dense is \"none\")");
            }
            return Ok(finding);
        }
        Err(error) => {
            finding.fail(&error.to_string());
            return Ok(finding);
        }
    };
    if let Err(error) = asked.snapshot.check_model(dense.id()) {
        finding.fail(&error.to_string());
        return Ok(finding);
    }
    let mut clock = Clock::start();
    let vector = match dense {
        Dense::Table(_) => query_vector(&asked.query.text),
        Dense::Encoder(encoder) => match encoder.encode_within(&[&asked.query.text], limit) {
            Ok(mut encoded) => {
                finding.used_model = true;
                finding.warn_truncated(encoded.truncated, encoder.id());
                encoded.entries.pop().unwrap_or_default()
            }
            Err(error) => {
                finding.fail(&error.to_string());
                return Ok(finding);
            }
        },
    };
    let missing = asked.snapshot.manifest().counts.not_encoded;
    if missing > 0 {
        let all = asked.snapshot.chunk_count();
        finding
            .warnings
            .push(format!("{missing} of {all} chunks have no vector and are found by words only: run `cds index`"));
    }
    finding.timings.push(("dense_encode", clock.lap()));
    // A query without a known word is near to nothing.
    if vector.iter().any(|x| *x != 0.0) {
        let store = Embedded::new(asked.snapshot, &asked.query.filters, &asked.tools.globs);
        let least = asked.options.min_similarity.unwrap_or(LEAST_SIMILAR);
        let most = depth(asked);
        finding.chunks = if is_paged(asked) {
            store.nearest_files(&vector, most)?
        } else {
            store.nearest_with_files(&vector, most)?
        };
        finding.chunks.retain(|(_, cosine)| *cosine >= least);
        finding.is_cut = finding.chunks.len() >= most;
        finding.vector = vector;
    }
    finding.timings.push(("dense", clock.lap()));
    Ok(finding)
}
