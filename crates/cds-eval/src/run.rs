//! Every question to its tree, one after another: what they take is then what they take alone.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cds_engine::{Engine, ErrorKind, Result, SearchRequest};
use serde::Serialize;
use serde_json::{Value, json};

use crate::ask::{Found, ask, request};
use crate::issue::{ISSUE_MEASURES, issue_ranks, issue_values};
use crate::measure::{QUERY_MEASURES, query_values, ranks};
use crate::set::{Family, Gold, Question};
use crate::trees::{Places, Tree};

/// What a run needs from outside.
pub struct Host<'a> {
    /// Opens a tree with the settings in force.
    pub open: &'a dyn Fn(&Tree) -> Result<Engine>,
    /// Brings its index up to date.
    pub index: &'a dyn Fn(&Engine) -> Result<()>,
}

/// What became of a question.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Outcome {
    /// The question's.
    pub id: String,
    /// The question's repository, or the root's name.
    pub repo: String,
    /// The question's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The question's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What was asked.
    pub query: String,
    /// NDCG@10.
    pub score: f64,
    /// The rank of each target, from 1.
    pub ranks: Vec<Option<usize>>,
    /// Of the search alone; none where the tree is missing.
    pub latency_ms: Option<f64>,
    /// What a reader reads to come to the first target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_to_first: Option<f64>,
    /// Best first.
    pub hits: Vec<Found>,
    /// One for each measure of its family.
    #[serde(skip)]
    pub(crate) values: Vec<f64>,
    #[serde(skip)]
    pub(crate) is_issue: bool,
}

impl Family {
    /// What is measured, in the order of an outcome's values.
    pub(crate) fn measures(self) -> &'static [&'static str] {
        match self {
            Family::Queries => QUERY_MEASURES,
            Family::Issues => ISSUE_MEASURES,
        }
    }
}

impl Outcome {
    /// How it was measured.
    pub fn family(&self) -> Family {
        if self.is_issue { Family::Issues } else { Family::Queries }
    }

    /// The best rank of any target.
    pub fn first_rank(&self) -> Option<usize> {
        self.ranks.iter().flatten().min().copied()
    }
}

/// A tree that could not be asked.
#[derive(Clone, Debug, Serialize)]
pub struct Missing {
    /// The folder.
    pub folder: String,
    /// Why.
    pub reason: String,
    /// Questions that count as not answered.
    pub questions: usize,
}

/// A whole run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ran {
    /// For each set of options the outcomes, in the order of the questions.
    pub(crate) outcomes: Vec<Vec<Outcome>>,
    /// Trees that were not there.
    pub(crate) missing: Vec<Missing>,
    /// What searches warned of, with how many did.
    pub(crate) warnings: BTreeMap<String, usize>,
}

/// Asks every question, once for each of `options`.
pub(crate) fn run(questions: &[Question], places: &Places, options: &[SearchRequest], host: &Host) -> Result<Ran> {
    let mut missing: BTreeMap<PathBuf, Missing> = BTreeMap::new();
    let mut miss = |folder: PathBuf, reason: String, questions: usize| {
        let folder_text = folder.display().to_string();
        let row = missing.entry(folder).or_insert(Missing { folder: folder_text, reason, questions: 0 });
        row.questions += questions;
    };
    // Mistakes of the set show before anything is indexed.
    let mut trees: BTreeMap<PathBuf, (Tree, Vec<usize>)> = BTreeMap::new();
    for (i, question) in questions.iter().enumerate() {
        match places.tree_of(question)? {
            Ok(tree) => trees.entry(tree.folder.clone()).or_insert_with(|| (tree, Vec::new())).1.push(i),
            Err(folder) => miss(folder, "no such folder".to_owned(), 1),
        }
    }
    let blank = |question: &Question| outcome(question, places, Vec::new(), None);
    let mut ran =
        Ran { outcomes: options.iter().map(|_| questions.iter().map(blank).collect()).collect(), ..Ran::default() };
    for (tree, members) in trees.values() {
        let engine = (host.open)(tree)?;
        for (i, request_options) in members.iter().flat_map(|i| options.iter().map(move |o| (*i, o))) {
            engine.check(&request(&questions[i], request_options))?;
        }
        match (host.index)(&engine) {
            Ok(()) => {}
            // One tree that cannot be indexed does not end the run; the only one does.
            Err(error) if places.repos.is_some() && matches!(error.kind, ErrorKind::NotReady | ErrorKind::Io) => {
                miss(tree.folder.clone(), error.to_string(), members.len());
                continue;
            }
            Err(error) => return Err(error),
        }
        for (options, outcomes) in options.iter().zip(&mut ran.outcomes) {
            // The first question maps files and loads tables; asked once before, it is timed like the others.
            ask(&engine, &tree.prefix, &questions[members[0]], options)?;
            for i in members {
                let answer = ask(&engine, &tree.prefix, &questions[*i], options)?;
                for warning in answer.warnings {
                    *ran.warnings.entry(warning).or_default() += 1;
                }
                outcomes[*i] = outcome(&questions[*i], places, answer.hits, Some(answer.latency_ms));
            }
        }
    }
    ran.missing = missing.into_values().collect();
    Ok(ran)
}

/// Names of hits where functions are ranked.
pub(crate) fn ranked(hits: &[Found]) -> Vec<String> {
    hits.iter().map(|hit| hit.name.clone()).collect()
}

/// The rank of each target.
pub(crate) fn gold_ranks(gold: &Gold, hits: &[Found]) -> Vec<Option<usize>> {
    match gold {
        Gold::Targets(targets) => ranks(hits, targets),
        Gold::Issue { functions, .. } => issue_ranks(&ranked(hits), functions),
    }
}

fn outcome(question: &Question, places: &Places, hits: Vec<Found>, latency_ms: Option<f64>) -> Outcome {
    let values = match &question.gold {
        Gold::Targets(targets) => query_values(&hits, targets),
        Gold::Issue { files, functions } => issue_values(&ranked(&hits), files, functions),
    };
    let root = || places.root.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let tokens = QUERY_MEASURES.iter().position(|m| *m == "tokens_to_first");
    Outcome {
        id: question.id.clone(),
        repo: question.repo.clone().unwrap_or_else(root),
        language: question.language.clone(),
        category: question.category.clone(),
        query: question.query.clone(),
        score: values[0],
        ranks: gold_ranks(&question.gold, &hits),
        latency_ms,
        tokens_to_first: tokens.filter(|_| question.family() == Family::Queries).map(|at| values[at]),
        is_issue: question.family() == Family::Issues,
        values,
        hits,
    }
}

/// Outcomes as the scorers of public benchmarks read them: hits of queries, names of issues.
pub fn predictions(outcomes: &[Outcome]) -> Vec<Value> {
    let line = |outcome: &Outcome| {
        if outcome.is_issue {
            return json!({"instance_id": outcome.id, "ranked": ranked(&outcome.hits)});
        }
        let hit = |h: &Found| json!({"path": h.path, "start_line": h.start_line, "end_line": h.end_line});
        json!({"id": outcome.id, "results": outcome.hits.iter().map(hit).collect::<Vec<_>>()})
    };
    outcomes.iter().filter(|outcome| outcome.latency_ms.is_some()).map(line).collect()
}
