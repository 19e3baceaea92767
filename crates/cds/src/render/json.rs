//! JSON: the response as it is.

use serde::Serialize;

/// One object on one line.
pub(crate) fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("responses are plain data") + "\n"
}

/// One object a line.
pub(crate) fn lines(values: &[impl Serialize]) -> String {
    values.iter().map(line).collect()
}
