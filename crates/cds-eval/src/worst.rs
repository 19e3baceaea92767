//! The questions that are answered worst, and why: what stood first beside what was wanted.

use std::collections::BTreeMap;
use std::path::PathBuf;

use cds_engine::{Engine, Result, SearchRequest};
use serde::Serialize;

use crate::ask::{Found, ask};
use crate::evaluation::Job;
use crate::issue::counted_names;
use crate::measure::ranks;
use crate::run::{Host, Outcome, gold_ranks, ranked};
use crate::set::Gold;

/// How deep a target is looked for.
const DEPTH: usize = 100;

/// A question that went badly.
#[derive(Clone, Debug, Serialize)]
pub struct Bad {
    /// The question's.
    pub id: String,
    /// Its repository.
    pub repo: String,
    /// What was asked.
    pub query: String,
    /// NDCG@10.
    pub score: f64,
    /// What was wanted.
    pub targets: Vec<Place>,
    /// What stood first.
    pub first: Option<Found>,
    /// The best hit that was wanted.
    pub wanted: Option<Found>,
}

/// Something wanted.
#[derive(Clone, Debug, Serialize)]
pub struct Place {
    /// A path, with lines where they matter, or `path:Class.method`.
    pub name: String,
    /// Among the first hundred, from 1.
    pub rank: Option<usize>,
}

/// The worst of those that could be asked and were not answered perfectly.
pub(crate) fn worst(job: &Job, outcomes: &[Outcome], host: &Host) -> Result<Vec<Bad>> {
    let questions = job.questions;
    let is_bad = |i: &usize| outcomes[*i].latency_ms.is_some() && outcomes[*i].score < 1.0;
    let mut order: Vec<usize> = (0..questions.len()).filter(is_bad).collect();
    order.sort_by(|a, b| outcomes[*a].score.total_cmp(&outcomes[*b].score).then(a.cmp(b)));
    let deep = SearchRequest { limit: Some(DEPTH), files: None, ..job.options.clone() };
    let mut engines: BTreeMap<PathBuf, Engine> = BTreeMap::new();
    let mut bad = Vec::new();
    for i in order.into_iter().take(job.worst) {
        let (question, outcome) = (&questions[i], &outcomes[i]);
        let Ok(tree) = job.places.tree_of(question)? else { continue };
        if !engines.contains_key(&tree.folder) {
            let engine = (host.open)(&tree)?;
            (host.index)(&engine)?;
            engines.insert(tree.folder.clone(), engine);
        }
        let hits = ask(&engines[&tree.folder], &tree.prefix, question, &deep)?.hits;
        let ranks = gold_ranks(&question.gold, &hits);
        bad.push(Bad {
            id: question.id.clone(),
            repo: outcome.repo.clone(),
            query: question.query.clone(),
            score: outcome.score,
            targets: names(&question.gold).into_iter().zip(ranks).map(|(name, rank)| Place { name, rank }).collect(),
            wanted: first_wanted(&question.gold, &hits).cloned(),
            first: hits.into_iter().next(),
        });
    }
    Ok(bad)
}

fn names(gold: &Gold) -> Vec<String> {
    match gold {
        Gold::Issue { functions, .. } => counted_names(functions).into_iter().map(str::to_owned).collect(),
        Gold::Targets(targets) => {
            let shown = |(start, end): (u32, u32)| format!(":{start}-{end}");
            targets.iter().map(|t| format!("{}{}", t.path, t.lines.map(shown).unwrap_or_default())).collect()
        }
    }
}

fn first_wanted<'a>(gold: &Gold, hits: &'a [Found]) -> Option<&'a Found> {
    match gold {
        Gold::Targets(targets) => hits.get(ranks(hits, targets).into_iter().flatten().min()? - 1),
        Gold::Issue { functions, .. } => {
            let wanted = counted_names(functions);
            let names = ranked(hits);
            let is_wanted =
                |name: &String| counted_names(std::slice::from_ref(name)).iter().any(|n| wanted.contains(n));
            hits.get(names.iter().position(is_wanted)?)
        }
    }
}
