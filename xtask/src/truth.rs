//! `cargo xtask graph-truth`: how right and how complete the code graph is. Compilers index real packages, and every
//! edge of ours is held against what they say; so are the edges of codegraph.

mod codegraph;
mod judge;
mod packages;
mod sites;
mod source;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::trees;
use judge::{CERTAINTIES, Graph, Kind, NAMED, Score};
use packages::{Language, PACKAGES, Package, Store};
use sites::Truth;

/// Of the edges that claim to be certain, the share that must be right.
const PRECISION: f64 = 0.95;

/// Of the calls within a package, the share that must have the right target among their edges.
const RECALL: f64 = 0.90;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let given =
        |flag: &str| arguments.iter().position(|a| a == flag).and_then(|i| arguments.get(i + 1)).map(PathBuf::from);
    let store = Store::open(&given("--packages").unwrap_or_else(|| trees::target().join("truth")))?;
    let edges = given("--edges");
    if edges.is_none() {
        build()?;
    }
    let mut rows = Vec::new();
    let mut misses = String::new();
    for package in PACKAGES {
        let (row, text) = measure(&store, package, edges.as_deref()).with_context(|| package.name)?;
        rows.push(row);
        misses.push_str(&format!("# {}\n{text}", package.name));
    }
    if let Some(file) = given("--misses") {
        std::fs::write(&file, misses)?;
    }
    print(rows);
    Ok(())
}

fn build() -> Result<()> {
    for arguments in [
        &["build", "--release", "-q", "-p", "cds"][..],
        &["build", "--release", "-q", "-p", "cds-engine", "--example", "edges"][..],
    ] {
        if !Command::new(env!("CARGO")).args(arguments).status()?.success() {
            bail!("cargo {} failed", arguments.join(" "));
        }
    }
    Ok(())
}

/// What a package, or several together, came to.
struct Row {
    name: String,
    language: Option<Language>,
    cds: [Score; Kind::ALL.len()],
    rival: [Score; Kind::ALL.len()],
    /// Of building the index from nothing.
    cds_seconds: f64,
    rival_seconds: f64,
}

fn measure(store: &Store, package: &Package, edges: Option<&Path>) -> Result<(Row, String)> {
    let tree = store.tree(package)?;
    let truth = Truth::new(&store.index(package)?, &tree, package.language)?;
    let (cds_seconds, lines) = match edges {
        Some(folder) => {
            let file = folder.join(format!("{}.jsonl", package.name));
            (f64::NAN, if file.exists() { std::fs::read_to_string(&file)? } else { String::new() })
        }
        None => ours(store, package, &tree)?,
    };
    let (cds, misses) = judge::judge(&truth, &Graph::parse(&lines)?);
    let program = store.tool("@colbymchenry/codegraph-linux-x64/bin/codegraph")?;
    let (rival_seconds, graph) = codegraph::measure(&program, &tree, &truth).unwrap_or_else(|error| {
        eprintln!("{}: {error:#}", package.name);
        (f64::NAN, Graph::default())
    });
    let (rival, _) = judge::judge(&truth, &graph);
    let (name, language) = (package.name.to_owned(), Some(package.language));
    Ok((Row { name, language, cds, rival, cds_seconds, rival_seconds }, misses))
}

/// Seconds that `cds index` takes, and the edges of its graph as JSON lines.
fn ours(store: &Store, package: &Package, tree: &Path) -> Result<(f64, String)> {
    let release = trees::target().join("release");
    let home = store.root.join(format!("index-{}", package.name));
    let _ = std::fs::remove_dir_all(&home);
    let started = Instant::now();
    trees::run(
        Command::new(release.join("cds"))
            .args(["index", "--format", "json", "--root"])
            .arg(tree)
            .arg("--index-dir")
            .arg(&home)
            .stdout(Stdio::null()),
    )?;
    let seconds = started.elapsed().as_secs_f64();
    let output = Command::new(release.join("examples/edges"))
        .arg(tree)
        .env("CDS_INDEX_DIR", &home)
        .stderr(Stdio::inherit())
        .output()
        .context("the edges example")?;
    if !output.status.success() {
        bail!("the edges example: {}", output.status);
    }
    Ok((seconds, String::from_utf8(output.stdout)?))
}

#[allow(clippy::print_stdout)]
fn print(mut rows: Vec<Row>) {
    for language in [Some(Language::Python), Some(Language::Script), None] {
        let together = total(
            rows.iter().filter(|row| row.language.is_some() && language.is_none_or(|l| row.language == Some(l))),
            language,
        );
        rows.push(together);
    }
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for kind in Kind::ALL {
        println!("{}: right/judged edges by certainty, then the true edges that were found", kind.name());
        let columns = CERTAINTIES.map(|certainty| format!("{certainty:>16}")).concat();
        println!(
            "{:width$}{columns}{:>22}{:>11}{:>8}{:>8}{:>9}",
            "", "certain", "not judged", "true", "recall", "certain"
        );
        for row in &rows {
            let score = &row.cds[kind as usize];
            let edges = score.edges.map(|edges| format!("{:>16}", share(edges))).concat();
            println!(
                "{:width$}{edges}{:>22}{:>11}{:>8}{:>8}{:>9}",
                row.name,
                share(score.certain()),
                score.not_judged,
                score.sites,
                rate(score.found, score.sites),
                rate(score.found_certainly, score.sites),
            );
        }
        println!();
    }
    println!("codegraph: calls, then classes' bases, then seconds to index beside cds");
    println!(
        "{:width$}{:>20}{:>11}{:>8}{:>8}{:>18}{:>8}{:>8}{:>11}{:>8}",
        "", "right", "not judged", "true", "recall", "bases right", "true", "recall", "codegraph", "cds"
    );
    for row in &rows {
        let [calls, bases, _] = &row.rival;
        println!(
            "{:width$}{:>20}{:>11}{:>8}{:>8}{:>18}{:>8}{:>8}{:>11}{:>8}",
            row.name,
            share(calls.edges[NAMED]),
            calls.not_judged,
            calls.sites,
            rate(calls.found, calls.sites),
            share(bases.edges[NAMED]),
            bases.sites,
            rate(bases.found, bases.sites),
            seconds(row.rival_seconds),
            seconds(row.cds_seconds),
        );
    }
    println!();
    let all = &rows[rows.len() - 1].cds[Kind::Invoke as usize];
    let (right, judged) = all.certain();
    bar("calls: precision of certain edges", ratio(right, judged), PRECISION);
    bar("calls: recall of all edges", ratio(all.found, all.sites), RECALL);
}

fn total<'a>(rows: impl Iterator<Item = &'a Row>, language: Option<Language>) -> Row {
    let name = language.map_or("all", Language::name).to_owned();
    let mut sum = Row {
        name,
        language: None,
        cds: Default::default(),
        rival: Default::default(),
        cds_seconds: 0.0,
        rival_seconds: 0.0,
    };
    for row in rows {
        sum.cds.iter_mut().zip(&row.cds).for_each(|(sum, score)| sum.add(score));
        sum.rival.iter_mut().zip(&row.rival).for_each(|(sum, score)| sum.add(score));
        sum.cds_seconds += row.cds_seconds;
        sum.rival_seconds += row.rival_seconds;
    }
    sum
}

fn share((right, judged): (usize, usize)) -> String {
    if judged == 0 { "-".to_owned() } else { format!("{right}/{judged} {:.3}", ratio(right, judged)) }
}

fn rate(part: usize, whole: usize) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.3}", ratio(part, whole)) }
}

/// Not a number stands for what was not measured.
fn seconds(seconds: f64) -> String {
    if seconds.is_nan() { "-".to_owned() } else { format!("{seconds:.2} s") }
}

fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

#[allow(clippy::print_stdout)]
fn bar(name: &str, value: f64, bar: f64) {
    let verdict = if value >= bar { "ok" } else { "MISSED" };
    println!("{name:36}{value:8.3}  bar {bar:.2}  {verdict}");
}
