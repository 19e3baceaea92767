//! Makes untrusted text safe to show. Names, paths, code and messages come from repositories that anybody may have
//! written; characters that act on a terminal or hide what a reader sees are replaced by visible escapes.
//!
//! | character | shown as |
//! |---|---|
//! | line break | `\n`, kept by [`sanitize_text`] |
//! | carriage return | `\r`; [`sanitize_text`] drops the one of a CRLF line end |
//! | tab | kept |
//! | other C0 controls, DEL | `\x1b` |
//! | C1 controls, bidirectional controls, zero-width characters, tags and other invisible characters | `\u{202e}` |
//! | U+FE0F (emoji style) directly after a symbol | kept |
//!
//! A backslash is not escaped, so the result is for readers and not for parsing: exact text is in JSON, where
//! [`sanitize_json`] writes the same characters as `\u` escapes of the string. Text without such characters is returned as it is.

use std::borrow::Cow;
use std::fmt::{self, Write};

/// Code points that are shown as nothing, or that reorder their neighbours, as sorted inclusive ranges: Unicode's
/// `Default_Ignorable_Code_Point`, the line and paragraph separators, the bidirectional controls and the interlinear annotations.
const INVISIBLE: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Asks for the coloured form of the symbol before it, as in most emoji of prose.
const EMOJI_STYLE: char = '\u{fe0f}';

/// Whether a character is a control character, invisible, or reorders its neighbours.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

/// Text of several lines: line breaks stay.
pub fn sanitize_text(text: &str) -> Cow<'_, str> {
    replace(text, &Rules { suspects: &SUSPECTS_IN_TEXT, keeps_breaks: true, escape })
}

/// A name, a path or a line of code: the result is one line.
pub fn sanitize_line(text: &str) -> Cow<'_, str> {
    replace(text, &Rules { suspects: &SUSPECTS_IN_LINE, keeps_breaks: false, escape })
}

/// JSON text: the result has no such characters and parses to the same value.
pub fn sanitize_json(json: &str) -> Cow<'_, str> {
    replace(json, &Rules { suspects: &SUSPECTS_IN_TEXT, keeps_breaks: true, escape: escape_json })
}

/// Appends what is written to a string, each piece sanitised by [`sanitize_line`].
pub struct Sanitizer<'a>(pub &'a mut String);

impl Write for Sanitizer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.push_str(&sanitize_line(text));
        Ok(())
    }
}

struct Rules {
    /// Bytes that may begin a character to escape.
    suspects: &'static [bool; 256],
    keeps_breaks: bool,
    escape: fn(&mut String, char),
}

fn replace<'a>(text: &'a str, rules: &Rules) -> Cow<'a, str> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(skipped) = bytes[at..].iter().position(|byte| rules.suspects[usize::from(*byte)]) {
        let start = at + skipped;
        let c = text[start..].chars().next().expect("only first bytes of characters are suspects");
        at = start + c.len_utf8();
        if !is_hidden(c) || (c == EMOJI_STYLE && text[..start].ends_with(is_symbol)) {
            continue;
        }
        out.push_str(&text[copied..start]);
        copied = at;
        let ends_line = c == '\r' && rules.keeps_breaks && bytes.get(at) == Some(&b'\n');
        if !ends_line {
            (rules.escape)(&mut out, c);
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

fn is_symbol(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric() && !is_hidden(c)
}

fn escape(out: &mut String, c: char) {
    let _ = match c {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        c if c.is_ascii() => write!(out, "\\x{:02x}", u32::from(c)),
        c => write!(out, "\\u{{{:x}}}", u32::from(c)),
    };
}

fn escape_json(out: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

static SUSPECTS_IN_LINE: [bool; 256] = suspects(false);
static SUSPECTS_IN_TEXT: [bool; 256] = suspects(true);

const fn suspects(keeps_breaks: bool) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = byte != b'\t' as usize && !(keeps_breaks && byte == b'\n' as usize);
        byte += 1;
    }
    table[0x7f] = true;
    // C1 controls.
    table[0xc2] = true;
    let mut row = 0;
    while row < INVISIBLE.len() {
        let mut lead = first_byte(INVISIBLE[row].0);
        while lead <= first_byte(INVISIBLE[row].1) {
            table[lead] = true;
            lead += 1;
        }
        row += 1;
    }
    table
}

/// The first byte of a character in UTF-8.
const fn first_byte(c: char) -> usize {
    let c = c as usize;
    match c {
        0..0x80 => c,
        0x80..0x800 => 0xc0 | c >> 6,
        0x800..0x1_0000 => 0xe0 | c >> 12,
        _ => 0xf0 | c >> 18,
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::fmt::Write;

    use proptest::prelude::*;

    use super::{INVISIBLE, Sanitizer, is_hidden, is_symbol, sanitize_json, sanitize_line, sanitize_text};

    #[test]
    fn the_table_is_sorted() {
        assert!(INVISIBLE.iter().all(|(first, last)| first <= last));
        assert!(INVISIBLE.is_sorted_by(|a, b| a.1 < b.0));
    }

    #[test]
    fn hidden_characters_are_escaped() {
        let check = |text: &str, expect: &str| {
            assert_eq!(sanitize_text(text), expect, "{text:?}");
            assert_eq!(sanitize_line(text), expect, "{text:?}");
        };
        // Clipboard, title, clear screen, colour, conceal, a bell, backspaces.
        check("a\x1b]52;c;aGk=\x07b", "a\\x1b]52;c;aGk=\\x07b");
        check("\x1b]0;title\x1b\\", "\\x1b]0;title\\x1b\\");
        check("\x1b[2J\x1b[H", "\\x1b[2J\\x1b[H");
        check("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m");
        check("rm\x08\x08ls", "rm\\x08\\x08ls");
        check("\0\x01\x0b\x0c\x1f\x7f", "\\x00\\x01\\x0b\\x0c\\x1f\\x7f");
        // C1: CSI, OSC, next line.
        check("\u{9b}2J\u{9d}0;t\u{9c}\u{85}\u{80}\u{9f}", "\\u{9b}2J\\u{9d}0;t\\u{9c}\\u{85}\\u{80}\\u{9f}");
        check("\u{202a}\u{202e}\u{2066}\u{2069}", "\\u{202a}\\u{202e}\\u{2066}\\u{2069}");
        check("\u{200e}\u{200f}\u{61c}", "\\u{200e}\\u{200f}\\u{61c}");
        check("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c");
        check("a\u{200b}\u{200c}\u{200d}\u{2060}b", "a\\u{200b}\\u{200c}\\u{200d}\\u{2060}b");
        check("\u{feff}bom", "\\u{feff}bom");
        check("\u{e0001}\u{e0041}\u{e007f}\u{e01ef}", "\\u{e0001}\\u{e0041}\\u{e007f}\\u{e01ef}");
        check("a\u{ad}b\u{34f}\u{115f}\u{3164}\u{ffa0}", "a\\u{ad}b\\u{34f}\\u{115f}\\u{3164}\\u{ffa0}");
        check("\u{fff9}a\u{fffa}b\u{fffb}", "\\u{fff9}a\\u{fffa}b\\u{fffb}");
        // An overwritten line.
        check("safe\rgone", "safe\\rgone");
        check("end\r", "end\\r");
        check("x\u{fe0f}", "x\\u{fe0f}");
        check("\u{fe0f}", "\\u{fe0f}");
        check("⚠\u{fe0f}\u{fe0f}", "⚠\u{fe0f}\\u{fe0f}");
        check("é\u{fe0f}", "é\\u{fe0f}");
    }

    #[test]
    fn what_can_be_seen_is_returned_as_it_is() {
        let check = |text: &str| {
            assert!(matches!(sanitize_text(text), Cow::Borrowed(same) if same == text), "{text:?}");
            assert!(matches!(sanitize_line(text), Cow::Borrowed(same) if same == text), "{text:?}");
            assert!(matches!(sanitize_json(text), Cow::Borrowed(same) if same == text), "{text:?}");
        };
        check("");
        check("fn main() { \"\\x1b[0m\\n\" }");
        check("\tindented\t");
        check("Grüße, 日本語 ひらがな 한국어 ไทย हिन्दी עברית العربية");
        check("— “quotes” … → └─ ×½ \u{a0}\u{3000}");
        check("🎉 ⚠\u{fe0f} ❤\u{fe0f} 👍🏽 \u{fffd}");
        check("e\u{301} \u{e000} \u{10ffff}");
    }

    #[test]
    fn line_breaks_are_layout_in_text_only() {
        let check = |text: &str, in_text: &str, in_line: &str| {
            assert_eq!(sanitize_text(text), in_text, "{text:?}");
            assert_eq!(sanitize_line(text), in_line, "{text:?}");
        };
        check("a\nb", "a\nb", "a\\nb");
        check("a\r\nb\r\n", "a\nb\n", "a\\r\\nb\\r\\n");
        check("a\r\rb\r\r\n", "a\\r\\rb\\r\n", "a\\r\\rb\\r\\r\\n");
        check("\r\n", "\n", "\\r\\n");
    }

    #[test]
    fn a_writer_sanitises_content_and_format_alike() {
        let mut out = String::from("> ");
        let (name, escape) = ("a\nb", '\x1b');
        write!(Sanitizer(&mut out), "{name}\n{:>3}\t{escape}", 7).unwrap();
        assert_eq!(out, "> a\\nb\\n  7\t\\x1b");
    }

    /// Any text, with hidden characters more often than chance has them.
    fn hostile() -> impl Strategy<Value = String> {
        let hidden = prop::sample::select(vec![
            '\0',
            '\x07',
            '\x1b',
            '\r',
            '\n',
            '\t',
            '\x7f',
            '\u{85}',
            '\u{9b}',
            '\u{ad}',
            '\u{202e}',
            '\u{2028}',
            '\u{200d}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{e0041}',
            '⚠',
            '`',
            '"',
            '\\',
        ]);
        prop::collection::vec(prop_oneof![any::<char>(), hidden, prop::char::range(' ', '~')], 0..60)
            .prop_map(|chars| chars.into_iter().collect())
    }

    /// Whether every character may be shown.
    fn is_clean(text: &str, keeps_breaks: bool) -> bool {
        text.char_indices().all(|(at, c)| match c {
            '\t' => true,
            '\n' => keeps_breaks,
            '\u{fe0f}' => text[..at].ends_with(is_symbol),
            c => !is_hidden(c),
        })
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left(text in hostile()) {
            let (in_text, in_line) = (sanitize_text(&text), sanitize_line(&text));
            prop_assert!(is_clean(&in_text, true) && is_clean(&in_line, false));
            prop_assert_eq!(matches!(in_text, Cow::Borrowed(_)), is_clean(&text, true));
            prop_assert_eq!(matches!(in_line, Cow::Borrowed(_)), is_clean(&text, false));
            prop_assert_eq!(sanitize_text(&in_text), in_text.as_ref());
        }

        #[test]
        fn json_means_the_same(text in hostile()) {
            let json = serde_json::to_string(&[&text]).unwrap();
            let clean = sanitize_json(&json);
            prop_assert!(is_clean(&clean, false));
            prop_assert_eq!(serde_json::from_str::<[String; 1]>(&clean).unwrap(), [text]);
        }
    }
}
