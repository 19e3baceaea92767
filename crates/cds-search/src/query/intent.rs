//! What a question is after, judged by how it is asked.

use super::QueryKind;

/// What the asker wants to do with the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// Go there.
    Navigational,
    /// Know what something is or does.
    Factual,
    /// Learn how something works.
    Exploratory,
    /// Learn why, or what follows from it.
    Analytical,
}

impl Intent {
    /// The word used in every door.
    pub fn name(self) -> &'static str {
        match self {
            Intent::Navigational => "navigational",
            Intent::Factual => "factual",
            Intent::Exploratory => "exploratory",
            Intent::Analytical => "analytical",
        }
    }
}

/// How questions begin, longer ones before those that begin them.
#[rustfmt::skip]
const OPENINGS: &[(&str, Intent)] = &[
    ("what would break",  Intent::Analytical),
    ("what happens if",   Intent::Analytical),
    ("what breaks",       Intent::Analytical),
    ("why",               Intent::Analytical),
    ("compare",           Intent::Analytical),
    ("difference",        Intent::Analytical),
    ("impact",            Intent::Analytical),
    ("what calls",        Intent::Factual),
    ("what",              Intent::Factual),
    ("which",             Intent::Factual),
    ("who",               Intent::Factual),
    ("is ",               Intent::Factual),
    ("are ",              Intent::Factual),
    ("does ",             Intent::Factual),
    ("can ",              Intent::Factual),
    ("how many",          Intent::Factual),
    ("how",               Intent::Exploratory),
    ("explain",           Intent::Exploratory),
    ("describe",          Intent::Exploratory),
    ("overview",          Intent::Exploratory),
    ("understand",        Intent::Exploratory),
    ("find",              Intent::Navigational),
    ("where",             Intent::Navigational),
    ("locate",            Intent::Navigational),
    ("show",              Intent::Navigational),
    ("go to",             Intent::Navigational),
    ("open",              Intent::Navigational),
    ("list",              Intent::Navigational),
    ("implementations of",Intent::Navigational),
    ("callers of",        Intent::Navigational),
];

/// The intent, and how sure it is, from 0 to 1.
pub(crate) fn intent(text: &str, kind: QueryKind, is_report: bool) -> (Intent, f32) {
    if is_report {
        return (Intent::Analytical, 0.7);
    }
    if matches!(kind, QueryKind::Symbol | QueryKind::Path | QueryKind::Regex) {
        return (Intent::Navigational, 0.95);
    }
    let lower = text.trim_start().to_lowercase();
    let begins = |opening: &str| {
        lower
            .strip_prefix(opening)
            .is_some_and(|rest| opening.ends_with(' ') || !rest.starts_with(char::is_alphanumeric))
    };
    match OPENINGS.iter().find(|(opening, _)| begins(opening)) {
        Some((_, intent)) => (*intent, 0.9),
        // Names without a question are looked for; words without one are about a subject.
        None if kind == QueryKind::Mixed => (Intent::Navigational, 0.6),
        None => (Intent::Exploratory, 0.5),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn questions_have_an_intent() {
        let check = |text: &str, expect: &str| assert_eq!(parse(text).intent.name(), expect, "{text:?}");
        check("find authentication handler in golang", "navigational");
        check("what does ParseQuery do", "factual");
        check("how does authentication work", "exploratory");
        check("why does login call validate", "analytical");
        check("what would break if Store changed", "analytical");
        check("ParseQuery", "navigational");
        check("src/login.py:42", "navigational");
        check("retry with backoff", "exploratory");
        check("callers of login()", "navigational");
        check("showcase of colours", "exploratory");
        check("How many retries are there", "factual");
    }
}
