//! For people.

use std::collections::BTreeMap;
use std::fmt::Write;

use cds_engine::{GrepResponse, Hit, OutlineResponse, SearchResponse, Signal, StatusResponse, counted};

use super::paint::{Lexer, Painter, Style, by_line};

/// Lines of a doc comment that are shown.
const DOC_LINES: usize = 2;

pub(crate) fn search(response: &SearchResponse, painter: &Painter, explain: bool) -> String {
    let mut out = hits(&response.hits, painter, explain);
    if explain {
        let timings: Vec<String> = response.timings_ms.iter().map(|(n, ms)| format!("{n} {ms:.2} ms")).collect();
        let parsed = &response.parsed_query;
        let _ = writeln!(out, "query: {} {:?} names {:?}", parsed.kind, parsed.keywords, parsed.code_terms);
        let _ = writeln!(out, "time: {}", timings.join(", "));
    }
    if let Some(cursor) = &response.next_cursor {
        let more = format!("{} in all; more with --cursor {cursor}", response.total);
        let _ = writeln!(out, "{}", painter.paint(Style::Dim, &more));
    }
    out
}

pub(crate) fn hits(hits: &[Hit], painter: &Painter, explain: bool) -> String {
    let mut out = String::new();
    for hit in hits {
        one(&mut out, hit, painter, explain, "");
        for chunk in &hit.chunks {
            one(&mut out, chunk, painter, explain, "  ");
        }
        if hit.more_in_file > 0 {
            let more = format!("+{} more in this file", hit.more_in_file);
            let _ = writeln!(out, "  {}", painter.paint(Style::Dim, &more));
        }
        out.push('\n');
    }
    out
}

fn one(out: &mut String, hit: &Hit, painter: &Painter, explain: bool, pad: &str) {
    let place =
        if hit.start_line > 0 { format!("{}:{}-{}", hit.path, hit.start_line, hit.end_line) } else { hit.path.clone() };
    let _ = write!(out, "{pad}{}", painter.paint(Style::Path, &place));
    let shown = if hit.breadcrumb.is_empty() { hit.name.as_deref().unwrap_or_default() } else { &hit.breadcrumb };
    if !shown.is_empty() {
        let _ = write!(out, "  {}", painter.paint(Style::Bold, shown));
    }
    let _ = write!(out, "  {}", painter.paint(Style::Dim, hit.kind));
    if let Some(percent) = hit.relevance_percent.filter(|p| *p > 0) {
        let _ = write!(out, "  {}", painter.paint(Style::Score, &format!("{percent}%")));
    }
    if hit.stale {
        let _ = write!(out, "  {}", painter.paint(Style::Warn, "changed since indexed"));
    }
    out.push('\n');
    let mut label = |name: &str, text: &str| {
        let _ = writeln!(out, "{pad}  {} {text}", painter.paint(Style::Dim, &format!("{name}:")));
    };
    if let Some(count) = hit.chunk_count {
        let size = hit.size.unwrap_or(0);
        let (chunks, bytes) = (counted(count as usize, "chunk"), counted(size as usize, "byte"));
        label("Document", &format!("{chunks}, {bytes}, {}", hit.languages.join(", ")));
    }
    if let Some(doc) = &hit.doc_comment {
        let lines: Vec<&str> = doc.lines().filter(|l| !l.trim().is_empty()).take(DOC_LINES).map(str::trim).collect();
        label("Doc", &lines.join(" "));
    }
    let folded = hit.signature.as_deref() == Some(hit.snippet.as_str());
    if let Some(signature) = hit.signature.as_deref().filter(|s| !s.is_empty()) {
        let colored = painter.code(signature, &mut painter.lexer(&hit.language), &[]);
        label("Signature", &colored);
    }
    if explain {
        let number = |s: &Signal| format!("{} {}{:.3}", s.name, if s.multiplies { "×" } else { "" }, s.value);
        let numbers: Vec<String> = hit.signals.iter().map(number).collect();
        let found: Vec<String> =
            hit.scores.iter().map(|(n, s)| format!("{n} {s:.2} (rank {})", hit.ranks.get(n).unwrap_or(&0))).collect();
        label("Found", &found.join(", "));
        label("Signals", &numbers.join(", "));
    }
    if !folded {
        code(out, hit, painter, pad);
    }
}

fn code(out: &mut String, hit: &Hit, painter: &Painter, pad: &str) {
    let mut lexer = painter.lexer(&hit.language);
    let matches = by_line(&hit.highlights);
    let width = hit.end_line.max(1).ilog10() as usize + 1;
    for (number, line) in (hit.snippet_line..).zip(hit.snippet.lines()) {
        let here = matches.get(&number).map_or(&[][..], Vec::as_slice);
        let margin = painter.paint(Style::Dim, &format!("{number:>width$} |"));
        let colored = painter.code(line, &mut lexer, here);
        let _ = writeln!(out, "{pad}  {margin} {colored}");
    }
}

pub(crate) fn outline(response: &OutlineResponse, painter: &Painter) -> String {
    let mut out = String::new();
    for file in &response.files {
        let about = format!("{}, {}", file.language, counted(file.lines as usize, "line"));
        let stale = if file.stale { painter.paint(Style::Warn, "  changed since indexed") } else { String::new() };
        let _ =
            writeln!(out, "{}  {}{stale}", painter.paint(Style::Path, &file.path), painter.paint(Style::Dim, &about));
        let mut lexer = painter.lexer(&file.language);
        for entity in &file.entities {
            let pad = "  ".repeat(entity.depth as usize + 1);
            let lines = painter.paint(Style::Dim, &format!("{}-{}", entity.start_line, entity.end_line));
            let shown = painter.code(&entity.signature, &mut lexer, &[]);
            let _ = writeln!(out, "{pad}{} {shown}  {lines}", painter.paint(Style::Dim, entity.kind));
        }
    }
    out
}

pub(crate) fn grep(response: &GrepResponse, painter: &Painter) -> String {
    let mut out = String::new();
    let mut lexers: BTreeMap<&str, Lexer> = BTreeMap::new();
    for hit in &response.hits {
        let place = format!("{}:{}:{}", hit.path, hit.line, hit.column);
        // Fresh for each line, which may stand far from the last one; made once a language, since keywords are sorted.
        let mut lexer = lexers.entry(&hit.language).or_insert_with(|| painter.lexer(&hit.language)).clone();
        let line = painter.code(hit.text.trim_end(), &mut lexer, &hit.matches);
        let entity = hit
            .entity
            .as_ref()
            .map(|e| format!("  {}", painter.paint(Style::Dim, &format!("[{e}]"))))
            .unwrap_or_default();
        let stale = if hit.stale { painter.paint(Style::Warn, "  changed since indexed") } else { String::new() };
        let _ = writeln!(out, "{}: {line}{entity}{stale}", painter.paint(Style::Path, &place));
    }
    out
}

pub(crate) fn status(response: &StatusResponse, painter: &Painter) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "{} {value}", painter.paint(Style::Dim, &format!("{name:<11}")));
    };
    let s = response;
    row("root", s.root.clone());
    row("index", format!("{} (format {}, {})", s.index_dir, s.format, s.generation));
    let freshness = match s.freshness {
        "fresh" => "fresh".to_owned(),
        "stale" => {
            let changed = match s.changed {
                1 => "1 file or folder".to_owned(),
                n => format!("{n} files or folders"),
            };
            painter.paint(Style::Warn, &format!("stale: {changed} changed, run `cds index`"))
        }
        "partial" => {
            let left = cds_engine::counted(s.changed, "file");
            painter.paint(Style::Warn, &format!("partial: {left} not in it yet, run `cds index`"))
        }
        other => painter.paint(Style::Warn, &format!("{other}: run `cds index`")),
    };
    row("state", freshness);
    row("files", format!("{} ({} of source, {} of index)", s.files, bytes(s.source_bytes), bytes(s.index_bytes)));
    row("entities", s.entities.to_string());
    row("chunks", s.chunks.to_string());
    row("references", s.references.to_string());
    let mut meaning = s.model.clone().unwrap_or_else(|| "no vectors".to_owned());
    if let Some(sparse) = &s.sparse_model {
        meaning.push_str(&format!("; terms by {sparse}"));
    }
    if s.truncated > 0 {
        meaning.push_str(&format!("; {} texts were longer than it reads", s.truncated));
    }
    if s.not_encoded > 0 {
        let missing = format!("; {} chunks are not encoded: run `cds index`", s.not_encoded);
        meaning.push_str(&painter.paint(Style::Warn, &missing));
    }
    row("meaning", meaning);
    let languages: Vec<String> = s.languages.iter().map(|l| format!("{} {}", l.language, l.files)).collect();
    row("languages", languages.join(", "));
    let problems: Vec<String> = s.problem_counts.iter().map(|(reason, n)| format!("{reason} {n}")).collect();
    let hint = if s.problems.is_empty() && !problems.is_empty() { " (list: cds status --problems)" } else { "" };
    row("problems", if problems.is_empty() { "none".to_owned() } else { problems.join(", ") + hint });
    for problem in &s.problems {
        let left_out = if problem.skipped { "left out" } else { "indexed" };
        let _ = writeln!(
            out,
            "  {}: {} ({left_out}) {}",
            painter.paint(Style::Path, &problem.path),
            problem.reason,
            problem.detail
        );
    }
    out
}

fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["B", "KB", "MB", "GB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1000.0 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}
