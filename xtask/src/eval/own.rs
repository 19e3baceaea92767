//! The repository's own set: the rank of each answer is recorded in `evals/rank_stats.txt`, so that a change which moves
//! ranks shows in review as a diff, for better or worse.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::packages::Package;
use super::{Cds, store};

/// What questions call this workspace.
const OURSELVES: &str = "cds";

pub(super) fn run(cds: &Cds, only: Option<&str>, bless: bool) -> Result<()> {
    let workspace = std::path::absolute(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))?;
    let evals = workspace.join("evals");
    let read = |name: &str| {
        let file = evals.join(name);
        std::fs::read_to_string(&file).with_context(|| file.display().to_string())
    };
    let only: Option<Vec<&str>> = only.map(|names| names.split(',').collect());
    let is_wanted = |repo: &str| only.as_ref().is_none_or(|names| names.contains(&repo));
    let questions = questions(&read("queries.jsonl")?)?;
    let asked: Vec<&Question> = questions.iter().filter(|question| is_wanted(&question.repo)).collect();
    if asked.is_empty() {
        bail!("no question is about {}", only.unwrap_or_default().join(", "));
    }
    let mut repos = vec![json!({"name": OURSELVES, "path": workspace})];
    for package in Package::parse(&read("packages.jsonl")?)?.iter().filter(|p| is_wanted(&p.name)) {
        repos.push(json!({"name": package.name, "path": package.tree()?, "benchmark_root": package.root}));
    }
    let ranks = ranks(cds, &asked, &repos)?;

    let file = evals.join("rank_stats.txt");
    let recorded = parse(&std::fs::read_to_string(&file).unwrap_or_default())?;
    let changes = changes(&recorded, &ranks, only.is_none());
    if bless {
        // Questions that were not asked keep what they had.
        let known = |question: &Question| {
            let rank = ranks.get(&question.id).or_else(|| recorded.get(&question.id))?;
            Some(format!("{} {rank}\n", question.id))
        };
        std::fs::write(&file, questions.iter().filter_map(known).collect::<String>())?;
        eprintln!("recorded {} ranks, {} of them changed", ranks.len(), changes.len());
        return Ok(());
    }
    if changes.is_empty() {
        eprintln!("{} questions, every rank as recorded", ranks.len());
        return Ok(());
    }
    let text: Vec<String> = changes.iter().map(|change| change.told(&questions)).collect();
    let (better, worse) = (count(&changes, Change::is_better), count(&changes, Change::is_worse));
    bail!(
        "{} of {} ranks changed, {better} better and {worse} worse:\n{}\n\
         if that is what you want, record it with `cargo xtask eval --bless`",
        changes.len(),
        ranks.len(),
        text.join("\n")
    );
}

fn count(changes: &[Change], is: impl Fn(&Change) -> bool) -> usize {
    changes.iter().filter(|change| is(change)).count()
}

struct Question {
    id: String,
    repo: String,
    query: String,
    line: String,
}

fn questions(text: &str) -> Result<Vec<Question>> {
    let question = |line: &str| {
        let row: Value = serde_json::from_str(line).with_context(|| line.to_owned())?;
        let field = |key: &str| row[key].as_str().map(str::to_owned).with_context(|| format!("{key} in {line}"));
        Ok(Question { id: field("id")?, repo: field("repo")?, query: field("query")?, line: line.to_owned() })
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(question).collect()
}

type Ranks = BTreeMap<String, Rank>;

/// From 1; none where it was not found.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rank(Option<u64>);

impl Rank {
    /// Not found is behind any rank.
    fn place(self) -> u64 {
        self.0.unwrap_or(u64::MAX)
    }
}

impl std::fmt::Display for Rank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(rank) => write!(f, "{rank}"),
            None => f.write_str("-"),
        }
    }
}

/// Asks, and gives the rank of the first target of each question.
fn ranks(cds: &Cds, asked: &[&Question], repos: &[Value]) -> Result<Ranks> {
    let (set, repos_file, details) = (store("queries.jsonl")?, store("repos.json")?, store("details.jsonl")?);
    std::fs::write(&set, asked.iter().map(|question| format!("{}\n", question.line)).collect::<String>())?;
    std::fs::write(&repos_file, serde_json::to_string(repos)?)?;
    let (folder, index): (PathBuf, PathBuf) = (store("")?, store("index")?);
    let said = cds.eval(|command| {
        command.arg(&set).arg("--repos").arg(folder).arg("--repos-file").arg(&repos_file);
        command.arg("--index-dir").arg(index).arg("--details").arg(&details);
        // The set itself has every question in it, word for word.
        command.args(["--exclude", "evals/**"]);
    })?;
    if let Some(missing) = said["missing"].as_array().filter(|missing| !missing.is_empty()) {
        bail!("trees are missing: {missing:?}");
    }
    let rank = |line: &str| {
        let row: Value = serde_json::from_str(line)?;
        let ranks = row["ranks"].as_array().context("ranks")?.iter().filter_map(Value::as_u64);
        Ok((row["id"].as_str().context("an id")?.to_owned(), Rank(ranks.min())))
    };
    std::fs::read_to_string(details)?.lines().map(rank).collect()
}

/// Lines of an id and a rank.
fn parse(text: &str) -> Result<Ranks> {
    let line = |line: &str| {
        let (id, rank) = line.rsplit_once(' ').with_context(|| format!("rank_stats.txt: {line:?}"))?;
        let rank = match rank {
            "-" => None,
            rank => Some(rank.parse().with_context(|| format!("rank_stats.txt: {line:?}"))?),
        };
        Ok((id.to_owned(), Rank(rank)))
    };
    text.lines().map(line).collect()
}

/// A question whose rank is another; none where it is not recorded, or not asked any more.
#[derive(Debug, PartialEq)]
struct Change {
    id: String,
    was: Option<Rank>,
    is: Option<Rank>,
}

impl Change {
    fn order(&self) -> Option<std::cmp::Ordering> {
        Some(self.is?.place().cmp(&self.was?.place()))
    }

    fn is_better(&self) -> bool {
        self.order() == Some(std::cmp::Ordering::Less)
    }

    fn is_worse(&self) -> bool {
        self.order() == Some(std::cmp::Ordering::Greater)
    }

    fn told(&self, questions: &[Question]) -> String {
        let rank = |rank: Option<Rank>| rank.map_or("not recorded".to_owned(), |rank| rank.to_string());
        let mark = match (self.is_better(), self.is_worse()) {
            (true, _) => '+',
            (_, true) => '-',
            _ => ' ',
        };
        if self.is.is_none() {
            return format!("{mark} {:32} is no question any more", self.id);
        }
        let query = questions.iter().find(|question| question.id == self.id).map_or("", |q| q.query.as_str());
        format!("{mark} {:32} {} -> {}  {query}", self.id, rank(self.was), rank(self.is))
    }
}

/// What differs, in the order of ids. Only a whole run can tell that a question is gone.
fn changes(recorded: &Ranks, ranks: &Ranks, is_whole: bool) -> Vec<Change> {
    let mut changes: Vec<Change> = ranks
        .iter()
        .filter(|(id, rank)| recorded.get(*id) != Some(rank))
        .map(|(id, rank)| Change { id: id.clone(), was: recorded.get(id).copied(), is: Some(*rank) })
        .collect();
    let gone = recorded.iter().filter(|(id, _)| is_whole && !ranks.contains_key(*id));
    changes.extend(gone.map(|(id, rank)| Change { id: id.clone(), was: Some(*rank), is: None }));
    changes.sort_by(|a, b| a.id.cmp(&b.id));
    changes
}

#[cfg(test)]
mod tests {
    use super::{changes, parse};

    #[test]
    fn ranks_that_moved_are_told() {
        let check = |recorded: &str, now: &str, is_whole: bool, expect: &[&str]| {
            let changes = changes(&parse(recorded).unwrap(), &parse(now).unwrap(), is_whole);
            let told: Vec<String> =
                changes.iter().map(|c| c.told(&[]).split_whitespace().collect::<Vec<_>>().join(" ")).collect();
            assert_eq!(told, expect, "{recorded:?} {now:?}");
        };
        check("a 1\nb -\n", "a 1\nb -\n", true, &[]);
        check("a 1\n", "a 3\n", true, &["- a 1 -> 3"]);
        check("a 3\n", "a 1\n", true, &["+ a 3 -> 1"]);
        check("a -\n", "a 9\n", true, &["+ a - -> 9"]);
        check("a 9\n", "a -\n", true, &["- a 9 -> -"]);
        check("", "a 2\n", true, &["a not recorded -> 2"]);
        check("a 2\nb 1\n", "b 1\n", true, &["a is no question any more"]);
        check("a 2\nb 1\n", "b 1\n", false, &[]);
        check("with space 2\n", "with space 1\n", true, &["+ with space 2 -> 1"]);
        assert!(parse("a x").is_err() && parse("a").is_err());
    }
}
