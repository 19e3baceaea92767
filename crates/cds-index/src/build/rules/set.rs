//! The rules of one file, within limits.

use super::pattern::{Pattern, Subject};

/// The most bytes of a file of rules. The largest in well-known projects have some ten thousand.
pub(crate) const MAX_BYTES: u64 = 1_000_000;
/// The most patterns in it: each is compared with every file below its folder.
pub(crate) const MAX_PATTERNS: usize = 10_000;
/// The most patterns in force in one folder, those of the folders above it included.
pub(crate) const MAX_IN_FORCE: usize = 50_000;
/// The most bytes of a line: no path that the system opens is longer.
pub(crate) const MAX_LINE: usize = 4_096;

/// Patterns in the order of their lines.
#[derive(Debug, Default)]
pub(crate) struct RuleSet(Vec<Pattern>);

impl RuleSet {
    /// The rules in a file, and what is wrong with single lines; or why none of them can be used.
    pub(crate) fn parse(bytes: &[u8]) -> Result<(RuleSet, Option<String>), String> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let mut patterns = Vec::new();
        let mut mistake = None;
        for (number, line) in (1..).zip(bytes.split(|b| *b == b'\n')) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.len() > MAX_LINE {
                return Err(format!("line {number} has {} bytes, more than the limit of {MAX_LINE}", line.len()));
            }
            let Some(pattern) = Pattern::parse(line) else { continue };
            if patterns.len() == MAX_PATTERNS {
                return Err(format!("more than the limit of {MAX_PATTERNS} patterns"));
            }
            if pattern.is_mistake() && mistake.is_none() {
                mistake =
                    Some(format!("line {number} matches nothing: close its bracket, or escape what is meant as it is"));
            }
            patterns.push(pattern);
        }
        Ok((RuleSet(patterns), mistake))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the last pattern that matches leaves the subject out; none where no pattern matches.
    pub(crate) fn leaves_out(&self, subject: Subject) -> Option<bool> {
        let mut patterns = self.0.iter().rev().take_while(|_| !subject.budget.is_spent());
        let last = patterns.find(|pattern| pattern.matches(subject))?;
        Some(!last.is_negated)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE, MAX_PATTERNS, RuleSet};
    use crate::build::rules::pattern::{Budget, Subject};

    #[test]
    fn the_last_line_that_matches_decides() {
        let check = |text: &str, name: &str, expect: Option<bool>| {
            let (rules, _) = RuleSet::parse(text.as_bytes()).expect("rules");
            let budget = Budget::default();
            let subject = Subject { path: name.as_bytes(), name: name.as_bytes(), is_folder: false, budget: &budget };
            assert_eq!(rules.leaves_out(subject), expect, "{text:?} {name}");
        };
        check("*.py\n!a.py\n", "a.py", Some(false));
        check("!a.py\n*.py\n", "a.py", Some(true));
        check("*.py\r\n!a.py\r\n", "a.py", Some(false));
        check("*.py\r", "a.py", Some(true));
        check("\u{feff}*.py", "a.py", Some(true));
        check("# *.py\n\n", "a.py", None);
    }

    #[test]
    fn files_beyond_a_limit_are_refused_whole() {
        let check = |text: String, expect: Result<(), &str>| {
            let parsed = RuleSet::parse(text.as_bytes()).map(|_| ());
            assert_eq!(parsed, expect.map_err(str::to_owned));
        };
        check("a\n".repeat(MAX_PATTERNS), Ok(()));
        check("a\n".repeat(MAX_PATTERNS + 1), Err("more than the limit of 10000 patterns"));
        check("#\n".repeat(MAX_PATTERNS + 1), Ok(()));
        check("a".repeat(MAX_LINE), Ok(()));
        check(format!("b\n{}", "a".repeat(MAX_LINE + 1)), Err("line 2 has 4097 bytes, more than the limit of 4096"));
    }

    #[test]
    fn a_line_that_matches_nothing_is_named() {
        let (rules, mistake) = RuleSet::parse(b"a\nb[\nc\\\n").expect("rules");
        assert!(mistake.is_some_and(|mistake| mistake.starts_with("line 2 ")));
        assert!(!rules.is_empty());
    }
}
