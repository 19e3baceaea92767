//! `cargo xtask parity`: LocAgent's recorded results beside ours, on real packages.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::trees::{run as run_command, target};

/// Bars: what the comparison must reach, by the name of the number.
const BARS: &[(&str, f64)] =
    &[("chunks", 98.0), ("overlap", 90.0), ("overlap_of_chunks", 97.0), ("outlines", 95.0), ("trees", 100.0)];
/// How many times as fast as LocAgent each must be.
const SPEED: &[(&str, f64)] = &[
    ("graph_cpu_s", 50.0),
    ("code_index_cpu_s", 50.0),
    ("code_query_ms", 1.0),
    ("name_query_ms", 1.0),
    ("search_ms", 1.0),
    ("tree_ms", 1.0),
];
/// Times are the best of this many runs: the machine is shared.
const RUNS: usize = 3;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let small = arguments.iter().any(|a| a == "--small");
    if small && !has_pip() {
        eprintln!(
            "== parity of real packages: skipped, it needs python3 with pip; the odd package was compared by the tests"
        );
        return Ok(());
    }
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cds-locagent/tests/fixtures");
    let packages: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(fixtures.join("packages.json"))?)?;
    run_command(Command::new(env!("CARGO")).args([
        "build",
        "-q",
        "--release",
        "-p",
        "cds-locagent",
        "--example",
        "parity",
    ]))?;
    let mut failed = Vec::new();
    let mut rows = Vec::new();
    for package in packages.iter().filter(|p| !small || p["large"] != true) {
        let name = package["package"].as_str().context("a name")?;
        let root = package["root"].as_str().context("a folder")?;
        let source = sdist(name, package["sha256"].as_str().context("a hash")?)?;
        let best = measure(&source, &fixtures.join(root), if small { 1 } else { RUNS })?;
        failed.extend(misses(name, package, &best, small));
        rows.push((name.to_owned(), package.clone(), best));
    }
    print(&rows);
    if failed.is_empty() { Ok(()) } else { bail!("bars missed:\n{}", failed.join("\n")) }
}

fn has_pip() -> bool {
    let version =
        Command::new("python3").args(["-m", "pip", "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// A source package of PyPI by name and hash, unpacked once.
fn sdist(package: &str, sha256: &str) -> Result<PathBuf> {
    let folder = target().join("parity").join(package);
    let done = folder.join(".complete");
    if !done.exists() {
        eprintln!("fetching {package}");
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        let requirement = folder.join("requirement.txt");
        std::fs::write(&requirement, format!("{package} --hash=sha256:{sha256}\n"))?;
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "download", "-q", "--no-deps", "--require-hashes", "--no-binary", ":all:", "-d"]);
        run_command(pip.arg(&folder).arg("-r").arg(&requirement))?;
        let archives = std::fs::read_dir(&folder)?.flatten().map(|e| e.path());
        let archive = archives.into_iter().find(|p| p.extension().is_some_and(|e| e == "gz")).context("no archive")?;
        let source = folder.join("source");
        std::fs::create_dir_all(&source)?;
        run_command(Command::new("tar").args(["--strip-components=1", "-xzf"]).arg(&archive).arg("-C").arg(&source))?;
        std::fs::write(&done, "")?;
    }
    Ok(folder.join("source"))
}

/// Runs the comparison; of times the best counts.
fn measure(source: &Path, fixtures: &Path, runs: usize) -> Result<Value> {
    let mut best = Value::Null;
    for at in 0..runs {
        let program = target().join("release/examples/parity");
        let mut command = Command::new(program);
        command.arg(source).arg(fixtures).stderr(if at == 0 { Stdio::inherit() } else { Stdio::null() });
        let output = command.output().context("running the comparison")?;
        if !output.status.success() {
            bail!("the comparison of {} failed", source.display());
        }
        let row: Value = serde_json::from_slice(&output.stdout)?;
        if at == 0 {
            best = row;
            continue;
        }
        for (key, _) in SPEED {
            let least = number(&best, key).min(number(&row, key));
            best[*key] = least.into();
        }
    }
    Ok(best)
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or(f64::NAN)
}

fn misses(name: &str, recorded: &Value, ours: &Value, small: bool) -> Vec<String> {
    let mut missed = Vec::new();
    let differences = number(ours, "graph_differences");
    if differences != 0.0 {
        missed.push(format!("{name}: {differences} rows of the graph differ"));
    }
    for (key, bar) in BARS {
        if number(ours, key) < *bar {
            missed.push(format!("{name}: {key} {:.1} %, the bar is {bar} %", number(ours, key)));
        }
    }
    for (key, bar) in SPEED.iter().filter(|_| !small) {
        let times = number(recorded, key) / number(ours, key);
        if times < *bar {
            missed.push(format!("{name}: {key} is {times:.1} times as fast, the bar is {bar}"));
        }
    }
    missed
}

#[allow(clippy::print_stdout)]
fn print(rows: &[(String, Value, Value)]) {
    println!(
        "| package | graph rows that differ | chunks | BM25 overlap | where chunks agree | names in order | search texts | trees |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, _, ours) in rows {
        let share = |key: &str| format!("{:.1} %", number(ours, key));
        let counted = |key: &str, count: &str| format!("{} of {}", share(key), number(ours, count));
        let cells = [
            format!("{} of {}", number(ours, "graph_differences"), number(ours, "graph_rows")),
            share("chunks"),
            share("overlap"),
            share("overlap_of_chunks"),
            share("name_hits"),
            counted("outlines", "outline_count"),
            counted("trees", "tree_count"),
        ];
        println!("| {name} | {} |", cells.join(" | "));
    }
    println!(
        "\n| package | graph, CPU s | | code index, CPU s | | code query, ms | | name query, ms | | search, ms | | tree, ms | |"
    );
    println!("|---|{}", "---|".repeat(12));
    for (name, recorded, ours) in rows {
        let cells = SPEED.iter().map(|(key, _)| {
            let (theirs, ours) = (number(recorded, key), number(ours, key));
            format!("{theirs:.3} → {ours:.3} | {:.0}x", theirs / ours)
        });
        println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}
