//! One line of an ignore file: `gitignore(5)`, byte for byte as git reads it.
//!
//! Time is bounded by the length of the path times that of the pattern: a star is extended only where what follows it did not match, and only
//! the last star of a part of the path, or the last `**`, is ever extended. All patterns together have a [`Budget`] for one path.

use std::cell::Cell;

/// The most steps that comparing one path with all rules in force may take: about half a millisecond. A step compares one byte of a glob, or
/// the path with a pattern that has no wildcards.
pub(crate) const MAX_STEPS: u32 = 300_000;

/// The steps that are left for one path.
pub(crate) struct Budget(Cell<u32>);

impl Default for Budget {
    fn default() -> Budget {
        Budget(Cell::new(MAX_STEPS))
    }
}

impl Budget {
    fn spend(&self, steps: u32) {
        self.0.set(self.0.get().saturating_sub(steps));
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// What a pattern is asked about.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    /// Relative to the folder of the ignore file.
    pub(crate) path: &'a [u8],
    /// The last part of the path.
    pub(crate) name: &'a [u8],
    pub(crate) is_folder: bool,
    pub(crate) budget: &'a Budget,
}

/// A compiled line.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Whether it takes back what earlier lines leave out.
    pub(crate) is_negated: bool,
    only_folders: bool,
    matcher: Matcher,
}

#[derive(Debug)]
enum Matcher {
    /// The name is this.
    Name(Box<[u8]>),
    /// The name ends with this.
    NameEnd(Box<[u8]>),
    NameGlob(Box<[Token]>),
    /// The path is this.
    Path(Box<[u8]>),
    PathGlob(Box<[Token]>),
    /// An unclosed `[` or a `\` at the end: matches nothing.
    Nothing,
}

#[derive(Debug)]
enum Token {
    Byte(u8),
    /// `?`
    Any,
    /// `*`: any bytes of one part of the path.
    Star,
    /// `**/`: any number of parts.
    Parts,
    /// `**` at the end: all that follows.
    Rest,
    /// `[...]`: one bit for each byte.
    Class(Box<[u64; 4]>),
}

impl Pattern {
    /// None for a blank line and a comment. The line must be without its line break.
    pub(crate) fn parse(line: &[u8]) -> Option<Pattern> {
        if line.first().is_none_or(|b| *b == b'#') {
            return None;
        }
        let line = without_trailing_spaces(line);
        let (is_negated, line) = match line.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (only_folders, line) = match line.strip_suffix(b"/") {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        if line.is_empty() {
            return None;
        }
        let has_slash = line.contains(&b'/');
        let text = line.strip_prefix(b"/").unwrap_or(line);
        let is_plain = |text: &[u8]| !text.iter().any(|b| b"*?[\\".contains(b));
        let matcher = match (has_slash, text) {
            (false, [b'*', end @ ..]) if is_plain(end) => Matcher::NameEnd(end.into()),
            (false, text) if is_plain(text) => Matcher::Name(text.into()),
            (false, text) => tokens(text, false).map_or(Matcher::Nothing, Matcher::NameGlob),
            (true, text) if is_plain(text) => Matcher::Path(text.into()),
            (true, text) => tokens(text, true).map_or(Matcher::Nothing, Matcher::PathGlob),
        };
        Some(Pattern { is_negated, only_folders, matcher })
    }

    /// Whether it matches nothing, as git has it, because of a mistake in it.
    pub(crate) fn is_mistake(&self) -> bool {
        matches!(self.matcher, Matcher::Nothing)
    }

    /// Nothing matches once the budget is spent.
    pub(crate) fn matches(&self, subject: Subject) -> bool {
        subject.budget.spend(1);
        if subject.budget.is_spent() {
            return false;
        }
        if self.only_folders && !subject.is_folder {
            return false;
        }
        match &self.matcher {
            Matcher::Name(name) => **name == *subject.name,
            Matcher::NameEnd(end) => subject.name.ends_with(end),
            Matcher::NameGlob(tokens) => glob(tokens, subject.name, subject.budget),
            Matcher::Path(path) => **path == *subject.path,
            Matcher::PathGlob(tokens) => glob(tokens, subject.path, subject.budget),
            Matcher::Nothing => false,
        }
    }
}

/// Spaces at the end do not count unless one is escaped; tabs do.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        at += if *byte == b'\\' { 2 } else { 1 };
        if *byte != b' ' {
            end = at.min(line.len());
        }
    }
    &line[..end]
}

/// None for what can match nothing. `**` has its meaning in paths only.
fn tokens(text: &[u8], is_path: bool) -> Option<Box<[Token]>> {
    let mut tokens = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let token = match byte {
            b'\\' => {
                at += 1;
                Token::Byte(*text.get(at)?)
            }
            b'?' => Token::Any,
            b'*' => {
                let first = at;
                while text.get(at + 1) == Some(&b'*') {
                    at += 1;
                }
                let is_part = at > first && is_path && (first == 0 || text[first - 1] == b'/');
                match text.get(at + 1) {
                    None if is_part => Token::Rest,
                    Some(b'/') if is_part => {
                        at += 1;
                        Token::Parts
                    }
                    _ => Token::Star,
                }
            }
            b'[' => {
                let (class, end) = class(text, at + 1)?;
                at = end;
                Token::Class(Box::new(class))
            }
            byte => Token::Byte(byte),
        };
        tokens.push(token);
        at += 1;
    }
    Some(tokens.into())
}

const SLASH: usize = b'/' as usize;

/// The bytes of a class that begins at `at`, after its bracket, and where its closing bracket is.
fn class(text: &[u8], mut at: usize) -> Option<([u64; 4], usize)> {
    let mut bits = [0u64; 4];
    let mut add = |from: u8, to: u8| (from..=to).for_each(|b| bits[usize::from(b) / 64] |= 1 << (b % 64));
    let is_negated = matches!(text.get(at)?, b'!' | b'^');
    at += usize::from(is_negated);
    let first = at;
    let mut before: Option<u8> = None;
    loop {
        let byte = *text.get(at)?;
        if byte == b']' && at > first {
            break;
        }
        let escaped = |at: usize| match text.get(at)? {
            b'\\' => Some((*text.get(at + 1)?, at + 1)),
            byte => Some((*byte, at)),
        };
        if let (b'-', Some(from)) = (byte, before)
            && text.get(at + 1).is_some_and(|b| *b != b']')
        {
            let (to, end) = escaped(at + 1)?;
            add(from, to);
            (before, at) = (None, end + 1);
        } else if byte == b'[' && text.get(at + 1) == Some(&b':') {
            let name = at + 2;
            let close = name + text[name..].iter().position(|b| *b == b']')?;
            match text[name..close].strip_suffix(b":") {
                Some(name) => {
                    let of = named_class(name)?;
                    (0..=255).filter(of).for_each(|b| add(b, b));
                    (before, at) = (None, close + 1);
                }
                None => {
                    add(b'[', b'[');
                    (before, at) = (Some(b'['), at + 1);
                }
            }
        } else {
            let (byte, end) = escaped(at)?;
            add(byte, byte);
            (before, at) = (Some(byte), end + 1);
        }
    }
    if is_negated {
        bits = bits.map(|bits| !bits);
    }
    // No class matches a slash.
    bits[SLASH / 64] &= !(1 << (SLASH % 64));
    Some((bits, at))
}

fn named_class(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |b| matches!(b, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |b| (b' '..=b'~').contains(b),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |b| matches!(b, b' ' | b'\t'..=b'\r'),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

fn glob(tokens: &[Token], text: &[u8], budget: &Budget) -> bool {
    let (mut at, mut pos) = (0, 0);
    let mut steps = 0;
    // The token after the last one that can be extended, and how far that reaches.
    let mut star: Option<(usize, usize)> = None;
    let mut parts: Option<(usize, usize)> = None;
    let is_match = loop {
        steps += 1;
        if steps == MAX_STEPS {
            break false;
        }
        let byte = text.get(pos).copied();
        let is_match = match tokens.get(at) {
            None if byte.is_none() => break true,
            None => false,
            Some(Token::Rest) => break true,
            Some(Token::Star) => {
                at += 1;
                star = Some((at, pos));
                continue;
            }
            Some(Token::Parts) => {
                at += 1;
                (star, parts) = (None, Some((at, pos)));
                continue;
            }
            Some(Token::Byte(b'/')) => {
                let is_slash = byte == Some(b'/');
                if is_slash {
                    star = None;
                }
                is_slash
            }
            Some(Token::Byte(expected)) => byte == Some(*expected),
            Some(Token::Any) => byte.is_some_and(|b| b != b'/'),
            Some(Token::Class(bits)) => byte.is_some_and(|b| bits[usize::from(b) / 64] >> (b % 64) & 1 == 1),
        };
        if is_match {
            (at, pos) = (at + 1, pos + 1);
        } else if let Some((next, reached)) = star.filter(|(_, reached)| text.get(*reached).is_some_and(|b| *b != b'/'))
        {
            star = Some((next, reached + 1));
            (at, pos) = (next, reached + 1);
        } else if let Some((next, reached)) = parts
            && let Some(slash) = text[reached..].iter().position(|b| *b == b'/')
        {
            let reached = reached + slash + 1;
            (star, parts) = (None, Some((next, reached)));
            (at, pos) = (next, reached);
        } else {
            break false;
        }
    };
    budget.spend(steps);
    is_match && !budget.is_spent()
}

#[cfg(test)]
mod tests {
    use super::{Budget, Pattern, Subject};

    #[test]
    fn patterns_match_what_git_matches() {
        let check = |line: &str, matched: &[&str], others: &[&str]| {
            let pattern = Pattern::parse(line.as_bytes()).expect("a pattern");
            let matches = |path: &str| {
                let (path, is_folder) = path.strip_suffix('/').map_or((path, false), |path| (path, true));
                let name = path.rsplit('/').next().unwrap_or(path).as_bytes();
                pattern.matches(Subject { path: path.as_bytes(), name, is_folder, budget: &Budget::default() })
            };
            let found: Vec<&str> = matched.iter().chain(others).copied().filter(|path| matches(path)).collect();
            assert_eq!(found, matched, "{line:?}");
        };
        check("a.py", &["a.py", "x/a.py", "a.py/"], &["a.pyc", "b.py", "a.py/b"]);
        check("/a.py", &["a.py"], &["x/a.py"]);
        check("x/a.py", &["x/a.py"], &["y/x/a.py"]);
        check("build/", &["build/", "x/build/"], &["build", "x/build"]);
        check("*.py", &["a.py", "x/.py"], &["a.pyc"]);
        check("a*b*c", &["abc", "a1b2c", "abcbc", "x/aXbXc"], &["ab", "acb"]);
        check("x/*.py", &["x/a.py"], &["x/y/a.py", "y/x/a.py"]);
        check("**/x/a", &["x/a", "y/x/a", "y/z/x/a"], &["yx/a"]);
        check("x/**", &["x/a", "x/a/b"], &["x", "x/", "y/x/a"]);
        check("x/**/b", &["x/b", "x/y/b", "x/y/z/b"], &["xb", "x/yb"]);
        check("**/a/**/b*/c", &["a/b/c", "q/a/r/s/b1/c", "a/b/a/b/c"], &["a/b/d", "a/c"]);
        check("a?c", &["abc"], &["ac", "a/c", "aéc"]);
        check("a[bc]d", &["abd", "acd"], &["add", "a/d"]);
        check("x/a[!b]c", &["x/aac"], &["x/abc", "x/a/c"]);
        check("[a-c-e]", &["a", "b", "c", "-", "e"], &["d"]);
        check("[]a]", &["]", "a"], &["b"]);
        check("[[:digit:][:upper:]_]", &["7", "Q", "_"], &["q", ":", "["]);
        check(r"[\]\-]", &["]", "-"], &["\\"]);
        check("a[", &[], &["a[", "a"]);
        check("a\\", &[], &["a\\", "a"]);
        check("[[:nothing:]]", &[], &["n", ":"]);
        check("{a,b}", &["{a,b}"], &["a", "b"]);
        check(r"\#a", &["#a"], &["a"]);
        check(r"\!a", &["!a"], &["a"]);
        check("a  ", &["a"], &["a  "]);
        check("a\\  ", &["a "], &["a", "a  "]);
        check("a\t", &["a\t"], &["a"]);
        check("**", &["a", "a/b"], &[]);
        check("a**b", &["ab", "axb"], &["a/b"]);
    }

    #[test]
    fn blank_lines_and_comments_are_no_patterns() {
        for line in ["", "#", "# a", "   ", "/", "!", "!/"] {
            assert!(Pattern::parse(line.as_bytes()).is_none(), "{line:?}");
        }
        assert!(Pattern::parse(b"!a").is_some_and(|pattern| pattern.is_negated));
    }

    #[test]
    fn patterns_made_to_be_slow_are_not() {
        let line = "*a".repeat(500) + "b";
        let pattern = Pattern::parse(line.as_bytes()).expect("a pattern");
        let name = "a".repeat(255);
        let deep = "**/a*a*a*a*a*a*a*b/".repeat(30) + "c";
        let deep = Pattern::parse(deep.as_bytes()).expect("a pattern");
        let path = "aaaaaaaaaaaaaaa/".repeat(200) + "c";
        let started = std::time::Instant::now();
        let check = |pattern: &Pattern, path: &str, name: &str| {
            let budget = Budget::default();
            let subject = Subject { path: path.as_bytes(), name: name.as_bytes(), is_folder: false, budget: &budget };
            assert!(!pattern.matches(subject));
            budget.is_spent()
        };
        assert!(!check(&pattern, &name, &name), "one pattern is far from the limit");
        check(&deep, &path, "c");
        assert!(started.elapsed() < std::time::Duration::from_secs(1), "{:?}", started.elapsed());
    }
}
