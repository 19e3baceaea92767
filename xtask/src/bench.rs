//! `cargo xtask bench`: every promise about speed and size as a number beside its bar. Times are also given as a ratio
//! to a floor or a rival measured in the same run, since machines differ.

mod load;
mod soak;
mod update;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::trees;

/// Runs of a process whose start is timed.
const STARTS: usize = 30;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let given =
        |flag: &str| arguments.iter().position(|a| a == flag).and_then(|i| arguments.get(i + 1)).map(PathBuf::from);
    build()?;
    let small = given("--small").map_or_else(|| trees::fetch("small", trees::SMALL), Ok)?;
    let large = given("--large").map_or_else(|| trees::fetch("large", trees::LARGE), Ok)?;
    let mut report = Report::default();
    if arguments.iter().any(|a| a == "--load") {
        load::run(&mut report, &large)?;
        report.print();
        return Ok(());
    }
    if arguments.iter().any(|a| a == "--soak") {
        soak::run(&mut report, &small)?;
        report.print();
        return Ok(());
    }
    if arguments.iter().any(|a| a == "--updates") {
        update::run(&mut report, &large)?;
        report.print();
        return Ok(());
    }
    indexing(&mut report, "small", &small, Some(3.0))?;
    indexing(&mut report, "large", &large, Some(30.0))?;
    answering(&mut report, &large)?;
    meaning(&mut report, &large)?;
    update::run(&mut report, &large)?;
    load::run(&mut report, &large)?;
    if let Some(huge) = given("--huge") {
        indexing(&mut report, "huge", &huge, None)?;
    }
    report.print();
    Ok(())
}

fn build() -> Result<()> {
    for arguments in [
        &["build", "--release", "-q", "-p", "cds"][..],
        &["build", "--release", "-q", "-p", "cds-lang", "--example", "parse_floor"][..],
        &["build", "--release", "-q", "-p", "cds-engine", "--example", "latency"][..],
        &["build", "--release", "-q", "-p", "cds-index", "--example", "scan"][..],
    ] {
        if !Command::new(env!("CARGO")).args(arguments).status()?.success() {
            bail!("cargo {} failed", arguments.join(" "));
        }
    }
    Ok(())
}

fn tool(name: &str) -> PathBuf {
    trees::target().join("release").join(name)
}

fn indexing(report: &mut Report, name: &str, tree: &Path, seconds_bar: Option<f64>) -> Result<()> {
    let floor = json(Command::new(tool("examples/parse_floor")).arg(tree))?;
    let floor_seconds = floor["seconds"].as_f64().context("parse_floor prints seconds")?;
    let home = trees::target().join("bench").join(format!("index-{name}"));
    let _ = std::fs::remove_dir_all(&home);
    let mut index = Command::new(tool("cds"));
    index.args(["index", "--format", "json", "--root"]).arg(tree).arg("--index-dir").arg(&home);
    let (seconds, peak, output) = watched(&mut index)?;
    let built: Value = serde_json::from_str(&output)?;
    let files = built["files"].as_u64().unwrap_or(0);
    let status = json(
        Command::new(tool("cds"))
            .args(["status", "--format", "json", "--root"])
            .arg(tree)
            .arg("--index-dir")
            .arg(&home),
    )?;
    let bytes = |key: &str| status[key].as_f64().unwrap_or(0.0);
    report.row(
        &format!("{name}: {files} files, {:.0} MB, indexed in", bytes("source_bytes") / 1e6),
        seconds,
        "s",
        seconds_bar,
    );
    report.row(
        &format!("{name}: index time / bare parse ({floor_seconds:.2} s)"),
        seconds / floor_seconds,
        "x",
        Some(3.0),
    );
    let linking = built["link_seconds"].as_f64().unwrap_or(f64::NAN) / built["seconds"].as_f64().unwrap_or(f64::NAN);
    report.row(&format!("{name}: linking / index time"), linking * 100.0, "%", Some(30.0));
    let graph: u64 =
        GRAPH.iter().filter_map(|f| Some(generation(&home)?.join("graph").join(f).metadata().ok()?.len())).sum();
    report.row(&format!("{name}: graph / source size"), graph as f64 / bytes("source_bytes") * 100.0, "%", Some(20.0));
    report.row(&format!("{name}: peak memory"), peak as f64 / 1e6, "MB", (name == "large").then_some(600.0));
    report.row(
        &format!("{name}: index size / source size"),
        bytes("index_bytes") / bytes("source_bytes"),
        "x",
        Some(1.0),
    );
    let (again, _, output) = watched(&mut index)?;
    let parsed = serde_json::from_str::<Value>(&output)?["parsed"].as_f64().unwrap_or(-1.0);
    report.row(&format!("{name}: second index, files parsed"), parsed, "", Some(0.0));
    report.row(&format!("{name}: second index"), again, "s", None);
    Ok(())
}

/// The tables that the graph adds to an index.
const GRAPH: [&str; 6] = ["out.bin", "edges.bin", "in.bin", "aliases.bin", "unresolved.bin", "importance.bin"];

/// The folder of the current generation.
fn generation(home: &Path) -> Option<PathBuf> {
    let manifest: Value = serde_json::from_slice(&std::fs::read(home.join("manifest.json")).ok()?).ok()?;
    Some(home.join(manifest["generation"].as_str()?))
}

fn answering(report: &mut Report, tree: &Path) -> Result<()> {
    let home = trees::target().join("bench/index-large");
    let floor = starts(&mut Command::new("true"))?;
    let cds = |extra: &[&str]| {
        let mut command = Command::new(tool("cds"));
        command
            .args(["search", "connection retry backoff", "--root"])
            .arg(tree)
            .arg("--index-dir")
            .arg(&home)
            .args(extra);
        command
    };
    let cold = starts(&mut cds(&["--no-update"]))?;
    report.row("cold process to first hit, p95", cold.1, "ms", Some(30.0));
    report.row("cold process to first hit, p50", cold.0, "ms", None);
    report.row("cold process / starting `true`", cold.0 / floor.0, "x", None);
    report.row("the same with the look for changed files, p50", starts(&mut cds(&[]))?.0, "ms", None);
    if Command::new("rg").arg("--version").stdout(Stdio::null()).status().is_ok() {
        let rg = starts(Command::new("rg").args(["-i", "retry"]).arg(tree))?;
        let grep = starts(
            Command::new(tool("cds"))
                .args(["grep", "-i", "retry", "--no-update", "--limit", "100000", "--root"])
                .arg(tree)
                .arg("--index-dir")
                .arg(&home),
        )?;
        report.row("cds grep / ripgrep, the same word", grep.0 / rg.0, "x", None);
    }
    let warm = json(Command::new(tool("examples/latency")).arg(tree).env("CDS_INDEX_DIR", &home))?;
    let number = |kind: &str, which: &str| warm[kind][which].as_f64().unwrap_or(f64::NAN);
    let chunks = warm["chunks"].as_u64().unwrap_or(0);
    report.row(&format!("warm exact name, p95 at {chunks} chunks"), number("name", "p95"), "ms", Some(1.0));
    report.row(&format!("warm BM25, p95 at {chunks} chunks"), number("bm25", "p95"), "ms", Some(10.0));
    report.row(&format!("warm default search, p95 at {chunks} chunks"), number("default", "p95"), "ms", None);
    report.row(&format!("what ranking adds, p95 at {chunks} chunks"), number("ranking", "p95"), "ms", Some(3.0));
    report.row(&format!("warm meaning alone, p95 at {chunks} chunks"), number("dense", "p95"), "ms", None);
    report.row(&format!("warm hybrid, p95 at {chunks} chunks"), number("hybrid", "p95"), "ms", Some(10.0));
    report.row("warm walk, 2 edges both ways, p95", number("traverse", "p95"), "ms", Some(5.0));
    Ok(())
}

/// What vectors cost and how exact their search is.
fn meaning(report: &mut Report, tree: &Path) -> Result<()> {
    let home = trees::target().join("bench/index-large");
    let scan = json(Command::new(tool("examples/scan")).arg(&home))?;
    let number = |key: &str| scan[key].as_f64().unwrap_or(f64::NAN);
    let vectors = number("vectors");
    report.row("query to a vector, p50", number("encode_query_ms"), "ms", Some(0.2));
    report.row(&format!("search of {vectors} vectors, p50"), number("scan_p50_ms"), "ms", None);
    report.row("search of 1,000,000 vectors, one core", number("million_ms"), "ms", Some(40.0));
    report.row("of the ten nearest by floats, missed", (1.0 - number("recall_at_10")) * 100.0, "%", Some(1.0));
    // Turn about, since the machine is not always equally fast; the least disturbed run of each counts.
    let mut least = [f64::INFINITY; 2];
    for _ in 0..3 {
        for (least, model) in least.iter_mut().zip(["none", "builtin"]) {
            let other = trees::target().join("bench/index-meaning");
            let _ = std::fs::remove_dir_all(&other);
            let mut index = Command::new(tool("cds"));
            index.args(["index", "--format", "json", "--root"]).arg(tree).arg("--index-dir").arg(&other);
            *least = watched(index.env("CDS_MODELS_DENSE", model))?.0.min(*least);
        }
    }
    report.row("vectors, share of index time without them", (least[1] / least[0] - 1.0) * 100.0, "%", Some(25.0));
    Ok(())
}

/// Median and 95th percentile of a process's whole life, in milliseconds.
fn starts(command: &mut Command) -> Result<(f64, f64)> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let started = Instant::now();
        command.status().with_context(|| format!("{command:?}"))?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok((times[times.len() / 2], times[times.len() * 95 / 100]))
}

/// Wall time, peak resident bytes and output of a process.
fn watched(command: &mut Command) -> Result<(f64, u64, String)> {
    let started = Instant::now();
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("{command:?}"))?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait()?.is_none() {
        peak = peak.max(high_water(&status_file));
        std::thread::sleep(Duration::from_millis(10));
    }
    let seconds = started.elapsed().as_secs_f64();
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("{command:?}: {}", output.status);
    }
    Ok((seconds, peak, String::from_utf8(output.stdout)?))
}

fn high_water(status_file: &str) -> u64 {
    let text = std::fs::read_to_string(status_file).unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn json(command: &mut Command) -> Result<Value> {
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("{command:?}"))?;
    serde_json::from_slice(&output.stdout).with_context(|| format!("{command:?}: {}", output.status))
}

#[derive(Default)]
struct Report {
    rows: Vec<(String, f64, &'static str, Option<f64>)>,
}

impl Report {
    fn row(&mut self, name: &str, value: f64, unit: &'static str, bar: Option<f64>) {
        eprintln!("{name}: {value:.3} {unit}");
        self.rows.push((name.to_owned(), value, unit, bar));
    }

    #[allow(clippy::print_stdout)]
    fn print(&self) {
        let width = self.rows.iter().map(|r| r.0.len()).max().unwrap_or(0);
        for (name, value, unit, bar) in &self.rows {
            let verdict = match bar {
                Some(bar) if value <= bar => format!("bar {bar} {unit}  ok"),
                Some(bar) => format!("bar {bar} {unit}  MISSED"),
                None => String::new(),
            };
            println!("{name:width$}  {value:10.3} {unit:2}  {verdict}");
        }
    }
}
