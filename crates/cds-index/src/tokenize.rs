//! Text to terms. One tokenisation serves the index, the query and highlights.
//!
//! An identifier gives its whole form (lower case, underscores dropped) and its parts: `getHTTPResponse` is
//! `gethttpresponse get http respons`. Words of four letters and more are stemmed (Snowball English). Runs of
//! Chinese, Japanese and Korean characters give bigrams. Parts stand at successive positions, the whole at its first part's.
//! In the text of chunks the commonest words are not indexed: they are a sixth of all words and tell nothing apart.

use compact_str::CompactString;
use frostem::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

/// Longer words are data, not language: hashes, base64.
const MAX_WORD: usize = 64;

/// Words below this many letters are not stemmed.
const MIN_STEM: usize = 4;

/// Distinct words whose stems are remembered before the memory is emptied.
const STEM_CACHE: usize = 200_000;

/// One term of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Term {
    /// Lower case, stemmed.
    pub text: String,
    /// First byte in the text.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Successive for successive parts.
    pub position: usize,
    /// Whether it stands for a whole identifier of several parts.
    pub is_whole: bool,
}

/// Splits text into terms and remembers stems.
#[derive(Clone, Default)]
pub struct Tokenizer {
    stems: FxHashMap<CompactString, CompactString>,
}

impl Tokenizer {
    /// All terms of `text`, in order.
    pub fn terms(&mut self, text: &str) -> Vec<Term> {
        let mut cursor = Cursor::default();
        let mut terms = Vec::new();
        let mut count = 0;
        let mut buffer = Vec::new();
        while self.next_word(text, &mut cursor, &mut buffer, &mut count) {
            terms.extend(buffer.drain(..count));
        }
        terms
    }

    /// Hands out the parts of all words, stemmed: what vectors are made of. Whole identifiers are left out.
    pub fn parts_of(&mut self, text: &str, mut take: impl FnMut(&str)) {
        let mut cursor = Cursor::default();
        let mut count = 0;
        let mut buffer = Vec::new();
        while self.next_word(text, &mut cursor, &mut buffer, &mut count) {
            buffer[..count].iter().filter(|term| !term.is_whole).for_each(|term| take(&term.text));
        }
    }

    /// The stem of a lower-case word.
    pub fn stem(&mut self, word: &str) -> CompactString {
        let mut text = word.to_owned();
        self.stem_in_place(&mut text);
        CompactString::from(text)
    }

    fn stem_in_place(&mut self, word: &mut String) {
        if word.len() < MIN_STEM || !word.bytes().all(|b| b.is_ascii_lowercase()) {
            return;
        }
        if let Some(stem) = self.stems.get(word.as_str()) {
            word.truncate(0);
            word.push_str(stem);
            return;
        }
        if self.stems.len() >= STEM_CACHE {
            self.stems.clear();
        }
        let stem = CompactString::from(Stemmer::new(Algorithm::English).stem(word).as_ref());
        let key = CompactString::from(word.as_str());
        word.truncate(0);
        word.push_str(&stem);
        self.stems.insert(key, stem);
    }

    /// Finds the next word and writes its terms over the first `count` of `out`, whose strings are reused.
    fn next_word(&mut self, text: &str, cursor: &mut Cursor, out: &mut Vec<Term>, count: &mut usize) -> bool {
        *count = 0;
        while let Some(word) = cursor.next_run(text) {
            if word.is_cjk {
                self.bigrams(text, &word, cursor, out, count);
            } else if word.end - word.start <= MAX_WORD {
                self.parts(text, &word, cursor, out, count);
            }
            if *count > 0 {
                return true;
            }
        }
        false
    }

    fn parts(&mut self, text: &str, word: &Run, cursor: &mut Cursor, out: &mut Vec<Term>, count: &mut usize) {
        let first = cursor.position;
        let mut pieces = 0;
        let whole_at = *count;
        // Room for the whole form, which stands before its parts.
        slot(out, count);
        let mut letters = 0;
        for (start, end) in Parts::new(text, word.start, word.end) {
            pieces += 1;
            letters += end - start;
            let term = slot(out, count);
            term.text.clear();
            push_lower(&mut term.text, &text[start..end]);
            (term.start, term.end, term.position, term.is_whole) = (start, end, cursor.position, false);
            self.stem_in_place(&mut out[*count - 1].text);
            cursor.position += 1;
        }
        let whole = &mut out[whole_at];
        whole.text.clear();
        (whole.start, whole.end, whole.position, whole.is_whole) = (word.start, word.end, first, pieces > 1);
        match pieces {
            0 => *count = whole_at,
            1 => {
                // One part: it is the whole.
                out.swap(whole_at, whole_at + 1);
                *count = whole_at + 1;
            }
            _ => {
                whole.text.reserve(letters);
                for part in text[word.start..word.end].split('_') {
                    push_lower(&mut out[whole_at].text, part);
                }
                self.stem_in_place(&mut out[whole_at].text);
            }
        }
    }

    #[allow(clippy::unused_self)]
    fn bigrams(&mut self, text: &str, run: &Run, cursor: &mut Cursor, out: &mut Vec<Term>, count: &mut usize) {
        let starts: Vec<usize> = text[run.start..run.end].char_indices().map(|(i, _)| run.start + i).collect();
        let pairs = starts.len().max(2) - 1;
        for i in 0..pairs {
            let end = starts.get(i + 2).copied().unwrap_or(run.end);
            let term = slot(out, count);
            term.text.clear();
            term.text.push_str(&text[starts[i]..end]);
            (term.start, term.end, term.position, term.is_whole) = (starts[i], end, cursor.position, false);
            cursor.position += 1;
        }
    }
}

fn slot<'a>(out: &'a mut Vec<Term>, count: &mut usize) -> &'a mut Term {
    if *count == out.len() {
        out.push(Term::default());
    }
    *count += 1;
    &mut out[*count - 1]
}

fn push_lower(out: &mut String, word: &str) {
    if word.is_ascii() {
        let from = out.len();
        out.push_str(word);
        out[from..].make_ascii_lowercase();
    } else {
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// Where in the text the tokenizer stands.
#[derive(Clone, Default)]
struct Cursor {
    at: usize,
    position: usize,
}

struct Run {
    start: usize,
    end: usize,
    is_cjk: bool,
}

impl Cursor {
    /// The next run of word characters, or of Chinese, Japanese or Korean ones.
    fn next_run(&mut self, text: &str) -> Option<Run> {
        let bytes = text.as_bytes();
        let mut at = self.at;
        // Skip to the first word character.
        let first = loop {
            let byte = *bytes.get(at)?;
            if byte < 0x80 {
                if byte.is_ascii_alphanumeric() {
                    break byte as char;
                }
                at += 1;
                continue;
            }
            let c = text[at..].chars().next()?;
            if c.is_alphanumeric() {
                break c;
            }
            at += c.len_utf8();
        };
        let start = at;
        let is_cjk = is_cjk(first);
        while let Some(&byte) = bytes.get(at) {
            if byte < 0x80 {
                if is_cjk || !(byte.is_ascii_alphanumeric() || byte == b'_') {
                    break;
                }
                at += 1;
                continue;
            }
            let Some(c) = text[at..].chars().next() else { break };
            if !c.is_alphanumeric() || self::is_cjk(c) != is_cjk {
                break;
            }
            at += c.len_utf8();
        }
        self.at = at;
        Some(Run { start, end: at, is_cjk })
    }
}

fn is_cjk(c: char) -> bool {
    matches!(c as u32, 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x2FA1F)
}

/// The parts of an identifier: at underscores, between lower and upper case, before the last capital of an
/// acronym, between letters and digits.
struct Parts<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl<'a> Parts<'a> {
    fn new(text: &'a str, start: usize, end: usize) -> Self {
        Parts { text, at: start, end }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Lower,
    Upper,
    Digit,
    Under,
}

/// The case of the character at `at`, and how long it is. Nearly all text is ASCII, and decided by a table.
fn case_at(text: &str, at: usize) -> (Case, usize) {
    let byte = text.as_bytes()[at];
    if byte < 0x80 {
        return (ASCII_CASE[byte as usize], 1);
    }
    let c = text[at..].chars().next().expect("words begin and end at characters");
    let case = if c.is_numeric() {
        Case::Digit
    } else if c.is_uppercase() {
        Case::Upper
    } else {
        Case::Lower
    };
    (case, c.len_utf8())
}

const ASCII_CASE: [Case; 128] = {
    let mut table = [Case::Lower; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'_' => Case::Under,
            b'0'..=b'9' => Case::Digit,
            b'A'..=b'Z' => Case::Upper,
            _ => Case::Lower,
        };
        byte += 1;
    }
    table
};

impl Iterator for Parts<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let bytes = self.text.as_bytes();
        while self.at < self.end && bytes[self.at] == b'_' {
            self.at += 1;
        }
        if self.at == self.end {
            return None;
        }
        let start = self.at;
        let (mut previous, length) = case_at(self.text, start);
        let mut last = start;
        let mut at = start + length;
        while at < self.end {
            let (case, length) = case_at(self.text, at);
            if case != previous {
                match (previous, case) {
                    // `HTTPResponse`: the last capital belongs to the next part.
                    (Case::Upper, Case::Lower) if last > start => {
                        at = last;
                        break;
                    }
                    (Case::Upper, Case::Lower) => {}
                    _ => break,
                }
            }
            previous = case;
            last = at;
            at += length;
        }
        self.at = at;
        Some((start, at))
    }
}

/// Words of most code and most English: sorted. Only in the text of a chunk; names, paths and docs keep them.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "const", "def", "elif", "else", "end", "false", "fn", "for",
    "from", "func", "if", "import", "in", "int", "is", "it", "let", "nil", "none", "not", "null", "of", "on", "or", "return",
    "self", "that", "the", "then", "this", "to", "true", "var", "void", "with",
];

/// Whether a term is so common that the text of chunks does not have it.
pub fn is_common(term: &str) -> bool {
    let [first @ b'a'..=b'z', ..] = term.as_bytes() else { return false };
    let letter = (first - b'a') as usize;
    COMMON[COMMON_FROM[letter] as usize..COMMON_FROM[letter + 1] as usize].contains(&term)
}

/// Where the words of each letter begin in [`COMMON`]: every word of every text is looked up.
const COMMON_FROM: [u8; 27] = {
    let mut from = [0; 27];
    let mut letter = 0;
    while letter < 26 {
        let mut at = from[letter] as usize;
        while at < COMMON.len() && COMMON[at].as_bytes()[0] == b'a' + letter as u8 {
            at += 1;
        }
        letter += 1;
        from[letter] = at as u8;
    }
    from
};

/// The tokenizers' names in the text index: of every field, and of the text of chunks.
pub(crate) const NAME: &str = "code";
pub(crate) const CONTENT: &str = "code_content";

/// The tokenizer of the text of chunks: as [`Tokenizer`], without the commonest words.
#[derive(Clone, Default)]
pub(crate) struct ContentTokenizer(Tokenizer);

impl tantivy::tokenizer::Tokenizer for ContentTokenizer {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        Stream { skip_common: true, ..self.0.token_stream(text) }
    }
}

impl tantivy::tokenizer::Tokenizer for Tokenizer {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        Stream {
            skip_common: false,
            tokenizer: self,
            text,
            cursor: Cursor::default(),
            buffer: Vec::new(),
            count: 0,
            next: 0,
            token: tantivy::tokenizer::Token::default(),
        }
    }
}

/// The terms of one text, as the text index wants them.
pub struct Stream<'a> {
    tokenizer: &'a mut Tokenizer,
    skip_common: bool,
    text: &'a str,
    cursor: Cursor,
    buffer: Vec<Term>,
    count: usize,
    next: usize,
    token: tantivy::tokenizer::Token,
}

impl tantivy::tokenizer::TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        while self.step() {
            if !(self.skip_common && is_common(&self.token.text)) {
                return true;
            }
        }
        false
    }

    fn token(&self) -> &tantivy::tokenizer::Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut tantivy::tokenizer::Token {
        &mut self.token
    }
}

impl Stream<'_> {
    fn step(&mut self) -> bool {
        if self.next == self.count {
            self.next = 0;
            if !self.tokenizer.next_word(self.text, &mut self.cursor, &mut self.buffer, &mut self.count) {
                return false;
            }
        }
        let term = &mut self.buffer[self.next];
        std::mem::swap(&mut self.token.text, &mut term.text);
        term.text.clear();
        self.token.offset_from = term.start;
        self.token.offset_to = term.end;
        self.token.position = term.position;
        self.next += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tantivy::tokenizer::{TokenStream, Tokenizer as _};

    use super::{ContentTokenizer, STEM_CACHE, Term, Tokenizer, is_common};

    fn check(text: &str, expect: &str) {
        let terms = Tokenizer::default().terms(text);
        let found: Vec<String> =
            terms.iter().map(|t| format!("{}{}", t.text, if t.is_whole { "*" } else { "" })).collect();
        assert_eq!(found.join(" "), expect, "{text:?}");
    }

    #[test]
    fn identifiers_are_whole_and_split() {
        check("getHTTPResponse", "gethttprespons* get http respons");
        check("max_file_size", "maxfiles* max file size");
        check("HTTPServer2 utf8", "httpserver2* http server 2 utf8* utf 8");
        check("XMLHttpRequest", "xmlhttprequest* xml http request");
        check("__init__ _x", "init x");
        check("A aB", "a ab* a b");
        check("running tests", "run test");
        check("", "");
        check("++ -- ..", "");
    }

    #[test]
    fn other_scripts_are_found() {
        check("日本語 テスト", "日本 本語 テス スト");
        check("語", "語");
        check("naïve Größe", "naïve größe");
        check("函数foo", "函数 foo");
    }

    #[test]
    fn positions_and_offsets_point_into_the_text() {
        let text = "a fooBar_baz";
        let terms = Tokenizer::default().terms(text);
        let found: Vec<(usize, &str)> = terms.iter().map(|t| (t.position, &text[t.start..t.end])).collect();
        assert_eq!(found, [(0, "a"), (1, "fooBar_baz"), (1, "foo"), (2, "Bar"), (3, "baz")]);
    }

    #[test]
    fn data_is_not_a_word() {
        check(&"ab".repeat(60), "");
    }

    #[test]
    fn common_words_are_sorted_and_skipped_in_content() {
        assert!(super::COMMON.is_sorted());
        let mut tokenizer = ContentTokenizer::default();
        let mut stream = tokenizer.token_stream("return the retry of this");
        assert!(stream.advance());
        assert_eq!((stream.token().text.as_str(), stream.token().position), ("retri", 2));
        assert!(!stream.advance());
    }

    #[test]
    fn a_stem_is_had_again_after_the_memory_was_emptied() {
        let mut tokenizer = Tokenizer::default();
        let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
        for n in 0..=STEM_CACHE {
            let word: String = [n, n / 26, n / 676, n / 17_576, n / 456_976].map(letter).iter().collect();
            tokenizer.stem(&word);
        }
        assert!(tokenizer.stems.len() < STEM_CACHE, "it was emptied");
        assert_eq!(tokenizer.stem("running"), "run");
        assert_eq!(tokenizer.stem("running"), "run", "remembered");
        assert_eq!((tokenizer.stem("was"), tokenizer.stem("naïvely")), ("was".into(), "naïvely".into()));
    }

    #[test]
    fn words_of_other_alphabets_keep_their_parts() {
        check("größteZahl", "größtezahl* größte zahl");
        check("ΑλφαΒήτα", "αλφαβήτα* αλφα βήτα");
        check("x²", "x²* x ²");
        check("naïve—word…end", "naïve word end");
        check("foo日本bar", "foo 日本 bar");
        check("한국어", "한국 국어");
    }

    /// What a stream of tokens says, as terms.
    fn streamed(mut stream: impl TokenStream) -> Vec<(String, usize, usize, usize)> {
        let mut found = Vec::new();
        while stream.advance() {
            // A reader may take the text: the next token has its own.
            let text = std::mem::take(&mut stream.token_mut().text);
            let token = stream.token();
            found.push((text, token.offset_from, token.offset_to, token.position));
        }
        found
    }

    fn plain(terms: Vec<Term>) -> Vec<(String, usize, usize, usize)> {
        terms.into_iter().map(|t| (t.text, t.start, t.end, t.position)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn terms_point_at_what_they_stand_for(text in "\\PC{0,60}|([a-zA-Z0-9_éß日本]{1,9}[ .]?){0,8}") {
            let mut tokenizer = Tokenizer::default();
            let terms = tokenizer.terms(&text);
            for pair in terms.windows(2) {
                prop_assert!(pair[0].position <= pair[1].position && pair[0].start <= pair[1].start);
            }
            for term in &terms {
                let lower: String = text[term.start..term.end].chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect();
                let stem = tokenizer.stem(&lower);
                prop_assert_eq!(term.text.as_str(), stem.as_str());
                prop_assert!(!term.text.is_empty());
            }
        }

        #[test]
        fn the_stream_gives_the_same_terms(text in "\\PC{0,60}|([a-zA-Z0-9_日本]{1,9}[ .]|the |return ){0,8}") {
            let terms = plain(Tokenizer::default().terms(&text));
            let (mut every, mut content) = (Tokenizer::default(), ContentTokenizer::default());
            prop_assert_eq!(&streamed(every.token_stream(&text)), &terms);
            let telling: Vec<_> = terms.into_iter().filter(|t| !is_common(&t.0)).collect();
            prop_assert_eq!(streamed(content.token_stream(&text)), telling);
        }

        #[test]
        fn words_do_not_change_their_neighbours(a in "[a-zA-Z0-9_ ]{0,30}", b in "[a-zA-Z0-9_ ]{0,30}") {
            let texts = |text: &str| -> Vec<String> { Tokenizer::default().terms(text).into_iter().map(|t| t.text).collect() };
            prop_assert_eq!(texts(&format!("{a} {b}")), [texts(&a), texts(&b)].concat());
        }
    }
}
