//! Definitions and blocks of a text, found by keywords and braces. Reads what a parser cannot, and knows less.

use std::ops::Range;

use cds_model::Kind;
use rustc_hash::FxHashMap;

use crate::spec::{Highlight, Recover};

/// Maximum length of the header of a block in bytes. Longer ones are not searched for the name of a function.
const MAX_HEADER: usize = 2_000;

/// Words before a parenthesis that are not names of functions.
const NO_NAMES: &[&str] = &[
    "alignas",
    "and",
    "asm",
    "assert",
    "await",
    "case",
    "catch",
    "co_await",
    "co_return",
    "decltype",
    "default",
    "defined",
    "delete",
    "do",
    "else",
    "finally",
    "fixed",
    "for",
    "foreach",
    "if",
    "lock",
    "new",
    "noexcept",
    "not",
    "operator",
    "or",
    "requires",
    "return",
    "sizeof",
    "switch",
    "synchronized",
    "throw",
    "try",
    "typeof",
    "using",
    "when",
    "while",
    "with",
    "yield",
];

/// A definition by its keyword, or a function by its shape.
#[derive(Clone, Debug)]
pub(super) struct Scanned {
    pub(super) kind: Kind,
    pub(super) name: Range<usize>,
    /// From the first word of its line or statement to the end of its body.
    pub(super) range: Range<usize>,
    /// What is between its braces.
    pub(super) body: Option<Range<usize>>,
    /// Whether a keyword introduced it. A function found by its shape is only a candidate.
    pub(super) by_keyword: bool,
}

/// What a scan found.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) definitions: Vec<Scanned>,
    /// Interiors of the outermost blocks that are not bodies of types: statements, in which most errors are.
    pub(super) hidden: Vec<Range<usize>>,
}

/// Scans a text.
pub(super) fn scan(rules: &Recover, highlight: &Highlight, text: &str) -> Scan {
    let plain = plain(rules, highlight, text);
    let mut initials = [false; 256];
    let keywords = rules.types.keys().chain(rules.functions.keys());
    keywords.filter_map(|word| word.bytes().next()).for_each(|byte| initials[usize::from(byte)] = true);
    Scanner {
        rules,
        text: &plain,
        scan: Scan::default(),
        blocks: Vec::new(),
        bodies: FxHashMap::default(),
        initials,
        statement: 0,
        line: 0,
    }
    .run()
}

/// The text with a semicolon for the blank between the last statement of a line and a brace that closes, so that positions stay the same;
/// `None` if there is no such place.
pub(super) fn with_ends(rules: &Recover, highlight: &Highlight, text: &str) -> Option<String> {
    let plain = plain(rules, highlight, text);
    let mut ended = text.as_bytes().to_vec();
    let mut is_changed = false;
    // The last two characters of the line that are no blanks.
    let mut last = [b' '; 2];
    for (at, &byte) in plain.iter().enumerate() {
        // Behind these stands no statement, or one that has its end.
        let is_open = matches!(last, [_, b' ' | b'{' | b';' | b','] | [b'-', b'>']);
        if byte == b'}' && !is_open && ended[at - 1] == b' ' {
            ended[at - 1] = b';';
            is_changed = true;
        }
        match byte {
            b'\n' => last = [b' '; 2],
            byte if byte.is_ascii_whitespace() => {}
            byte => last = [last[1], byte],
        }
    }
    is_changed.then(|| String::from_utf8(ended).ok()).flatten()
}

/// The text with blanks for comments, strings and directives: braces and keywords in them mean nothing.
fn plain(rules: &Recover, highlight: &Highlight, text: &str) -> Vec<u8> {
    let mut plain = text.as_bytes().to_vec();
    let mut at = 0;
    let mut is_line_start = true;
    // Bytes that may begin something to blank, or end a line.
    let mut is_special = [false; 256];
    let comments = highlight.block_comments.iter().map(|(open, _)| open).chain(&highlight.line_comments);
    let first = comments.chain(&highlight.quotes).filter_map(|mark| mark.bytes().next());
    first.chain(*b"\n#").for_each(|byte| is_special[usize::from(byte)] = true);
    while at < plain.len() {
        let rest = &text.as_bytes()[at..];
        if !is_special[usize::from(rest[0])] {
            is_line_start &= rest[0].is_ascii_whitespace();
            at += 1;
            continue;
        }
        let end = if let Some((_, close)) =
            highlight.block_comments.iter().find(|(open, _)| rest.starts_with(open.as_bytes()))
        {
            at + 2
                + find(&rest[2.min(rest.len())..], close.as_bytes()).map_or(rest.len() - 2, |found| found + close.len())
        } else if highlight.line_comments.iter().any(|open| rest.starts_with(open.as_bytes())) {
            at + find(rest, b"\n").unwrap_or(rest.len())
        } else if rules.directives && is_line_start && rest[0] == b'#' {
            at + directive_len(rest)
        } else if rest.starts_with(b"\"\"\"") && highlight.quotes.iter().any(|quote| quote == "\"") {
            at + 3 + find(&rest[3..], b"\"\"\"").map_or(rest.len() - 3, |found| found + 3)
        } else if highlight.quotes.iter().any(|quote| quote.as_bytes() == &rest[..1]) {
            at + quoted_len(rest)
        } else {
            is_line_start = rest[0] == b'\n' || is_line_start && rest[0].is_ascii_whitespace();
            at += 1;
            continue;
        };
        let end = end.min(plain.len());
        plain[at..end].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        is_line_start = false;
        at = end.max(at + 1);
    }
    plain
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len().max(1)).position(|window| window == wanted)
}

/// A directive with the lines that continue it.
fn directive_len(text: &[u8]) -> usize {
    let mut end = 0;
    loop {
        let line = find(&text[end..], b"\n").map_or(text.len(), |found| end + found);
        if line == text.len() || !text[end..line].trim_ascii_end().ends_with(b"\\") {
            return line;
        }
        end = line + 1;
    }
}

/// A string that ends in its line; 1 where the quote is something else: a lifetime, a digit separator, a prime.
fn quoted_len(text: &[u8]) -> usize {
    let quote = text[0];
    let mut at = 1;
    while at < text.len() && text[at] != b'\n' {
        match text[at] {
            b'\\' => at += 1,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
        if quote == b'\'' && at > 12 {
            break;
        }
    }
    1
}

/// A brace that is open.
struct Block {
    open: usize,
    indent: usize,
    definition: Option<usize>,
    /// Whether it and all blocks around it are bodies of types.
    is_kept: bool,
}

struct Scanner<'a> {
    rules: &'a Recover,
    text: &'a [u8],
    scan: Scan,
    blocks: Vec<Block>,
    /// Definitions by the brace that opens their body.
    bodies: FxHashMap<usize, usize>,
    /// First letters of keywords.
    initials: [bool; 256],
    /// Where the statement or header begins.
    statement: usize,
    /// Where the line begins.
    line: usize,
}

impl Scanner<'_> {
    fn run(mut self) -> Scan {
        let mut at = 0;
        while at < self.text.len() {
            match self.text[at] {
                b'\n' => self.line = at + 1,
                b'{' => self.open(at),
                b'}' => self.close(at),
                b';' => self.statement = at + 1,
                byte if is_word(byte) => {
                    let end = self.word_end(at);
                    if self.initials[usize::from(byte)] {
                        self.keyword(at, end);
                    }
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        while let Some(block) = self.blocks.pop() {
            self.finish(&block, self.text.len(), self.text.len());
        }
        self.scan.definitions.sort_by_key(|definition| (definition.range.start, definition.name.start));
        self.scan.hidden.sort_by_key(|range| range.start);
        self.scan
    }

    fn word_end(&self, at: usize) -> usize {
        at + self.text[at..].iter().take_while(|byte| is_word(**byte)).count()
    }

    fn skip_blanks(&self, at: usize) -> usize {
        at + self.text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    }

    /// The end of a bracket that opens at a place, if it closes.
    fn bracket_end(&self, at: usize, open: u8, close: u8) -> Option<usize> {
        let mut depth = 0;
        for (offset, byte) in self.text[at..].iter().enumerate().take(MAX_HEADER) {
            match *byte {
                byte if byte == open => depth += 1,
                // An arrow closes nothing.
                b'>' if close == b'>' && offset > 0 && matches!(self.text[at + offset - 1], b'-' | b'=') => {}
                byte if byte == close => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at + offset + 1);
                    }
                }
                b'{' | b'}' | b';' if open == b'<' => return None,
                _ => {}
            }
        }
        None
    }

    fn indent(&self, at: usize) -> usize {
        let line = self.text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |found| found + 1);
        self.text[line..].iter().take_while(|byte| matches!(**byte, b' ' | b'\t')).count()
    }

    /// A word that may introduce a definition.
    fn keyword(&mut self, at: usize, end: usize) {
        let Ok(word) = std::str::from_utf8(&self.text[at..end]) else { return };
        let (kind, name) = if let Some(kind) = self.rules.functions.get(word) {
            (kind, self.function_name(end))
        } else if let Some(kind) = self.rules.types.get(word) {
            (kind, self.type_name(end))
        } else {
            return;
        };
        let (Some(kind), Some(name)) = (Kind::from_name(kind), name) else { return };
        let start = self.statement.max(self.line);
        // Modifiers and annotations may precede it, an operator may not: `X::class`, `a.struct`.
        let before = self.text[start..at].trim_ascii();
        let is_first = before.last().is_none_or(|byte| is_word(*byte) || matches!(byte, b')' | b']' | b'>' | b'`'))
            && !before.iter().any(|byte| matches!(byte, b'=' | b'+' | b'|' | b'?'))
            && !before.starts_with(b"import");
        if !is_first || self.scan.definitions.last().is_some_and(|last| last.name == name) {
            return;
        }
        let start = self.skip_blanks(start).min(at);
        let open = self.body_open(name.end, start);
        if self.rules.shapes && open.is_none() {
            return;
        }
        let range = start..open.map_or_else(|| self.header_end(name.end, start), |open| open + 1);
        let number = self.scan.definitions.len();
        self.scan.definitions.push(Scanned { kind, name, range, body: None, by_keyword: true });
        if let Some(open) = open {
            self.bodies.insert(open, number);
        }
    }

    /// The last name of a path behind a keyword of functions: `fun <T> List<T>.name(`, `func (r *T) name(`.
    fn function_name(&self, from: usize) -> Option<Range<usize>> {
        let mut at = self.skip_blanks(from);
        let mut name = None;
        loop {
            let byte = *self.text.get(at)?;
            match byte {
                b'<' => at = self.bracket_end(at, b'<', b'>')?,
                b'(' if name.is_none() => at = self.bracket_end(at, b'(', b')')?,
                b'`' => {
                    let end = at + 1 + find(&self.text[at + 1..], b"`")? + 1;
                    name = Some(at..end);
                    at = end;
                }
                b'&' if name.is_none() => at += 1,
                byte if is_word(byte) => {
                    let end = self.word_end(at);
                    name = Some(at..end);
                    at = end;
                }
                _ => return None,
            }
            let next = self.skip_blanks(at);
            match self.text.get(next) {
                Some(b'.' | b'?' | b':')
                    if self.text[next..].starts_with(b".")
                        || self.text[next..].starts_with(b"?.")
                        || self.text[next..].starts_with(b"::") =>
                {
                    at =
                        next + self.text[next..].iter().take_while(|byte| matches!(**byte, b'.' | b'?' | b':')).count();
                }
                Some(b'<') if name.is_some() => {}
                Some(byte) if name.is_none() && (is_word(*byte) || matches!(byte, b'`' | b'(')) => {}
                _ => return name,
            }
            at = self.skip_blanks(at);
        }
    }

    /// The name behind a keyword of types. Where macros may precede it, it is the last word before the body or the bases.
    fn type_name(&self, from: usize) -> Option<Range<usize>> {
        let mut at = self.skip_blanks(from);
        let mut name: Option<Range<usize>> = None;
        loop {
            match *self.text.get(at)? {
                b'[' => at = self.bracket_end(at, b'[', b']')?,
                b'(' if self.rules.shapes && name.is_some() => at = self.bracket_end(at, b'(', b')')?,
                byte if is_word(byte) => {
                    let end = self.word_end(at);
                    if name.is_some() && !self.rules.shapes {
                        return name;
                    }
                    if &self.text[at..end] != b"final" {
                        name = Some(at..end);
                    }
                    at = end;
                }
                b':' if self.text[at..].starts_with(b"::") => at += 2,
                b'<' if self.rules.shapes => at = self.bracket_end(at, b'<', b'>')?,
                b'{' | b':' => return name,
                _ if self.rules.shapes => return None,
                _ => return name,
            }
            if name.is_some() && !self.rules.shapes {
                return name;
            }
            at = self.skip_blanks(at);
        }
    }

    /// The brace that opens a body behind a name, if a header leads to one.
    fn body_open(&self, from: usize, start: usize) -> Option<usize> {
        let indent = self.indent(start);
        let mut at = from;
        while at < self.text.len().min(from + MAX_HEADER) {
            match self.text[at] {
                b'(' => at = self.bracket_end(at, b'(', b')')?,
                b'[' => at = self.bracket_end(at, b'[', b']')?,
                b'{' => return Some(at),
                b'}' | b';' => return None,
                b'=' if !matches!(self.text.get(at + 1), Some(b'=' | b'>')) && !self.rules.shapes => {
                    // A body that is an expression, or a default of a type parameter. Scala writes braces behind it.
                    let next = self.skip_blanks(at + 1);
                    return (self.rules.braces_after_equals && self.text.get(next) == Some(&b'{')).then_some(next);
                }
                b'\n' if !self.continues(at, indent) => return None,
                _ => at += 1,
            }
        }
        None
    }

    /// Whether a header goes on behind the end of a line.
    fn continues(&self, newline: usize, indent: usize) -> bool {
        if self.rules.shapes {
            return true;
        }
        let before = self.text[..newline].trim_ascii_end();
        if before.last().is_some_and(|byte| matches!(byte, b',' | b':' | b'=' | b'(' | b'<' | b'&' | b'|'))
            || before.ends_with(b"->")
        {
            return true;
        }
        let next = self.skip_blanks(newline);
        let rest = &self.text[next..];
        let word = &rest[..rest.iter().take_while(|byte| is_word(**byte)).count()];
        let leads = matches!(
            word,
            b"where" | b"throws" | b"async" | b"rethrows" | b"extends" | b"with" | b"implements" | b"derives"
        );
        leads
            || rest.starts_with(b"->")
            || rest.first().is_some_and(|byte| {
                matches!(byte, b':' | b'{' | b'(' | b')' | b'<' | b'>' | b'=') && self.indent(next) >= indent
            })
    }

    /// The end of a definition without a body: of its line, and of lines that are indented deeper.
    fn header_end(&self, from: usize, start: usize) -> usize {
        let indent = self.indent(start);
        let mut end = from;
        let mut lines = self.text[from..].split(|byte| *byte == b'\n');
        end += lines.next().map_or(0, <[u8]>::len);
        let mut at = end + 1;
        for line in lines {
            let depth = line.iter().take_while(|byte| matches!(**byte, b' ' | b'\t')).count();
            let first = line.get(depth);
            if first.is_some_and(|byte| depth < indent || depth == indent && !matches!(byte, b')' | b']' | b'}' | b'.'))
            {
                break;
            }
            if first.is_some() {
                end = at + line.len();
            }
            at += line.len() + 1;
        }
        end.min(self.text.len())
    }

    fn open(&mut self, at: usize) {
        let is_kept = self.blocks.iter().all(|block| block.is_kept);
        let mut definition = self.bodies.remove(&at);
        if definition.is_none() && is_kept && self.rules.shapes {
            definition = self.shape(at);
        }
        let is_type = match definition {
            Some(number) => self.scan.definitions[number].kind.entity_type() == cds_model::EntityType::Class,
            None => self.is_namespace(at),
        };
        let header = self.skip_blanks(self.statement).min(at);
        let start = definition.map_or(header, |number| self.scan.definitions[number].range.start);
        let indent = self.indent(at).min(self.indent(start));
        self.blocks.push(Block { open: at, indent, definition, is_kept: is_kept && is_type });
        self.statement = at + 1;
    }

    /// Whether a block only holds other definitions: `extern "C" {`, `namespace {`.
    fn is_namespace(&self, at: usize) -> bool {
        let header = self.text[self.statement.min(at)..at].trim_ascii();
        header.split(|byte| !is_word(*byte)).any(|word| {
            std::str::from_utf8(word).is_ok_and(|word| self.rules.namespaces.iter().any(|known| known == word))
        })
    }

    /// A function by its shape: `type name(parameters) {`.
    fn shape(&mut self, open: usize) -> Option<usize> {
        let mut from = self.skip_blanks(self.statement);
        // Labels of access: `public:`.
        while let end = self.skip_blanks(self.word_end(from))
            && end > from
            && self.text.get(end) == Some(&b':')
            && self.text.get(end + 1) != Some(&b':')
        {
            from = self.skip_blanks(end + 1);
        }
        if from >= open || open - from > MAX_HEADER {
            return None;
        }
        let mut at = from;
        let name = loop {
            let byte = *self.text[..open].get(at)?;
            match byte {
                b'<' => at = self.bracket_end(at, b'<', b'>').filter(|end| *end <= open)?,
                b'[' => at = self.bracket_end(at, b'[', b']').filter(|end| *end <= open)?,
                b'=' => return None,
                byte if is_word(byte) || byte == b'~' => {
                    let end = self.word_end(at + 1);
                    let after = self.skip_blanks(end);
                    let word = std::str::from_utf8(&self.text[at..end]).ok()?;
                    if self.text.get(after) == Some(&b'(') {
                        // Attributes and macros that annotate.
                        let is_macro = word.contains('_') && !word.bytes().any(|byte| byte.is_ascii_lowercase());
                        if word.starts_with("__") || word == "alignas" || is_macro {
                            at = self.bracket_end(after, b'(', b')').filter(|end| *end <= open)?;
                            continue;
                        }
                        if NO_NAMES.contains(&word) {
                            return None;
                        }
                        break at..end;
                    }
                    at = end;
                }
                _ => at += 1,
            }
        };
        let kind = Kind::from_name("function")?;
        let number = self.scan.definitions.len();
        self.scan.definitions.push(Scanned { kind, name, range: from..open + 1, body: None, by_keyword: false });
        Some(number)
    }

    fn close(&mut self, at: usize) {
        self.statement = at + 1;
        let leads_line = self.text[self.line..at].iter().all(u8::is_ascii_whitespace);
        let indent = at - self.line;
        // A brace at the indentation of an outer block closes that one: an inner brace was lost.
        let skipped = leads_line && self.blocks.last().is_some_and(|top| top.indent > indent);
        if skipped && let Some(place) = self.blocks.iter().rposition(|block| block.indent == indent) {
            while self.blocks.len() > place + 1 {
                let Some(block) = self.blocks.pop() else { break };
                self.finish(&block, self.line, self.line);
            }
        }
        if let Some(block) = self.blocks.pop() {
            self.finish(&block, at, at + 1);
        }
    }

    fn finish(&mut self, block: &Block, close: usize, end: usize) {
        let body = block.open + 1..close.max(block.open + 1);
        if let Some(number) = block.definition {
            let definition = &mut self.scan.definitions[number];
            definition.range.end = end.max(definition.range.end);
            definition.body = Some(body.clone());
        }
        let is_outermost = self.blocks.iter().all(|outer| outer.is_kept);
        if !block.is_kept && is_outermost && !body.is_empty() {
            self.scan.hidden.push(body);
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
