//! Chunks near the query in meaning.

use cds_encode::Dense;
use cds_index::query_vector;

use super::beside::{Clock, Finding};
use crate::Result;
use crate::pipeline::Asked;
use crate::preset::Retriever;
use crate::store::{Embedded, VectorStore};

/// How many each retriever hands over.
pub(crate) const CANDIDATES: usize = 100;

/// What is less similar than this has nothing to do with the query.
const LEAST_SIMILAR: f32 = 0.2;

pub(crate) fn find(asked: &Asked) -> Result<Finding> {
    let mut finding = Finding::new(Retriever::Dense);
    let Some(dense) = asked.tools.models.dense().map_err(cds_index::Error::from)? else { return Ok(finding) };
    asked.snapshot.check_model(dense.id())?;
    let mut clock = Clock::start();
    let vector = match dense {
        Dense::Table(_) => query_vector(&asked.query.text),
        Dense::Encoder(encoder) => {
            let mut encoded = encoder.encode(&[&asked.query.text]).map_err(cds_index::Error::from)?;
            finding.warn_truncated(encoded.truncated, encoder.id());
            encoded.entries.pop().unwrap_or_default()
        }
    };
    finding.timings.push(("dense_encode", clock.lap()));
    // A query without a known word is near to nothing.
    if vector.iter().any(|x| *x != 0.0) {
        let store = Embedded::new(asked.snapshot, &asked.tools.globs);
        let least = asked.options.min_similarity.unwrap_or(LEAST_SIMILAR);
        let most = CANDIDATES.max(asked.wanted());
        finding.chunks = store.nearest(&vector, most, &asked.query.filters)?;
        finding.chunks.retain(|(_, cosine)| *cosine >= least);
        finding.vector = vector;
    }
    finding.timings.push(("dense", clock.lap()));
    Ok(finding)
}
