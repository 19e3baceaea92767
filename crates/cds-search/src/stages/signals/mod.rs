//! What moves a chunk besides its words: evidence that adds, and multipliers. All numbers come from the preset.

mod factors;
mod files;
mod proximity;
mod words;

use cds_index::{ChunkView, EntityView};
use cds_model::PathRole;
use rustc_hash::FxHashMap;

pub(crate) use self::factors::Factors;
use self::files::{FileEvidence, FileNearness, Neighbours};
use self::words::QueryWords;
use super::dense::CANDIDATES;
use super::{Candidate, Candidates, Stage};
use crate::Result;
use crate::pipeline::Cx;
use crate::query::QueryKind;

/// Logarithm of the words of a long chunk.
const LONG: f32 = 7.0;

/// Signals that a candidate may get: room for them is made once.
const SIGNALS: usize = 24;

/// What the fit of a type's name counts for its members.
const MEMBER: f32 = 0.9;

/// A chunk matches well that has this share of the best chunk's BM25.
const WELL: f32 = 0.3;

pub(crate) struct Signals;

impl Stage for Signals {
    fn name(&self) -> &'static str {
        "signals"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        let weights = &cx.preset.weights;
        let terms = cx.parsed.terms.iter().map(|t| t.text.clone()).zip(pool.term_weights.iter().copied());
        let mut words = QueryWords::new(terms.collect());
        let best = Best::of(pool);
        let neighbours = Neighbours::new(cx.snapshot, weights, pool);
        let mut list = std::mem::take(&mut pool.list);
        let near_files = FileNearness::of_files(cx, &pool.vector, &list)?;
        let mut files: FxHashMap<u32, FileEvidence> = FxHashMap::default();
        let near = if cx.parsed.kind == QueryKind::Symbol { weights.dense_for_names } else { 1.0 };
        for candidate in &mut list {
            let Some(view) = cx.snapshot.chunk(candidate.chunk) else { continue };
            let Some(document) = view.document() else { continue };
            let file = files.entry(document.id.0).or_insert_with(|| {
                FileEvidence::new(cx, &mut words, document, near_files.get(&document.id).copied().unwrap_or_default())
            });
            let defined = definition(cx, &mut words, view, candidate);
            file.definitions += defined;
            let bm25 = bm25_score(candidate) / best.chunk;
            file.matching += f32::from(u8::from(bm25 > WELL));
            candidate.add("bm25", weights.bm25 * bm25);
            candidate.add("dense", near * weights.dense * nearness(candidate) / best.dense);
            candidate.add("definition", weights.definition * defined);
            // What stands around a member says the name for it.
            let around = if cx.parsed.kind == QueryKind::Symbol { defined } else { 0.0 };
            candidate.add("coverage", weights.coverage * pool.coverage(candidate.terms).max(around));
            let entity = candidate.entity.and_then(|id| cx.snapshot.entity(id));
            candidate.add("mentioned", weights.mentioned * pool.mentioned.entity(entity));
            candidate.add("subject", weights.subject * pool.mentioned.subject(entity, document));
            candidate.add("frame", weights.frame * pool.mentioned.frame(entity, document, view.lines()));
            candidate.add("length", weights.length * (1.0 + view.tokens() as f32).ln() / LONG);
            // What sets a chunk apart from others of its file must not move what the file has in common.
            let own = candidate.score;
            if view.is_test() && document.role() == PathRole::Source && !cx.parsed.asks_for_tests {
                candidate.add("inline_test", own * (weights.inline_test - 1.0));
            }
            if is_public(view) {
                candidate.add("public", own * (weights.public - 1.0));
            }
        }
        let most_defined = files.values().map(|f| f.definitions).fold(f32::MIN_POSITIVE, f32::max);
        let nearest = files.values().map(|f| f.near.best).fold(f32::MIN_POSITIVE, f32::max);
        let whole = files.values().map(|f| f.near.whole).fold(f32::MIN_POSITIVE, f32::max);
        let fewest = files.values().map(|f| f.levels).fold(f32::MAX, f32::min);
        for candidate in &mut list {
            candidate.signals.reserve(SIGNALS);
            let Some(view) = cx.snapshot.chunk(candidate.chunk) else { continue };
            let Some(document) = view.document() else { continue };
            let id = document.id.index();
            let file = &files[&document.id.0];
            let chunks = document.chunks().len().max(1) as f32;
            candidate.add("file_bm25", weights.file_bm25 * pool.files.get(id).copied().unwrap_or(0.0) / best.file);
            candidate.add("saturation", weights.saturation * (file.matching / chunks).min(1.0));
            candidate.add("file_dense", near * weights.file_dense * file.near.best / nearest);
            candidate.add("centroid", near * weights.centroid * file.near.whole / whole);
            let defined = (1.0 + file.definitions).ln() / (1.0 + most_defined).ln();
            candidate.add("file_definitions", weights.file_definitions * defined.min(1.0));
            candidate.add("whole_stem", weights.whole_stem * file.whole_stem);
            candidate.add("first_word", weights.first_word * file.first_word);
            candidate.add("coherence", weights.coherence * neighbours.coherence(document));
            candidate.add("shallow", weights.shallow * file.shallow(fewest));
            candidate.add("size", weights.size * file.size);
            candidate.add("substance", weights.substance * file.substance);
            candidate.add("used", weights.used * file.used);
            candidate.add("users", weights.users * neighbours.users(document));
            candidate.add("mentioned_file", weights.mentioned_file * pool.mentioned.file(document));
            candidate.add("named_stem", weights.named_stem * pool.mentioned.stem(document));
        }
        if weights.proximity > 0.0 {
            proximity::add(cx.snapshot, weights.proximity, words.terms(), &mut list)?;
        }
        if weights.imported > 0.0 {
            let imported = files::imported(cx.snapshot, &list);
            for candidate in &mut list {
                let file = cx.snapshot.file_of(candidate.chunk);
                candidate
                    .add("imported", weights.imported * file.and_then(|f| imported.get(&f)).copied().unwrap_or(0.0));
            }
        }
        pool.list = list;
        Ok(())
    }
}

/// The best of each kind: evidence is a share of it.
struct Best {
    chunk: f32,
    dense: f32,
    file: f32,
}

impl Best {
    fn of(pool: &Candidates) -> Best {
        fn most(values: impl Iterator<Item = f32>) -> f32 {
            values.fold(f32::MIN_POSITIVE, f32::max)
        }
        Best {
            chunk: most(pool.list.iter().map(bm25_score)),
            dense: most(pool.list.iter().map(nearness)),
            file: most(pool.files.iter().copied()),
        }
    }
}

fn bm25_score(candidate: &Candidate) -> f32 {
    candidate.retrieved_by("bm25").map_or(0.0, |(score, _)| score)
}

/// How near a chunk is, if it is among the nearest. However many hits are asked for, it is the same.
fn nearness(candidate: &Candidate) -> f32 {
    candidate.retrieved_by("dense").filter(|(_, rank)| *rank as usize <= CANDIDATES).map_or(0.0, |(cosine, _)| cosine)
}

/// Whether a chunk is a definition that others may use.
fn is_public(view: ChunkView) -> bool {
    view.entity().is_some() && view.is_public()
}

/// How well the name fits that a candidate stands for.
fn definition(cx: &Cx, words: &mut QueryWords, view: ChunkView, candidate: &Candidate) -> f32 {
    let own = || candidate.entity.filter(|_| view.part() == 0).and(view.entity());
    let inner = candidate.entity.filter(|_| cx.inside.is_asked()).and_then(|id| cx.snapshot.entity(id));
    let named = inner.filter(|e| view.entity().is_none_or(|own| own.id != e.id)).or_else(own);
    let Some(entity) = named else { return 0.0 };
    let own = words.fit(entity.name()).value();
    // Who types the name of a type wants its members after it, before what only uses it.
    let member = |parent: EntityView| MEMBER * words.fit(parent.name()).value();
    let is_bare = cx.parsed.kind == QueryKind::Symbol;
    own.max(entity.parent().filter(|p| is_bare && p.local().is_some()).map_or(0.0, member))
}
