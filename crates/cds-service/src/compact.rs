//! Answers as a language model reads them best: few words, every place a citation.

use std::fmt::Write;

use cds_engine::{Sanitizer, sanitize_json, sanitize_text};
use serde_json::Value;

/// Characters of a text: 25,000 tokens hold at least so many.
const MOST: usize = 75_000;

/// Characters that a token stands for, about.
const OF_TOKEN: usize = 4;

/// How long an answer may be.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    /// Characters beyond which hits say only what everybody needs.
    plain: usize,
    /// Characters at most.
    most: usize,
}

impl Room {
    /// As much as there may be.
    pub(crate) const WHOLE: Room = Room { plain: MOST, most: MOST };

    /// For an answer whose hits were chosen to fit so many tokens: as data they say more than their text, and need not.
    pub(crate) fn chosen(max_tokens: u64) -> Room {
        Room { plain: Room::within(max_tokens).most, ..Room::WHOLE }
    }

    /// For an answer that nobody has cut to size yet; 0: as much as there may be.
    pub(crate) fn within(max_tokens: u64) -> Room {
        let room = usize::try_from(max_tokens).unwrap_or(MOST).saturating_mul(OF_TOKEN);
        let most = if room == 0 { MOST } else { room.min(MOST) };
        Room { plain: most, most }
    }
}

/// The answer of an operation as text.
pub(crate) fn text(answer: &Value, room: Room) -> String {
    let mut out = String::new();
    for warning in list(answer, "warnings") {
        line(&mut out, format_args!("note: {}", warning.as_str().unwrap_or_default()));
    }
    let known = ["hits", "nodes", "sections", "files", "freshness", "text"]
        .into_iter()
        .find(|name| answer.get(*name).is_some());
    match known {
        Some("hits") => hits(&mut out, answer),
        Some("nodes") => graph(&mut out, answer),
        Some("sections") => research(&mut out, answer),
        Some("files") if answer["files"].is_array() => outline(&mut out, answer),
        Some("files" | "freshness") if answer.get("freshness").is_some() => status(&mut out, answer),
        Some("text") if answer["text"].is_string() => {
            out.push_str(&sanitize_text(answer["text"].as_str().unwrap_or_default()));
        }
        _ => out.push_str(&sanitize_json(&answer.to_string())),
    }
    if out.len() > room.most {
        let end = out.floor_char_boundary(room.most);
        // Whole lines, but for the first.
        out.truncate(out[..end].rfind('\n').unwrap_or(end));
        out.push_str("\n… cut: ask for less with limit, or for more with max_tokens\n");
    }
    out
}

/// What of a hit only few need.
const SPARE: &[&str] = &[
    "chunk_id",
    "conformances",
    "decorators",
    "definitions",
    "hash",
    "highlights",
    "matched_terms",
    "modifiers",
    "parameters",
    "ranks",
    "references",
    "scope_path",
    "scores",
    "signals",
];

/// The same as data. What is left out is told where the answer has a place for that; one of a list is always there.
pub(crate) fn data(mut answer: Value, room: Room) -> Value {
    let size = |value: &Value| value.to_string().len();
    let longest = |answer: &Value| {
        let fields = answer.as_object().into_iter().flatten().filter(|(_, field)| field.is_array());
        fields.map(|(name, field)| (size(field), name.clone())).max()
    };
    let Some((_, name)) = longest(&answer).filter(|_| size(&answer) > room.plain) else { return answer };
    answer[&name].as_array_mut().into_iter().flatten().for_each(strip);
    let whole = size(&answer);
    let Some((largest, name)) = longest(&answer).filter(|_| whole > room.most) else { return answer };
    let mut left = room.most.saturating_sub(whole - largest);
    let mut cut = (0, 0);
    if let Value::Array(list) = &mut answer[&name] {
        let fits = list.iter().take_while(|item| {
            let fits = size(item) < left;
            left = left.saturating_sub(size(item) + 1);
            fits
        });
        cut = (fits.count().max(1), list.len());
        list.truncate(cut.0);
    }
    if let Some(Value::Array(warnings)) = answer.get_mut("warnings") {
        let (kept, all) = cut;
        warnings.push(Value::from(format!("{kept} of {all} {name} fit into the answer: ask for less with limit")));
    }
    if let Some(truncated) = answer.get_mut("truncated") {
        *truncated = Value::Bool(true);
    }
    answer
}

/// Removes the spare fields of a hit and of its chunks.
fn strip(hit: &mut Value) {
    let Some(fields) = hit.as_object_mut() else { return };
    fields.retain(|field, _| !SPARE.contains(&field.as_str()));
    fields.get_mut("chunks").and_then(Value::as_array_mut).into_iter().flatten().for_each(strip);
}

/// Appends one line. Content is sanitised, so that a line break in a name does not make another line.
fn line(out: &mut String, text: std::fmt::Arguments) {
    let _ = Sanitizer(out).write_fmt(text);
    out.push('\n');
}

fn list<'a>(of: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    of[name].as_array().into_iter().flatten()
}

fn word<'a>(of: &'a Value, name: &str) -> &'a str {
    of[name].as_str().unwrap_or_default()
}

fn hits(out: &mut String, answer: &Value) {
    let mut shown = 0;
    for hit in list(answer, "hits") {
        shown += 1;
        if let Some(number) = hit["line"].as_u64() {
            line(out, format_args!("{}:{number}: {}", word(hit, "path"), word(hit, "text").trim_end()));
            continue;
        }
        self::hit(out, hit);
        // The best chunks of a document.
        list(hit, "chunks").for_each(|chunk| self::hit(out, chunk));
    }
    for miss in list(answer, "missing") {
        line(out, format_args!("missing {}: {}", word(miss, "id"), word(miss, "reason")));
        list(miss, "candidates").for_each(|c| line(out, format_args!("  perhaps {}", c.as_str().unwrap_or_default())));
    }
    list(answer, "suggestions").for_each(|s| line(out, format_args!("perhaps {}", s.as_str().unwrap_or_default())));
    let total = answer["total"].as_u64().unwrap_or(shown);
    if shown == 0 {
        line(out, format_args!("nothing found"));
    } else if total > shown {
        let more = answer["next_cursor"].as_str().map(|c| format!("; cursor {c:?} goes on")).unwrap_or_default();
        line(out, format_args!("{shown} of {total}{more}"));
    }
}

/// A hit: its place as a citation, then its snippet with line numbers.
fn hit(out: &mut String, hit: &Value) {
    let project = hit["project"].as_str().map(|p| format!("[{p}] ")).unwrap_or_default();
    let percent = hit["relevance_percent"].as_u64().map(|p| format!(" {p}%")).unwrap_or_default();
    let recovered = if hit["recovered"] == true { " (recovered from a syntax error)" } else { "" };
    let stale = if hit["stale"] == true { " (changed since it was indexed)" } else { "" };
    let (first, last) = (&hit["start_line"], &hit["end_line"]);
    let name = hit["breadcrumb"].as_str().or_else(|| hit["name"].as_str()).unwrap_or_default();
    line(
        out,
        format_args!(
            "{project}{}:{first}-{last} {name} {}{percent}{stale}{recovered}",
            word(hit, "path"),
            word(hit, "kind")
        ),
    );
    let from = hit["snippet_line"].as_u64().unwrap_or(1);
    for (i, text) in word(hit, "snippet").lines().enumerate() {
        let text = text.strip_suffix('\r').unwrap_or(text);
        line(out, format_args!("{:>5}  {text}", from + i as u64));
    }
}

fn graph(out: &mut String, answer: &Value) {
    for edge in list(answer, "edges") {
        let site = edge["site"].as_str().map(|site| format!(" at {site}")).unwrap_or_default();
        let sure = match (word(edge, "certainty"), edge["candidates"].as_u64().unwrap_or(1)) {
            (certainty, 0 | 1) => certainty.to_owned(),
            (certainty, n) => format!("{certainty}, one of {n}"),
        };
        line(out, format_args!("{} -{}-> {} ({sure}){site}", word(edge, "from"), word(edge, "kind"), word(edge, "to")));
    }
    if answer["edges"].as_array().is_none_or(Vec::is_empty) {
        line(out, format_args!("no edges"));
    }
    if answer["truncated"] == true {
        line(out, format_args!("there is more: ask with a greater limit"));
    }
    if let Some(count) = answer["unresolved"]["count"].as_u64().filter(|count| *count > 0) {
        line(out, format_args!("{count} calls of this name may mean it or others, and could not be resolved"));
    }
}

fn research(out: &mut String, answer: &Value) {
    for subject in list(answer, "subjects") {
        let target = if subject["is_target"] == true { "to " } else { "" };
        let said = match word(subject, "signature") {
            "" => word(subject, "kind").to_owned(),
            signature => signature.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        let lines = match subject["start_line"].as_u64() {
            None | Some(0) => String::new(),
            Some(first) => format!(":{first}-{}", subject["end_line"]),
        };
        line(out, format_args!("{target}{}{lines} {said}", word(subject, "path")));
    }
    for section in list(answer, "sections") {
        line(out, format_args!("{}: {}", word(section, "kind"), word(section, "about")));
        list(section, "findings").for_each(|finding| line(out, format_args!("  {}", found(section, finding))));
        let shown = section["findings"].as_array().map_or(0, Vec::len) as u64;
        let total = section["total"].as_u64().unwrap_or(shown);
        if total > shown {
            line(out, format_args!("  {shown} of {total}: ask with a greater limit"));
        }
        if let Some(count) = section["unresolved"]["count"].as_u64().filter(|count| *count > 0) {
            let sites: Vec<&str> = list(&section["unresolved"], "sites").map(|site| word(site, "site")).collect();
            line(out, format_args!("  {count} calls may mean it or others: {}", sites.join(", ")));
        }
    }
    if answer["sections"].as_array().is_none_or(Vec::is_empty) {
        line(out, format_args!("nothing found"));
    }
}

/// A finding: where, how far, how sure, and what stands there.
fn found(section: &Value, finding: &Value) -> String {
    let mut text = String::new();
    if matches!(word(section, "kind"), "modules") {
        let _ = write!(text, "{} -> ", word(finding, "from"));
    }
    text.push_str(word(finding, "id"));
    if finding["start_line"].as_u64().unwrap_or(0) > 0 && finding["entity_type"] != "file" {
        let _ = write!(text, " {}-{}", finding["start_line"], finding["end_line"]);
    }
    let mut facts: Vec<String> = Vec::new();
    if let Some(depth) = finding["depth"].as_u64().filter(|depth| *depth > 1) {
        facts.push(format!("{depth} steps"));
    }
    match (word(finding, "certainty"), finding["candidates"].as_u64().unwrap_or(1)) {
        ("", _) => {}
        (certainty, 0 | 1) => facts.push(certainty.to_owned()),
        (certainty, n) => facts.push(format!("{certainty}, one of {n}")),
    }
    for (kind, count) in finding["counts"].as_object().into_iter().flatten() {
        facts.push(format!("{kind} {count}"));
    }
    for (name, what) in [("files", "files"), ("shared", "shared"), ("similarity", "alike")] {
        if let Some(number) = finding[name].as_f64() {
            facts.push(format!("{what} {}", (number * 100.0).round() / 100.0));
        }
    }
    if finding["is_test"] == true && word(section, "kind") != "tests" {
        facts.push("test".to_owned());
    }
    let _ = write!(text, " ({})", facts.join(", "));
    let sites: Vec<&str> = list(finding, "via").filter_map(Value::as_str).collect();
    if !sites.is_empty() {
        let _ = write!(text, " at {}", sites.join(" > "));
    }
    if let Some(code) = finding["text"].as_str() {
        let _ = write!(text, ": {code}");
    }
    text
}

fn outline(out: &mut String, answer: &Value) {
    for file in list(answer, "files") {
        line(out, format_args!("{} ({} lines)", word(file, "path"), file["lines"]));
        for entity in list(file, "entities") {
            let indent = "  ".repeat(entity["depth"].as_u64().unwrap_or(0) as usize + 1);
            let said = match word(entity, "signature") {
                "" => format!("{} {}", word(entity, "kind"), word(entity, "name")),
                signature => signature.split_whitespace().collect::<Vec<_>>().join(" "),
            };
            line(out, format_args!("{indent}{}-{} {said}", entity["start_line"], entity["end_line"]));
        }
    }
}

fn status(out: &mut String, answer: &Value) {
    line(
        out,
        format_args!(
            "{}: {} files, {} entities, {}",
            word(answer, "root"),
            answer["files"],
            answer["entities"],
            word(answer, "freshness")
        ),
    );
    for language in list(answer, "languages") {
        line(
            out,
            format_args!("  {}: {} files, {} lines", word(language, "language"), language["files"], language["lines"]),
        );
    }
    for (reason, count) in answer["problem_counts"].as_object().into_iter().flatten() {
        line(out, format_args!("  {reason}: {count}"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Room, data, text};

    #[test]
    fn data_fits_and_says_what_it_lacks() {
        let check = |hits: usize, room: Room, expect: usize, has_spare: bool| {
            let hit = |i| json!({ "id": i, "path": "a.py", "snippet": "x".repeat(1_000), "signals": [1, 2, 3] });
            let hits: Vec<Value> = (0..hits).map(hit).collect();
            let answer = data(json!({ "hits": hits, "warnings": [], "truncated": false }), room);
            let kept = answer["hits"].as_array().map_or(0, Vec::len);
            let is_cut = kept < hits.len();
            assert!(kept == expect && answer.to_string().len() <= room.most.max(1_300) + 100, "{kept}");
            assert_eq!(answer["hits"][0].get("signals").is_some(), has_spare);
            let told = answer["warnings"].as_array().map(Vec::len);
            assert_eq!((&answer["truncated"], told), (&json!(is_cut), Some(usize::from(is_cut))));
        };
        check(3, Room::WHOLE, 3, true);
        check(200, Room::WHOLE, 72, false);
        check(3, Room::chosen(500), 3, false);
        check(3, Room::chosen(5_000), 3, true);
        check(3, Room::within(500), 1, false);
        check(3, Room::within(0), 3, true);
    }

    #[test]
    fn text_has_no_hidden_characters() {
        let check = |answer: Value, expect: &str| assert_eq!(text(&answer, Room::WHOLE), expect);
        let code = "a = 1\r\n\x1b]52;c;aGk=\x07\n\tb = '\u{202e}'\r";
        check(
            json!({ "hits": [{ "path": "a\nb.py", "start_line": 1, "end_line": 3, "name": "n\u{200b}", "kind": "function", "snippet": code }] }),
            "a\\nb.py:1-3 n\\u{200b} function\n    1  a = 1\n    2  \\x1b]52;c;aGk=\\x07\n    3  \tb = '\\u{202e}'\n",
        );
        check(json!({ "hits": [{ "path": "a", "line": 1, "text": "x\ry\r\n" }] }), "a:1: x\\ry\n");
        check(
            json!({ "hits": [], "warnings": ["w\nnothing found\x1b[2J"] }),
            "note: w\\nnothing found\\x1b[2J\nnothing found\n",
        );
        check(
            json!({ "nodes": [], "edges": [{ "from": "a\u{9b}", "to": "b\n", "kind": "invoke", "certainty": "typed" }] }),
            "a\\u{9b} -invoke-> b\\n (typed)\n",
        );
        check(json!({ "state": "\u{202e}\x1b" }), r#"{"state":"\u202e\u001b"}"#);
    }

    #[test]
    fn b1_documents_show_their_chunks() {
        let chunk = json!({
            "path": "a.py", "start_line": 3, "end_line": 4, "name": "f", "kind": "function", "relevance_percent": 90,
            "snippet": "def f():\n    pass", "snippet_line": 3, "signals": { "words": 1 },
        });
        let document = json!({
            "path": "a.py", "start_line": 1, "end_line": 9, "name": "a.py", "kind": "file", "relevance_percent": 90,
            "chunks": [chunk],
        });
        let answer = json!({ "hits": [document], "total": 1, "warnings": [] });
        let expect = "a.py:1-9 a.py file 90%\na.py:3-4 f function 90%\n    3  def f():\n    4      pass\n";
        assert_eq!(text(&answer, Room::WHOLE), expect);
        let short = data(answer, Room::within(1));
        assert_eq!(short["hits"][0]["chunks"][0].get("signals"), None);
    }

    #[test]
    fn text_is_cut_between_lines() {
        let hits: Vec<Value> = (1..100).map(|i| json!({ "path": "a.py", "line": i, "text": "some words" })).collect();
        let shown = text(&json!({ "hits": hits, "total": 99 }), Room::within(20));
        assert!(shown.starts_with("a.py:1: some words\n") && shown.len() < 150, "{shown}");
        assert!(
            shown.ends_with("some words\n… cut: ask for less with limit, or for more with max_tokens\n"),
            "{shown}"
        );
    }
}
