//! Compares BM25 hits and search answers with what LocAgent gave.
//!
//! `parity_search <source root> <data folder> <package>` reads `bm25/<package>.chunks.jsonl.gz`, `bm25/<package>.queries*.jsonl.gz` and
//! `search/<package>.search*.jsonl.gz` and prints how many answers are equal. `SHOW=n` prints the first n that are not.
#![allow(clippy::print_stdout, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use cds_locagent::bm25::Index;
use cds_locagent::build_graph;
use cds_locagent::chunks::Chunk;
use cds_locagent::names::Names;
use cds_locagent::search::{Format, Found, Outcome, Repository, Request, SearchError, Step, search};
use serde_json::{Value, json};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [root, data, package] = args.as_slice() else {
        panic!("usage: parity_search <source root> <data folder> <package>")
    };
    let (root, data) = (Path::new(root), Path::new(data));

    let graph = build_graph(root).expect("the source can be read");
    let time = Instant::now();
    let names = Names::build(&graph);
    let names_time = time.elapsed();
    let chunks: Vec<Chunk> = rows(&data.join(format!("bm25/{package}.chunks.jsonl.gz"))).iter().map(chunk).collect();
    let documents: Vec<String> = chunks.iter().map(document).collect();
    let time = Instant::now();
    let code = Index::build(documents.iter().map(String::as_str));
    println!("{package}: names built in {names_time:?}, {} chunks in {:?}", chunks.len(), time.elapsed());
    let repository = Repository { graph: &graph, names: &names, chunks: &chunks, code: &code };

    let mut show = std::env::var("SHOW").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    for file in recorded(data, "bm25", package, ".queries") {
        queries(repository, &rows(&file), &mut show);
    }
    for file in recorded(data, "search", package, ".search") {
        searches(repository, &rows(&file), &mut show);
    }
}

/// The files of a package whose name goes on with `infix`.
fn recorded(data: &Path, folder: &str, package: &str, infix: &str) -> Vec<PathBuf> {
    let names = ["", "2"].map(|number| data.join(folder).join(format!("{package}{infix}{number}.jsonl.gz")));
    names.into_iter().filter(|path| path.exists()).collect()
}

fn rows(path: &Path) -> Vec<Value> {
    let output = Command::new("gzip").arg("-dc").arg(path).output().expect("gzip runs");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

fn chunk(row: &Value) -> Chunk {
    let spans = row.get("span_ids_order").unwrap_or(&row["span_ids"]);
    let number = |key: &str| row[key].as_u64().unwrap_or_default() as u32;
    Chunk {
        file: text(&row["file_path"]),
        start_line: number("start_line"),
        end_line: number("end_line"),
        span_ids: spans.as_array().expect("spans are a list").iter().map(text).collect(),
        text: text(&row["text"]),
        tokens: number("tokens"),
    }
}

fn document(chunk: &Chunk) -> String {
    let spans = chunk.span_ids.join(", ");
    format!("file_path: {}\ncategory: implementation\nspan_ids: [{spans}]\n\n{}", chunk.file, chunk.text)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn queries(repository: Repository, rows: &[Value], show: &mut usize) {
    let (mut names, mut code, mut total) = (0, 0, 0);
    let mut spent = Vec::new();
    for row in rows.iter().filter(|row| row.get("exception").is_none()) {
        let query = text(&row["text"]);
        total += 1;
        let found: Vec<String> = repository
            .names
            .ranked(&query)
            .unwrap_or_default()
            .iter()
            .map(|(node, score)| format!("{} {score:.5}", repository.graph.nodes[*node as usize].id))
            .collect();
        let expected: Vec<String> = list(&row["name_hits"], |hit| format!("{} {:.5}", text(&hit["id"]), score(hit)));
        names += usize::from(same(&found, &expected));
        report(show, same(&found, &expected), &query, &json!(expected), &json!(found));
        let hits = repository.code.query(&query).map(|hits| hits.to_vec()).unwrap_or_default();
        let found: Vec<String> = hits.iter().map(|hit| format!("{} {:.5}", hit.document, hit.score)).collect();
        let expected: Vec<String> = list(&row["code_chunks"], |hit| format!("{} {:.5}", hit["chunk"], score(hit)));
        code += usize::from(same(&found, &expected));
        report(show, same(&found, &expected), &query, &json!(expected), &json!(found));
        let time = Instant::now();
        let _ = (repository.names.ranked(&query), repository.code.query(&query));
        spent.push(time.elapsed());
    }
    spent.sort_unstable();
    println!("  queries {total}: names {names}, code {code} equal; median of both {:?}", spent.get(spent.len() / 2));
}

fn score(hit: &Value) -> f64 {
    hit["score"].as_f64().unwrap_or_default()
}

/// Ids in order; scores up to the rounding of what was recorded.
fn same(found: &[String], expected: &[String]) -> bool {
    let parts = |line: &String| {
        line.rsplit_once(' ').map(|(id, score)| (id.to_owned(), score.parse::<f64>().unwrap_or_default()))
    };
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(a, b)| match (parts(a), parts(b)) {
            (Some((a, x)), Some((b, y))) => a == b && (x - y).abs() < 2e-5,
            _ => false,
        })
}

fn list<T>(value: &Value, each: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().map(|rows| rows.iter().map(each).collect()).unwrap_or_default()
}

fn searches(repository: Repository, rows: &[Value], show: &mut usize) {
    let (mut outlines, mut texts, mut steps_equal, mut with_text) = (0, 0, 0, 0);
    let mut spent = Vec::new();
    for row in rows {
        let request = request(row);
        let time = Instant::now();
        let outcome = search(repository, &request);
        spent.push(time.elapsed());
        let found = answer(&outcome);
        let full = row.get("text").is_some() || row.get("text_exception").is_some();
        let expected =
            row.get("text_exception").map(|error| text(error).split(':').next().unwrap_or_default().to_owned());
        let outline_equal = outline(&found) == expected.clone().unwrap_or_else(|| text(&row["text_outline"]));
        outlines += usize::from(outline_equal);
        with_text += usize::from(full);
        let expected = expected.unwrap_or_else(|| text(&row["text"]));
        let text_equal = !full || found == expected;
        texts += usize::from(full && text_equal);
        let question = json!([request.terms, request.line_nums, request.file_pattern]).to_string();
        let (own, theirs) = (steps(&outcome, row), recorded_steps(row));
        let same_steps = outcome.is_err() || own == theirs;
        steps_equal += usize::from(same_steps);
        report(show, outline_equal && text_equal, &question, &json!(expected), &json!(found));
        report(show, same_steps, &question, &theirs, &own);
    }
    spent.sort_unstable();
    println!(
        "  searches {}: outlines {outlines}, steps {steps_equal}, texts {texts} of {with_text} equal; median {:?}, longest {:?}",
        rows.len(),
        spent.get(spent.len() / 2),
        spent.last()
    );
}

fn request(row: &Value) -> Request {
    let line_nums = match &row["line_nums"] {
        Value::Number(line) => line.as_i64().into_iter().filter(|line| *line != 0).collect(),
        lines => list(lines, |line| line.as_i64().unwrap_or_default()),
    };
    let file_pattern = match row.get("file_path_or_pattern") {
        Some(pattern) => pattern.as_str().map(str::to_owned),
        None => Request::default().file_pattern,
    };
    Request { terms: list(&row["search_terms"], text), line_nums, file_pattern }
}

fn answer(outcome: &Result<Outcome, SearchError>) -> String {
    match outcome {
        Ok(outcome) => outcome.text.clone(),
        Err(error) => error.exception().to_owned(),
    }
}

/// The text with fenced code replaced by its number of lines.
fn outline(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once("```\n") {
        let Some((code, after)) = inside.split_once("\n```") else { break };
        short += &format!("{before}```<{} lines>```", code.matches('\n').count() + 1);
        rest = after;
    }
    short + rest
}

fn report(show: &mut usize, equal: bool, question: &str, expected: &Value, found: &Value) {
    if equal || *show == 0 {
        return;
    }
    *show -= 1;
    println!("--- {question}\nexpected {expected:#}\nfound    {found:#}");
}

/// Our steps, in the form and with the fields of the recorded ones.
fn steps(outcome: &Result<Outcome, SearchError>, row: &Value) -> Value {
    let Ok(outcome) = outcome else { return Value::Null };
    let complete = row.get("line_nums").is_some();
    let steps = outcome.steps.iter().filter(|step| complete || !matches!(step, Step::Searched { joint: true, .. }));
    steps.map(step).collect()
}

fn step(step: &Step) -> Value {
    match step {
        Step::Refused { term } => json!({"term": term, "refused_as_test": true}),
        Step::Lines { term, line_results } => {
            json!({"term": term, "line_results": line_results.iter().map(result).collect::<Vec<_>>()})
        }
        Step::Searched { term, entity_results, content_results, .. } => {
            let mut value = json!({"term": term, "entity_results": entity_results.iter().map(result).collect::<Vec<_>>(),
                "continue_to_content_search": content_results.is_some()});
            if let Some(results) = content_results {
                value["content_results"] = results.iter().map(result).collect();
            }
            value
        }
    }
}

fn result(found: &Found) -> Value {
    let format = match found.format {
        Format::Complete => "complete",
        Format::CodeSnippet => "code_snippet",
        Format::Preview => "preview",
        Format::Fold => "fold",
    };
    json!({"nid": found.nid, "format": format, "start_line": found.lines.map(|lines| lines.0), "end_line": found.lines.map(|lines| lines.1),
        "source": found.source, "desc": found.desc})
}

/// The recorded steps without what ours do not say, or say otherwise.
fn recorded_steps(row: &Value) -> Value {
    let mut steps = row["steps"].clone();
    for step in steps.as_array_mut().into_iter().flatten() {
        let step = step.as_object_mut().expect("a step is an object");
        step.remove("joint");
        for key in ["entity_results", "content_results", "line_results"] {
            for found in step.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
                let found = found.as_object_mut().expect("a result is an object");
                found.remove("type");
                found.remove("message");
                found.entry("desc").or_insert(Value::Null);
            }
        }
    }
    steps
}
