//! Weights of the default preset's evidence, fitted: every weight at 1 shows the evidence as it is, and a line through
//! it that predicts relevance has the weights. Each repository is judged by a fit to the others.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::ridge::Moments;
use super::{Cds, Queries, store};

/// How far down hits are looked at.
const DEPTH: &str = "100";
/// Penalties to choose from, a row of the data.
const PENALTIES: [f64; 5] = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1];

/// A query's hits.
struct Query {
    repo: String,
    targets: usize,
    hits: Vec<Hit>,
}

struct Hit {
    path: String,
    /// Evidence by name.
    signals: BTreeMap<String, f64>,
    /// The product of all factors.
    factor: f64,
    /// Targets that it is the first to reach.
    reaches: Vec<usize>,
}

pub(super) fn run(cds: &Cds, queries: &Queries) -> Result<()> {
    let committed = ask(cds, queries, "committed", &[])?;
    let names: Vec<String> = names(&committed);
    let ones: Vec<String> = names.iter().flat_map(|name| ["--set".to_owned(), format!("{name}=1")]).collect();
    let even = ask(cds, queries, "even", &ones)?;
    let weights = committed_weights(&names, &committed, &even);
    let data: Vec<(Data, String)> = even.iter().map(|query| (Data::new(query, &names), query.repo.clone())).collect();
    let mut repos: Vec<&String> = data.iter().map(|(_, repo)| repo).collect();
    repos.sort();
    repos.dedup();
    if repos.len() < 3 {
        bail!("three repositories are needed to judge each by the others; there are {}", repos.len());
    }
    let folds: Vec<Fold> = repos
        .iter()
        .map(|repo| Fold::new(data.iter().filter(|(_, r)| r == *repo).map(|(d, _)| d).collect(), names.len()))
        .collect();

    let fits: Vec<Vec<f64>> = (0..folds.len()).map(|left_out| refit(&folds, left_out, &weights)).collect();
    let crossed: Vec<f64> = folds.iter().zip(&fits).map(|(fold, fit)| fold.score(fit)).collect();
    let before: Vec<f64> = folds.iter().map(|fold| fold.score(&weights)).collect();
    print(&names, &weights, &fits, &repos, &before, &crossed);
    Ok(())
}

/// Runs the set and reads every hit back.
fn ask(cds: &Cds, queries: &Queries, name: &str, more: &[String]) -> Result<Vec<Query>> {
    let details = store(&format!("learn-{name}.jsonl"))?;
    let mut prepared = Ok(());
    cds.eval(|command| {
        prepared = queries.put(command);
        command.args(["--limit", DEPTH, "--details"]).arg(&details).args(more);
    })?;
    prepared?;
    std::fs::read_to_string(&details)?.lines().map(parse).collect()
}

fn parse(line: &str) -> Result<Query> {
    let row: Value = serde_json::from_str(line)?;
    let numbers = |value: &Value| -> BTreeMap<String, f64> {
        let rows = value.as_object().into_iter().flatten();
        rows.filter_map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect()
    };
    let hit = |value: &Value| Hit {
        path: format!("{}:{}", value["path"].as_str().unwrap_or_default(), value["start_line"]),
        signals: numbers(&value["signals"]),
        factor: numbers(&value["factors"]).values().product(),
        reaches: Vec::new(),
    };
    let mut hits: Vec<Hit> = row["hits"].as_array().context("hits")?.iter().map(hit).collect();
    let ranks = row["ranks"].as_array().context("ranks")?;
    for (target, rank) in ranks.iter().enumerate().filter_map(|(i, rank)| Some((i, rank.as_u64()?))) {
        hits.get_mut(rank as usize - 1).context("a rank of a hit")?.reaches.push(target);
    }
    Ok(Query { repo: row["repo"].as_str().context("a repo")?.to_owned(), targets: ranks.len(), hits })
}

/// Every signal that was added somewhere. One whose weight is 0 is not among them.
fn names(queries: &[Query]) -> Vec<String> {
    let all = queries.iter().flat_map(|query| &query.hits).flat_map(|hit| hit.signals.keys());
    let mut names: Vec<String> = all.cloned().collect();
    names.sort();
    names.dedup();
    names
}

/// Evidence is its weight times what it is at weight 1: the middle one of all such ratios is the weight.
fn committed_weights(names: &[String], committed: &[Query], even: &[Query]) -> Vec<f64> {
    let weight = |name: &String| {
        let mut ratios = Vec::new();
        for (with, without) in committed.iter().zip(even) {
            let raw: BTreeMap<&str, &Hit> = without.hits.iter().map(|hit| (hit.path.as_str(), hit)).collect();
            for hit in &with.hits {
                let other = raw.get(hit.path.as_str()).and_then(|other| other.signals.get(name));
                if let (Some(value), Some(raw)) = (hit.signals.get(name), other.filter(|raw| **raw > 1e-6)) {
                    ratios.push(value / raw);
                }
            }
        }
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(0.0)
    };
    names.iter().map(weight).collect()
}

/// A query as numbers: the factor is part of each feature, so that the score is linear in the weights.
struct Data {
    rows: Vec<(Vec<f64>, f64)>,
    reaches: Vec<Vec<usize>>,
    targets: usize,
}

impl Data {
    fn new(query: &Query, names: &[String]) -> Data {
        let row = |hit: &Hit| {
            let features = names.iter().map(|name| hit.signals.get(name).copied().unwrap_or(0.0) * hit.factor);
            (features.collect(), f64::from(u8::from(!hit.reaches.is_empty())))
        };
        Data {
            rows: query.hits.iter().map(row).collect(),
            reaches: query.hits.iter().map(|hit| hit.reaches.clone()).collect(),
            targets: query.targets,
        }
    }

    /// NDCG@10 when hits are ordered by these weights.
    fn score(&self, weights: &[f64]) -> f64 {
        let score = |row: &[f64]| -> f64 { row.iter().zip(weights).map(|(x, w)| x * w).sum() };
        let mut order: Vec<(usize, f64)> = self.rows.iter().map(|row| score(&row.0)).enumerate().collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let gain = |i: usize| 1.0 / ((i + 2) as f64).log2();
        let reached = order.iter().take(10).enumerate().filter(|(_, (hit, _))| !self.reaches[*hit].is_empty());
        let gained: f64 = reached.map(|(i, _)| gain(i)).sum();
        gained / (0..self.targets.clamp(1, 10)).map(gain).sum::<f64>()
    }
}

/// One repository.
struct Fold<'a> {
    queries: Vec<&'a Data>,
    moments: Moments,
}

impl<'a> Fold<'a> {
    fn new(queries: Vec<&'a Data>, features: usize) -> Fold<'a> {
        let mut moments = Moments::new(features);
        for query in &queries {
            moments.add(&query.rows);
        }
        Fold { queries, moments }
    }

    fn score(&self, weights: &[f64]) -> f64 {
        self.queries.iter().map(|query| query.score(weights)).sum::<f64>() / self.queries.len().max(1) as f64
    }
}

/// Fits all folds but one. The penalty is the one with which those folds judge each other best.
fn refit(folds: &[Fold], left_out: usize, scale: &[f64]) -> Vec<f64> {
    let inner: Vec<&Fold> = folds.iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, fold)| fold).collect();
    let fit = |without: Option<usize>, penalty: f64| {
        let parts = inner.iter().enumerate().filter(|(i, _)| Some(*i) != without).map(|(_, fold)| &fold.moments);
        Moments::sum(parts, scale.len()).fit(penalty)
    };
    let judged = |penalty: f64| -> f64 { inner.iter().enumerate().map(|(i, f)| f.score(&fit(Some(i), penalty))).sum() };
    let scores = PENALTIES.map(judged);
    let best = (0..PENALTIES.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or(0);
    // Only proportions matter to an order; the sum of the weights is made that of the committed ones.
    let weights = fit(None, PENALTIES[best]);
    let (sum, wanted) = (weights.iter().sum::<f64>(), scale.iter().sum::<f64>());
    weights.into_iter().map(|weight| if sum > 0.0 { weight * wanted / sum } else { weight }).collect()
}

#[allow(clippy::print_stdout)]
fn print(names: &[String], weights: &[f64], fits: &[Vec<f64>], repos: &[&String], before: &[f64], crossed: &[f64]) {
    println!("{:20}{:>10}{:>10}{:>8}", "signal", "committed", "refitted", "sd");
    for (i, name) in names.iter().enumerate() {
        let (mean, sd) = spread(fits.iter().map(|fit| fit[i]));
        println!("{name:20}{:>10.2}{mean:>10.2}{sd:>8.2}", weights[i]);
    }
    println!("\n{:20}{:>10}{:>10}", "NDCG@10", "committed", "refitted");
    for ((repo, before), after) in repos.iter().zip(before).zip(crossed) {
        println!("{repo:20}{before:>10.4}{after:>10.4}");
    }
    let mean = |values: &[f64]| spread(values.iter().copied()).0;
    println!("{:20}{:>10.4}{:>10.4}", "all", mean(before), mean(crossed));
}

fn spread(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let n = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / n;
    (mean, (values.map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt())
}

#[cfg(test)]
mod tests {
    use super::{Data, Query, committed_weights, names, parse};

    fn query(signals: &[(&str, f64)]) -> Query {
        let hits: Vec<String> = signals
            .iter()
            .map(|(path, bm25)| {
                format!(r#"{{"path": "{path}", "start_line": 1, "signals": {{"bm25": {bm25}}}, "factors": {{"public": 2.0}}}}"#)
            })
            .collect();
        parse(&format!(r#"{{"repo": "r", "ranks": [2, null], "hits": [{}]}}"#, hits.join(", "))).unwrap()
    }

    #[test]
    fn details_become_numbers() {
        let even = [query(&[("a", 0.5), ("b", 0.25)])];
        let committed = [query(&[("b", 0.75), ("a", 1.5)])];
        let names = names(&committed);
        assert_eq!(names, ["bm25"]);
        assert_eq!(committed_weights(&names, &committed, &even), [3.0]);
        let data = Data::new(&even[0], &names);
        assert_eq!(data.rows, [(vec![1.0], 0.0), (vec![0.5], 1.0)]);
        // One of two targets at rank 2, and at rank 1 when the order is turned about.
        assert!((data.score(&[1.0]) - 0.6309 / 1.6309).abs() < 1e-4);
        assert!((data.score(&[-1.0]) - 1.0 / 1.6309).abs() < 1e-4);
    }
}
