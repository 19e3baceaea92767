//! Markdown with citations: path and lines in front of each piece of code.

use std::fmt::Write;

use cds_engine::{GrepResponse, Hit, OutlineResponse, counted};

pub(crate) fn hits(hits: &[Hit]) -> String {
    let mut out = String::new();
    for (i, hit) in hits.iter().enumerate() {
        let name = if hit.breadcrumb.is_empty() { String::new() } else { format!(" — {}", hit.breadcrumb) };
        let stale = if hit.stale { " (changed since indexed)" } else { "" };
        let _ =
            writeln!(out, "{}. `{}:{}-{}`{name} ({}){stale}", i + 1, hit.path, hit.start_line, hit.end_line, hit.kind);
        if let Some(doc) = hit.doc_comment.as_deref().and_then(|d| d.lines().next()) {
            let _ = writeln!(out, "   {doc}");
        }
        for part in std::iter::once(hit).chain(&hit.chunks).filter(|h| !h.snippet.is_empty()) {
            // A fence longer than any in the code.
            let fence = "`".repeat(longest_run(&part.snippet).max(2) + 1);
            let _ = writeln!(
                out,
                "\n{fence}{} title=\"{}:{}\"\n{}\n{fence}\n",
                part.language, part.path, part.snippet_line, part.snippet
            );
        }
    }
    out
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

pub(crate) fn outline(response: &OutlineResponse) -> String {
    let mut out = String::new();
    for file in &response.files {
        let _ = writeln!(out, "- `{}` ({}, {})", file.path, file.language, counted(file.lines as usize, "line"));
        for entity in &file.entities {
            let pad = "  ".repeat(entity.depth as usize + 1);
            let _ =
                writeln!(out, "{pad}- `{}` {} [{}:{}]", entity.signature, entity.kind, file.path, entity.start_line);
        }
    }
    out
}

pub(crate) fn grep(response: &GrepResponse) -> String {
    let row = |h: &cds_engine::GrepHit| format!("- `{}:{}` `{}`\n", h.path, h.line, h.text.trim());
    response.hits.iter().map(row).collect()
}
