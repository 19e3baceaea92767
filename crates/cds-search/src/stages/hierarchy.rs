//! Names first; when they are few, BM25 joins below them.

use cds_model::EntityId;
use rustc_hash::FxHashSet;

use super::names::{Named, chunk_of};
use super::{Candidate, Candidates, Stage};
use crate::pipeline::Cx;
use crate::{Result, bm25};

/// The best BM25 hit stands this high; names stand above.
const BELOW_NAMES: f32 = 0.98;

pub(crate) struct Hierarchy {
    pub(crate) upper_threshold: usize,
}

impl Stage for Hierarchy {
    fn name(&self) -> &'static str {
        "hierarchy"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        let mut seen: FxHashSet<EntityId> = FxHashSet::default();
        pool.named.sort_by(|a, b| b.closeness.total_cmp(&a.closeness).then(a.id.cmp(&b.id)));
        for (rank, Named { id, closeness }) in pool.named.iter().enumerate() {
            let chunk = cx.snapshot.entity(*id).and_then(|entity| chunk_of(cx.snapshot, entity));
            let Some(chunk) = chunk else { continue };
            seen.insert(*id);
            let mut candidate = Candidate::new(chunk, Some(*id));
            candidate.retrieved.push(("names", *closeness, rank as u32 + 1));
            candidate.add("name", *closeness);
            pool.list.push(candidate);
        }
        let enough = cx.options.upper_threshold.unwrap_or(self.upper_threshold);
        if pool.list.len() < enough {
            add_bm25(cx, pool, seen)?;
        }
        prefer_languages(cx, pool);
        Ok(())
    }
}

/// Adds what BM25 finds below the names.
fn add_bm25(cx: &Cx, pool: &mut Candidates, mut seen: FxHashSet<EntityId>) -> Result<()> {
    let ranking = bm25::rank(cx)?;
    pool.partial |= ranking.partial;
    pool.matches = ranking.matches;
    // Hits are entities: what is none is left out.
    pool.matches.best.retain(|scored| cx.subjects(scored.chunk).iter().any(Option::is_some));
    pool.spellings = ranking.terms.into_iter().flat_map(|t| t.texts).collect();
    let best = ranking.chunks.first().map_or(1.0, |s| s.score);
    for (rank, scored) in ranking.chunks.iter().enumerate() {
        for entity in cx.subjects(scored.chunk).into_iter().flatten() {
            if seen.insert(entity) {
                let mut candidate = Candidate::new(scored.chunk, Some(entity));
                candidate.retrieved.push(("bm25", scored.score, rank as u32 + 1));
                candidate.add("bm25", BELOW_NAMES * scored.score / best);
                pool.list.push(candidate);
            }
        }
    }
    Ok(())
}

/// Demotes candidates in other languages than those that the query names. Scores remain between 0 and 1.
fn prefer_languages(cx: &Cx, pool: &mut Candidates) {
    let languages = &cx.parsed.languages;
    if languages.is_empty() {
        return;
    }
    for candidate in &mut pool.list {
        let document = cx.snapshot.chunk(candidate.chunk).and_then(|view| view.document());
        if !document.is_some_and(|document| languages.contains(&document.language())) {
            candidate.multiply([("language", 1.0 / cx.preset.weights.language)], 1.0);
        }
    }
}
