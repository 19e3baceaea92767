//! TOON: compact tables. Columns that every hit has make the first table; signatures (`meta`), docs and code follow
//! only where there is something in them, and as far as they fit the budget of the answer.

use std::borrow::Cow;

use cds_engine::{Hit, estimate_tokens, sanitize_text};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::output::Printable;

/// Characters of a doc comment.
const DOC: usize = 150;

/// A list of hits.
#[derive(Default)]
pub(crate) struct List<'a> {
    /// What was asked for.
    pub(crate) query: Option<&'a str>,
    /// Hits on all pages.
    pub(crate) total: Option<usize>,
    /// The hits.
    pub(crate) hits: &'a [Hit],
    /// Where the next page begins.
    pub(crate) next_cursor: Option<&'a str>,
    /// The budget in estimated tokens; 0: none.
    pub(crate) max_tokens: usize,
}

/// Tables that follow the first one, in this order.
const TABLES: [&str; 3] = ["meta", "docs", "code"];

pub(crate) fn hits(list: &List) -> Printable {
    let List { query, total, hits, next_cursor, max_tokens } = *list;
    let mut out = Map::new();
    let mut put = |key: &str, value: Value| {
        out.insert(key.to_owned(), value);
    };
    if let Some(query) = query {
        put("query", json!(query));
    }
    if let Some(total) = total {
        put("total", json!(total));
    }
    // Chunks of documents are listed with them.
    let rows: Vec<&Hit> = hits.iter().flat_map(|h| std::iter::once(h).chain(&h.chunks)).collect();
    put("hits", (1..).zip(&rows).map(|(n, hit)| place(n, hit)).collect());
    // The best hits first, and of each the code first: an answer within its budget has room for that.
    let mut left = match max_tokens {
        0 => usize::MAX,
        most => most.saturating_sub(tokens(&Value::Object(out.clone()))),
    };
    let mut tables: [Vec<Value>; 3] = Default::default();
    let mut left_out = 0;
    for (n, hit) in (1..).zip(&rows) {
        for (table, row) in [(2, code(n, hit)), (0, meta(n, hit)), (1, doc(n, hit))] {
            let Some(row) = row else { continue };
            let cost = tokens(&row);
            // The first code is shown whatever it costs.
            if cost > left && !(n == 1 && table == 2) {
                left_out += 1;
                continue;
            }
            left = left.saturating_sub(cost);
            tables[table].push(row);
        }
    }
    for (key, rows) in TABLES.into_iter().zip(tables).filter(|(_, rows)| !rows.is_empty()) {
        out.insert(key.to_owned(), Value::Array(rows));
    }
    if left_out > 0 {
        let what = format!("{left_out} of the signatures, doc comments and snippets, for max_tokens {max_tokens}");
        out.insert("left_out".to_owned(), json!(what));
    }
    if let Some(cursor) = next_cursor {
        out.insert("next_cursor".to_owned(), json!(cursor));
    }
    value(&Value::Object(out))
}

/// Estimated tokens of a value as TOON.
fn tokens(value: &Value) -> usize {
    estimate_tokens(self::value(value).as_str()) as usize
}

fn place(n: usize, hit: &Hit) -> Value {
    let lines = format!("{}-{}", hit.start_line, hit.end_line);
    let name = hit.name.clone().unwrap_or_default();
    let mut row = json!({"n": n, "path": hit.path, "lines": lines, "kind": hit.kind, "name": name});
    if let Some(percent) = hit.relevance_percent {
        row["score"] = json!(percent);
    }
    row["stale"] = json!(hit.stale);
    row
}

fn meta(n: usize, hit: &Hit) -> Option<Value> {
    let signature = hit.signature.as_ref().filter(|s| !s.is_empty())?;
    Some(json!({"n": n, "breadcrumb": hit.breadcrumb, "signature": signature}))
}

/// The beginning of the doc comment, on one line.
fn doc(n: usize, hit: &Hit) -> Option<Value> {
    let line = hit.doc_comment.as_ref()?.split_whitespace().collect::<Vec<_>>().join(" ");
    let doc = match line.char_indices().nth(DOC) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    };
    Some(json!({"n": n, "doc": doc}))
}

fn code(n: usize, hit: &Hit) -> Option<Value> {
    let is_fold = hit.signature.as_ref() == Some(&hit.snippet);
    (!hit.snippet.is_empty() && !is_fold).then(|| json!({"n": n, "line": hit.snippet_line, "text": hit.snippet}))
}

/// Any response. Strings are sanitised before they are encoded: TOON has no escapes for control characters, and what is
/// printed must stay TOON.
pub(crate) fn value(value: &impl Serialize) -> Printable {
    let mut value = serde_json::to_value(value).expect("responses are plain data");
    sanitize(&mut value);
    Printable::text(toon_format::encode_default(&value).expect("responses are plain data") + "\n")
}

fn sanitize(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = sanitize_text(text) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(sanitize),
        Value::Object(fields) => {
            if fields.keys().any(|name| matches!(sanitize_text(name), Cow::Owned(_))) {
                let renamed = std::mem::take(fields).into_iter();
                *fields = renamed.map(|(name, field)| (sanitize_text(&name).into_owned(), field)).collect();
            }
            fields.values_mut().for_each(sanitize);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    #[test]
    fn what_is_printed_is_still_toon() {
        let check = |given: Value, expect: Value| {
            let text = super::value(&given);
            assert_eq!(toon_format::decode_default::<Value>(text.as_str()).unwrap(), expect, "{}", text.as_str());
        };
        check(json!({ "a": "plain", "b": [1, 2] }), json!({ "a": "plain", "b": [1, 2] }));
        check(json!({ "a": "x\x1b[2J\ny\tz" }), json!({ "a": "x\\x1b[2J\ny\tz" }));
        check(json!({ "a": ["\u{202e}", "one\r\ntwo\r"] }), json!({ "a": ["\\u{202e}", "one\ntwo\\r"] }));
        check(json!({ "k\u{9b}": { "n": "\u{200b}" } }), json!({ "k\\u{9b}": { "n": "\\u{200b}" } }));
    }
}
