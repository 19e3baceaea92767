//! What of a hit's text is shown, and where the query's words stand in it.

use cds_index::tokenize::Tokenizer;
use cds_model::Snippet;
use rustc_hash::FxHashSet;

/// Lines of a preview.
const PREVIEW_LINES: usize = 5;

/// Longer lines of a preview are cut around their first match: minified code has one line.
const PREVIEW_BYTES: usize = 400;

/// Of longer lines no more is looked at: they are data, and nobody reads a column past this one.
const LONGEST: usize = 20_000;

/// Bytes of a hit that are searched for words of the query.
const MOST_MATCHED: usize = 64 << 10;

/// Words of a query that are looked for in each hit. The words of a report may be hundreds.
const MOST_WORDS: usize = 32;

/// Tells which words of a query a hit has.
pub(crate) struct MatchedWords {
    tokenizer: Tokenizer,
    words: Vec<QueryWord>,
    may_begin: Begins,
}

/// A word as written, and the terms that a text must have for it.
struct QueryWord {
    shown: String,
    terms: Vec<String>,
    is_prefix: bool,
}

impl MatchedWords {
    /// The words of a query with these keywords; `is_prefix` tells which of them stand for everything that begins so.
    pub(crate) fn new(keywords: &[String], is_prefix: impl Fn(&str) -> bool) -> MatchedWords {
        let mut tokenizer = Tokenizer::default();
        let mut words: Vec<QueryWord> = Vec::new();
        for keyword in keywords.iter().take(MOST_WORDS).filter(|keyword| !keyword.is_empty()) {
            if words.iter().any(|word| word.shown == *keyword) {
                continue;
            }
            let is_prefix = is_prefix(keyword);
            // Parts of an identifier are enough: wherever the whole stands, they stand too. A prefix is no word that has a stem.
            let parts = tokenizer.terms(keyword).into_iter().filter(|term| !term.is_whole);
            let terms: Vec<String> =
                if is_prefix { vec![keyword.clone()] } else { parts.map(|term| term.text).collect() };
            words.extend((!terms.is_empty()).then(|| QueryWord { shown: keyword.clone(), terms, is_prefix }));
        }
        let may_begin = Begins::of(words.iter().flat_map(|word| &word.terms));
        MatchedWords { tokenizer, words, may_begin }
    }

    /// Those that stand in the texts, in the order of the query.
    pub(crate) fn of(&mut self, texts: &[&str]) -> Vec<String> {
        let mut met: Vec<Vec<bool>> = self.words.iter().map(|word| vec![false; word.terms.len()]).collect();
        let mut left: usize = met.iter().map(Vec::len).sum();
        let mut room = MOST_MATCHED;
        for line in texts.iter().flat_map(|text| text.lines()) {
            if left == 0 || room == 0 {
                break;
            }
            let line = &line[..line.floor_char_boundary(LONGEST.min(room))];
            room -= line.len();
            for (from, to) in words(line) {
                if !self.may_begin.in_word(&line.as_bytes()[from..to]) {
                    continue;
                }
                for found in self.tokenizer.terms(&line[from..to]) {
                    for (word, met) in self.words.iter().zip(&mut met) {
                        for (term, met) in word.terms.iter().zip(met).filter(|(_, met)| !**met) {
                            if found.text == *term || word.is_prefix && found.text.starts_with(term.as_str()) {
                                *met = true;
                                left -= 1;
                            }
                        }
                    }
                }
            }
        }
        let all = self.words.iter().zip(&met).filter(|(_, met)| met.iter().all(|met| *met));
        all.map(|(word, _)| word.shown.clone()).collect()
    }
}

/// Bytes that terms begin with. A stem begins as its words do, so that most words of a text need not be taken apart.
struct Begins([bool; 256]);

impl Begins {
    fn of<'a>(terms: impl IntoIterator<Item = &'a String>) -> Begins {
        let mut firsts = [false; 256];
        // What is not ASCII may be written in ways of its own.
        firsts[0x80..].fill(true);
        for first in terms.into_iter().filter_map(|term| term.bytes().next()) {
            firsts[usize::from(first)] = true;
            firsts[usize::from(first.to_ascii_uppercase())] = true;
        }
        Begins(firsts)
    }

    /// Whether a part of a word begins as a term does: parts begin a word, or stand after an underscore or a digit, or begin with a
    /// capital or a digit.
    fn in_word(&self, word: &[u8]) -> bool {
        let mut before = b'_';
        word.iter().any(|&byte| {
            let begins = before == b'_' || before.is_ascii_digit() || !byte.is_ascii_lowercase();
            before = byte;
            begins && self.0[usize::from(byte)]
        })
    }
}

/// Finds the query's terms in texts.
pub(crate) struct Highlighter {
    tokenizer: Tokenizer,
    terms: FxHashSet<String>,
    may_begin: Begins,
}

/// A match: line from 1, first character, one past the last, all from the text's own start.
pub(crate) type Highlight = (u32, u32, u32);

impl Highlighter {
    pub(crate) fn new(terms: impl IntoIterator<Item = String>) -> Highlighter {
        let terms: FxHashSet<String> = terms.into_iter().collect();
        let may_begin = Begins::of(&terms);
        Highlighter { tokenizer: Tokenizer::default(), terms, may_begin }
    }

    /// Matches in `text`, lines counted from `first_line`, columns in characters.
    pub(crate) fn find(&mut self, text: &str, first_line: u32) -> Vec<Highlight> {
        if self.terms.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<Highlight> = Vec::new();
        for (line, content) in (first_line..).zip(text.lines()) {
            let mut columns = Columns::new(content);
            self.matches(content, |start, end| {
                found.push((line, columns.at(start), columns.at(end)));
                true
            });
        }
        found
    }

    /// Tells where terms stand in a line, until `more` says that it is enough.
    fn matches(&mut self, line: &str, mut more: impl FnMut(usize, usize) -> bool) {
        let line = &line[..line.floor_char_boundary(LONGEST)];
        for (from, to) in words(line) {
            if !self.may_begin.in_word(&line.as_bytes()[from..to]) {
                continue;
            }
            let mut end_of_last = 0;
            for term in self.tokenizer.terms(&line[from..to]) {
                // The whole of an identifier stands before its parts: when it matched, they are inside it.
                if term.start < end_of_last || !self.terms.contains(&term.text) {
                    continue;
                }
                end_of_last = term.end;
                if !more(from + term.start, from + term.end) {
                    return;
                }
            }
        }
    }
}

/// Stretches of a line without spaces and ASCII signs. All that belongs to one word is in one of them.
fn words(line: &str) -> impl Iterator<Item = (usize, usize)> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let from = at + bytes.get(at..)?.iter().position(is_part)?;
        at = bytes[from..].iter().position(|byte| !is_part(byte)).map_or(bytes.len(), |end| from + end);
        Some((from, at))
    })
}

/// Bytes to characters of one line, counted on from the last one asked for: a line may be megabytes long.
pub(crate) struct Columns<'a> {
    line: &'a str,
    byte: usize,
    column: u32,
}

impl Columns<'_> {
    pub(crate) fn new(line: &str) -> Columns<'_> {
        Columns { line, byte: 0, column: 0 }
    }

    /// The column of a byte that is not before the last one asked for.
    pub(crate) fn at(&mut self, byte: usize) -> u32 {
        self.column += self.line.get(self.byte..byte).map_or(0, |t| t.chars().count()) as u32;
        self.byte = byte.max(self.byte);
        self.column
    }
}

/// A stretch of a text, cut to lines.
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) first_line: u32,
    pub(crate) highlights: Vec<Highlight>,
}

/// Cuts the lines of a hit to the requested size. A signature comes with the line that it begins on, which is not the first one where a doc
/// comment or decorators precede it.
pub(crate) fn show(
    lines: &[&str],
    first_line: u32,
    signature: Option<(&str, u32)>,
    snippet: Snippet,
    highlighter: &mut Highlighter,
) -> Shown {
    let (from, to) = match snippet {
        Snippet::Full => (0, lines.len()),
        Snippet::Preview => preview(lines, highlighter),
        Snippet::Fold => {
            if let Some((signature, line)) = signature.filter(|(text, _)| !text.is_empty()) {
                let highlights = highlighter.find(signature, line);
                return Shown { text: signature.to_owned(), first_line: line, highlights };
            }
            let first = lines.iter().position(|l| !l.trim().is_empty()).unwrap_or(0);
            (first, (first + 1).min(lines.len()))
        }
    };
    let text = if snippet == Snippet::Preview {
        let cut: Vec<&str> = lines[from..to].iter().map(|line| cut(line, highlighter)).collect();
        cut.join("\n")
    } else {
        lines[from..to].join("\n")
    };
    let first_line = first_line + from as u32;
    let highlights = highlighter.find(&text, first_line);
    Shown { text, first_line, highlights }
}

/// A long line's stretch around its first match.
fn cut<'a>(line: &'a str, highlighter: &mut Highlighter) -> &'a str {
    if line.len() <= PREVIEW_BYTES {
        return line;
    }
    let mut first = 0;
    highlighter.matches(line, |start, _| {
        first = start;
        false
    });
    let from = line.floor_char_boundary(first.saturating_sub(PREVIEW_BYTES / 4));
    &line[from..line.floor_char_boundary(from + PREVIEW_BYTES)]
}

/// The five lines with most matches; of equal ones the first.
fn preview(lines: &[&str], highlighter: &mut Highlighter) -> (usize, usize) {
    if lines.len() <= PREVIEW_LINES {
        return (0, lines.len());
    }
    let mut counts = vec![0usize; lines.len()];
    for (line, count) in lines.iter().zip(&mut counts) {
        highlighter.matches(line, |_, _| {
            *count += 1;
            true
        });
    }
    let last = lines.len() - PREVIEW_LINES;
    let score = |from: usize| counts[from..from + PREVIEW_LINES].iter().sum::<usize>();
    let best = (0..=last).max_by_key(|&from| (score(from), std::cmp::Reverse(from))).unwrap_or(0);
    (best, best + PREVIEW_LINES)
}

#[cfg(test)]
mod tests {
    use super::{Highlighter, MatchedWords, show};
    use cds_model::Snippet;

    fn highlighter(words: &str) -> Highlighter {
        let mut tokenizer = cds_index::tokenize::Tokenizer::default();
        Highlighter::new(tokenizer.terms(words).into_iter().map(|t| t.text))
    }

    #[test]
    fn s8_highlights_point_at_the_matched_text() {
        let check = |words: &str, text: &str, expect: &[&str]| {
            let found = highlighter(words).find(text, 1);
            let shown: Vec<String> = found
                .iter()
                .map(|(line, from, to)| {
                    let line = text.lines().nth(*line as usize - 1).unwrap();
                    line.chars().skip(*from as usize).take((to - from) as usize).collect()
                })
                .collect();
            assert_eq!(shown, expect, "{words:?} in {text:?}");
        };
        check("authenticate", "fn authenticate() {\n  authenticated = 1", &["authenticate", "authenticated"]);
        check("user", "getUserName(user)", &["User", "user"]);
        check("parse_query", "parseQuery(q)", &["parseQuery"]);
        check("naïve", "日本 naïve; \t naïve", &["naïve", "naïve"]);
        check("日本", "x = \"日本語\"", &["日本"]);
        check("absent", "nothing here", &[]);
    }

    #[test]
    fn c3_matched_terms_are_words_of_the_query() {
        let check = |words: &[&str], prefix: &str, text: &str, expect: &[&str]| {
            let keywords: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let found = MatchedWords::new(&keywords, |word| word == prefix).of(&[text]);
            assert_eq!(found, expect, "{words:?} in {text:?}");
        };
        check(&["retry", "request"], "", "fn retries(n: u32) {}", &["retry"]);
        check(&["request", "retry"], "", "retry the\nrequests", &["request", "retry"]);
        check(&["parse_query"], "", "parseQuery(q)", &["parse_query"]);
        check(&["parse_query"], "", "parse(q)", &[]);
        check(&["auth"], "auth", "class AuthService", &["auth"]);
        check(&["auth"], "auth", "class Authority", &["auth"]);
        check(&["auth"], "", "class Authority", &[]);
        check(&["日本"], "", "x = \"日本語\"", &["日本"]);
        check(&["absent"], "", "", &[]);
    }

    #[test]
    fn a_long_line_of_a_preview_is_cut_around_its_first_match() {
        let line = format!("{} needle {}", "é".repeat(1_000), "x ".repeat(1_000));
        let shown = show(&[&line], 7, None, Snippet::Preview, &mut highlighter("needle"));
        assert!(shown.text.len() <= super::PREVIEW_BYTES && line.contains(&shown.text));
        let (at, from, to) = shown.highlights[0];
        let found: String = shown.text.chars().skip(from as usize).take((to - from) as usize).collect();
        assert_eq!((at, found.as_str()), (7, "needle"));
        let full = show(&[&line], 7, None, Snippet::Full, &mut highlighter("needle"));
        assert_eq!(full.text, line);
    }

    #[test]
    fn c9_fold_preview_full() {
        let lines: Vec<String> =
            (1..=20).map(|i| if i == 12 { "needle".into() } else { format!("line {i}") }).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let check = |snippet, expect: (&str, u32, usize)| {
            let shown = show(&lines, 101, Some(("fn f()", 103)), snippet, &mut highlighter("needle"));
            let first = shown.text.lines().next().unwrap().to_owned();
            assert_eq!((first.as_str(), shown.first_line, shown.text.lines().count()), expect);
        };
        check(Snippet::Fold, ("fn f()", 103, 1));
        check(Snippet::Preview, ("line 8", 108, 5));
        check(Snippet::Full, ("line 1", 101, 20));
    }
}
