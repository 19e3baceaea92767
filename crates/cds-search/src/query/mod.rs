//! The words of a query, understood once: terms to look for, phrases that must stand, names that are meant.

mod frames;
mod hints;
mod intent;
mod relations;
mod report;
mod words;

use cds_index::tokenize::{Tokenizer, is_common};

pub use frames::Place;
pub use intent::Intent;
pub(crate) use relations::relation_of;
pub use relations::{Asked, Relation, is_filler, is_name, relations};
pub use report::{Mention, Report};

/// The longest query that is read, in characters.
pub const MAX_QUERY: usize = 10_000;

/// Weight of a word that fits almost any code, and of the project's own name.
const GENERIC: f32 = 0.35;
const OWN_NAME: f32 = 0.1;

/// Terms beyond these are not looked up: long texts say the same again.
const MAX_TERMS: usize = 64;

/// The same of a report.
const MAX_REPORT_TERMS: usize = 300;

/// Keywords of a query that is too short for a description, at most; docs/quality.md has the measurements.
const SHORT: usize = 6;

/// Names of a report that are told.
const MAX_NAMES: usize = 20;

/// What a query looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// One name.
    Symbol,
    /// Words.
    Natural,
    /// Words with names among them.
    Mixed,
    /// A path, with or without a line.
    Path,
    /// A regular expression.
    Regex,
}

impl QueryKind {
    /// The word used in every door.
    pub fn name(self) -> &'static str {
        match self {
            QueryKind::Symbol => "symbol",
            QueryKind::Natural => "natural",
            QueryKind::Mixed => "mixed",
            QueryKind::Path => "path",
            QueryKind::Regex => "regex",
        }
    }
}

/// A term to look for.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryTerm {
    /// As the index has it: lower case, stemmed.
    pub text: String,
    /// How much it counts.
    pub weight: f32,
    /// Whether any term that begins so will do.
    pub is_prefix: bool,
    /// Whether it is two words of the query written as one: then it counts only if the index has it.
    pub is_joined: bool,
    /// What to look for where the index does not have it.
    pub others: Vec<String>,
}

/// A query, understood.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedQuery {
    /// What it looks like.
    pub kind: QueryKind,
    /// What to look for.
    pub terms: Vec<QueryTerm>,
    /// Terms that must stand one after another, each with its place in the phrase.
    pub phrases: Vec<Vec<(usize, String)>>,
    /// How many words stand outside quotes.
    pub plain_words: usize,
    /// Its words without stop words, as written, lower case.
    pub keywords: Vec<String>,
    /// Words that are names in code: `parseQuery`, `max_size`, `Foo::bar`.
    pub code_terms: Vec<String>,
    /// Its words as written, without stop words unless they are written as names.
    pub names: Vec<String>,
    /// What it is after.
    pub intent: Intent,
    /// How sure that is, from 0 to 1.
    pub confidence: f32,
    /// Languages it asks for.
    pub languages: Vec<&'static str>,
    /// Other words for its words.
    pub expansions: Vec<String>,
    /// Whether a model found some of them.
    pub used_model: bool,
    /// Places it names: frames of a stack, paths with or without a line.
    pub places: Vec<Place>,
    /// What a long text says; none of a question.
    pub report: Option<Report>,
    /// Terms from the first on that a hit should have as many of as it can: all, or those of a report's title.
    pub leading: usize,
    /// Terms of the first word that means something.
    pub first: Vec<String>,
    /// Whether it begins as questions do: how, what, where.
    pub asks_a_question: bool,
    /// Whether tests are asked for.
    pub asks_for_tests: bool,
}

/// Reads a query.
pub fn parse(text: &str) -> ParsedQuery {
    parse_in(text, &[])
}

/// Reads a query about a project: its own name says nothing about where in it to look.
pub(crate) fn parse_in(text: &str, project: &[String]) -> ParsedQuery {
    let text = match text.char_indices().nth(MAX_QUERY) {
        Some((cut, _)) => &text[..cut],
        None => text,
    };
    let mut tokenizer = Tokenizer::default();
    let (plain, quoted) = split_phrases(text);
    let words: Vec<&str> = plain.split_whitespace().map(trim_word).filter(|w| !w.is_empty()).collect();
    let code_terms: Vec<String> = words.iter().filter(|w| is_code(w)).map(|w| (*w).to_owned()).collect();
    let mut places = frames::places(text);
    let is_single = words.len() == 1 && quoted.is_empty();
    let is_path = is_single && (!places.is_empty() || words[0].contains('/'));
    if is_path {
        // Nothing else is said: it is no passing mention.
        for place in &mut places {
            place.weight = 1.0;
        }
    }
    let is_symbol = is_single && !is_path && !is_regex(text);
    let kind = match (is_single, code_terms.is_empty()) {
        _ if is_regex(text) => QueryKind::Regex,
        (true, _) if is_path => QueryKind::Path,
        (true, _) => QueryKind::Symbol,
        (false, true) => QueryKind::Natural,
        (false, false) => QueryKind::Mixed,
    };
    let mut parsed = ParsedQuery {
        kind,
        terms: Vec::new(),
        phrases: Vec::new(),
        plain_words: words.len(),
        keywords: Vec::new(),
        first: Vec::new(),
        names: Vec::new(),
        intent: Intent::Exploratory,
        confidence: 0.0,
        languages: Vec::new(),
        expansions: Vec::new(),
        used_model: false,
        places,
        report: None,
        leading: 0,
        code_terms: if is_symbol { words.iter().map(|w| (*w).to_owned()).collect() } else { code_terms },
        asks_a_question: words.first().is_some_and(|w| words::asks(&w.to_lowercase())),
        asks_for_tests: words.iter().any(|w| words::asks_for_tests(&w.to_lowercase())),
    };
    let only_stops = words.iter().all(|w| words::is_stop(&w.to_lowercase())) && quoted.is_empty();
    let mut before: Option<String> = None;
    let mut last: Option<String> = None;
    for word in &words {
        let lower = word.to_lowercase();
        let language = hints::language(last.as_deref(), &lower);
        last = Some(lower.clone());
        if let Some(language) = language.filter(|_| words.len() > 2) {
            parsed.languages.push(language);
            continue;
        }
        let is_prefix = word.ends_with('*');
        if words::is_stop(&lower) && !only_stops && !is_prefix {
            // Some types are called so: `Show`, `All`. The first word has its capital anyway.
            if word.starts_with(char::is_uppercase) && *word != words[0] {
                parsed.names.push((*word).to_owned());
            }
            continue;
        }
        add_keyword(&mut parsed.keywords, lower.trim_end_matches('*'));
        parsed.names.push((*word).to_owned());
        let weight = match () {
            () if project.contains(&lower) && words.len() > 1 => OWN_NAME,
            () if words::is_generic(&lower) => GENERIC,
            () => 1.0,
        };
        add_word(&mut parsed, &mut tokenizer, word, weight);
        if weight > GENERIC && parsed.first.is_empty() {
            parsed.first = tokenizer.terms(word).into_iter().map(|t| t.text).collect();
        }
        // What is two words here may be one name there: "thread pool", `threadpool`.
        let plain = lower.chars().all(char::is_alphabetic);
        if let Some(before) = before.filter(|before| plain && *before != lower) {
            let text = tokenizer.stem(&format!("{before}{lower}")).to_string();
            parsed.terms.push(QueryTerm { text, weight: 1.0, is_prefix: false, is_joined: true, others: Vec::new() });
        }
        before = plain.then_some(lower);
    }
    for phrase in quoted {
        // The commonest words are not in the text of chunks: any word may stand in their place.
        let placed = tokenizer.terms(phrase).into_iter().filter(|t| !t.is_whole && !is_common(&t.text));
        let terms: Vec<(usize, String)> = placed.map(|t| (t.position, t.text)).collect();
        phrase.split_whitespace().for_each(|word| add_keyword(&mut parsed.keywords, &word.to_lowercase()));
        add_word(&mut parsed, &mut tokenizer, phrase, 1.0);
        if !terms.is_empty() {
            parsed.phrases.push(terms);
        }
    }
    // Terms of words come first: a joined pair that is one of them is known already.
    parsed.terms.sort_by_key(|t| t.is_joined);
    let mut seen = std::collections::HashSet::new();
    parsed.terms.retain(|t| seen.insert(t.text.clone()) || !t.is_joined);
    parsed.terms.truncate(MAX_TERMS);
    parsed.leading = parsed.terms.len();
    if report::is_report(text) {
        as_report(&mut parsed, text);
    }
    (parsed.intent, parsed.confidence) = intent::intent(text, parsed.kind, parsed.report.is_some());
    parsed.expansions = hints::expansions(&parsed.keywords);
    parsed
}

impl ParsedQuery {
    /// Whether it describes code in a sentence. Then chunks are ranked more by their own text and less by their file: words of shorter
    /// queries are mostly those that files are named by.
    pub(crate) fn is_description(&self) -> bool {
        let is_text = matches!(self.kind, QueryKind::Natural | QueryKind::Mixed);
        is_text && self.report.is_none() && self.keywords.len() > SHORT
    }

    /// Whether it is a question in words without names, or a description.
    pub(crate) fn is_in_words(&self) -> bool {
        self.kind == QueryKind::Natural || self.is_description()
    }

    /// Whether it asks about something rather than for something.
    pub(crate) fn is_conceptual(&self) -> bool {
        self.asks_a_question
    }
}

/// Signs that only stand together in regular expressions.
fn is_regex(text: &str) -> bool {
    let signs = [".*", ".+", "\\w", "\\d", "\\s", "\\b", "[^", "(?", "|"];
    let found = signs.iter().filter(|s| text.contains(**s)).count();
    !text.contains(' ') && (found > 0 || text.starts_with('^') || text.ends_with('$'))
}

/// What is read of a long text replaces its plain words.
fn as_report(parsed: &mut ParsedQuery, text: &str) {
    let report = report::read(text);
    if report.terms.is_empty() {
        return;
    }
    let term = |(text, weight): &(String, f32)| QueryTerm {
        text: text.clone(),
        weight: *weight,
        is_prefix: false,
        is_joined: false,
        others: Vec::new(),
    };
    parsed.kind = QueryKind::Mixed;
    // Reports speak of tests that fail; what fails them is looked for.
    parsed.asks_for_tests = false;
    parsed.terms = report.terms.iter().take(MAX_REPORT_TERMS).map(term).collect();
    parsed.leading = report.title_terms.min(parsed.terms.len());
    parsed.phrases.clear();
    let named = report.mentions.iter().filter(|m| m.weight >= 0.6).take(MAX_NAMES);
    parsed.code_terms = named.map(|m| m.name.clone()).collect();
    parsed.keywords = report.subject.clone();
    parsed.report = Some(report);
}

fn add_keyword(keywords: &mut Vec<String>, word: &str) {
    if !keywords.iter().any(|known| known == word) {
        keywords.push(word.to_owned());
    }
}

fn add_word(parsed: &mut ParsedQuery, tokenizer: &mut Tokenizer, word: &str, weight: f32) {
    let prefix = word.strip_suffix('*');
    if let Some(prefix) = prefix {
        // A prefix is not stemmed: `retr*` is no word.
        let text: String = prefix.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
        if !text.is_empty() {
            parsed.terms.push(QueryTerm { text, weight, is_prefix: true, is_joined: false, others: Vec::new() });
        }
        return;
    }
    let terms = tokenizer.terms(word);
    let compound = terms.iter().any(|t| t.is_whole);
    for term in terms {
        // Parts of a compound count less than a word of its own: the whole counts as well.
        let weight = if compound && !term.is_whole { weight * 0.8 } else { weight };
        match parsed.terms.iter_mut().find(|t| t.text == term.text) {
            Some(known) => known.weight = known.weight.max(weight),
            None => {
                let others = hints::expansions(&[word.to_lowercase()]);
                let others = others.iter().map(|other| tokenizer.stem(other).to_string()).collect();
                parsed.terms.push(QueryTerm { text: term.text, weight, is_prefix: false, is_joined: false, others });
            }
        }
    }
}

/// What stands in double quotes, and the rest.
fn split_phrases(text: &str) -> (String, Vec<&str>) {
    let mut plain = String::with_capacity(text.len());
    let mut quoted = Vec::new();
    let mut pieces = text.split('"');
    if let Some(first) = pieces.next() {
        plain.push_str(first);
    }
    let rest: Vec<&str> = pieces.collect();
    for (i, piece) in rest.iter().enumerate() {
        // An odd quote at the end opens nothing.
        if i % 2 == 0 && i + 1 < rest.len() {
            quoted.push(*piece);
        } else {
            plain.push(' ');
            plain.push_str(piece);
        }
    }
    quoted.retain(|q| !q.trim().is_empty());
    (plain, quoted)
}

/// Punctuation around a word of prose; what belongs to names stays.
fn trim_word(word: &str) -> &str {
    // Two languages are called by signs.
    let signed = ["C++", "c++", "C#", "c#"].into_iter().find(|name| word.starts_with(name));
    if let Some(name) = signed.filter(|name| word[name.len()..].chars().all(|c| c.is_ascii_punctuation())) {
        return name;
    }
    word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '*'))).trim_start_matches('*')
}

/// Whether a word is a name in code rather than prose: inner capitals, an acronym with a word (`HTTPClient`), underscores, scopes.
fn is_code(word: &str) -> bool {
    let scoped = word.contains("::") || word.contains('.') || word.contains("->");
    words::has_inner_capital(word) || has_acronym(word) || word.trim_matches('_').contains('_') || scoped
}

/// Whether several capitals stand before a word that begins with one; `APIs` is prose.
fn has_acronym(word: &str) -> bool {
    let capitals = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let rest = &word[capitals..];
    capitals > 2 && rest.len() > 2 && rest.bytes().all(|b| b.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::{MAX_QUERY, MAX_REPORT_TERMS, MAX_TERMS, parse};
    use proptest::prelude::*;

    /// Kind, terms (`*` a prefix, `-` of less weight) and phrases with the places of their words.
    fn check(text: &str, expect: &str) {
        let parsed = parse(text);
        let terms: Vec<String> = parsed
            .terms
            .iter()
            .filter(|t| !t.is_joined)
            .map(|t| {
                format!("{}{}{}", t.text, if t.is_prefix { "*" } else { "" }, if t.weight < 1.0 { "-" } else { "" })
            })
            .collect();
        let phrases: Vec<String> = parsed
            .phrases
            .iter()
            .map(|p| format!(" \"{}\"", p.iter().map(|(at, t)| format!("{at}{t}")).collect::<Vec<_>>().join(" ")))
            .collect();
        assert_eq!(format!("{} {}{}", parsed.kind.name(), terms.join(" "), phrases.concat()), expect, "{text:?}");
    }

    #[test]
    fn queries_are_understood() {
        check("where are retries handled", "natural retri handl-");
        check("getHTTPResponse", "symbol gethttprespons get- http- respons-");
        check("what does ParseQuery do", "mixed parsequeri pars- queri-");
        check("what is the", "natural what is the");
        check("", "natural ");
        check("Foo::bar", "symbol foo bar");
        check("?!", "natural ");
        check("(retry)", "symbol retri");
        check("日本語", "symbol 日本 本語");
    }

    #[test]
    fn patterns_are_told_from_names() {
        check("foo.*bar", "regex foo bar");
        check("^def", "regex def");
        check("end$", "regex end");
        check("$request", "symbol request");
        check("what costs $5 or more", "natural cost 5 more");
    }

    #[test]
    fn a_star_makes_a_prefix() {
        check("Auth*", "symbol auth*");
        check("max_si*", "symbol maxsi*");
        check("find handle* now", "natural handle* now");
        // A stop word is kept: it is the beginning of others.
        check("the* end", "natural the* end");
        check("*", "natural ");
        check("*auth", "symbol auth");
        check("-* x", "symbol x");
        check("_* x", "natural x");
    }

    #[test]
    fn quotes_make_phrases() {
        check("\"exact phrase\" here", "natural here exact phrase \"0exact 1phrase\"");
        check("\"open the file\"", "natural open the file \"0open 2file\"");
        check("\"of the\"", "natural of the");
        check("\"readFile\"", "natural readfil read- file- \"0read 1file\"");
        check("\"a b\" \"c d\"", "natural a b c d \"1b\" \"0c 1d\"");
        check("odd \"quote", "natural odd quot");
        check("\"\" \" \" x", "symbol x");
    }

    #[test]
    fn a_word_said_twice_counts_once_with_its_greatest_weight() {
        check("handle handle", "natural handl-");
        check("readName name", "mixed readnam read- name");
        check("retry retries", "natural retri");
    }

    #[test]
    fn names_keywords_and_tests_are_told_apart() {
        let check = |text: &str, code: &[&str], keywords: &[&str], tests: bool| {
            let parsed = parse(text);
            assert_eq!(
                (parsed.code_terms, parsed.asks_for_tests),
                (code.iter().map(ToString::to_string).collect(), tests),
                "{text:?}"
            );
            assert_eq!(parsed.keywords, keywords, "{text:?}");
        };
        check("find maxSize of Cart::add", &["maxSize", "Cart::add"], &["maxsize", "cart::add"], false);
        check("run", &["run"], &["run"], false);
        check("run it", &[], &["run"], false);
        check("_private of a_b and a->b", &["a_b", "a->b"], &["_private", "a_b", "a->b"], false);
        check("login.py file", &["login.py"], &["login.py", "file"], false);
        check("Tests for login", &[], &["tests", "login"], true);
        check("mocks", &["mocks"], &["mocks"], true);
        check("contest", &["contest"], &["contest"], false);
        check("Auth* \"Some Words\"", &[], &["auth", "some", "words"], false);
    }

    #[test]
    fn a_long_text_is_cut() {
        let parsed = parse(&"many different words ".repeat(2_000));
        assert!(parsed.terms.len() <= MAX_TERMS);
        let distinct: String = (0..500).map(|i| format!("w{i} ")).collect();
        assert_eq!(parse(&distinct).terms.len(), MAX_REPORT_TERMS);
        let question: String = (0..45).map(|i| format!("fooBar{i} ")).collect();
        assert_eq!(parse(&question).terms.len(), MAX_TERMS);
        // At a character, not at a byte.
        let wide = "é".repeat(MAX_QUERY) + " after";
        assert!(parse(&wide).keywords.iter().all(|k| k != "after"));
        assert_eq!(parse(&(" ".repeat(MAX_QUERY - 2) + "in out")).keywords, ["in"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_a_query(text in "\\PC{0,80}|([a-zA-Z_]{1,8}[ \"*.:]{0,2}){0,12}") {
            let parsed = parse(&text);
            prop_assert!(parsed.terms.len() <= MAX_TERMS);
            for (i, term) in parsed.terms.iter().enumerate() {
                prop_assert!(!term.text.is_empty() && term.weight > 0.0 && term.weight <= 1.0);
                let again = parsed.terms[..i].iter().any(|t| !t.is_prefix && !term.is_prefix && t.text == term.text);
                prop_assert!(!again, "{} twice", term.text);
            }
            prop_assert!(parsed.phrases.iter().all(|p| !p.is_empty() && p.is_sorted_by_key(|(at, _)| *at)));
            prop_assert_eq!(parse(&text), parsed);
        }
    }
}
