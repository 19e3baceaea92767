//! A settings file as a list of keys with their values and the line on which each key is written.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::config::ConfigError;

/// One line of a settings file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// `section.name`, or longer for nested tables.
    pub(crate) key: String,
    /// None for what is no single value: a list, a table, a time.
    pub(crate) value: Option<Scalar>,
    /// `file:line`
    pub(crate) place: String,
}

/// A value as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    /// In quotes.
    Text(String),
    /// A number or a switch.
    Other(String),
}

/// Every key of a file, in the order of its lines. Errors name the line and column and what is wrong, and never repeat the text: the file may
/// be a link to another one.
pub(crate) fn entries(path: &Path, text: &str) -> Result<Vec<Entry>, ConfigError> {
    let table = DeTable::parse(text).map_err(|e| {
        let (line, column) = position(text, e.span().map_or(0, |span| span.start));
        let message = format!("no valid TOML: {}", e.message().trim());
        ConfigError { place: format!("{}:{line}:{column}", path.display()), message }
    })?;
    let mut found = Vec::new();
    flatten(table.get_ref(), "", &mut found);
    found.sort_by_key(|(at, ..)| *at);
    let place = |at: usize| format!("{}:{}", path.display(), position(text, at).0);
    Ok(found.into_iter().map(|(at, key, value)| Entry { key, value, place: place(at) }).collect())
}

/// Lists the values of a table and of the tables in it with their position and dotted key. An empty table is listed as a key without a value.
fn flatten(table: &DeTable, prefix: &str, found: &mut Vec<(usize, String, Option<Scalar>)>) {
    for (name, value) in table {
        let key = format!("{prefix}{}", name.get_ref());
        match value.get_ref() {
            DeValue::Table(inner) if !inner.is_empty() || prefix.is_empty() => {
                flatten(inner, &format!("{key}."), found)
            }
            value => found.push((name.span().start, key, scalar(value))),
        }
    }
}

fn scalar(value: &DeValue) -> Option<Scalar> {
    match value {
        DeValue::String(text) => Some(Scalar::Text(text.to_string())),
        DeValue::Boolean(switch) => Some(Scalar::Other(switch.to_string())),
        DeValue::Integer(number) => {
            let value = i128::from_str_radix(number.as_str(), number.radix());
            Some(Scalar::Other(value.map_or_else(|_| number.as_str().to_owned(), |n| n.to_string())))
        }
        DeValue::Float(number) => Some(Scalar::Other(number.as_str().to_owned())),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

/// Line and column of a byte, both counted from 1.
fn position(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at.min(text.len())).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
