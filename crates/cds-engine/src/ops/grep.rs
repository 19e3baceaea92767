//! Regular expressions over the indexed text, with ripgrep's engine. A hit knows which entity it stands in.

use std::sync::atomic::{AtomicUsize, Ordering};

use cds_index::Snapshot;
use cds_model::FileId;
use cds_search::CompiledFilter;
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkMatch};
use rayon::prelude::*;
use serde::Serialize;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::request::FilterRequest;

/// Lines longer than this are cut around the match.
const MAX_LINE: usize = 400;

/// A regular expression to look for.
#[derive(Clone, Debug, Default)]
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
    pub filters: FilterRequest,
    /// How many lines at most.
    pub limit: usize,
}

/// Lines that match.
#[derive(Clone, Debug, Serialize)]
pub struct GrepResponse {
    /// As asked.
    pub pattern: String,
    /// Lines found, before the limit; a lower bound when `partial`.
    pub total: usize,
    /// Whether the search stopped at the limit.
    pub partial: bool,
    /// In order of path and line.
    pub hits: Vec<GrepHit>,
}

/// A line that matches.
#[derive(Clone, Debug, Serialize)]
pub struct GrepHit {
    /// Relative to the root.
    pub path: String,
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

impl Engine {
    /// Searches the indexed text, file after file on every core.
    pub fn grep(&self, request: &GrepRequest) -> Result<GrepResponse> {
        if request.pattern.is_empty() {
            return Err(Error::invalid("pattern cannot be empty"));
        }
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(request.ignore_case)
            .fixed_strings(request.fixed)
            .word(request.word)
            .line_terminator(Some(b'\n'))
            .build(&request.pattern)
            .map_err(|e| Error::invalid(format!("pattern: {e}")))?;
        let snapshot = self.snapshot()?;
        let filters = request.filters.check()?;
        let filter = CompiledFilter::new(&filters, &self.globs)?;
        // The filter keeps what it learnt of files to itself, so it is asked here, on one thread.
        let files: Vec<FileId> = snapshot
            .documents()
            .filter(|d| snapshot.entity(d.entity()).is_some_and(|e| filter.accepts_entity(&snapshot, e)))
            .map(|d| d.id)
            .collect();
        let found = AtomicUsize::new(0);
        let by_file: Vec<Vec<GrepHit>> = files
            .par_iter()
            .map(|&id| {
                if found.load(Ordering::Relaxed) > request.limit.saturating_mul(4) {
                    return Ok(Vec::new());
                }
                let hits = grep_file(&snapshot, id, &matcher)?;
                found.fetch_add(hits.len(), Ordering::Relaxed);
                Ok(hits)
            })
            .collect::<Result<_>>()?;
        let mut hits: Vec<GrepHit> = by_file.into_iter().flatten().collect();
        let total = hits.len();
        hits.truncate(request.limit);
        let mut hydrator = crate::hydrate::Hydrator::new(&snapshot, self.root(), Vec::new());
        for hit in &mut hits {
            let Some(document) = snapshot.document_at(&hit.path) else { continue };
            hit.stale = hydrator.is_stale(document);
            let inside = document.entities().filter_map(|id| snapshot.entity(id)).filter(|e| {
                let (from, to) = e.lines();
                from <= hit.line && hit.line <= to
            });
            hit.entity = inside.max_by_key(|e| e.depth()).map(|e| e.scope_path().join("."));
        }
        Ok(GrepResponse { pattern: request.pattern.clone(), total, partial: total > request.limit, hits })
    }
}

fn grep_file(snapshot: &Snapshot, id: FileId, matcher: &RegexMatcher) -> Result<Vec<GrepHit>> {
    let Some(document) = snapshot.document(id) else { return Ok(Vec::new()) };
    let text = snapshot.text(id)?;
    let mut lines = Lines { matcher, path: document.path(), hits: Vec::new() };
    let mut searcher: Searcher = SearcherBuilder::new().line_number(true).build();
    searcher
        .search_slice(matcher, text.as_bytes(), &mut lines)
        .map_err(|e| Error::invalid(format!("pattern: {e}")))?;
    Ok(lines.hits)
}

struct Lines<'a> {
    matcher: &'a RegexMatcher,
    path: &'a str,
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
        let column = |byte: usize| line.get(..byte).map_or(0, |t| t.chars().count()) as u32;
        let offset = column(cut);
        let length = shown.chars().count() as u32;
        let matches = spans.iter().map(|&(a, b)| (column(a).saturating_sub(offset), column(b).saturating_sub(offset)));
        self.hits.push(GrepHit {
            path: self.path.to_owned(),
            line: found.line_number().unwrap_or(0) as u32,
            column: column(first) + 1,
            matches: matches.filter(|&(a, b)| a < b && b <= length).collect(),
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
