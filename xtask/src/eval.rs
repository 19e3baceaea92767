//! `cargo xtask eval`: how well cds answers, by `cds eval` on sets of questions. The repository's own set guards ranks in
//! review; the outside sets are for numbers, and for fitting weights.

mod learn;
mod own;
mod packages;
mod ridge;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::trees;

const USAGE: &str = "--learn needs --sets and --repos; --sets needs --repos or --issues";

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let given = |flag: &str| arguments.iter().position(|a| a == flag).and_then(|i| arguments.get(i + 1));
    let folder = |flag: &str| given(flag).map(PathBuf::from);
    let is_set = |flag: &str| arguments.iter().any(|a| a == flag);
    let cds = Cds { program: folder("--cds").map_or_else(build, Ok)? };
    match (folder("--sets"), folder("--repos"), folder("--issues")) {
        (Some(sets), Some(repos), _) if is_set("--learn") => learn::run(&cds, &Queries::new(&sets, &repos)),
        _ if is_set("--learn") => bail!("{USAGE}"),
        (None, _, _) => own::run(&cds, given("--only").map(String::as_str), is_set("--bless")),
        (Some(_), None, None) => bail!("{USAGE}"),
        (Some(sets), repos, issues) => outside(&cds, &sets, repos.as_deref(), issues.as_deref()),
    }
}

fn build() -> Result<PathBuf> {
    trees::run(Command::new(env!("CARGO")).args(["build", "--release", "-q", "-p", "cds"]))?;
    Ok(trees::target().join("release/cds"))
}

/// The program that is measured.
struct Cds {
    program: PathBuf,
}

impl Cds {
    /// What `cds eval` says. A repository that is missing was told and counts as not answered.
    fn eval(&self, command: impl FnOnce(&mut Command)) -> Result<Value> {
        let mut cds = Command::new(&self.program);
        cds.args(["eval", "--format", "json"]);
        command(&mut cds);
        let output = cds.stderr(Stdio::inherit()).output().with_context(|| format!("{cds:?}"))?;
        if !matches!(output.status.code(), Some(0 | 1)) {
            bail!("{cds:?}: {}", output.status);
        }
        serde_json::from_slice(&output.stdout).with_context(|| format!("{cds:?}"))
    }
}

/// Below the target directory.
fn store(name: &str) -> Result<PathBuf> {
    let folder = trees::target().join("evals");
    std::fs::create_dir_all(&folder)?;
    Ok(std::path::absolute(folder.join(name))?)
}

/// The outside set of queries.
struct Queries {
    set: PathBuf,
    repos_file: PathBuf,
    repos: PathBuf,
}

impl Queries {
    fn new(sets: &Path, repos: &Path) -> Queries {
        Queries {
            set: sets.join("semble-dev.jsonl"),
            repos_file: sets.join("semble-dev-repos.json"),
            repos: repos.to_owned(),
        }
    }

    fn put(&self, command: &mut Command) -> Result<()> {
        command.arg(&self.set).arg("--repos").arg(&self.repos).arg("--repos-file").arg(&self.repos_file);
        command.arg("--index-dir").arg(store("index-semble-dev")?);
        Ok(())
    }
}

/// One column a set, one row a number.
fn outside(cds: &Cds, sets: &Path, repos: Option<&Path>, issues: Option<&Path>) -> Result<()> {
    let mut columns: Vec<(&str, Value)> = Vec::new();
    if let Some(repos) = repos {
        let mut prepared = Ok(());
        let said = cds.eval(|command| prepared = Queries::new(sets, repos).put(command))?;
        prepared?;
        columns.push(("semble-dev", said["queries"].clone()));
    }
    if let Some(issues) = issues {
        let index = store("index-locate-dev")?;
        let said = cds.eval(|command| {
            command.arg(sets.join("locate-dev.jsonl")).arg("--repos").arg(issues).arg("--index-dir").arg(index);
        })?;
        columns.push(("locate-dev", said["issues"].clone()));
    }
    print(&columns);
    Ok(())
}

#[allow(clippy::print_stdout)]
fn print(columns: &[(&str, Value)]) {
    let mut rows: Vec<(String, Vec<Option<f64>>)> = Vec::new();
    let mut put = |name: String, column: usize, value: Option<f64>| {
        let at = rows.iter().position(|row| row.0 == name).unwrap_or_else(|| {
            rows.push((name, vec![None; columns.len()]));
            rows.len() - 1
        });
        rows[at].1[column] = value;
    };
    for (i, (_, section)) in columns.iter().enumerate() {
        put("missing".to_owned(), i, section["missing"].as_f64());
        for (name, value) in section["overall"].as_object().into_iter().flatten().filter(|(name, _)| *name != "name") {
            put(name.clone(), i, value.as_f64());
        }
        for category in section["by_category"].as_array().into_iter().flatten() {
            let name = category["name"].as_str().unwrap_or_default();
            put(format!("ndcg_10, {name}"), i, category["ndcg_10"].as_f64());
        }
    }
    println!("{:24}{}", "", columns.iter().map(|(name, _)| format!("{name:>14}")).collect::<String>());
    for (name, values) in rows {
        let cell = |value: Option<f64>| value.map_or("-".to_owned(), |v| format!("{v:.4}"));
        println!("{name:24}{}", values.into_iter().map(|v| format!("{:>14}", cell(v))).collect::<String>());
    }
}
