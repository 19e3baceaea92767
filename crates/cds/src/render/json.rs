//! JSON: the response as it is.

use serde::Serialize;

use crate::output::Printable;

/// One object on one line.
pub(crate) fn line(value: &impl Serialize) -> Printable {
    Printable::json(value)
}

/// One object a line.
pub(crate) fn lines(values: &[impl Serialize]) -> Printable {
    values.iter().map(line).collect()
}
