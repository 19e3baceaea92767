//! What Python's `str` methods do where Rust's of the same name do something else.

use std::sync::LazyLock;

use regex::Regex;

/// Runs of what Python's `\w` matches: letters, numbers of any kind and `_`. Rust's `\w` and `is_alphanumeric` take marks as well.
static WORDS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[\p{L}\p{N}_]+").expect("the pattern is constant"));

/// Calls `each` with every run of word characters, as `re.findall(r"\b\w+\b", text)` has them.
pub(crate) fn each_word<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    if !text.is_ascii() {
        return WORDS.find_iter(text).for_each(|found| each(found.as_str()));
    }
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        while is_word(at) {
            at += 1;
        }
        if at > start {
            each(&text[start..at]);
        }
        at += 1;
    }
}

/// Whether `str.strip()` removes it: the separators U+001C to U+001F are blanks to Python only.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// `text.strip()`.
pub(crate) fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// The last of `text.split()`.
pub(crate) fn last_piece(text: &str) -> Option<&str> {
    text.split(is_space).rfind(|piece| !piece.is_empty())
}

/// `text[n:]`, counted in characters.
pub(crate) fn after(text: &str, n: usize) -> &str {
    text.char_indices().nth(n).map_or("", |(at, _)| &text[at..])
}

/// `items[:end]`, where a negative end counts from the back.
pub(crate) fn upto(len: usize, end: i64) -> usize {
    if end < 0 { len.saturating_sub(end.unsigned_abs() as usize) } else { len.min(end as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_letters_numbers_and_underscores() {
        let check = |text: &str, expected: &[&str]| {
            let mut words = Vec::new();
            each_word(text, |word| words.push(word));
            assert_eq!(words, expected, "{text:?}");
        };
        check("a.b_c(3.14)", &["a", "b_c", "3", "14"]);
        check("naïve 日本語 x²", &["naïve", "日本語", "x²"]);
        check("i\u{307}x", &["i", "x"]);
        check("", &[]);
    }

    #[test]
    fn blanks_are_pythons() {
        assert_eq!(strip("\u{1c} a\u{3000}"), "a");
        assert_eq!(last_piece("class  A.b "), Some("A.b"));
        assert_eq!(after("Classé!", 6), "!");
        assert_eq!((upto(5, -2), upto(5, 9), upto(5, -9)), (3, 5, 0));
    }
}
