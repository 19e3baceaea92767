//! What is a block called that has no name of its own?

/// So many characters of a block's first line make its name.
const MAX_NAME: usize = 25;

/// Phrases that make a comment stand for code left out.
const PLACEHOLDERS: [&str; 3] = ["existing code", "other code", "rest of the code"];

/// Writes the name that is made of a block's text: the beginning of its first line, runs of anything but word characters as `_`.
pub(crate) fn name_from_text(text: &str, name: &mut String) {
    name.clear();
    let line = text.split('\n').next().unwrap_or_default();
    let mut in_gap = false;
    for c in line.trim_matches(is_space).chars().take(MAX_NAME) {
        let is_word = is_word(c);
        if is_word {
            name.push(c);
        } else if !in_gap {
            name.push('_');
        }
        in_gap = !is_word;
    }
}

/// Whether a comment stands for code left out.
pub(crate) fn is_placeholder(comment: &str) -> bool {
    comment.starts_with("# ...") || PLACEHOLDERS.iter().any(|phrase| contains_ignoring_case(comment, phrase))
}

/// Whether a text contains a lower-case phrase, whatever the case.
pub(crate) fn contains_ignoring_case(text: &str, phrase: &str) -> bool {
    let phrase = phrase.as_bytes();
    let first = phrase.first().copied().unwrap_or_default();
    // Nearly all windows differ in the first byte already, letters in either case but for one bit.
    text.as_bytes()
        .windows(phrase.len().max(1))
        .any(|window| window[0] | 0x20 == first && window.eq_ignore_ascii_case(phrase))
}

/// Python's idea of space: beside Unicode's, the four separators of ASCII.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// Python's idea of a word character: letters, numbers and `_`, but no marks.
fn is_word(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() || c == '_' } else { c.is_alphanumeric() && !is_alphabetic_mark(c) }
}

/// Marks and circled letters that Unicode calls alphabetic and Python does not.
fn is_alphabetic_mark(c: char) -> bool {
    thread_local! {
        static LETTER: regex::Regex = regex::Regex::new(r"\A[\p{L}\p{N}]\z").expect("a valid pattern");
    }
    LETTER.with(|letter| !letter.is_match(c.encode_utf8(&mut [0; 4])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (text, expect) in [
            ("return", "return"),
            (";", "_"),
            ("\"\"\"Doc of it.\nmore", "_Doc_of_it_"),
            ("if a:  # b", "if_a_b"),
            ("# naïve — é", "_naïve_é"),
            ("abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxy"),
        ] {
            let mut name = String::new();
            name_from_text(text, &mut name);
            assert_eq!(name, expect, "{text:?}");
        }
    }

    #[test]
    fn placeholders() {
        for (text, expect) in [("# ... more", true), ("# ..", false), ("# Any Other Code", true), ("# code", false)] {
            assert_eq!(is_placeholder(text), expect, "{text:?}");
        }
    }
}
