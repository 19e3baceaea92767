//! The plan of a search and the loop that runs it.

use std::cell::Cell;
use std::time::{Duration, Instant};

use cds_encode::Models;
use cds_index::Snapshot;
use cds_model::{CancelToken, ChunkId, EntityId, Granularity, Hit, Query};

use crate::filter::CompiledFilter;
use crate::frequencies::Frequencies;
use crate::globs::GlobCache;
use crate::inside::Inside;
use crate::preset::{Fusion, Preset, Retriever, Weights};
use crate::query::{self, ParsedQuery};
use crate::stages::{self, Candidates, Stage};
use crate::{Result, expansions, workers};

/// What is not part of the question itself.
#[derive(Clone, Debug, Default)]
pub struct SearchOptions {
    /// Replaces the preset's number of names that are enough.
    pub upper_threshold: Option<usize>,
    /// How long it may take; then what is there is returned, marked partial.
    pub time_limit: Option<Duration>,
    /// Hits to leave out at the start: the next page.
    pub offset: usize,
    /// The least cosine of what meaning alone finds; none: the preset's own.
    pub min_similarity: Option<f32>,
    /// Numbers of the preset to replace, by name.
    pub set: Vec<(String, f32)>,
    /// The most files that hits come from.
    pub files: Option<usize>,
    /// Steps that the graph is followed from the best hits; 0: none.
    pub depth: u32,
    /// How much standing counts beside novelty, 0 to 1; none: hits are not chosen one by one.
    pub mmr: Option<f32>,
    /// Words that name the project itself.
    pub project: Vec<String>,
    /// Whether words are left out of the search, so that meaning alone finds.
    pub no_bm25: bool,
    /// How long it may take.
    pub rerank_limit: Option<Duration>,
}

/// What a search found.
#[derive(Debug)]
pub struct Outcome {
    /// How the query was understood.
    pub parsed: ParsedQuery,
    /// Best first.
    pub hits: Vec<Hit>,
    /// The number of hits on all pages.
    pub total: usize,
    /// Whether more than `total` match: only the nearest are retrieved by meaning, and the time limit may end a search.
    pub total_is_lower_bound: bool,
    /// Whether another page follows.
    pub more: bool,
    /// Whether time ran out or a retriever could not work because of its model.
    pub partial: bool,
    /// Whether time ran out.
    pub timed_out: bool,
    /// Milliseconds by stage.
    pub timings: Vec<(&'static str, f64)>,
    /// The query's terms as the index spells them, for highlights.
    pub terms: Vec<String>,
    /// What the answer lacks, and why.
    pub warnings: Vec<String>,
}

/// What outlives one search: compiled patterns, and models once they are loaded.
#[derive(Default)]
pub struct Tools {
    /// Compiled path patterns.
    pub globs: GlobCache,
    /// How many chunks have a name.
    pub frequencies: Frequencies,
    /// What makes vectors and weighted terms, and what reranks.
    pub models: Models,
}

/// A question and what it is asked of. Every retriever sees it, on whatever thread.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) query: &'a Query,
    pub(crate) parsed: &'a ParsedQuery,
    pub(crate) preset: &'a Preset,
    pub(crate) options: &'a SearchOptions,
    pub(crate) tools: &'a Tools,
}

impl Asked<'_> {
    /// Hits that must be there for this page.
    pub(crate) fn wanted(&self) -> usize {
        self.query.limit + self.options.offset
    }
}

/// What every stage sees.
pub(crate) struct Cx<'a> {
    pub(crate) asked: Asked<'a>,
    pub(crate) filter: &'a CompiledFilter<'a>,
    pub(crate) inside: Inside<'a>,
}

impl<'a> std::ops::Deref for Cx<'a> {
    type Target = Asked<'a>;

    fn deref(&self) -> &Asked<'a> {
        &self.asked
    }
}

impl Cx<'_> {
    /// What a chunk that matched stands for: its own entity, or definitions inside it when the filter asks for those. Where
    /// hits are entities, both.
    pub(crate) fn subjects(&self, chunk: ChunkId) -> Vec<Option<EntityId>> {
        let own = self.snapshot.chunk(chunk).and_then(|c| c.entity()).map(|e| e.id);
        if !self.inside.is_asked() {
            return vec![own];
        }
        let passes = self.filter.accepts(self.snapshot, chunk);
        let mut subjects = if passes { vec![own] } else { Vec::new() };
        if !passes || self.query.granularity == Granularity::Entity {
            subjects.extend(self.inside.of(chunk).into_iter().map(Some));
        }
        subjects
    }
}

/// Which stages answer a query, in order.
fn plan(preset: &Preset, options: &SearchOptions, beside: stages::Beside) -> Vec<Box<dyn Stage>> {
    let mut stages: Vec<Box<dyn Stage>> = match preset.fusion {
        Fusion::Hierarchical { upper_threshold } => {
            vec![Box::new(stages::Names { every_word: true }), Box::new(stages::Hierarchy { upper_threshold })]
        }
        Fusion::Evidence => vec![
            Box::new(stages::Names { every_word: false }),
            Box::new(stages::Lexical),
            Box::new(beside),
            Box::new(stages::Mentions),
            Box::new(stages::Signals),
            Box::new(stages::Factors),
            Box::new(stages::Relations),
        ],
        Fusion::Mixed(mixture) => {
            let mut stages: Vec<Box<dyn Stage>> = vec![Box::new(stages::Lexical), Box::new(beside)];
            stages.push(Box::new(stages::Fuse { mixture }));
            stages.push(Box::new(stages::Factors));
            if preset.weights != Weights::PLAIN {
                // What is named must be known before it is fused.
                stages.insert(0, Box::new(stages::Names { every_word: false }));
                stages.push(Box::new(stages::Relations));
            }
            stages
        }
    };
    if options.depth > 0 {
        stages.push(Box::new(stages::Hops { depth: options.depth }));
    }
    if options.mmr.is_some() || preset.weights.near_duplicate <= 1.0 {
        stages.push(Box::new(stages::Diverse { near_duplicate: preset.weights.near_duplicate, mmr: options.mmr }));
    }
    if preset.rerank {
        stages.push(Box::new(stages::Rerank { candidates: preset.rerank_top_k }));
    }
    stages.push(Box::new(stages::Group));
    stages.push(Box::new(stages::Cut));
    stages
}

/// The preset with what the request sets itself.
fn chosen(query: &Query, options: &SearchOptions, parsed: &ParsedQuery) -> Result<Preset> {
    let preset = Preset::find(&query.preset)?.clone().for_query(parsed);
    let preset = preset.with(options.set.iter().map(|(name, value)| (name.as_str(), *value)))?;
    match preset.fusion {
        Fusion::Mixed(_) if options.no_bm25 => preset.with([("bm25", 0.0)]),
        // Signals rest on BM25: without it dense retrieval alone ranks.
        Fusion::Evidence | Fusion::Hierarchical { .. } if options.no_bm25 => {
            let Preset { rerank, rerank_top_k, .. } = preset;
            Ok(Preset { rerank, rerank_top_k, ..Preset::find("dense")?.clone() })
        }
        Fusion::Mixed(_) | Fusion::Evidence | Fusion::Hierarchical { .. } => Ok(preset),
    }
}

/// The preset that answers in place of one whose only retriever has no model.
const BY_WORDS: &str = "bm25";

/// Words outside quotes that make a sentence, in which quotes may stand for what they are.
const SENTENCE: usize = 4;

/// Answers a query. An empty one has no hits. Stops when the current [`CancelToken`] is cancelled or the time limit has passed: the
/// former is an error, the latter a partial answer.
pub fn search(snapshot: &Snapshot, query: &Query, options: &SearchOptions, tools: &Tools) -> Result<Outcome> {
    let cancel = CancelToken::current().within(options.time_limit);
    cancel.scope(|| search_in(snapshot, query, options, tools))
}

fn search_in(snapshot: &Snapshot, query: &Query, options: &SearchOptions, tools: &Tools) -> Result<Outcome> {
    let mut parsed = query::parse_in(&query.text, &options.project);
    expansions::add(snapshot, &tools.models, &mut parsed)?;
    let outcome = answer(snapshot, query, options, tools, parsed)?;
    let quoted = &outcome.parsed.phrases;
    if !outcome.hits.is_empty() || outcome.partial || quoted.is_empty() || outcome.parsed.plain_words < SENTENCE {
        return Ok(outcome);
    }
    // Quotes in a pasted message are part of it, not a demand.
    let parsed = ParsedQuery { phrases: Vec::new(), ..outcome.parsed };
    let mut outcome = answer(snapshot, query, options, tools, parsed)?;
    outcome
        .warnings
        .push("nothing has the quoted words as they stand: they were looked for like any others".to_owned());
    Ok(outcome)
}

fn answer(
    snapshot: &Snapshot,
    query: &Query,
    options: &SearchOptions,
    tools: &Tools,
    parsed: ParsedQuery,
) -> Result<Outcome> {
    let preset = chosen(query, options, &parsed)?;
    let mut timings = Vec::new();
    let started = Instant::now();
    let filter = CompiledFilter::new(&query.filters, &tools.globs)?;
    timings.push(("parse", started.elapsed().as_secs_f64() * 1e3));
    let cancel = CancelToken::current();
    let asked = Asked { snapshot, query, parsed: &parsed, preset: &preset, options, tools };
    let inside = Inside::new(snapshot, &parsed, &filter);
    let cx = Cx { asked, filter: &filter, inside };
    let mut pool = Candidates::default();
    if !parsed.terms.is_empty() {
        workers::beside(|beside| {
            let slow = tools.models.is_slow();
            let mut running = Vec::new();
            if preset.wants(Retriever::Dense) {
                running.push(beside.start(slow, move || stages::dense::find(&asked)));
            }
            if preset.wants(Retriever::Sparse) {
                running.push(beside.start(slow, move || stages::sparse::find(&asked)));
            }
            for stage in plan(&preset, options, stages::Beside { running: Cell::new(running) }) {
                if cancel.is_abandoned() {
                    return Err(crate::Error::Cancelled);
                }
                if stage.is_optional() && cancel.is_cancelled() {
                    continue;
                }
                let started = Instant::now();
                stage.run(&cx, &mut pool)?;
                timings.push((stage.name(), started.elapsed().as_secs_f64() * 1e3));
            }
            Ok::<(), crate::Error>(())
        })?;
        timings.append(&mut pool.timings);
    }
    let is_alone = matches!(preset.fusion, Fusion::Mixed(m) if m.is_alone());
    if pool.failed && is_alone && query.preset != BY_WORDS {
        // No other retriever of the preset answers: words do.
        let query = Query { preset: BY_WORDS.to_owned(), ..query.clone() };
        let options = SearchOptions { set: Vec::new(), no_bm25: false, ..options.clone() };
        let mut outcome = answer(snapshot, &query, &options, tools, parsed)?;
        outcome.partial = true;
        outcome.warnings.splice(0..0, pool.warnings);
        return Ok(outcome);
    }
    let is_partial = pool.partial || pool.failed || cancel.is_cancelled();
    // What is near in meaning has no end where no other retriever decides.
    Ok(Outcome {
        hits: pool.hits,
        total: pool.total,
        total_is_lower_bound: is_partial || is_alone && pool.is_near_cut,
        more: pool.more,
        partial: is_partial,
        timed_out: pool.partial || cancel.is_cancelled(),
        terms: pool.spellings,
        warnings: pool.warnings,
        timings,
        parsed: ParsedQuery { used_model: pool.used_model || pool.reranked, ..parsed },
    })
}
