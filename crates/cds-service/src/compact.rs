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
    let known = ["hits", "nodes", "files", "freshness"].into_iter().find(|name| answer.get(*name).is_some());
    match known {
        Some("hits") => hits(&mut out, answer),
        Some("nodes") => graph(&mut out, answer),
        Some("files") if answer["files"].is_array() => outline(&mut out, answer),
        Some("files" | "freshness") if answer.get("freshness").is_some() => status(&mut out, answer),
        _ => out.push_str(&answer.to_string()),
    }
    if out.len() > MOST {
        out.truncate(out.floor_char_boundary(MOST));
        out.push_str("\n… cut: ask for less with limit or max_tokens\n");
    }
    out
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
