//! Options written as one text, as a shell would take them apart.

use cds_engine::{Error, ErrorKind, Result};

/// Words between spaces; quotes of both kinds hold words together, a backslash takes the next letter as it is.
pub fn split_options(text: &str) -> Result<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            // Nothing is special between single quotes.
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(letters.next()),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if let Some(quote) = quote {
        return Err(Error { kind: ErrorKind::Invalid, message: format!("{text:?}: a {quote} is never closed") });
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::split_options;

    #[test]
    fn options_are_split_as_a_shell_does() {
        let check = |text: &str, expect: &[&str]| assert_eq!(split_options(text).unwrap(), expect, "{text}");
        check("", &[]);
        check("  ", &[]);
        check("--preset bm25", &["--preset", "bm25"]);
        check("--path 'a b' --set x=1", &["--path", "a b", "--set", "x=1"]);
        check("--path=\"a 'b'\"", &["--path=a 'b'"]);
        check(r"a\ b 'c\d'", &["a b", r"c\d"]);
        check(r#""a\"b" ''"#, &["a\"b", ""]);
        let error = split_options("--path 'a").unwrap_err().to_string();
        assert_eq!(error, "\"--path 'a\": a ' is never closed");
    }
}
