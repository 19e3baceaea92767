//! Words that say little, in queries about code.

/// Words that carry no meaning of their own: dropped from queries unless nothing else is left.
#[rustfmt::skip]
const STOP: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by", "can", "could",
    "did", "do", "does", "done", "each", "for", "from", "get", "gets", "had", "has", "have", "how", "i", "if", "in", "into", "is",
    "it", "its", "let", "me", "my", "no", "not", "of", "on", "or", "our", "out", "over", "should", "so", "some", "such",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "through", "to",
    "up", "us", "used", "using", "via", "was", "we", "were", "what", "when", "where", "which", "while", "who",
    "whose", "why", "will", "with", "would", "you", "your",
    // What people say of any code.
    "code", "find", "show", "please", "look", "locate",
];

/// Words that fit almost any code: kept, but they weigh less.
#[rustfmt::skip]
const GENERIC: &[&str] = &[
    "apply", "applied", "class", "classes", "define", "defined", "defines", "file", "files", "function", "functions",
    "handle", "handled", "handles", "handling", "helper", "helpers", "implement", "implementation", "implemented", "implements", "internals",
    "logic", "manage", "managed", "manages", "method", "methods", "perform", "performed", "process", "provide", "provided", "provides",
    "support", "supported", "supports", "type", "types", "utilities", "utility", "work", "works", "working", "module", "struct",
];

/// What people say in reports whatever the matter: dropped from them.
#[rustfmt::skip]
const TALK: &[&str] = &[
    "able", "above", "actual", "actually", "add", "added", "adding", "after", "again", "allow", "allowed", "allows", "already", "also", "although",
    "always", "another", "anyone", "anything", "appears", "around", "attached", "because", "before", "behave", "behavior", "behaviour", "below",
    "best", "better", "between", "both", "break", "breaks", "broken", "bug", "bugs", "call", "called", "calling", "calls", "cannot", "case",
    "cases", "cause", "caused", "causes", "change", "changed", "changes", "consider", "correct", "correctly", "couldn", "current", "currently",
    "def", "description", "didn", "different", "doesn", "doing", "don", "due", "during", "either", "else", "error", "errors", "etc", "even",
    "ever", "every", "everything", "exactly", "example", "examples", "expect", "expected", "expecting", "expects", "explicitly", "fail", "failed",
    "failing", "fails", "false", "feature", "few", "first", "fix", "fixed", "fixes", "following", "follows", "found", "full", "give", "given",
    "gives", "go", "going", "good", "got", "hand", "happen", "happened", "happens", "having", "hello", "help", "here", "hi", "however",
    "idea", "import", "incorrect", "incorrectly", "instead", "isn", "issue", "issues", "itself", "just", "keep", "kind", "know", "last", "least",
    "less", "like", "line", "lines", "little", "ll", "long", "looking", "looks", "lot", "made", "main", "make", "makes", "making", "many",
    "may", "maybe", "mean", "means", "might", "more", "most", "much", "must", "need", "needed", "needs", "never", "new", "next", "none",
    "note", "nothing", "now", "occurs", "ok", "old", "once", "one", "only", "other", "others", "otherwise", "own", "part", "patch", "perhaps",
    "possible", "possibly", "pr", "probably", "problem", "problems", "produces", "properly", "put", "quite", "raise", "raised", "raises", "rather",
    "re", "really", "reason", "regression", "related", "report", "reported", "reproduce", "request", "result", "results", "return", "returned",
    "returning", "returns", "right", "run", "running", "runs", "said", "same", "say", "says", "see", "seem", "seems", "seen", "self", "set",
    "shown", "shows", "similar", "simple", "simply", "since", "solution", "something", "still", "sure", "take", "takes", "thanks", "thing",
    "things", "think", "ticket", "time", "traceback", "tried", "tries", "true", "try", "trying", "two", "unexpected", "until", "use", "user",
    "users", "uses", "usually", "ve", "version", "versions", "very", "want", "wants", "wasn", "way", "ways", "well", "whether", "within",
    "without", "won", "wouldn", "wrong", "yes", "yet",
];

/// Headings of the forms that reports are written into, lower case.
pub(crate) const HEADINGS: &[&str] = &[
    "additional context",
    "actual behavior",
    "actual result",
    "actual results",
    "bug description",
    "description",
    "describe the bug",
    "environment",
    "environment info",
    "expected behavior",
    "expected result",
    "expected results",
    "how to reproduce",
    "os",
    "python version",
    "reproduction steps",
    "sphinx version",
    "steps to reproduce",
    "steps/code to reproduce",
    "summary",
    "system information",
    "to reproduce",
    "versions",
    "what problem does this solve",
];

/// Whether a word says little in a report.
pub(crate) fn is_talk(word: &str) -> bool {
    TALK.binary_search(&word).is_ok() || GENERIC.contains(&word)
}

pub(crate) fn is_stop(word: &str) -> bool {
    STOP.contains(&word)
}

pub(crate) fn is_generic(word: &str) -> bool {
    GENERIC.contains(&word)
}

/// Whether a capital follows a small letter, as in names of code: `readFile`.
pub(crate) fn has_inner_capital(word: &str) -> bool {
    word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase())
}

/// Whether a word opens a question.
pub(crate) fn asks(word: &str) -> bool {
    matches!(word, "how" | "what" | "where" | "which" | "why" | "when" | "who")
}

/// Whether a query asks for tests: then they are not ranked down.
pub(crate) fn asks_for_tests(word: &str) -> bool {
    matches!(word, "test" | "tests" | "testing" | "spec" | "specs" | "fixture" | "fixtures" | "mock" | "mocks")
}

#[cfg(test)]
mod tests {
    use super::{GENERIC, STOP, TALK, asks_for_tests, is_generic, is_stop};

    #[test]
    fn a_word_is_in_one_list_once_and_lower_case() {
        let all: Vec<&str> = STOP.iter().chain(GENERIC).copied().collect();
        for (i, word) in all.iter().enumerate() {
            assert!(word.bytes().all(|b| b.is_ascii_lowercase()), "{word}");
            assert!(!all[..i].contains(word), "{word} stands twice");
            assert!(!asks_for_tests(word), "{word} asks for tests and must count");
        }
    }

    #[test]
    fn talk_is_in_order() {
        assert!(TALK.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn words_are_judged() {
        let check = |word: &str, stop: bool, generic: bool, tests: bool| {
            assert_eq!((is_stop(word), is_generic(word), asks_for_tests(word)), (stop, generic, tests), "{word}");
        };
        check("the", true, false, false);
        check("find", true, false, false);
        check("handles", false, true, false);
        check("tests", false, false, true);
        check("fixture", false, false, true);
        check("parser", false, false, false);
        check("The", false, false, false);
    }
}
