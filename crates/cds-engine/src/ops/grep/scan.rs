//! Which lines of one file match, with a bound on the work between two looks at the cancel token.
//!
//! A call of the regex engine cannot be interrupted, and its time is bounded by the expression's cost times the length of its
//! input. A file is therefore searched in blocks of whole lines of at most [`WORK`] such units. A line that is longer than a block
//! is first searched in windows: that takes about as long as the whole line will, and can be stopped. A line that is not reached in
//! time is left out, and the answer is then marked as timed out.

use std::ops::Range;

use cds_index::Snapshot;
use cds_model::{CancelToken, FileId};
use grep_matcher::Matcher;
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkMatch};

use super::{Expression, MAX_LINES};
use crate::error::{Error, Result};

/// Work between two looks at the token, in states times bytes: about 0.1 s for the slowest expression.
const WORK: usize = 20_000_000;

/// The least length of a block: shorter ones cost more than they save.
const LEAST_BLOCK: usize = 2_048;

/// A line that matches, by its place in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: u32,
    start: u32,
    end: u32,
}

impl Line {
    /// Its bytes, with the line terminator.
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The lines of a file that match, in order; those found so far when the token is cancelled.
pub(super) fn lines(
    snapshot: &Snapshot,
    id: FileId,
    expression: &Expression,
    cancel: &CancelToken,
) -> Result<Vec<Line>> {
    if cancel.is_cancelled() {
        return Ok(Vec::new());
    }
    let text = snapshot.text(id)?;
    matching(text.as_bytes(), expression, WORK, cancel)
}

fn matching(text: &[u8], expression: &Expression, work: usize, cancel: &CancelToken) -> Result<Vec<Line>> {
    let block = (work / expression.cost).max(LEAST_BLOCK);
    let mut searcher = SearcherBuilder::new().line_number(true).build();
    let mut found = Found { lines: Vec::new(), start: 0, before: 0, cancel };
    while found.start < text.len() && !cancel.is_cancelled() && found.lines.len() <= MAX_LINES {
        let rest = &text[found.start..];
        let end = end_of_block(rest, block);
        let lines = &rest[..end];
        if end > block && !rehearse(lines, expression, block, cancel) {
            break;
        }
        searcher
            .search_slice(&expression.matcher, lines, &mut found)
            .map_err(|e| Error::invalid(format!("pattern: {e}")))?;
        found.before += memchr::memchr_iter(b'\n', lines).count();
        found.start += end;
    }
    Ok(found.lines)
}

/// Where the last line ends that ends within the block, or else the first one.
fn end_of_block(text: &[u8], block: usize) -> usize {
    if text.len() <= block {
        return text.len();
    }
    let within = memchr::memrchr(b'\n', &text[..block]);
    let line = within.or_else(|| Some(block + memchr::memchr(b'\n', &text[block..])?));
    line.map_or(text.len(), |newline| newline + 1)
}

/// Searches a long line in windows of one block each. False if the token was cancelled meanwhile.
fn rehearse(line: &[u8], expression: &Expression, block: usize, cancel: &CancelToken) -> bool {
    line.chunks(block).all(|window| {
        let _ = expression.matcher.is_match(window);
        !cancel.is_cancelled()
    })
}

struct Found<'a> {
    lines: Vec<Line>,
    /// Where the block begins.
    start: usize,
    /// Lines before it.
    before: usize,
    cancel: &'a CancelToken,
}

impl Sink for Found<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, std::io::Error> {
        let start = self.start + found.absolute_byte_offset() as usize;
        let number = self.before as u64 + found.line_number().unwrap_or(0);
        self.lines.push(Line { number: number as u32, start: start as u32, end: (start + found.bytes().len()) as u32 });
        Ok(!self.cancel.is_cancelled() && self.lines.len() <= MAX_LINES)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use cds_model::CancelToken;

    use super::super::GrepRequest;
    use super::{WORK, matching};

    fn compiled(pattern: &str) -> super::Expression {
        GrepRequest { pattern: pattern.to_owned(), ..GrepRequest::default() }.compile().unwrap()
    }

    #[test]
    fn lines_and_numbers_do_not_depend_on_blocks() {
        let text: String =
            (1..3_000).map(|i| format!("line {i}{}\n", if i % 7 == 0 { " seven" } else { "" })).collect();
        for text in [text.clone(), text.trim_end().to_owned(), format!("{}seven\nseven\n", "x".repeat(30_000))] {
            for pattern in ["seven", "seven$", "^line \\d+ seven", "x*seven"] {
                let expression = compiled(pattern);
                let found =
                    |work: usize| matching(text.as_bytes(), &expression, work, &CancelToken::default()).unwrap();
                let whole = found(usize::MAX);
                assert_eq!(found(1), whole, "{pattern}");
                for line in &whole {
                    let shown = text.lines().nth(line.number as usize - 1).unwrap();
                    assert_eq!(text[line.range()].trim_end(), shown, "{pattern}");
                }
            }
        }
    }

    #[test]
    fn a_deadline_holds_inside_one_long_line() {
        // Every byte begins a new state of the automaton.
        let mut seed = 7u32;
        let mut coin = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if seed >> 16 & 1 == 0 { b'a' } else { b'b' }
        };
        let line: Vec<u8> = (0..1_000_000).map(|_| coin()).collect();
        let many: Vec<u8> = line.chunks(80).flat_map(|l| [l, b"\n"].concat()).collect();
        for pattern in ["a[ab]{4000}c", "(?:[ab]{1,90}){1,90}c", "(?:a|b)*a(?:a|b){3000}c", "[ab]{1,4000}[^abc]"] {
            let expression = compiled(pattern);
            for text in [&line, &many] {
                let started = Instant::now();
                let cancel = CancelToken::default().within(Some(Duration::from_millis(300)));
                let _ = matching(text, &expression, WORK, &cancel).unwrap();
                let took = started.elapsed();
                eprintln!("{pattern:28} {:>5} ms", took.as_millis());
                assert!(took < Duration::from_secs(3), "{pattern} took {took:?}");
            }
        }
    }
}
