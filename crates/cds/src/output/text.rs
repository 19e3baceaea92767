//! Text with colours. What is written is content and sanitised as such, line breaks too; line ends and colours are calls
//! of their own, so that nothing in content can pass for either.

use std::fmt::{self, Display, Write};

use cds_engine::{Registry, Sanitizer};

use super::Printable;
use crate::render::paint::{Lexer, RESET, Style};

/// Builds a [`Printable`] line by line. Without languages it uses no colour.
pub(crate) struct TextOutput<'a> {
    text: String,
    languages: Option<&'a Registry>,
}

impl TextOutput<'_> {
    pub(crate) fn new(languages: Option<&Registry>) -> TextOutput<'_> {
        TextOutput { text: String::new(), languages }
    }

    pub(crate) fn plain() -> TextOutput<'static> {
        TextOutput::new(None)
    }

    pub(crate) fn finish(self) -> Printable {
        Printable(self.text)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Makes `write!` work, and infallible. `writeln!` would show an escaped line break: [`TextOutput::line`] ends a line.
    pub(crate) fn write_fmt(&mut self, content: fmt::Arguments) {
        let _ = Sanitizer(&mut self.text).write_fmt(content);
    }

    /// Content and the end of its line.
    pub(crate) fn line(&mut self, content: fmt::Arguments) {
        self.write_fmt(content);
        self.end();
    }

    /// Ends a line.
    pub(crate) fn end(&mut self) {
        self.text.push('\n');
    }

    /// Content in a colour.
    pub(crate) fn styled(&mut self, style: Style, content: impl Display) {
        if self.languages.is_none() || style == Style::Plain {
            return write!(self, "{content}");
        }
        let start = self.text.len();
        self.text.push_str(style.code());
        let before = self.text.len();
        write!(self, "{content}");
        if self.text.len() == before {
            self.text.truncate(start);
        } else {
            self.text.push_str(RESET);
        }
    }

    /// A line of code with matches (character columns) on top of its colours.
    pub(crate) fn code(&mut self, line: &str, lexer: &mut Lexer, matches: &[(u32, u32)]) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if self.languages.is_none() {
            return write!(self, "{line}");
        }
        let mut styles = lexer.styles(line);
        for &(from, to) in matches {
            for style in styles.iter_mut().take(to as usize).skip(from as usize) {
                *style = Style::Match;
            }
        }
        let mut run = 0;
        let mut last = Style::Plain;
        for ((at, _), style) in line.char_indices().zip(styles) {
            if style != last {
                self.styled(last, &line[run..at]);
                (run, last) = (at, style);
            }
        }
        self.styled(last, &line[run..]);
    }

    /// A lexer for a language, fresh for each snippet.
    pub(crate) fn lexer(&self, language: &str) -> Lexer {
        Lexer::new(self.languages.and_then(|languages| languages.by_name(language)))
    }

    /// The same by the path of a file.
    pub(crate) fn lexer_for(&self, path: &str) -> Lexer {
        self.lexer(self.languages.map_or("", |languages| languages.detect(path, "").shown()))
    }
}

#[cfg(test)]
mod tests {
    use cds_engine::Registry;

    use super::TextOutput;
    use crate::render::paint::Style;

    #[test]
    fn content_cannot_pass_for_layout_or_colour() {
        let check = |languages: Option<&Registry>, expect: &str| {
            let mut out = TextOutput::new(languages);
            out.styled(Style::Path, "a\nb\x1b[8m");
            out.styled(Style::Dim, "");
            out.line(format_args!(" {}", "\u{202e}x\r"));
            assert_eq!(out.finish().as_str(), expect);
        };
        check(None, "a\\nb\\x1b[8m \\u{202e}x\\r\n");
        check(Some(Registry::builtin()), "\x1b[35ma\\nb\\x1b[8m\x1b[0m \\u{202e}x\\r\n");
    }

    #[test]
    fn matches_mark_the_characters_of_the_source() {
        let check = |line: &str, matches: &[(u32, u32)], expect: &str| {
            let mut out = TextOutput::new(Some(Registry::builtin()));
            let mut lexer = out.lexer("rust");
            out.code(line, &mut lexer, matches);
            assert_eq!(out.finish().as_str(), expect);
        };
        check("a = b", &[(4, 5)], "a = \x1b[1;31mb\x1b[0m");
        check("\x1b\u{202e} = b\r", &[(5, 6)], "\\x1b\\u{202e} = \x1b[1;31mb\x1b[0m");
        check("a\x07b", &[(1, 2)], "a\x1b[1;31m\\x07\x1b[0mb");
        check("fn f", &[], "\x1b[34mfn\x1b[0m f");
    }
}
