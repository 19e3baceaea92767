//! Compares a repository with what LocAgent itself gave for it. Used by the tests and by `cargo xtask parity`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use cds_locagent::chunks::Chunk;
use cds_locagent::graph::{EdgeType, Graph, NodeType};
use cds_locagent::search::bm25::Hit;
use cds_locagent::search::{Request, visible};
use cds_locagent::{Adjacency, Direction, Repository, TreeRequest, draw_trees};
use serde_json::Value;

/// How many of how many are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    pub(crate) equal: f64,
    pub(crate) all: f64,
}

impl Share {
    pub(crate) fn add(&mut self, equal: f64) {
        self.equal += equal;
        self.all += 1.0;
    }

    pub(crate) fn percent(self) -> f64 {
        if self.all == 0.0 { 100.0 } else { 100.0 * self.equal / self.all }
    }

    pub(crate) fn is_whole(self) -> bool {
        (self.all - self.equal).abs() < f64::EPSILON
    }
}

/// What one package's comparison found.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Lines of the sorted dumps that only one side has.
    pub(crate) graph_differences: usize,
    pub(crate) graph_rows: usize,
    /// File, lines and spans.
    pub(crate) chunks: Share,
    /// Text, tokens and order too.
    pub(crate) chunk_texts: Share,
    /// Entities of the ten best chunks.
    pub(crate) overlap: Share,
    /// The ten best chunks where the index has them all.
    pub(crate) overlap_of_chunks: Share,
    /// The ten best ids, in order.
    pub(crate) name_hits: Share,
    /// Texts of the search tool, code reduced to its length where only that was kept.
    pub(crate) outlines: Share,
    pub(crate) trees: Share,
    /// Seconds of each search, code query, name query and tree, by call.
    pub(crate) search_seconds: Vec<f64>,
    pub(crate) code_seconds: Vec<f64>,
    pub(crate) name_seconds: Vec<f64>,
    pub(crate) tree_seconds: Vec<f64>,
    /// First differences, for people.
    pub(crate) notes: Vec<String>,
}

impl Report {
    fn note(&mut self, text: impl FnOnce() -> String) {
        if self.notes.len() < 20 {
            self.notes.push(text());
        }
    }
}

/// Compares all that the folder of fixtures has.
pub(crate) fn compare(repository: &Repository, fixtures: &Path) -> Report {
    let mut report = Report::default();
    compare_graph(&repository.graph, fixtures, &mut report);
    compare_chunks(&repository.chunks(), fixtures, &mut report);
    compare_queries(repository, fixtures, &mut report);
    compare_searches(repository, fixtures, &mut report);
    compare_trees(repository, fixtures, &mut report);
    report
}

/// Rows of one kind; none when the folder does not have them.
fn rows(fixtures: &Path, kind: &str) -> Vec<Value> {
    let Ok(bytes) = std::fs::read(fixtures.join(format!("{kind}.jsonl.zst"))) else { return Vec::new() };
    let text = zstd::decode_all(bytes.as_slice()).expect("fixtures are whole");
    String::from_utf8(text)
        .expect("text")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON object a line"))
        .collect()
}

/// A dump too large to keep is kept as the hash of its sorted lines.
fn digest(fixtures: &Path, kind: &str) -> Option<String> {
    let text = std::fs::read_to_string(fixtures.join("digests.json")).ok()?;
    let digests: Value = serde_json::from_str(&text).expect("an object");
    digests[kind].as_str().map(str::to_owned)
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

/// Sorted lines against rows or against their hash.
fn compare_lines(
    kind: &str,
    mut ours: Vec<String>,
    fixtures: &Path,
    line: impl Fn(&Value) -> String,
    report: &mut Report,
) -> usize {
    ours.sort_unstable();
    let mut theirs: Vec<String> = rows(fixtures, kind).iter().map(line).collect();
    if theirs.is_empty() {
        let expected = digest(fixtures, kind).unwrap_or_else(|| panic!("no {kind} in {}", fixtures.display()));
        let found = blake3::hash(ours.join("\n").as_bytes()).to_hex().to_string();
        return if found == expected { 0 } else { ours.len() };
    }
    theirs.sort_unstable();
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for line in &ours {
        *counts.entry(line).or_default() += 1;
    }
    for line in &theirs {
        *counts.entry(line).or_default() -= 1;
    }
    let different: Vec<_> = counts.into_iter().filter(|(_, count)| *count != 0).collect();
    for (line, count) in &different {
        report.note(|| format!("{kind} {count:+}: {line}"));
    }
    different.iter().map(|(_, count)| count.unsigned_abs() as usize).sum()
}

pub(crate) fn node_lines(graph: &Graph) -> Vec<String> {
    graph
        .nodes
        .iter()
        .map(|node| format!("{}\t{}\t{}\t{}", node.id, node.kind.name(), node.start_line, node.end_line))
        .collect()
}

pub(crate) fn edge_lines(graph: &Graph) -> Vec<String> {
    let id = |node: u32| &graph.nodes[node as usize].id;
    let line = |edge: &cds_locagent::graph::Edge| {
        format!("{}\t{}\t{}\t{}", id(edge.source), id(edge.target), edge.kind.name(), graph.alias(edge).unwrap_or(""))
    };
    graph.edges.iter().map(line).collect()
}

fn compare_graph(graph: &Graph, fixtures: &Path, report: &mut Report) {
    report.graph_rows = graph.nodes.len() + graph.edges.len();
    let node = |row: &Value| {
        let line = |key: &str| row[key].as_u64().unwrap_or(0);
        format!("{}\t{}\t{}\t{}", text_of(&row["id"]), text_of(&row["type"]), line("start_line"), line("end_line"))
    };
    let edge = |row: &Value| {
        let [source, target, kind, alias] = ["source", "target", "type", "alias"].map(|key| text_of(&row[key]));
        format!("{source}\t{target}\t{kind}\t{alias}")
    };
    report.graph_differences = compare_lines("nodes", node_lines(graph), fixtures, node, report);
    report.graph_differences += compare_lines("edges", edge_lines(graph), fixtures, edge, report);
}

/// File, lines and sorted spans.
pub(crate) fn chunk_line(chunk: &Chunk) -> String {
    let mut spans = chunk.span_ids.clone();
    spans.sort_unstable();
    format!("{}\t{}\t{}\t{}", chunk.file, chunk.start_line, chunk.end_line, spans.join(" "))
}

fn chunk_row_line(row: &Value) -> String {
    let spans: Vec<&str> = row["span_ids"].as_array().into_iter().flatten().map(text_of).collect();
    format!("{}\t{}\t{}\t{}", text_of(&row["file_path"]), row["start_line"], row["end_line"], spans.join(" "))
}

/// Everything that was kept of a chunk: its line, and tokens and characters of its text.
pub(crate) fn full_chunk_line(chunk: &Chunk) -> String {
    format!("{}\t{}\t{}", chunk_line(chunk), chunk.tokens(), chunk.text.chars().count())
}

fn compare_chunks(chunks: &[Chunk], fixtures: &Path, report: &mut Report) {
    let rows = rows(fixtures, "chunks");
    if rows.is_empty() {
        let mut lines: Vec<String> = chunks.iter().map(full_chunk_line).collect();
        lines.sort_unstable();
        let equal = Some(blake3::hash(lines.join("\n").as_bytes()).to_hex().to_string()) == digest(fixtures, "chunks");
        let all = chunks.len() as f64;
        let share = Share { equal: if equal { all } else { 0.0 }, all };
        (report.chunks, report.chunk_texts) = (share, share);
        return;
    }
    let mut ours: BTreeMap<String, Vec<&Chunk>> = BTreeMap::new();
    for chunk in chunks {
        ours.entry(chunk_line(chunk)).or_default().push(chunk);
    }
    for row in &rows {
        let line = chunk_row_line(row);
        let Some(chunk) = ours.get_mut(&line).and_then(Vec::pop) else {
            report.chunks.add(0.0);
            report.chunk_texts.add(0.0);
            report.note(|| format!("chunk not found: {line}"));
            continue;
        };
        report.chunks.add(1.0);
        let same_size = row["tokens"] == chunk.tokens() && row["text_chars"] == chunk.text.chars().count();
        let same_text = row["text"].as_str().is_none_or(|text| text == chunk.text);
        report.chunk_texts.add(f64::from(u8::from(same_size && same_text)));
        if !(same_size && same_text) {
            report.note(|| format!("chunk's text differs: {line}"));
        }
    }
    for line in ours.into_iter().filter(|(_, left)| !left.is_empty()).map(|(line, _)| line) {
        report.note(|| format!("chunk too many: {line}"));
    }
}

/// What a chunk stands for in an answer: its entities in the order of lines, or its file when it holds none but what opens a file.
fn entities(graph: &Graph, chunk: &Chunk) -> Vec<String> {
    let is_loose = |span: &String| matches!(span.as_str(), "docstring" | "imports" | "comments");
    let mut nodes: Vec<u32> =
        chunk.span_ids.iter().filter_map(|span| visible(graph, &format!("{}:{span}", chunk.file))).collect();
    nodes.sort_by_key(|node| graph.nodes[*node as usize].start_line);
    let mut ids: Vec<String> = nodes.into_iter().map(|node| graph.nodes[node as usize].id.to_string()).collect();
    if ids.is_empty() && chunk.span_ids.iter().any(is_loose) {
        ids.push(chunk.file.clone());
    }
    ids
}

fn compare_queries(repository: &Repository, fixtures: &Path, report: &mut Report) {
    let place = |chunk: &Chunk| format!("{}:{}-{}", chunk.file, chunk.start_line, chunk.end_line);
    let all = repository.chunks();
    let known: std::collections::BTreeSet<String> = all.iter().map(place).collect();
    for row in rows(fixtures, "queries") {
        let query = text_of(&row["text"]);
        let started = Instant::now();
        let Ok(hits) = repository.code.words.query(query) else {
            report.overlap.add(f64::from(u8::from(row.get("exception").is_some())));
            continue;
        };
        report.code_seconds.push(started.elapsed().as_secs_f64());
        let chunks = hits.iter().map(|Hit { document, .. }| &all[*document as usize]);
        let ours: Vec<String> = chunks.clone().flat_map(|chunk| entities(&repository.graph, chunk)).collect();
        let theirs: Vec<&str> = row["expected_results"].as_array().into_iter().flatten().map(text_of).collect();
        let common = theirs.iter().filter(|id| ours.iter().any(|own| own == *id)).count();
        report.overlap.add(if theirs.is_empty() { 1.0 } else { common as f64 / theirs.len() as f64 });

        let top: Vec<String> = row["code_chunks"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|chunk| format!("{}:{}-{}", text_of(&chunk["file_path"]), chunk["start_line"], chunk["end_line"]))
            .collect();
        if top.iter().all(|place| known.contains(place)) {
            let ours: Vec<String> = chunks.map(place).collect();
            report.overlap_of_chunks.add(ours.iter().filter(|place| top.contains(place)).count() as f64 / 10.0);
        }

        let started = Instant::now();
        let names = repository.names.ranked(query).unwrap_or_default();
        report.name_seconds.push(started.elapsed().as_secs_f64());
        let ours: Vec<&str> =
            names.iter().map(|(node, _)| repository.graph.nodes[*node as usize].id.as_str()).collect();
        let theirs: Vec<&str> =
            row["name_hits"].as_array().into_iter().flatten().map(|hit| text_of(&hit["id"])).collect();
        report.name_hits.add(f64::from(u8::from(ours == theirs)));
        if ours != theirs {
            report.note(|| format!("names for {query:?}: {ours:?}, LocAgent has {theirs:?}"));
        }
    }
}

/// Fenced code as its number of lines.
pub(crate) fn outline(text: &str) -> String {
    let mut outline = String::new();
    let mut rest = text;
    while let Some(open) = rest.find("```\n") {
        let Some(close) = rest[open + 4..].find("\n```") else { break };
        let code = &rest[open + 4..open + 4 + close];
        outline += &format!("{}```<{} lines>```", &rest[..open], code.matches('\n').count() + 1);
        rest = &rest[open + 4 + close + 4..];
    }
    outline + rest
}

fn strings(value: &Value) -> Option<Vec<String>> {
    value.as_array().map(|list| list.iter().map(|item| text_of(item).to_owned()).collect())
}

fn compare_searches(repository: &Repository, fixtures: &Path, report: &mut Report) {
    for row in rows(fixtures, "search") {
        let mut request = Request { terms: strings(&row["search_terms"]).unwrap_or_default(), ..Request::default() };
        match &row["line_nums"] {
            Value::Array(lines) => request.line_nums = lines.iter().filter_map(Value::as_i64).collect(),
            Value::Number(line) => request.line_nums = line.as_i64().into_iter().collect(),
            _ => {}
        }
        if let Some(pattern) = row.get("file_path_or_pattern") {
            request.file_pattern = pattern.as_str().map(str::to_owned);
        }
        let started = Instant::now();
        let answer = repository.search(&request);
        report.search_seconds.push(started.elapsed().as_secs_f64());
        let (ours, theirs) = match (&answer, row["text"].as_str()) {
            (Ok(outcome), Some(text)) => (outcome.text.clone(), text.to_owned()),
            (Ok(outcome), None) => (outline(&outcome.text), text_of(&row["text_outline"]).to_owned()),
            (Err(error), _) => (
                error.exception().to_owned(),
                text_of(&row["text_exception"]).split(':').next().unwrap_or("").to_owned(),
            ),
        };
        report.outlines.add(f64::from(u8::from(ours == theirs)));
        if ours != theirs {
            report.note(|| {
                format!("search {request:?}:\n--- ours\n{}\n--- LocAgent's\n{}", outline(&ours), outline(&theirs))
            });
        }
    }
}

fn compare_trees(repository: &Repository, fixtures: &Path, report: &mut Report) {
    let edges = Adjacency::new(&repository.graph);
    for row in rows(fixtures, "traverse") {
        // Arguments that LocAgent refuses with an assertion are refused by the command line.
        if row.get("text_exception").is_some() {
            continue;
        }
        let types = |key: &str| strings(&row[key]);
        let request = TreeRequest {
            starts: strings(&row["starts"]).unwrap_or_else(|| vec![text_of(&row["start"]).to_owned()]),
            direction: match text_of(&row["direction"]) {
                "downstream" => Direction::Downstream,
                "upstream" => Direction::Upstream,
                _ => Direction::Both,
            },
            depth: row["hops"].as_u64().map(|depth| depth as u32),
            node_types: types("entity_type_filter").map(|names| {
                NodeType::ALL.into_iter().filter(|kind| names.iter().any(|name| name == kind.name())).collect()
            }),
            edge_types: types("dependency_type_filter").map(|names| {
                EdgeType::ALL.into_iter().filter(|kind| names.iter().any(|name| name == kind.name())).collect()
            }),
        };
        let suggest = |name: &str| repository.suggest(name);
        let started = Instant::now();
        let ours = draw_trees(&repository.graph, &edges, &request, suggest);
        report.tree_seconds.push(started.elapsed().as_secs_f64());
        // Of very long ones only the beginning was kept.
        let theirs = text_of(&row["text_canonical"]);
        let equal = if theirs.chars().count() >= 400_000 { ours.starts_with(theirs) } else { ours == theirs };
        report.trees.add(f64::from(u8::from(equal)));
        if !equal {
            report.note(|| format!("tree {request:?} differs"));
        }
    }
}
