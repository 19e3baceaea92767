//! The same measurement for codegraph, a graph of code in a SQLite database. It indexes a copy, since it writes into the
//! tree, outside of our repository, whose ignore rules it would follow, and without its telemetry.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::judge::{Edge, Graph, Kind, NAMED};
use super::packages;
use super::sites::{Place, Truth};
use super::source::is_word;

/// Edges as JSON lines. Synthetic ones have no column: they say what may be dispatched, not what a call names.
const DUMP: &str = "
import json, sqlite3, sys
database = sqlite3.connect(sys.argv[1])
for row in database.execute('''
    select e.kind, s.file_path, e.line, e.col, e.metadata, t.name, t.file_path, t.start_line
    from edges e join nodes s on s.id = e.source join nodes t on t.id = e.target
    where e.kind in ('calls', 'instantiates', 'extends', 'implements') and e.line is not null and e.col is not null'''):
    print(json.dumps(row))
";

/// Indexes a copy of `tree`: seconds of the whole process, and its edges.
pub(crate) fn measure(program: &Path, tree: &Path, truth: &Truth) -> Result<(f64, Graph)> {
    let folder = std::env::temp_dir().join(format!("cds-graph-truth-{}", std::process::id()));
    let measured = measure_in(&folder, program, tree, truth);
    let _ = std::fs::remove_dir_all(&folder);
    measured
}

fn measure_in(folder: &Path, program: &Path, tree: &Path, truth: &Truth) -> Result<(f64, Graph)> {
    let copy = folder.join("tree");
    packages::copy(tree, &copy)?;
    let started = Instant::now();
    let status = Command::new(program)
        .args(["init", "--yes"])
        .arg(&copy)
        .env("HOME", folder)
        .envs([("CODEGRAPH_TELEMETRY", "0"), ("DO_NOT_TRACK", "1")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    let seconds = started.elapsed().as_secs_f64();
    let database: PathBuf = copy.join(".codegraph/codegraph.db");
    if !status.success() || !database.exists() {
        bail!("codegraph wrote no index: {status}");
    }
    let dump = Command::new("python3").args(["-c", DUMP]).arg(database).output()?;
    let mut graph = Graph::default();
    for line in String::from_utf8(dump.stdout)?.lines() {
        let row: Vec<Value> = serde_json::from_str(line)?;
        graph.edges.push(edge(&row, truth).with_context(|| line.to_owned())?);
    }
    Ok((seconds, graph))
}

fn edge(row: &[Value], truth: &Truth) -> Result<Edge> {
    let [kind, path, line, column, metadata, to, to_path, to_line] = row else { bail!("eight columns") };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let number = |value: &Value| value.as_u64().unwrap_or_default() as u32;
    let metadata: Value = serde_json::from_str(metadata.as_str().unwrap_or("null"))?;
    // In `f.call(…)` it means `f`.
    let written = metadata["refName"].as_str().or(to.as_str()).unwrap_or_default();
    let segment = written.split(['.', ':']).find(|segment| to == segment);
    let name = segment.or(written.rsplit(['.', ':']).next()).unwrap_or_default().to_owned();
    let place = Place { path: text(path), line: number(line), column: number(column) };
    let call = matches!(kind.as_str(), Some("calls" | "instantiates"));
    Ok(Edge {
        kind: if call { Kind::Invoke } else { Kind::Inherit },
        certainty: NAMED,
        place: name_in(truth, place, &name),
        target: (text(to_path), name_line(truth, &text(to_path), number(to_line), &text(to))),
        name,
        to: text(to),
        whole_file: false,
    })
}

/// An edge starts where the whole call starts, `a.b.c()` at `a`. The name that is called is the next one spelled so, on
/// the same line or, in a chain of calls, on a line that begins with a dot.
fn name_in(truth: &Truth, place: Place, name: &str) -> Place {
    let Some(lines) = truth.lines.get(&place.path) else { return place };
    let mut from = place.column as usize;
    for line in place.line as usize..=lines.len() {
        let text = lines[line - 1].as_str();
        if line > place.line as usize && !text.trim_start().starts_with(['.', '?', ')', '}']) {
            break;
        }
        if let Some(column) = word(text, from.min(text.len()), name) {
            return Place { line: line as u32, column: column as u32, ..place };
        }
        from = 0;
    }
    place
}

/// The line of a target's name: definitions begin at their decorators or modifiers, arrow functions behind the name.
fn name_line(truth: &Truth, path: &str, line: u32, name: &str) -> u32 {
    let lines = truth.lines.get(path).map(Vec::as_slice).unwrap_or_default();
    let named = |line: &u32| {
        let text = lines.get((*line as usize).wrapping_sub(1)).map_or("", String::as_str);
        !text.trim_start().starts_with('@') && word(text, 0, name).is_some()
    };
    [line, line - 1].into_iter().chain(line..line + 20).find(named).unwrap_or(line)
}

/// Where `name` stands in `text` as a whole word, from `from` on.
fn word(text: &str, from: usize, name: &str) -> Option<usize> {
    let after = text.get(from..)?;
    after.match_indices(name).map(|(offset, _)| from + offset).find(|&start| {
        !text[..start].ends_with(is_word) && !text[start + name.len()..].starts_with(is_word) && !name.is_empty()
    })
}
