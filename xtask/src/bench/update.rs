//! How long it takes until an edit can be found: one file, and a thousand.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Report, tool};
use crate::trees;

/// Edits of one file that are timed.
const EDITS: usize = 40;

/// Edits a copy of the tree.
pub(super) fn run(report: &mut Report, tree: &Path) -> Result<()> {
    let folder = trees::target().join("bench/edited");
    let _ = std::fs::remove_dir_all(&folder);
    trees::copy(tree, &folder)?;
    let home = trees::target().join("bench/index-edited");
    let _ = std::fs::remove_dir_all(&home);
    let cds = |arguments: &[&str]| {
        let mut command = Command::new(tool("cds"));
        command.args(arguments).args(["--format", "json", "--root"]).arg(&folder).arg("--index-dir").arg(&home);
        command
    };
    super::json(&mut cds(&["index"]))?;
    let mut files: Vec<PathBuf> = Vec::new();
    trees::list(&folder, &mut files);
    files.retain(|file| file.extension().is_some_and(|e| e == "py"));
    files.sort();
    let count = files.len();
    // As far apart as they can be.
    let mut times = Vec::new();
    for edit in 0..EDITS {
        let name = format!("added_by_edit_{edit}");
        append(&files[edit * count / EDITS], &format!("\ndef {name}(value):\n    return value + {edit}\n"))?;
        let started = Instant::now();
        let answer = super::json(&mut cds(&["search", &name, "--limit", "1"]))?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
        let found = answer["hits"][0]["name"].as_str() == Some(name.as_str());
        anyhow::ensure!(found, "{name} is not found after the edit: {answer}");
    }
    report.row(
        &format!("{count} Python files: one edited, found by the next process, p50"),
        percentile(&mut times, 0.5),
        "ms",
        None,
    );
    report.row("the same, p95", percentile(&mut times, 0.95), "ms", Some(200.0));
    for (i, file) in files.iter().step_by(count / 1000).take(1000).enumerate() {
        append(file, &format!("\ndef added_to_many_{i}(value):\n    return value\n"))?;
    }
    let started = Instant::now();
    let answer: Value = super::json(&mut cds(&["search", "added_to_many_999", "--limit", "1"]))?;
    report.row("a thousand files edited, found by the next process", started.elapsed().as_secs_f64(), "s", Some(5.0));
    answer["hits"][0]["name"].as_str().context("the thousandth edit is found")?;
    let mut looks: Vec<f64> = Vec::new();
    let mut answers: Vec<f64> = Vec::new();
    for _ in 0..20 {
        for (times, extra) in [(&mut looks, ""), (&mut answers, "--no-update")] {
            let mut arguments = vec!["search", "value", "--limit", "1"];
            arguments.extend((extra == "--no-update").then_some(extra));
            let started = Instant::now();
            super::json(&mut cds(&arguments))?;
            times.push(started.elapsed().as_secs_f64() * 1e3);
        }
    }
    let look = percentile(&mut looks, 0.5) - percentile(&mut answers, 0.5);
    report.row("a look that finds nothing changed, p50", look, "ms", Some(50.0));
    Ok(())
}

fn append(file: &Path, text: &str) -> Result<()> {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new().append(true).open(file)?;
    Ok(file.write_all(text.as_bytes())?)
}

fn percentile(times: &mut [f64], share: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    times[((times.len() - 1) as f64 * share).round() as usize]
}
