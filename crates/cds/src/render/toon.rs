//! TOON: compact tables. Columns that every hit has make the first table; signatures (`meta`), docs and code follow
//! only where there is something in them.

use std::borrow::Cow;

use cds_engine::{Hit, sanitize_text};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::output::Printable;

pub(crate) fn hits(query: Option<&str>, total: Option<usize>, hits: &[Hit], next_cursor: Option<&str>) -> Printable {
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
    let table = |cell: &dyn Fn(usize, &Hit) -> Option<Value>| -> Vec<Value> {
        rows.iter().enumerate().filter_map(|(i, h)| cell(i + 1, h)).collect()
    };
    put(
        "hits",
        Value::Array(table(&|n, h| {
            let lines = format!("{}-{}", h.start_line, h.end_line);
            let name = h.name.clone().unwrap_or_default();
            let mut row = json!({"n": n, "path": h.path, "lines": lines, "kind": h.kind, "name": name});
            if let Some(percent) = h.relevance_percent {
                row["score"] = json!(percent);
            }
            row["stale"] = json!(h.stale);
            Some(row)
        })),
    );
    let mut optional = |key: &str, rows: Vec<Value>| {
        if !rows.is_empty() {
            put(key, Value::Array(rows));
        }
    };
    optional(
        "meta",
        table(&|n, h| {
            let signature = h.signature.as_ref().filter(|s| !s.is_empty())?;
            Some(json!({"n": n, "breadcrumb": h.breadcrumb, "signature": signature}))
        }),
    );
    optional("docs", table(&|n, h| Some(json!({"n": n, "doc": h.doc_comment.as_ref()?}))));
    optional(
        "code",
        table(&|n, h| {
            let is_fold = h.signature.as_ref() == Some(&h.snippet);
            (!h.snippet.is_empty() && !is_fold).then(|| json!({"n": n, "line": h.snippet_line, "text": h.snippet}))
        }),
    );
    if let Some(cursor) = next_cursor {
        put("next_cursor", json!(cursor));
    }
    value(&Value::Object(out))
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
