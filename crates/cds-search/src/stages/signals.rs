//! What moves a chunk besides its words: evidence that adds, then multipliers. All numbers come from the preset.

use cds_index::tokenize::Tokenizer;
use cds_index::{ChunkView, DocumentView};
use cds_model::{PathRole, Signal};
use rustc_hash::FxHashMap;

use super::relations::is_relation;
use super::{Candidate, Candidates, Stage};
use crate::Result;
use crate::pipeline::Cx;
use crate::preset::Weights;
use crate::query::QueryKind;

/// A name borne by fewer entities than this is rare.
const RARE: usize = 10;

/// Stems that say nothing: the folder speaks for such a file.
const HOLLOW_STEMS: &[&str] = &["__init__", "index", "init", "mod", "package", "package-info"];

pub(crate) struct Signals;

impl Stage for Signals {
    fn name(&self) -> &'static str {
        "signals"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        let mut words = QueryWords::new(cx, pool);
        let best_chunk = pool.list.iter().filter_map(bm25_score).fold(f32::MIN_POSITIVE, f32::max);
        let nearest = pool.list.iter().map(dense_score).fold(f32::MIN_POSITIVE, f32::max);
        let best_file = pool.best_by_file.values().copied().fold(f32::MIN_POSITIVE, f32::max);
        let mut list = std::mem::take(&mut pool.list);
        let weights = &cx.preset.weights;
        let share = if cx.parsed.kind == QueryKind::Symbol { weights.dense_for_names } else { 1.0 };

        let mut files: FxHashMap<u32, FileEvidence> = FxHashMap::default();
        for candidate in &mut list {
            let Some(view) = cx.snapshot.chunk(candidate.chunk) else { continue };
            let Some(document) = view.document() else { continue };
            let defined = if weights.definition > 0.0 { words.definition(cx, view, candidate) } else { 0.0 };
            let file = files.entry(document.id.0).or_insert_with(|| words.file(document));
            file.definitions += defined;
            candidate.add("bm25", weights.bm25 * bm25_score(candidate).unwrap_or(0.0) / best_chunk);
            candidate.add("dense", share * weights.dense * dense_score(candidate) / nearest);
            candidate.add("definition", weights.definition * defined);
            file.dense = file.dense.max(dense_score(candidate));
        }
        let most_defined = files.values().map(|f| f.definitions).fold(f32::MIN_POSITIVE, f32::max);
        for candidate in &mut list {
            let Some(view) = cx.snapshot.chunk(candidate.chunk) else { continue };
            let Some(document) = view.document() else { continue };
            let file = &files[&document.id.0];
            let in_file = pool.best_by_file.get(&document.id.0).copied().unwrap_or(0.0) / best_file;
            candidate.add("file_bm25", weights.file_bm25 * in_file);
            candidate.add("file_dense", share * weights.file_dense * file.dense / nearest);
            candidate.add("file_definitions", weights.file_definitions * (file.definitions / most_defined).min(1.0));
            candidate.add("file_stem", weights.file_stem * file.stem);
            candidate.add("whole_stem", weights.whole_stem * f32::from(u8::from(file.whole_stem)));
            candidate.add("folder", weights.folder * file.folder);
            multiply(cx, weights, candidate, view, document);
        }
        pool.list = list;
        Ok(())
    }
}

fn bm25_score(candidate: &Candidate) -> Option<f32> {
    candidate.retrieved_by("bm25").map(|(score, _)| score)
}

fn dense_score(candidate: &Candidate) -> f32 {
    candidate.retrieved_by("dense").map_or(0.0, |(cosine, _)| cosine)
}

struct FileEvidence {
    stem: f32,
    whole_stem: bool,
    folder: f32,
    definitions: f32,
    dense: f32,
}

/// The query's words as names of things are compared with them.
struct QueryWords {
    /// Stemmed terms with their weights.
    terms: Vec<(String, f32)>,
    total: f32,
    tokenizer: Tokenizer,
    /// Whether no preset's weight asks for names of files.
    is_idle: bool,
    /// Names seen: a file's chunks and a project's methods repeat them.
    fits: FxHashMap<String, Fit>,
}

impl QueryWords {
    fn new(cx: &Cx, pool: &Candidates) -> QueryWords {
        let terms: Vec<(String, f32)> =
            cx.parsed.terms.iter().map(|t| t.text.clone()).zip(pool.term_weights.iter().copied()).collect();
        let total = terms.iter().map(|(_, w)| w).sum::<f32>().max(f32::MIN_POSITIVE);
        let weights = &cx.preset.weights;
        let is_idle = weights.file_stem + weights.whole_stem + weights.folder == 0.0;
        QueryWords { terms, total, tokenizer: Tokenizer::default(), is_idle, fits: FxHashMap::default() }
    }

    /// The weight of the query's term that a word of a name answers: the same stem, or one begins the other.
    fn weight_of(&self, word: &str) -> f32 {
        let near = |term: &str| {
            let shorter = term.len().min(word.len());
            term == word || shorter >= 4 && (term.starts_with(word) || word.starts_with(term))
        };
        self.terms.iter().filter(|(t, _)| near(t)).map(|(_, w)| *w).fold(0.0, f32::max)
    }

    /// How well a name fits: the share of the query it answers, less when it says much else.
    fn fit(&mut self, name: &str) -> Fit {
        if let Some(known) = self.fits.get(name) {
            return *known;
        }
        let fit = self.compare(name);
        self.fits.insert(name.to_owned(), fit);
        fit
    }

    fn compare(&mut self, name: &str) -> Fit {
        let terms = self.tokenizer.terms(name);
        let whole = terms.iter().find(|t| t.is_whole).map_or(0.0, |t| self.weight_of(&t.text));
        let parts: Vec<f32> = terms.iter().filter(|t| !t.is_whole).map(|t| self.weight_of(&t.text)).collect();
        let hit = parts.iter().filter(|w| **w > 0.0).count();
        let precision = hit as f32 / parts.len().max(1) as f32;
        let recall = ((parts.iter().sum::<f32>() + whole) / self.total).min(1.0);
        Fit { recall, precision, all: hit == parts.len() && hit > 0 }
    }

    fn definition(&mut self, cx: &Cx, view: ChunkView, candidate: &Candidate) -> f32 {
        let own = || candidate.entity.filter(|_| view.part() == 0).and(view.entity());
        let inner = candidate.entity.filter(|_| cx.inside.is_asked()).and_then(|id| cx.snapshot.entity(id));
        let named = inner.filter(|e| view.entity().is_none_or(|own| own.id != e.id)).or_else(own);
        let Some(entity) = named else { return 0.0 };
        let fit = self.fit(entity.name());
        fit.recall * (0.3 + 0.7 * fit.precision)
    }

    fn file(&mut self, document: DocumentView) -> FileEvidence {
        if self.is_idle {
            return FileEvidence { stem: 0.0, whole_stem: false, folder: 0.0, definitions: 0.0, dense: 0.0 };
        }
        let path = document.path();
        let mut parts: Vec<&str> = path.split('/').collect();
        let name = parts.pop().unwrap_or(path);
        let mut stem = name.split('.').find(|p| !p.is_empty()).unwrap_or(name);
        if HOLLOW_STEMS.contains(&stem)
            && let Some(folder) = parts.pop()
        {
            stem = folder;
        }
        let fit = self.fit(stem);
        let folder = parts.last().map_or(0.0, |f| self.fit(f).precision);
        FileEvidence { stem: fit.precision, whole_stem: fit.all, folder, definitions: 0.0, dense: 0.0 }
    }
}

#[derive(Clone, Copy)]
struct Fit {
    /// Share of the query's weight.
    recall: f32,
    /// Share of the name's words.
    precision: f32,
    /// Whether every word of the name is in the query.
    all: bool,
}

fn multiply(cx: &Cx, weights: &Weights, candidate: &mut Candidate, view: ChunkView, document: DocumentView) {
    let mut factors: Vec<Signal> = Vec::new();
    let mut factor = |name: &'static str, value: f32, on: bool| {
        if on && (value - 1.0).abs() > f32::EPSILON {
            factors.push(Signal { name, value, multiplies: true });
        }
    };
    let named = candidate.retrieved.iter().any(|(name, _, _)| *name == "names");
    let is_rare = |id| {
        let entity = cx.snapshot.entity(id);
        entity.is_some_and(|e| cx.snapshot.find_names(e.name(), cds_index::NameMatch::Exact, RARE).len() < RARE)
    };
    // In "implementations of X" the name is where the question begins, not what it asks for.
    let rare = named && !is_relation(&cx.query.text) && candidate.entity.is_some_and(is_rare);
    factor("exact_symbol", weights.exact_symbol, rare);
    let bare_type = cx.parsed.kind == QueryKind::Symbol && named && view.is_type_declaration();
    factor("type_declaration", weights.type_declaration, bare_type);
    let role = document.role();
    // Tests inside a source file count as tests.
    let is_test = view.is_test() || role == PathRole::Test;
    let is_source = role == PathRole::Source && !is_test;
    let asked = is_test && cx.parsed.asks_for_tests;
    factor("source_path", weights.source_path, is_source);
    factor("other_role", weights.other_role, !is_source && !asked && (weights.source_path - 1.0).abs() > f32::EPSILON);
    factor("public", weights.public, view.entity().is_some() && view.is_public());
    let product: f32 = factors.iter().map(|s| s.value).product();
    candidate.score *= product.min(weights.cap);
    candidate.signals.append(&mut factors);
}
