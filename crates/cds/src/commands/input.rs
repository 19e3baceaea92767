//! Files that are named on the command line, and standard input: read as a whole, up to a limit.

use std::io::Read;
use std::path::Path;

use cds_engine::{Error, ErrorKind};

/// Maximum size of a plan of `cds combo` in bytes.
pub(super) const MAX_PLAN: usize = 1 << 20;
/// Maximum size of a set of questions of `cds eval` in bytes.
pub(super) const MAX_QUESTIONS: usize = 64 << 20;
/// Maximum size of a list of ids on standard input in bytes.
pub(super) const MAX_IDS: usize = 16 << 20;

/// The text of a file.
pub(super) fn file(path: &Path, limit: usize) -> Result<String, Error> {
    let shown = path.display().to_string();
    let file = std::fs::File::open(path).map_err(|e| io(&shown, &e))?;
    text(file, &shown, limit)
}

/// Standard input until its end.
pub(super) fn stdin(limit: usize) -> Result<String, Error> {
    text(std::io::stdin().lock(), "standard input", limit)
}

fn text(source: impl Read, shown: &str, limit: usize) -> Result<String, Error> {
    let mut text = String::new();
    source.take(limit as u64 + 1).read_to_string(&mut text).map_err(|e| io(shown, &e))?;
    if text.len() > limit {
        let message = format!("{shown}: larger than {limit} bytes, which is the limit: split it");
        return Err(Error { kind: ErrorKind::Invalid, message });
    }
    Ok(text)
}

fn io(shown: &str, error: &std::io::Error) -> Error {
    Error { kind: ErrorKind::Io, message: format!("{shown}: {error}") }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn as_much_is_read_as_may_be() {
        assert_eq!(text(&b"1234"[..], "x", 4).unwrap(), "1234");
        let error = text(std::io::repeat(b'a'), "x", 4).unwrap_err().message;
        assert_eq!(error, "x: larger than 4 bytes, which is the limit: split it");
    }
}
