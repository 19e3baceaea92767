//! Regular expressions over the indexed text, with ripgrep's engine. A hit knows which entity it stands in.

use std::time::{Duration, Instant};

use cds_index::{DocumentView, EntityView, Snapshot};
use cds_model::FileId;
use cds_search::CompiledFilter;
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkMatch};
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

/// Files searched at once: enough for every core, few enough to stop soon after the limit.
const BATCH: usize = 256;

/// Lines that may be asked for at once.
const MAX_LINES: usize = 1_000_000;

/// Lines that are shown unless told.
const DEFAULT_LINES: usize = 100;

impl GrepRequest {
    fn limit(&self) -> usize {
        self.limit.unwrap_or(DEFAULT_LINES)
    }

    fn matcher(&self) -> Result<RegexMatcher> {
        if self.pattern.is_empty() {
            return Err(Error::invalid("pattern cannot be empty"));
        }
        short_enough("pattern", &self.pattern)?;
        between("limit", self.limit(), 1, MAX_LINES)?;
        RegexMatcherBuilder::new()
            .case_insensitive(self.ignore_case)
            .fixed_strings(self.fixed)
            .word(self.word)
            .line_terminator(Some(b'\n'))
            .build(&self.pattern)
            .map_err(|e| Error::invalid(format!("pattern: {e} (-F takes it as plain text)")))
    }
}

impl Engine {
    /// Finds mistakes in a request without an index.
    pub fn check_grep(&self, request: &GrepRequest) -> Result<()> {
        request.matcher()?;
        CompiledFilter::new(&request.filters.check(self)?, &self.tools.globs)?;
        Ok(())
    }

    /// Searches the indexed text, files on every core, in order until there are enough lines. Filters ask for the
    /// innermost entity around a line, or for the file where there is none.
    pub fn grep(&self, request: &GrepRequest) -> Result<GrepResponse> {
        let matcher = request.matcher()?;
        let filters = request.filters.check(self)?;
        let filter = CompiledFilter::new(&filters, &self.tools.globs)?;
        self.answer(|snapshot| self.grep_in(snapshot, request, &matcher, &filter))
    }

    fn grep_in(
        &self,
        snapshot: &Snapshot,
        request: &GrepRequest,
        matcher: &RegexMatcher,
        filter: &CompiledFilter,
    ) -> Result<GrepResponse> {
        let limit = Duration::from_millis(self.config().number("search.time_limit_ms"));
        let started = Instant::now();
        let mut timed_out = false;
        let files: Vec<FileId> = snapshot.documents().filter(|d| filter.accepts_file(*d)).map(|d| d.id).collect();
        let mut hydrator = Hydrator::new(self, snapshot, Vec::new());
        let mut hits: Vec<GrepHit> = Vec::new();
        for batch in files.chunks(BATCH) {
            let by_file: Vec<Vec<GrepHit>> =
                batch.par_iter().map(|&id| grep_file(snapshot, id, matcher)).collect::<Result<_>>()?;
            for (document, lines) in batch.iter().filter_map(|&id| snapshot.document(id)).zip(by_file) {
                for mut hit in lines {
                    if filter.accepts_all() && hits.len() >= request.limit() {
                        // Only counted.
                        hits.push(hit);
                        continue;
                    }
                    let around = innermost(snapshot, document, hit.line);
                    let judged = around.or_else(|| snapshot.entity(document.entity()));
                    if filter.accepts_all() || judged.is_some_and(|e| filter.accepts_entity(snapshot, e)) {
                        hit.entity = around.map(|e| e.scope_path().join("."));
                        hit.stale = hydrator.is_stale(document);
                        hits.push(hit);
                    }
                }
            }
            if hits.len() > request.limit() {
                break;
            }
            timed_out = !limit.is_zero() && started.elapsed() > limit;
            if timed_out {
                break;
            }
        }
        let total = hits.len();
        hits.truncate(request.limit());
        Ok(GrepResponse {
            pattern: request.pattern.clone(),
            total,
            partial: timed_out || total > request.limit(),
            timed_out,
            hits,
        })
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

fn grep_file(snapshot: &Snapshot, id: FileId, matcher: &RegexMatcher) -> Result<Vec<GrepHit>> {
    let Some(document) = snapshot.document(id) else { return Ok(Vec::new()) };
    let text = snapshot.text(id)?;
    let mut lines = Lines { matcher, document, hits: Vec::new() };
    let mut searcher: Searcher = SearcherBuilder::new().line_number(true).build();
    searcher.search_slice(matcher, text.as_bytes(), &mut lines).map_err(|e| Error::invalid(format!("pattern: {e}")))?;
    Ok(lines.hits)
}

struct Lines<'a> {
    matcher: &'a RegexMatcher,
    document: DocumentView<'a>,
    hits: Vec<GrepHit>,
}

impl Sink for Lines<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, std::io::Error> {
        let line = String::from_utf8_lossy(found.bytes());
        let line = line.trim_end_matches(['\n', '\r']);
        let mut spans = Vec::new();
        let _ = self.matcher.find_iter(line.as_bytes(), |m| {
            spans.push((m.start(), m.end()));
            true
        });
        let first = spans.first().map_or(0, |s| s.0);
        let (shown, cut) = around(line, first);
        let column = Columns::new(line).at(first) + 1;
        let mut columns = Columns::new(shown);
        let inside = spans.iter().filter(|(from, to)| cut <= *from && from < to && *to <= cut + shown.len());
        let matches = inside.map(|(from, to)| (columns.at(from - cut), columns.at(to - cut))).collect();
        self.hits.push(GrepHit {
            path: self.document.path().to_owned(),
            language: self.document.language().to_owned(),
            line: found.line_number().unwrap_or(0) as u32,
            column,
            matches,
            text: shown.to_owned(),
            entity: None,
            stale: false,
        });
        Ok(true)
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
