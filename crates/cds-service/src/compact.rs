//! Answers as a language model reads them best: few words, every place a citation.

use std::fmt::Write;

use serde_json::Value;

/// Characters of a text: 25,000 tokens hold at least so many.
const MOST: usize = 75_000;

/// The answer of an operation as text.
pub(crate) fn text(answer: &Value) -> String {
    let mut out = String::new();
    for warning in list(answer, "warnings") {
        line(&mut out, format_args!("note: {}", warning.as_str().unwrap_or_default()));
    }
    let known =
        ["hits", "nodes", "sections", "files", "freshness"].into_iter().find(|name| answer.get(*name).is_some());
    match known {
        Some("hits") => hits(&mut out, answer),
        Some("nodes") => graph(&mut out, answer),
        Some("sections") => research(&mut out, answer),
        Some("files") if answer["files"].is_array() => outline(&mut out, answer),
        Some("files" | "freshness") if answer.get("freshness").is_some() => status(&mut out, answer),
        _ => out.push_str(&answer.to_string()),
    }
    if out.len() > MOST {
        out.truncate(out.floor_char_boundary(MOST));
        out.push_str("\n… cut: ask for less with limit\n");
    }
    out
}

/// The same as data, which says more of each hit: no longer than a text may be. What is left out is told where the answer has a place for that.
pub(crate) fn data(mut answer: Value) -> Value {
    let size = |value: &Value| value.to_string().len();
    let whole = size(&answer);
    let Some(fields) = answer.as_object_mut().filter(|_| whole > MOST) else { return answer };
    let lists = fields.iter().filter(|(_, field)| field.is_array()).map(|(name, field)| (size(field), name.clone()));
    let Some((largest, name)) = lists.max() else { return answer };
    let rest = whole - largest;
    let mut cut = (0, 0);
    if let Some(Value::Array(list)) = fields.get_mut(&name) {
        let mut room = MOST.saturating_sub(rest);
        let kept = list.iter().take_while(|item| {
            let fits = size(item) < room;
            room = room.saturating_sub(size(item) + 1);
            fits
        });
        cut = (kept.count(), list.len());
        list.truncate(cut.0);
    }
    if let Some(Value::Array(warnings)) = fields.get_mut("warnings") {
        let (kept, all) = cut;
        warnings.push(Value::from(format!("{kept} of {all} {name} fit into an answer: ask for less with limit")));
    }
    if let Some(truncated) = fields.get_mut("truncated") {
        *truncated = Value::Bool(true);
    }
    answer
}

fn line(out: &mut String, text: std::fmt::Arguments) {
    let _ = writeln!(out, "{text}");
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
        let project = hit["project"].as_str().map(|p| format!("[{p}] ")).unwrap_or_default();
        let percent = hit["relevance_percent"].as_u64().map(|p| format!(" {p}%")).unwrap_or_default();
        let stale = if hit["stale"] == true { " (changed since it was indexed)" } else { "" };
        let (first, last) = (&hit["start_line"], &hit["end_line"]);
        let name = hit["breadcrumb"].as_str().or_else(|| hit["name"].as_str()).unwrap_or_default();
        line(
            out,
            format_args!("{project}{}:{first}-{last} {name} {}{percent}{stale}", word(hit, "path"), word(hit, "kind")),
        );
        let from = hit["snippet_line"].as_u64().unwrap_or(1);
        for (i, text) in word(hit, "snippet").lines().enumerate() {
            line(out, format_args!("{:>5}  {text}", from + i as u64));
        }
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
        line(out, format_args!("{count} calls may mean too many things to say which"));
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

    use super::{MOST, data};

    #[test]
    fn data_is_no_longer_than_a_text_may_be() {
        let check = |hits: usize, expect: usize| {
            let hits: Vec<Value> = (0..hits).map(|i| json!({ "id": i, "snippet": "x".repeat(1_000) })).collect();
            let answer = data(json!({ "hits": hits, "warnings": [], "truncated": false }));
            let kept = answer["hits"].as_array().map_or(0, Vec::len);
            let is_cut = kept < hits.len();
            assert!(kept == expect && answer.to_string().len() <= MOST + 100, "{kept}");
            assert_eq!(
                (&answer["truncated"], answer["warnings"].as_array().map(Vec::len)),
                (&json!(is_cut), Some(usize::from(is_cut)))
            );
        };
        check(3, 3);
        check(200, 73);
    }
}
