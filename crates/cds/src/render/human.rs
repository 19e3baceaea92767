//! For people.

use std::collections::BTreeMap;
use std::fmt::Display;

use cds_engine::{GrepResponse, Hit, OutlineResponse, SearchResponse, Signal, StatusResponse, counted};

use super::paint::{Lexer, Style, by_line};
use crate::output::TextOutput;

/// Lines of a doc comment that are shown.
const DOC_LINES: usize = 2;

pub(crate) fn search(out: &mut TextOutput, response: &SearchResponse, explain: bool) {
    hits(out, &response.hits, explain);
    if explain {
        let timings: Vec<String> = response.timings_ms.iter().map(|(n, ms)| format!("{n} {ms:.2} ms")).collect();
        let parsed = &response.parsed_query;
        out.line(format_args!("query: {} {:?} names {:?}", parsed.kind, parsed.keywords, parsed.code_terms));
        out.line(format_args!("time: {}", timings.join(", ")));
    }
    if let Some(cursor) = &response.next_cursor {
        out.styled(Style::Dim, format_args!("{} in all; more with --cursor {cursor}", response.total));
        out.end();
    }
}

pub(crate) fn hits(out: &mut TextOutput, hits: &[Hit], explain: bool) {
    for hit in hits {
        one(out, hit, explain, "");
        for chunk in &hit.chunks {
            one(out, chunk, explain, "  ");
        }
        if hit.more_in_file > 0 {
            write!(out, "  ");
            out.styled(Style::Dim, format_args!("+{} more in this file", hit.more_in_file));
            out.end();
        }
        out.end();
    }
}

fn one(out: &mut TextOutput, hit: &Hit, explain: bool, pad: &str) {
    write!(out, "{pad}");
    if hit.start_line > 0 {
        out.styled(Style::Path, format_args!("{}:{}-{}", hit.path, hit.start_line, hit.end_line));
    } else {
        out.styled(Style::Path, &hit.path);
    }
    let shown = if hit.breadcrumb.is_empty() { hit.name.as_deref().unwrap_or_default() } else { &hit.breadcrumb };
    if !shown.is_empty() {
        write!(out, "  ");
        out.styled(Style::Bold, shown);
    }
    write!(out, "  ");
    out.styled(Style::Dim, hit.kind);
    if let Some(percent) = hit.relevance_percent.filter(|p| *p > 0) {
        write!(out, "  ");
        out.styled(Style::Score, format_args!("{percent}%"));
    }
    if hit.stale {
        write!(out, "  ");
        out.styled(Style::Warn, "changed since indexed");
    }
    if hit.recovered {
        write!(out, "  ");
        out.styled(Style::Warn, "recovered from a syntax error");
    }
    out.end();
    let name = |out: &mut TextOutput, name: &str| {
        write!(out, "{pad}  ");
        out.styled(Style::Dim, format_args!("{name}:"));
        write!(out, " ");
    };
    let label = |out: &mut TextOutput, label: &str, text: &dyn Display| {
        name(out, label);
        out.line(format_args!("{text}"));
    };
    if let Some(count) = hit.chunk_count {
        let size = hit.size.unwrap_or(0);
        let (chunks, bytes) = (counted(count as usize, "chunk"), counted(size as usize, "byte"));
        label(out, "Document", &format_args!("{chunks}, {bytes}, {}", hit.languages.join(", ")));
    }
    if let Some(doc) = &hit.doc_comment {
        let lines: Vec<&str> = doc.lines().filter(|l| !l.trim().is_empty()).take(DOC_LINES).map(str::trim).collect();
        label(out, "Doc", &lines.join(" "));
    }
    let folded = hit.signature.as_deref() == Some(hit.snippet.as_str());
    if let Some(signature) = hit.signature.as_deref().filter(|s| !s.is_empty()) {
        name(out, "Signature");
        let mut lexer = out.lexer(&hit.language);
        out.code(signature, &mut lexer, &[]);
        out.end();
    }
    if explain {
        let number = |s: &Signal| format!("{} {}{:.3}", s.name, if s.multiplies { "×" } else { "" }, s.value);
        let numbers: Vec<String> = hit.signals.iter().map(number).collect();
        let found: Vec<String> =
            hit.scores.iter().map(|(n, s)| format!("{n} {s:.2} (rank {})", hit.ranks.get(n).unwrap_or(&0))).collect();
        label(out, "Found", &found.join(", "));
        label(out, "Signals", &numbers.join(", "));
    }
    if !folded {
        code(out, hit, pad);
    }
}

fn code(out: &mut TextOutput, hit: &Hit, pad: &str) {
    let mut lexer = out.lexer(&hit.language);
    let matches = by_line(&hit.highlights);
    let width = hit.end_line.max(1).ilog10() as usize + 1;
    for (number, line) in (hit.snippet_line..).zip(hit.snippet.lines()) {
        let here = matches.get(&number).map_or(&[][..], Vec::as_slice);
        write!(out, "{pad}  ");
        out.styled(Style::Dim, format_args!("{number:>width$} |"));
        write!(out, " ");
        out.code(line, &mut lexer, here);
        out.end();
    }
}

pub(crate) fn outline(out: &mut TextOutput, response: &OutlineResponse) {
    for file in &response.files {
        out.styled(Style::Path, &file.path);
        write!(out, "  ");
        out.styled(Style::Dim, format_args!("{}, {}", file.language, counted(file.lines as usize, "line")));
        if file.stale {
            out.styled(Style::Warn, "  changed since indexed");
        }
        out.end();
        let mut lexer = out.lexer(&file.language);
        for entity in &file.entities {
            write!(out, "{}", "  ".repeat(entity.depth as usize + 1));
            out.styled(Style::Dim, entity.kind);
            write!(out, " ");
            out.code(&entity.signature, &mut lexer, &[]);
            write!(out, "  ");
            out.styled(Style::Dim, format_args!("{}-{}", entity.start_line, entity.end_line));
            out.end();
        }
    }
}

pub(crate) fn grep(out: &mut TextOutput, response: &GrepResponse) {
    let mut lexers: BTreeMap<&str, Lexer> = BTreeMap::new();
    for hit in &response.hits {
        out.styled(Style::Path, format_args!("{}:{}:{}", hit.path, hit.line, hit.column));
        write!(out, ": ");
        // Fresh for each line, which may stand far from the last one; made once a language, since keywords are sorted.
        let mut lexer = lexers.entry(&hit.language).or_insert_with(|| out.lexer(&hit.language)).clone();
        out.code(hit.text.trim_end(), &mut lexer, &hit.matches);
        if let Some(entity) = &hit.entity {
            write!(out, "  ");
            out.styled(Style::Dim, format_args!("[{entity}]"));
        }
        if hit.stale {
            out.styled(Style::Warn, "  changed since indexed");
        }
        out.end();
    }
}

pub(crate) fn status(out: &mut TextOutput, response: &StatusResponse) {
    let name = |out: &mut TextOutput, name: &str| {
        out.styled(Style::Dim, format_args!("{name:<11}"));
        write!(out, " ");
    };
    let row = |out: &mut TextOutput, label: &str, value: &dyn Display| {
        name(out, label);
        out.line(format_args!("{value}"));
    };
    let s = response;
    row(out, "root", &s.root);
    row(out, "index", &format_args!("{} (format {}, {})", s.index_dir, s.format, s.generation));
    name(out, "state");
    match s.freshness {
        "fresh" => write!(out, "fresh"),
        "stale" => {
            let changed = match s.changed {
                1 => "1 file or folder".to_owned(),
                n => format!("{n} files or folders"),
            };
            out.styled(Style::Warn, format_args!("stale: {changed} changed, run `cds index`"));
        }
        "partial" => {
            let left = counted(s.changed, "file");
            out.styled(Style::Warn, format_args!("partial: {left} not in it yet, run `cds index`"));
        }
        other => out.styled(Style::Warn, format_args!("{other}: run `cds index`")),
    }
    out.end();
    let (source, index) = (bytes(s.source_bytes), bytes(s.index_bytes));
    row(out, "files", &format_args!("{} ({source} of source, {index} of index)", s.files));
    row(out, "entities", &s.entities);
    row(out, "chunks", &s.chunks);
    row(out, "references", &s.references);
    name(out, "meaning");
    write!(out, "{}", s.model.as_deref().unwrap_or("no vectors"));
    if let Some(sparse) = &s.sparse_model {
        write!(out, "; terms by {sparse}");
    }
    if s.truncated > 0 {
        write!(out, "; {} texts were longer than it reads", s.truncated);
    }
    if s.not_encoded > 0 {
        out.styled(Style::Warn, format_args!("; {} chunks are not encoded: run `cds index`", s.not_encoded));
    }
    out.end();
    let languages: Vec<String> = s.languages.iter().map(|l| format!("{} {}", l.language, l.files)).collect();
    row(out, "languages", &languages.join(", "));
    let problems: Vec<String> = s.problem_counts.iter().map(|(reason, n)| format!("{reason} {n}")).collect();
    let hint = if s.problems.is_empty() && !problems.is_empty() { " (list: cds status --problems)" } else { "" };
    row(out, "problems", &if problems.is_empty() { "none".to_owned() } else { problems.join(", ") + hint });
    for problem in &s.problems {
        let left_out = if problem.skipped { "left out" } else { "indexed" };
        write!(out, "  ");
        out.styled(Style::Path, &problem.path);
        out.line(format_args!(": {} ({left_out}) {}", problem.reason, problem.detail));
    }
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
