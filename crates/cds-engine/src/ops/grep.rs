//! Regular expressions over the indexed text, with ripgrep's engine. A hit knows which entity it stands in.

mod scan;

use cds_index::{DocumentView, EntityView, Snapshot};
use cds_model::{CancelToken, FileId};
use cds_search::{
    COSTLY_REGEX, CompiledFilter, MAX_REGEX_CACHE, MAX_REGEX_NESTING, MAX_REGEX_SIZE, PatternError, check_regex,
    regex_cost, scanners,
};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::hydrate::Hydrator;
use crate::request::{FilterRequest, between, short_enough};
use crate::snippet::Columns;

/// Lines longer than this are cut around the match.
const MAX_LINE: usize = 400;

/// Lines longer than this are searched for further matches only as far as they are shown.
const LONG_LINE: usize = 4_096;

/// A regular expression to look for.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GrepRequest {
    /// The expression.
    pub pattern: String,
    /// Whether case does not count.
    pub ignore_case: bool,
    /// Whether the pattern is plain text.
    pub fixed: bool,
    /// Whether matches must be whole words.
    pub word: bool,
    /// Which files.
    #[serde(flatten)]
    pub filters: FilterRequest,
    /// How many lines at most.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub limit: Option<usize>,
}

/// Lines that match.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrepResponse {
    /// As asked.
    pub pattern: String,
    /// Lines found, before the limit; a lower bound when `partial`.
    pub total: usize,
    /// Whether the search stopped at the limit.
    pub partial: bool,
    /// Whether time ran out, so that not all files were searched.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    /// In order of path and line.
    pub hits: Vec<GrepHit>,
}

/// A line that matches.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrepHit {
    /// Relative to the root.
    pub path: String,
    /// The file's language.
    pub language: String,
    /// From 1.
    pub line: u32,
    /// First character of the first match, from 1.
    pub column: u32,
    /// The line.
    pub text: String,
    /// Matches: first character and one past the last, from 0.
    pub matches: Vec<(u32, u32)>,
    /// The innermost entity around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Whether the file changed since it was indexed.
    pub stale: bool,
}

/// Files searched in parallel before their lines are put in order: enough for every core, few enough to stop soon after a limit.
const BATCH: usize = 64;

/// Lines that may be asked for at once.
const MAX_LINES: usize = 1_000_000;

/// Lines that are shown unless told.
const DEFAULT_LINES: usize = 100;

/// Maximum size of an answer in bytes of text; then it is partial.
const MAX_ANSWER: usize = 64 << 20;

/// Memory of a hit besides its texts.
const HIT_BYTES: usize = 160;

/// A compiled pattern and what it costs to match a byte.
struct Expression {
    matcher: RegexMatcher,
    cost: usize,
}

impl GrepRequest {
    fn limit(&self) -> usize {
        self.limit.unwrap_or(DEFAULT_LINES)
    }

    /// Whether a regular expression of the request takes long to compile and to match. Such requests are best kept apart from others.
    pub fn is_costly(&self) -> bool {
        // A fixed string and one that is too long to be accepted are no work.
        let is_regex = !self.fixed && short_enough("pattern", &self.pattern).is_ok();
        let pattern = if is_regex { regex_cost(&self.pattern) } else { 0 };
        pattern.max(self.filters.names_cost()) > COSTLY_REGEX
    }

    fn compile(&self) -> Result<Expression> {
        if self.pattern.is_empty() {
            return Err(Error::invalid("pattern cannot be empty"));
        }
        short_enough("pattern", &self.pattern)?;
        between("limit", self.limit(), 1, MAX_LINES)?;
        let refused = |e: PatternError| Error::invalid(format!("pattern: {e} (-F takes it as plain text)"));
        let cost = if self.fixed { self.pattern.len() } else { check_regex(&self.pattern).map_err(refused)? };
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(self.ignore_case)
            .fixed_strings(self.fixed)
            .word(self.word)
            .line_terminator(Some(b'\n'))
            .size_limit(MAX_REGEX_SIZE)
            .dfa_size_limit(MAX_REGEX_CACHE)
            .nest_limit(2 * MAX_REGEX_NESTING)
            .build(&self.pattern)
            .map_err(|e| Error::invalid(format!("pattern: {e} (-F takes it as plain text)")))?;
        Ok(Expression { matcher, cost: cost.max(1) })
    }
}

impl Engine {
    /// Finds mistakes in a request without an index.
    pub fn check_grep(&self, request: &GrepRequest) -> Result<()> {
        request.compile()?;
        CompiledFilter::new(&request.filters.check(self)?, &self.tools.globs)?;
        Ok(())
    }

    /// Searches the indexed text, files on every core, in order until there are enough lines. Filters ask for the
    /// innermost entity around a line, or for the file where there is none.
    pub fn grep(&self, request: &GrepRequest) -> Result<GrepResponse> {
        self.limited(|cancel| {
            let expression = request.compile()?;
            let filters = request.filters.check(self)?;
            let filter = CompiledFilter::new(&filters, &self.tools.globs)?;
            self.answer(|snapshot| self.grep_in(snapshot, request, &expression, &filter, cancel))
        })
    }

    fn grep_in(
        &self,
        snapshot: &Snapshot,
        request: &GrepRequest,
        expression: &Expression,
        filter: &CompiledFilter,
        cancel: &CancelToken,
    ) -> Result<GrepResponse> {
        let mut files: Vec<FileId> = Vec::new();
        for document in snapshot.documents().take_while(|_| !cancel.is_cancelled()) {
            if filter.accepts_file(document) {
                files.push(document.id);
            }
        }
        let mut hydrator = Hydrator::new(self, snapshot, Vec::new());
        let (limit, mut hits, mut total, mut bytes, mut late) = (request.limit(), Vec::new(), 0, 0, 0);
        for batch in files.chunks(BATCH) {
            if cancel.is_cancelled() || total > limit || bytes > MAX_ANSWER {
                break;
            }
            let scan = |id: &FileId| scan::lines(snapshot, *id, expression, cancel);
            let scan_all = || batch.par_iter().map(scan).collect::<Result<Vec<_>>>();
            let by_file = match scanners(expression.cost > COSTLY_REGEX) {
                Some(pool) => pool.install(scan_all)?,
                None => batch.iter().map(scan).collect::<Result<_>>()?,
            };
            for (document, lines) in batch.iter().filter_map(|&id| snapshot.document(id)).zip(by_file) {
                let mut text = None;
                for line in lines {
                    // What was found in time is shown, as far as that takes little more of it.
                    let is_short = late < DEFAULT_LINES && line.range().len() <= MAX_LINE && !cancel.is_abandoned();
                    let is_in_time = !cancel.is_cancelled();
                    let is_shown = hits.len() < limit && bytes <= MAX_ANSWER && (is_in_time || is_short);
                    if filter.accepts_all() && !is_shown {
                        total += 1;
                        continue;
                    }
                    let around = innermost(snapshot, document, line.number);
                    let judged = around.or_else(|| snapshot.entity(document.entity()));
                    if !filter.accepts_all() && !judged.is_some_and(|e| filter.accepts_entity(snapshot, e)) {
                        continue;
                    }
                    total += 1;
                    if !is_shown {
                        continue;
                    }
                    late += usize::from(!is_in_time);
                    if text.is_none() {
                        text = Some(snapshot.text(document.id)?);
                    }
                    let written = text.as_deref().and_then(|text| text.get(line.range())).unwrap_or_default();
                    let mut hit = hit(&expression.matcher, document, line.number, written, cancel);
                    hit.entity = around.map(|e| e.scope_path().join("."));
                    hit.stale = hydrator.is_stale(document);
                    bytes += HIT_BYTES + hit.text.len() + hit.path.len() + 8 * hit.matches.len();
                    hits.push(hit);
                }
            }
        }
        let timed_out = cancel.is_cancelled();
        let partial = timed_out || total > hits.len();
        Ok(GrepResponse { pattern: request.pattern.clone(), total, partial, timed_out, hits })
    }
}

/// The deepest entity around a line.
fn innermost<'a>(snapshot: &'a Snapshot, document: DocumentView<'a>, line: u32) -> Option<EntityView<'a>> {
    let around = document.entities().filter_map(|id| snapshot.entity(id)).filter(|e| {
        let (from, to) = e.lines();
        from <= line && line <= to
    });
    around.max_by_key(|e| e.depth())
}

/// A line as it is shown. Of a long one only what is shown is searched for further matches: each of them may cost as much as the line
/// is long.
fn hit(matcher: &RegexMatcher, document: DocumentView, number: u32, line: &str, cancel: &CancelToken) -> GrepHit {
    let line = line.trim_end_matches(['\n', '\r']);
    let first = matcher.find(line.as_bytes()).ok().flatten().map_or(0, |m| m.start());
    let (shown, cut) = around(line, first);
    let searched = if line.len() > LONG_LINE { &line[..cut + shown.len()] } else { line };
    let mut spans = Vec::new();
    let _ = matcher.find_iter_at(searched.as_bytes(), first, |m| {
        spans.push((m.start(), m.end()));
        m.start() < cut + shown.len() && !cancel.is_cancelled()
    });
    let column = Columns::new(line).at(first) + 1;
    let mut columns = Columns::new(shown);
    let inside = spans.iter().filter(|(from, to)| cut <= *from && from < to && *to <= cut + shown.len());
    let matches = inside.map(|(from, to)| (columns.at(from - cut), columns.at(to - cut))).collect();
    GrepHit {
        path: document.path().to_owned(),
        language: document.language().to_owned(),
        line: number,
        column,
        matches,
        text: shown.to_owned(),
        entity: None,
        stale: false,
    }
}

/// A long line's stretch around a byte, and where it begins.
fn around(line: &str, byte: usize) -> (&str, usize) {
    if line.len() <= MAX_LINE {
        return (line, 0);
    }
    let from = line.floor_char_boundary(byte.saturating_sub(MAX_LINE / 4));
    let to = line.floor_char_boundary((from + MAX_LINE).min(line.len()));
    (&line[from..to], from)
}
