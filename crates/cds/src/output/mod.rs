//! The one way to standard output and standard error. Only [`Printable`] can be printed, and each way to make one
//! takes care of characters that act on a terminal; `clippy.toml` forbids the streams elsewhere in this crate.

mod text;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use cds_engine::{Error, ErrorKind, sanitize_json, sanitize_text};
use serde::Serialize;

use crate::commands::Stop;
pub(crate) use text::TextOutput;

/// Text that may go to a terminal. See docs/output.md, "Control characters".
#[derive(Default)]
pub(crate) struct Printable(String);

impl Printable {
    /// Lines of plain text.
    pub(crate) fn text(text: String) -> Printable {
        Printable(sanitized(text, sanitize_text))
    }

    /// A value on one line, exact for whoever parses it.
    pub(crate) fn json(value: &impl Serialize) -> Printable {
        let json = serde_json::to_string(value).expect("responses are plain data");
        Printable(sanitized(json, sanitize_json) + "\n")
    }

    /// The same, indented.
    pub(crate) fn pretty_json(value: &serde_json::Value) -> Printable {
        Printable(sanitized(format!("{value:#}"), sanitize_json) + "\n")
    }

    /// Text whose bytes another program defines: sanitised on a terminal only.
    pub(crate) fn compatible(text: String) -> Printable {
        if stdout_is_terminal() { Printable::text(text) } else { Printable(text) }
    }

    pub(crate) fn push(&mut self, other: &Printable) {
        self.0.push_str(&other.0);
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The same text where there is nothing to escape, so that a large answer is not copied.
fn sanitized(text: String, sanitize: fn(&str) -> Cow<'_, str>) -> String {
    let changed = match sanitize(&text) {
        Cow::Owned(changed) => Some(changed),
        Cow::Borrowed(_) => None,
    };
    changed.unwrap_or(text)
}

impl FromIterator<Printable> for Printable {
    fn from_iter<I: IntoIterator<Item = Printable>>(parts: I) -> Printable {
        Printable(parts.into_iter().map(|part| part.0).collect())
    }
}

/// Prints to stdout; a reader that went away ends the command without an error.
#[allow(clippy::disallowed_methods)]
pub(crate) fn print(text: &Printable) -> Result<(), Stop> {
    let mut out = std::io::stdout().lock();
    let result = out.write_all(text.0.as_bytes()).and_then(|()| out.flush());
    match result {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Err(Stop::ClosedPipe),
        Err(e) => Err(Stop::Error(Error { kind: ErrorKind::Io, message: format!("standard output: {e}") })),
    }
}

/// Says something to the person, not to the pipe; once, though an answer may repeat what was said while it was looked for.
pub(crate) fn note(text: &str) {
    static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned()) {
        say(&format!("cds: {text}"));
    }
}

/// Writes a message to stderr. Lines after the first are indented, so that a line break in a file name cannot begin
/// another message.
pub(crate) fn say(message: &str) {
    write_message(&format!("{}\n", indented(message)));
}

/// Writes a question to stderr; the answer is typed on the same line.
pub(crate) fn prompt(question: &str) {
    write_message(&format!("{} [y/N] ", indented(question)));
}

/// Writes a JSON object to stderr.
pub(crate) fn log(line: &serde_json::Value) {
    write_message(Printable::json(line).as_str());
}

fn indented(message: &str) -> String {
    sanitize_text(message.trim_end()).replace('\n', "\n  ")
}

/// A stream that is gone is no reason to stop.
#[allow(clippy::disallowed_methods)]
fn write_message(clean: &str) {
    let _ = std::io::stderr().write_all(clean.as_bytes());
}

#[allow(clippy::disallowed_methods)]
pub(crate) fn stdout_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

#[allow(clippy::disallowed_methods)]
pub(crate) fn stderr_is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Printable, indented};

    #[test]
    fn messages_begin_one_line() {
        let check = |message: &str, expect: &str| assert_eq!(indented(message), expect);
        check("cds: plain", "cds: plain");
        check("cds: a\x1b[2J\ncds: forged\r\nand more\n\n", "cds: a\\x1b[2J\n  cds: forged\n  and more");
        check("cds: \u{9d}0;title\u{9c}", "cds: \\u{9d}0;title\\u{9c}");
    }

    #[test]
    fn json_is_exact_and_clean() {
        let value = json!({ "a\u{202e}": "\x1b\u{9b}\u{e0041}\n\r\t ⚠\u{fe0f}" });
        for printed in [Printable::json(&value), Printable::pretty_json(&value)] {
            assert_eq!(serde_json::from_str::<serde_json::Value>(printed.as_str()).unwrap(), value);
            assert!(!printed.as_str().chars().any(|c| cds_engine::is_hidden(c) && c != '\n' && c != '\u{fe0f}'));
        }
        assert_eq!(Printable::json(&"\u{9b}\u{e0041}").as_str(), "\"\\u009b\\udb40\\udc41\"\n");
    }
}
