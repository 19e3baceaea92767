//! Colour for code and for the rest. A small lexer is enough: keywords come from the grammar, comment and string
//! markers from the language's data, and it works on any piece of a file.

use std::collections::BTreeMap;

use cds_engine::Language;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Path,
    Dim,
    Bold,
    Score,
    Warn,
    Keyword,
    Comment,
    Text,
    Number,
    Match,
    Plain,
}

impl Style {
    pub(crate) fn code(self) -> &'static str {
        match self {
            Style::Path => "\x1b[35m",
            Style::Dim => "\x1b[2m",
            Style::Bold => "\x1b[1m",
            Style::Score | Style::Number => "\x1b[36m",
            Style::Warn => "\x1b[33m",
            Style::Keyword => "\x1b[34m",
            Style::Comment => "\x1b[90m",
            Style::Text => "\x1b[32m",
            Style::Match => "\x1b[1;31m",
            Style::Plain => "",
        }
    }
}

pub(crate) const RESET: &str = "\x1b[0m";

/// How one language is coloured.
#[derive(Clone)]
pub(crate) struct Lexer {
    keywords: Vec<String>,
    line_comments: Vec<String>,
    block_comments: Vec<(String, String)>,
    quotes: Vec<String>,
    /// The end of a block comment that a line left open.
    inside: Option<String>,
}

impl Lexer {
    pub(crate) fn new(language: Option<&Language>) -> Lexer {
        let highlight = language.map(|l| l.spec.highlight.clone()).unwrap_or_default();
        Lexer {
            keywords: language.map(|l| l.keywords().into_iter().map(str::to_owned).collect()).unwrap_or_default(),
            line_comments: highlight.line_comments,
            block_comments: highlight.block_comments,
            quotes: highlight.quotes,
            inside: None,
        }
    }

    /// A style for each character.
    pub(crate) fn styles(&mut self, line: &str) -> Vec<Style> {
        let chars: Vec<char> = line.chars().collect();
        let mut styles = vec![Style::Plain; chars.len()];
        let starts = |at: usize, marker: &str| {
            !marker.is_empty() && marker.chars().enumerate().all(|(i, m)| chars.get(at + i) == Some(&m))
        };
        let mut at = 0;
        while at < chars.len() {
            let from = at;
            let style = if let Some(end) = self.inside.clone() {
                while at < chars.len() && !starts(at, &end) {
                    at += 1;
                }
                if at < chars.len() {
                    at += end.chars().count();
                    self.inside = None;
                }
                Style::Comment
            } else if let Some((open, close)) = self.block_comments.iter().find(|(open, _)| starts(at, open)) {
                at += open.chars().count();
                self.inside = Some(close.clone());
                Style::Comment
            } else if self.line_comments.iter().any(|m| starts(at, m)) {
                at = chars.len();
                Style::Comment
            } else if let Some(quote) = self.quotes.iter().find(|q| starts(at, q)).and_then(|q| q.chars().next()) {
                at += 1;
                while at < chars.len() && chars[at] != quote {
                    at += if chars[at] == '\\' { 2 } else { 1 };
                }
                at += 1;
                Style::Text
            } else if chars[at].is_ascii_digit() {
                while at < chars.len() && (chars[at].is_ascii_alphanumeric() || chars[at] == '.' || chars[at] == '_') {
                    at += 1;
                }
                Style::Number
            } else if chars[at].is_alphabetic() || chars[at] == '_' {
                while at < chars.len() && (chars[at].is_alphanumeric() || chars[at] == '_') {
                    at += 1;
                }
                let word: String = chars[from..at].iter().collect();
                if self.keywords.binary_search(&word).is_ok() { Style::Keyword } else { Style::Plain }
            } else {
                at += 1;
                Style::Plain
            };
            at = at.min(chars.len()).max(from + 1);
            styles[from..at].fill(style);
        }
        styles
    }
}

/// Highlights by line: line to character ranges.
pub(crate) fn by_line(highlights: &[(u32, u32, u32)]) -> BTreeMap<u32, Vec<(u32, u32)>> {
    let mut lines: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for &(line, from, to) in highlights {
        lines.entry(line).or_default().push((from, to));
    }
    lines
}
