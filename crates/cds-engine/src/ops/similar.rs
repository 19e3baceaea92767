//! Code like a given place.

use std::time::Instant;

use cds_model::{Granularity, Hit, MatchType};
use cds_search::{Embedded, Outcome, VectorStore};

use super::retrieve::line_range;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result, checkpoint};
use crate::request::{Checked, SearchRequest};
use crate::response::SearchResponse;

impl Engine {
    /// The chunks most like the one at `path:line` (or `path:from-to`, or a whole path: its first). Itself is not among them.
    pub fn similar(&self, place: &str, request: &SearchRequest) -> Result<SearchResponse> {
        let checked = request.check(self)?;
        self.limited(|_| self.similar_checked(place, request, &checked))
    }

    fn similar_checked(&self, place: &str, request: &SearchRequest, checked: &Checked) -> Result<SearchResponse> {
        self.answer_so_far(|snapshot| {
            let started = Instant::now();
            let whole = || snapshot.document_at(place).map(|document| (document, 1, 1));
            let (document, line, _) = line_range(snapshot, place).or_else(whole).ok_or_else(|| Error {
                kind: ErrorKind::NotFound,
                message: format!("{place:?} is no place in the index: write path:line, such as src/main.rs:42"),
            })?;
            if line == 0 || line > document.lines().max(1) {
                let lines = cds_model::counted(document.lines() as usize, "line");
                return Err(Error { kind: ErrorKind::NotFound, message: format!("{} has {lines}", document.path()) });
            }
            let here = document
                .chunks()
                .filter(|chunk| snapshot.chunk(*chunk).is_some_and(|view| view.lines().0 <= line))
                .last();
            let here = here.or_else(|| document.chunks().next()).ok_or_else(|| Error {
                kind: ErrorKind::NotFound,
                message: format!("{place:?} has no code to compare"),
            })?;
            let store = Embedded::new(snapshot, &checked.query.filters, &self.tools.globs);
            let Some(vector) = store.vector(here)? else {
                let message = "the index has no vectors: set models.dense and run `cds index`".to_owned();
                return Err(Error { kind: ErrorKind::NotReady, message });
            };
            // All of them, so that they can be counted.
            let mut nearest = store.nearest(&vector, snapshot.chunk_count())?;
            let least = checked.min_similarity.unwrap_or(0.0).max(f32::MIN_POSITIVE);
            // The nearest of some of the chunks are not the nearest of all.
            checkpoint()?;
            nearest.retain(|(chunk, cosine)| *chunk != here && *cosine >= least);
            let total = nearest.len();
            let shown = checked.query.limit + checked.offset;
            nearest.truncate(shown);
            let hits = nearest.into_iter().enumerate().skip(checked.offset).map(|(rank, (chunk, cosine))| Hit {
                chunk,
                entity: snapshot.chunk(chunk).and_then(|view| view.entity()).map(|entity| entity.id),
                score: cosine.clamp(0.0, 1.0),
                match_type: MatchType::Dense,
                retrieved: vec![("dense", cosine, rank as u32 + 1)],
                signals: Vec::new(),
                rrf: None,
                more_in_file: 0,
                group_score: None,
                hop_depth: 0,
            });
            let outcome = Outcome {
                hits: hits.collect(),
                total,
                total_is_lower_bound: false,
                more: total > shown,
                partial: false,
                timed_out: false,
                terms: Vec::new(),
                warnings: Vec::new(),
                timings: vec![("dense", started.elapsed().as_secs_f64() * 1e3)],
                parsed: cds_search::parse(""),
            };
            // Each hit is a chunk, whatever else searches show.
            let mut checked = checked.clone();
            checked.query.granularity = Granularity::Chunk;
            self.respond(snapshot, request, &checked, outcome)
        })
    }
}
