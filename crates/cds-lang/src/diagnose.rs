//! What a language's data costs: for people who write queries, and for the test that caps it.

use std::time::{Duration, Instant};

use tree_sitter::{Parser, Query, QueryCursor, StreamingIterator};

use crate::Language;

/// The time to compile each pattern of a language's query alone, slowest first, with the pattern's text.
pub fn pattern_costs(language: &Language) -> Vec<(Duration, String)> {
    let Some(grammar) = language.grammar() else { return Vec::new() };
    let text = language.query_text();
    crate::allocation::install();
    let Ok(query) = Query::new(grammar, text) else { return Vec::new() };
    let mut costs: Vec<(Duration, String)> = (0..query.pattern_count())
        .map(|i| {
            let pattern = &text[query.start_byte_for_pattern(i)..query.end_byte_for_pattern(i)];
            let started = Instant::now();
            let _ = Query::new(grammar, pattern);
            (started.elapsed(), pattern.trim().to_owned())
        })
        .collect();
    costs.sort_by_key(|(cost, _)| std::cmp::Reverse(*cost));
    costs
}

/// The time to parse a text, and to run the language's query over its tree.
pub fn parse_and_query_time(language: &Language, text: &str) -> Option<(Duration, Duration)> {
    let compiled = language.compiled()?;
    crate::allocation::install();
    let mut parser = Parser::new();
    parser.set_language(language.grammar()?).ok()?;
    let started = Instant::now();
    let tree = parser.parse(text, None)?;
    let parsed = started.elapsed();
    let started = Instant::now();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&compiled.query, tree.root_node(), text.as_bytes());
    let mut count = 0usize;
    while matches.next().is_some() {
        count += 1;
    }
    std::hint::black_box(count);
    Some((parsed, started.elapsed()))
}

/// A parser that only parses: the floor that extraction is measured against.
#[derive(Default)]
pub struct BareParser(Option<Parser>);

impl BareParser {
    /// Parses a text and throws the tree away; `false` for languages without a grammar.
    pub fn parse(&mut self, language: &Language, text: &str) -> bool {
        let parser = self.0.get_or_insert_with(Parser::new);
        let Some(grammar) = language.grammar() else { return false };
        parser.set_language(grammar).is_ok() && parser.parse(text, None).is_some()
    }
}
