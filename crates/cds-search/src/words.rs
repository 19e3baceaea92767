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

pub(crate) fn is_stop(word: &str) -> bool {
    STOP.contains(&word)
}

pub(crate) fn is_generic(word: &str) -> bool {
    GENERIC.contains(&word)
}

/// Whether a query asks for tests: then they are not ranked down.
pub(crate) fn asks_for_tests(word: &str) -> bool {
    matches!(word, "test" | "tests" | "testing" | "spec" | "specs" | "fixture" | "fixtures" | "mock" | "mocks")
}

#[cfg(test)]
mod tests {
    use super::{GENERIC, STOP, asks_for_tests, is_generic, is_stop};

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
