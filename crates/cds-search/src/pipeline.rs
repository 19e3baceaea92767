//! The plan of a search and the loop that runs it.

use std::cell::Cell;
use std::time::{Duration, Instant};

use cds_index::Snapshot;
use cds_model::{ChunkId, EntityId, Granularity, Hit, Query};

use crate::Result;
use crate::filter::CompiledFilter;
use crate::globs::GlobCache;
use crate::inside::Inside;
use crate::preset::{Fusion, Preset};
use crate::query::{self, ParsedQuery};
use crate::stages::{self, Candidates, Stage};

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
    /// How much meaning counts in a mixture, words having the rest.
    pub semantic_weight: Option<f32>,
    /// How much ranks count in a mixture, scores having the rest.
    pub alpha: Option<f32>,
}

/// What a search found.
#[derive(Debug)]
pub struct Outcome {
    /// How the query was understood.
    pub parsed: ParsedQuery,
    /// Best first.
    pub hits: Vec<Hit>,
    /// How many there are in all, of the kind asked for.
    pub total: usize,
    /// Whether another page follows.
    pub more: bool,
    /// Whether time ran out.
    pub partial: bool,
    /// Milliseconds by stage.
    pub timings: Vec<(&'static str, f64)>,
    /// The query's terms as the index spells them, for highlights.
    pub terms: Vec<String>,
}

/// What every stage sees.
pub(crate) struct Cx<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) query: &'a Query,
    pub(crate) parsed: &'a ParsedQuery,
    pub(crate) preset: &'a Preset,
    pub(crate) filter: &'a CompiledFilter<'a>,
    pub(crate) inside: Inside<'a>,
    pub(crate) options: &'a SearchOptions,
    pub(crate) deadline: Option<Instant>,
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

/// What is less similar than this has nothing to do with the query.
const LEAST_SIMILAR: f32 = 0.2;

/// Which stages answer a query, in order.
fn plan<'s>(preset: &Preset, dense: stages::Dense<'s>) -> Vec<Box<dyn Stage + 's>> {
    match preset.fusion {
        Fusion::Hierarchical { upper_threshold } => vec![
            Box::new(stages::Names { every_word: true }),
            Box::new(stages::Hierarchy { upper_threshold }),
            Box::new(stages::Group),
            Box::new(stages::Cut),
        ],
        Fusion::Evidence => vec![
            Box::new(stages::Names { every_word: false }),
            Box::new(stages::Lexical),
            Box::new(dense),
            Box::new(stages::Signals),
            Box::new(stages::Relations),
            Box::new(stages::Group),
            Box::new(stages::Cut),
        ],
        Fusion::Mixed(mixture) => vec![
            Box::new(stages::Names { every_word: false }),
            Box::new(stages::Lexical),
            Box::new(dense),
            Box::new(stages::Fuse { mixture }),
            Box::new(stages::Group),
            Box::new(stages::Cut),
        ],
    }
}

/// Answers a query. An empty one has no hits.
pub fn search(snapshot: &Snapshot, query: &Query, options: &SearchOptions, globs: &GlobCache) -> Result<Outcome> {
    let preset = Preset::find(&query.preset)?;
    let mut timings = Vec::new();
    let started = Instant::now();
    let parsed = query::parse(&query.text);
    let filter = CompiledFilter::new(&query.filters, globs)?;
    timings.push(("parse", started.elapsed().as_secs_f64() * 1e3));
    let deadline = options.time_limit.map(|limit| started + limit);
    let inside = Inside::new(snapshot, &parsed, &filter);
    let cx = Cx { snapshot, query, parsed: &parsed, preset, filter: &filter, inside, options, deadline };
    let mut pool = Candidates::default();
    if !parsed.terms.is_empty() {
        let least = options.min_similarity.unwrap_or(LEAST_SIMILAR);
        std::thread::scope(|scope| {
            let beside = || scope.spawn(|| stages::nearest(snapshot, query, globs, least));
            let dense = stages::Dense { search: Cell::new(preset.wants_meaning().then(beside)) };
            for stage in plan(preset, dense) {
                let started = Instant::now();
                stage.run(&cx, &mut pool)?;
                timings.push((stage.name(), started.elapsed().as_secs_f64() * 1e3));
            }
            Ok::<(), crate::Error>(())
        })?;
        timings.append(&mut pool.timings);
    }
    Ok(Outcome {
        hits: pool.hits,
        total: pool.total,
        more: pool.more,
        partial: pool.partial,
        terms: pool.spellings,
        timings,
        parsed,
    })
}
