//! Patterns written by users: regular expressions and path globs, with limits on what they may cost.
//!
//! Every regular expression of a request passes [`check_regex`] before it is compiled. It walks the syntax tree and computes the
//! *cost* of the pattern: an upper bound, in units of one byte-sized state, on the automaton that the regex engine would build.
//! Cost bounds compile time and memory, and cost times text length bounds matching time, because every engine that is used
//! runs in O(cost × length).
//!
//! Measured on the slowest patterns that pass (2 cores, optimised dependencies): see `docs/limits.md`.

use std::fmt;

use regex_syntax::ast::{self, Ast, RepetitionKind, RepetitionRange, Visitor};

use crate::{Error, Result};

/// Maximum cost of a regular expression; see [`check_regex`].
pub const MAX_REGEX_COST: usize = 10_000;
/// A regular expression that costs more than this is *costly*: it is not scheduled together with others, so that they do not wait for
/// it.
pub const COSTLY_REGEX: usize = 500;
/// Maximum nesting depth of groups and repetitions in a regular expression.
pub const MAX_REGEX_NESTING: u32 = 100;
/// Maximum size in bytes of a compiled regular expression. A backstop: [`MAX_REGEX_COST`] is reached first.
pub const MAX_REGEX_SIZE: usize = 8 << 20;
/// Memory in bytes for states that a matcher computes while it runs, for each thread.
pub const MAX_REGEX_CACHE: usize = 4 << 20;
/// Maximum length of a path glob in bytes: no system has longer paths.
pub const MAX_GLOB_BYTES: usize = 4_096;
/// Maximum length of all path globs of one filter together, in bytes.
pub const MAX_GLOBS_BYTES: usize = 64 << 10;

/// Maximum size in bytes of a compiled path glob.
pub const MAX_GLOB_SIZE: usize = 1 << 20;

/// Cost of a class that depends on Unicode tables, such as `\w`, `\pL` or `.`: its automaton has this many states and more.
const UNICODE_CLASS: usize = 20;

/// Why a pattern is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// It is not a regular expression.
    Syntax(String),
    /// It costs more than [`MAX_REGEX_COST`].
    Cost(usize),
    /// It is nested deeper than [`MAX_REGEX_NESTING`].
    Nesting,
    /// It compiles to more than [`MAX_REGEX_SIZE`].
    Size,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternError::Syntax(message) => write!(f, "not a regular expression: {message}"),
            PatternError::Cost(cost) => write!(
                f,
                "the expression is too large: it expands to {cost} states, the limit is {MAX_REGEX_COST}; use smaller counted repetitions or fewer classes"
            ),
            PatternError::Nesting => write!(
                f,
                "the expression is nested too deeply: the limit is {MAX_REGEX_NESTING} levels; use fewer groups"
            ),
            PatternError::Size => write!(
                f,
                "the expression is too large: it compiles to more than {MAX_REGEX_SIZE} bytes; use smaller counted repetitions or fewer classes"
            ),
        }
    }
}

/// The cost of a regular expression, or why it is refused.
pub fn check_regex(pattern: &str) -> Result<usize, PatternError> {
    let mut parser = ast::parse::ParserBuilder::new();
    let tree = parser.nest_limit(MAX_REGEX_NESTING).build().parse(pattern).map_err(|e| match e.kind() {
        ast::ErrorKind::NestLimitExceeded(_) => PatternError::Nesting,
        kind => PatternError::Syntax(kind.to_string()),
    })?;
    let cost = ast::visit(&tree, Cost::default()).unwrap_or(usize::MAX);
    if cost > MAX_REGEX_COST { Err(PatternError::Cost(cost)) } else { Ok(cost) }
}

/// The cost of a regular expression that is not refused. One that is refused costs nothing, since it is not compiled.
pub fn regex_cost(pattern: &str) -> usize {
    check_regex(pattern).unwrap_or(0)
}

/// Compiles a regular expression of a request.
pub(crate) fn regex(pattern: &str) -> Result<regex::Regex, PatternError> {
    check_regex(pattern)?;
    let mut builder = regex::RegexBuilder::new(pattern);
    builder.size_limit(MAX_REGEX_SIZE).dfa_size_limit(MAX_REGEX_CACHE).nest_limit(2 * MAX_REGEX_NESTING);
    builder.build().map_err(|e| match e {
        regex::Error::CompiledTooBig(_) => PatternError::Size,
        other => PatternError::Syntax(other.to_string().lines().last().unwrap_or_default().to_owned()),
    })
}

/// Compiles a path glob that was made of what a user wrote.
///
/// `globset` turns a glob into a regular expression. It is compiled here, because `Glob::compile_matcher` panics on one that is too
/// large.
pub(crate) fn glob(field: &'static str, written: &str, glob: &str) -> Result<regex::bytes::Regex> {
    let refused = |message: String| Error::Invalid { field, message };
    if written.len() > MAX_GLOB_BYTES {
        return Err(refused(format!("a path pattern has at most {MAX_GLOB_BYTES} bytes, not {}", written.len())));
    }
    let mut builder = globset::GlobBuilder::new(glob);
    let built = builder.literal_separator(true).build();
    let built = built.map_err(|e| refused(format!("{written:?} is not a path pattern: {}", e.kind())))?;
    let mut builder = regex::bytes::RegexBuilder::new(built.regex());
    builder.dot_matches_new_line(true).size_limit(MAX_GLOB_SIZE).dfa_size_limit(MAX_REGEX_CACHE);
    builder.build().map_err(|e| match e {
        regex::Error::CompiledTooBig(_) => refused(format!(
            "the path pattern is too large: it compiles to more than {MAX_GLOB_SIZE} bytes; use fewer wildcards and alternatives"
        )),
        _ => refused("the path pattern is nested too deeply: use fewer braces".to_owned()),
    })
}

/// Refuses lists of globs that would take too long to compile.
pub(crate) fn check_globs(field: &'static str, globs: &[String]) -> Result<()> {
    let bytes: usize = globs.iter().map(String::len).sum();
    if bytes <= MAX_GLOBS_BYTES {
        return Ok(());
    }
    let message = format!("all patterns together have at most {MAX_GLOBS_BYTES} bytes, not {bytes}: use fewer");
    Err(Error::Invalid { field, message })
}

/// Sums the cost of a syntax tree from its leaves up. The stack holds one sum for each open group, repetition or list.
#[derive(Default)]
struct Cost {
    sums: Vec<usize>,
}

impl Cost {
    fn add(&mut self, cost: usize) {
        match self.sums.last_mut() {
            Some(sum) => *sum = sum.saturating_add(cost),
            None => self.sums.push(cost),
        }
    }
}

impl Visitor for Cost {
    type Output = usize;
    type Err = ();

    fn finish(self) -> Result<usize, ()> {
        Ok(self.sums.iter().fold(0, |all, sum| all.saturating_add(*sum)))
    }

    fn visit_pre(&mut self, tree: &Ast) -> Result<(), ()> {
        match tree {
            Ast::Repetition(_) => self.sums.push(0),
            Ast::Literal(_) | Ast::Assertion(_) => self.add(1),
            Ast::Dot(_) | Ast::ClassUnicode(_) | Ast::ClassPerl(_) => self.add(UNICODE_CLASS),
            Ast::ClassBracketed(class) => self.add(set_cost(&class.kind, class.negated)),
            Ast::Empty(_) | Ast::Flags(_) | Ast::Group(_) | Ast::Alternation(_) | Ast::Concat(_) => {}
        }
        Ok(())
    }

    fn visit_post(&mut self, tree: &Ast) -> Result<(), ()> {
        if let Ast::Repetition(repetition) = tree {
            let times = match repetition.op.kind {
                RepetitionKind::Range(RepetitionRange::Exactly(most) | RepetitionRange::Bounded(_, most)) => most,
                RepetitionKind::Range(RepetitionRange::AtLeast(least)) => least.saturating_add(1),
                RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore | RepetitionKind::OneOrMore => 1,
            };
            let inner = self.sums.pop().unwrap_or(0).max(1);
            self.add(inner.saturating_mul(times as usize));
        }
        Ok(())
    }
}

/// The cost of `[...]`: a list of plain ASCII characters is one state.
fn set_cost(set: &ast::ClassSet, negated: bool) -> usize {
    let cost = match set {
        ast::ClassSet::BinaryOp(op) => set_cost(&op.lhs, false).saturating_add(set_cost(&op.rhs, false)),
        ast::ClassSet::Item(item) => item_cost(item),
    };
    if negated { cost.max(UNICODE_CLASS) } else { cost }
}

fn item_cost(item: &ast::ClassSetItem) -> usize {
    use ast::ClassSetItem as Item;
    let literal = |c: char| if c.is_ascii() { 1 } else { 4 };
    match item {
        Item::Empty(_) => 0,
        Item::Literal(l) => literal(l.c),
        Item::Range(range) => literal(range.start.c).max(literal(range.end.c)),
        Item::Ascii(_) => 1,
        Item::Unicode(_) | Item::Perl(_) => UNICODE_CLASS,
        Item::Bracketed(class) => set_cost(&class.kind, class.negated),
        // All ASCII members of a list together are one state.
        Item::Union(union) => {
            let costs = union.items.iter().map(item_cost).filter(|cost| *cost > 1);
            costs.fold(1, usize::saturating_add)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_GLOB_BYTES, PatternError, check_regex, regex};

    #[test]
    fn the_cost_of_a_regex_is_what_it_expands_to() {
        let check = |pattern: &str, expect: usize| assert_eq!(check_regex(pattern), Ok(expect), "{pattern}");
        check("", 0);
        check("abc", 3);
        check("a|bc", 3);
        check("(?:ab){10}", 20);
        check("(a{1,10}){3,}", 40);
        check("a*b+c?", 3);
        check(r"\bfoo\b", 5);
        check("[a-z0-9_]", 1);
        check("[^a]", 20);
        check(r"\w+\s*\(", 41);
        check(r"[\w.-]{1,64}@example\.com", 64 * 21 + 12);
        check("(?:){10000}", 10_000);
    }

    #[test]
    fn a_hostile_regex_is_refused_by_the_name_of_its_limit() {
        let check = |pattern: &str, expect: PatternError| assert_eq!(regex(pattern).err(), Some(expect), "{pattern}");
        check("a{1,1000}{1,1000}", PatternError::Cost(1_000_000));
        check("((a{100}){100}){100}", PatternError::Cost(1_000_000));
        check(r"\p{L}{1000}", PatternError::Cost(20_000));
        check("(?i)(?:é[^x]){500}", PatternError::Cost(10_500));
        check("((((a{999}){999}){999}){999}){999}{999}{999}{999}", PatternError::Cost(usize::MAX));
        check(&"(".repeat(200).replace('(', "(?:"), PatternError::Syntax("unclosed group".to_owned()));
        check(&format!("{}a{}", "(".repeat(101), ")".repeat(101)), PatternError::Nesting);
        let error = check_regex("a{1,1000}{1,1000}").unwrap_err().to_string();
        assert!(error.contains("1000000 states, the limit is 10000; use smaller"), "{error}");
    }

    #[test]
    fn the_slowest_patterns_that_pass_compile_in_bounded_time() {
        let letters = ['é', 'ß', 'Σ', 'ж', '語', 'a', '9', '_', 'K', 'ſ'];
        let many = |text: &str, count: usize| text.repeat(count);
        let words = (0..2_000).map(|i| format!("w{i}")).collect::<Vec<_>>().join("|");
        let mixed: String = (0..9_000).map(|i| letters[i % letters.len()]).collect();
        for pattern in [
            "(?:a{1,100}){1,100}".to_owned(),
            "(?:a?){5000}a{5000}".to_owned(),
            r"\p{L}{500}".to_owned(),
            r"(?i)\p{L}{500}".to_owned(),
            many(r"\p{L}", 500),
            many(r"(?i:[\p{L}\p{N}])", 240),
            many(r"\w\W", 240),
            many("(?i:k)", 1_600),
            words,
            format!("(?i){mixed}"),
            "(?:.{1,20}x){24}".to_owned(),
        ] {
            let started = std::time::Instant::now();
            let compiled = regex(&pattern);
            let took = started.elapsed();
            let shown: String = pattern.chars().take(40).collect();
            eprintln!("{shown:42} {:>6} ms {:?}", took.as_millis(), compiled.as_ref().err());
            // Ten times what it takes on an idle machine.
            assert!(took.as_secs() < 3, "{shown} took {took:?}");
        }
    }

    #[test]
    fn globs_are_limited_in_length_and_braces_do_not_explode() {
        let started = std::time::Instant::now();
        let glob = |field: &'static str, written: &str| super::glob(field, written, written);
        let braces = glob("path", &"{a,b}".repeat(600)).unwrap();
        assert!(braces.is_match("ab".repeat(300).as_bytes()) && !braces.is_match(b"ab"));
        let stars = glob("path", &"**/*a*".repeat(500)).unwrap();
        assert!(!stars.is_match("a".repeat(4_000).as_bytes()));
        assert!(started.elapsed().as_secs() < 3, "{:?}", started.elapsed());
        let error = glob("exclude", &"a".repeat(MAX_GLOB_BYTES + 1)).unwrap_err().to_string();
        assert_eq!(error, "exclude: a path pattern has at most 4096 bytes, not 4097");
        let deep = format!("{}a{}", "{".repeat(2_000), "}".repeat(2_000));
        let error = glob("path", &deep).unwrap_err().to_string();
        assert!(error.contains("nested too deeply"), "{error}");
    }
}
