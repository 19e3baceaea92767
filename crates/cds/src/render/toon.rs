//! TOON: compact tables. Columns that every hit has make the first table; signatures (`meta`), docs and code follow
//! only where there is something in them.

use cds_engine::Hit;
use serde::Serialize;
use serde_json::{Map, Value, json};

pub(crate) fn hits(query: Option<&str>, total: Option<usize>, hits: &[Hit], next_cursor: Option<&str>) -> String {
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

/// Any response.
pub(crate) fn value(value: &impl Serialize) -> String {
    toon_format::encode_default(value).expect("responses are plain data") + "\n"
}
