//! Markdown with citations: path and lines in front of each piece of code. Content is shown as it is written in the
//! source: as code it is fenced, elsewhere what Markdown and HTML would interpret is escaped.

use cds_engine::{GrepResponse, Hit, OutlineResponse, counted};

use crate::output::TextOutput;

pub(crate) fn hits(out: &mut TextOutput, hits: &[Hit]) {
    for (i, hit) in hits.iter().enumerate() {
        let place = code(&format!("{}:{}-{}", hit.path, hit.start_line, hit.end_line));
        let name = if hit.breadcrumb.is_empty() { String::new() } else { format!(" — {}", prose(&hit.breadcrumb)) };
        let stale = if hit.stale { " (changed since indexed)" } else { "" };
        let recovered = if hit.recovered { " (recovered from a syntax error)" } else { "" };
        out.line(format_args!("{}. {place}{name} ({}){stale}{recovered}", i + 1, hit.kind));
        if let Some(doc) = hit.doc_comment.as_deref().and_then(|d| d.lines().next()) {
            out.line(format_args!("   {}", paragraph(doc)));
        }
        for part in std::iter::once(hit).chain(&hit.chunks).filter(|h| !h.snippet.is_empty()) {
            let title = attribute(&format!("{}:{}", part.path, part.snippet_line));
            out.end();
            fenced(out, &format!("{} title=\"{title}\"", attribute(&part.language)), &part.snippet);
            out.end();
        }
    }
}

pub(crate) fn outline(out: &mut TextOutput, response: &OutlineResponse) {
    for file in &response.files {
        let lines = counted(file.lines as usize, "line");
        out.line(format_args!("- {} ({}, {lines})", code(&file.path), prose(&file.language)));
        for entity in &file.entities {
            let pad = "  ".repeat(entity.depth as usize + 1);
            let (signature, path) = (code(&entity.signature), prose(&file.path));
            out.line(format_args!("{pad}- {signature} {} [{path}:{}]", entity.kind, entity.start_line));
        }
    }
}

pub(crate) fn grep(out: &mut TextOutput, response: &GrepResponse) {
    for hit in &response.hits {
        let place = code(&format!("{}:{}", hit.path, hit.line));
        out.line(format_args!("- {place} {}", code(hit.text.trim())));
    }
}

/// A block of code in a fence longer than any in it.
pub(super) fn fenced(out: &mut TextOutput, info: &str, text: &str) {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    out.line(format_args!("{fence}{info}"));
    for line in text.lines() {
        out.line(format_args!("{}", line.strip_suffix('\r').unwrap_or(line)));
    }
    out.line(format_args!("{fence}"));
}

/// Code within a line, between more backticks than any run in it has.
pub(super) fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    // A space next to the fence is not part of the code where both sides have one.
    let touches = text.starts_with('`') || text.ends_with('`');
    let is_stripped = text.starts_with(' ') && text.ends_with(' ') && !text.trim().is_empty();
    let pad = if touches || is_stripped || text.is_empty() { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text within a line, shown as it is. Underscores within words are not emphasis and stay plain.
pub(super) fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = rest.next() {
        let is_within_word = before.is_alphanumeric() && rest.peek().is_some_and(|after| after.is_alphanumeric());
        if matches!(c, '\\' | '`' | '*' | '[' | ']' | '<' | '&' | '~') || (c == '_' && !is_within_word) {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    out
}

/// Text that begins a line: no heading, list, quote, rule or table either.
pub(super) fn paragraph(text: &str) -> String {
    let text = text.trim_start();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits > 0 && text[digits..].starts_with(['.', ')']) {
        return format!("{}\\{}", &text[..digits], prose(&text[digits..]));
    }
    let mark = if text.starts_with(['#', '>', '-', '+', '=', '|', ':']) { "\\" } else { "" };
    format!("{mark}{}", prose(text))
}

/// A part of what follows a fence, where backticks may not stand.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('`', "&#96;")
}

#[cfg(test)]
mod tests {
    use super::{attribute, code, fenced, paragraph, prose};
    use crate::output::TextOutput;

    #[test]
    fn code_in_a_line_ends_where_it_should() {
        let check = |text: &str, expect: &str| assert_eq!(code(text), expect, "{text:?}");
        check("a.py:1-2", "`a.py:1-2`");
        check("a`b", "``a`b``");
        check("`a", "`` `a ``");
        check("a``", "``` a`` ```");
        check(" a ", "`  a  `");
        check("", "`  `");
        check("<b>*_[x]", "`<b>*_[x]`");
    }

    #[test]
    fn prose_is_shown_as_it_is() {
        let check = |text: &str, expect: &str| assert_eq!(prose(text), expect, "{text:?}");
        check("Session > merge_cookies", "Session > merge_cookies");
        check("Session > __init__", "Session > \\_\\_init\\_\\_");
        check("<script>", "\\<script>");
        check("<!-- hidden", "\\<!-- hidden");
        check("![x](http://evil)", "!\\[x\\](http://evil)");
        check("a`b*c&lt;~~d~~\\", "a\\`b\\*c\\&lt;\\~\\~d\\~\\~\\\\");
    }

    #[test]
    fn a_paragraph_begins_nothing_else() {
        let check = |text: &str, expect: &str| assert_eq!(paragraph(text), expect, "{text:?}");
        check("Renews the token.", "Renews the token.");
        check("# heading", "\\# heading");
        check("> quote", "\\> quote");
        check("- item", "\\- item");
        check("===", "\\===");
        check("12. item", "12\\. item");
        check("3) item", "3\\) item");
        check("3 items", "3 items");
        check("```", "\\`\\`\\`");
        check("    code", "code");
    }

    #[test]
    fn fences_are_longer_than_any_in_the_code() {
        for inside in 0..=12 {
            let run = "`".repeat(inside);
            let mut out = TextOutput::plain();
            fenced(&mut out, "markdown", &format!("{run}\n{run}\r\nx\x1b\r"));
            let fence = "`".repeat(inside.max(2) + 1);
            assert_eq!(out.finish().as_str(), format!("{fence}markdown\n{run}\n{run}\nx\\x1b\n{fence}\n"));
        }
        assert_eq!(attribute("a`\"&.py"), "a&#96;&quot;&amp;.py");
    }
}
