//! Hits that say the same: near duplicates go, and on request each next hit is chosen for being unlike those before it.

use cds_index::tokenize::Tokenizer;
use cds_model::ChunkId;
use rustc_hash::FxHashSet;

use super::{Candidate, Candidates, Stage};
use crate::Result;
use crate::pipeline::Cx;

/// Hits that are looked at: what stands below is not read anyway.
const LOOKED_AT: usize = 50;

/// Vectors of texts that are nearly the same are nearer than this: only then are texts compared.
const NEAR: f32 = 0.9;

pub(crate) struct Diverse {
    /// Share of words in common from which on a hit repeats a better one; above 1: none does.
    pub(crate) near_duplicate: f32,
    /// How much standing counts beside novelty when hits are chosen one by one; none: they are not.
    pub(crate) mmr: Option<f32>,
}

impl Stage for Diverse {
    fn name(&self) -> &'static str {
        "diverse"
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        pool.sort();
        let Some(vectors) = cx.snapshot.vectors()? else { return Ok(()) };
        let rest = pool.list.split_off(LOOKED_AT.min(pool.list.len()));
        let vector = |chunk: ChunkId| vectors.get(chunk).unwrap_or_default();
        let mut first: Vec<(Candidate, Vec<f32>)> =
            std::mem::take(&mut pool.list).into_iter().map(|c| (c.clone(), vector(c.chunk))).collect();
        if self.near_duplicate <= 1.0 {
            first = self.without_duplicates(cx, first)?;
        }
        if let Some(balance) = self.mmr {
            first = one_by_one(first, balance);
        }
        pool.list = first.into_iter().map(|(candidate, _)| candidate).chain(rest).collect();
        Ok(())
    }
}

impl Diverse {
    fn without_duplicates(&self, cx: &Cx, list: Vec<(Candidate, Vec<f32>)>) -> Result<Vec<(Candidate, Vec<f32>)>> {
        let mut tokenizer = Tokenizer::default();
        let mut words = |candidate: &Candidate| -> Result<FxHashSet<String>> {
            let Some(view) = cx.snapshot.chunk(candidate.chunk) else { return Ok(FxHashSet::default()) };
            let Some(document) = view.document() else { return Ok(FxHashSet::default()) };
            let text = cx.snapshot.text(document.id)?;
            Ok(tokenizer.terms(text.get(view.range()).unwrap_or_default()).into_iter().map(|t| t.text).collect())
        };
        let mut kept: Vec<(Candidate, Vec<f32>)> = Vec::new();
        for (candidate, vector) in list {
            let mut repeats = false;
            for (better, other) in &kept {
                if better.chunk != candidate.chunk && cosine(&vector, other) > NEAR {
                    repeats |= common(&words(better)?, &words(&candidate)?) >= self.near_duplicate;
                }
            }
            if !repeats {
                kept.push((candidate, vector));
            }
        }
        Ok(kept)
    }
}

/// Maximal marginal relevance: the next is the one that stands high and is least like any chosen before.
fn one_by_one(mut list: Vec<(Candidate, Vec<f32>)>, balance: f32) -> Vec<(Candidate, Vec<f32>)> {
    let best = list.iter().map(|(c, _)| c.score).fold(f32::MIN_POSITIVE, f32::max);
    let mut chosen: Vec<(Candidate, Vec<f32>)> = Vec::with_capacity(list.len());
    while !list.is_empty() {
        let value = |(candidate, vector): &(Candidate, Vec<f32>)| {
            let likeness = chosen.iter().map(|(_, other)| cosine(vector, other)).fold(0.0, f32::max);
            balance * candidate.score / best - (1.0 - balance) * likeness
        };
        let values: Vec<f32> = list.iter().map(value).collect();
        let at = (0..list.len()).max_by(|a, b| values[*a].total_cmp(&values[*b]).then(b.cmp(a))).unwrap_or(0);
        let (mut next, vector) = list.remove(at);
        // Their order is the answer: scores follow it.
        if let Some((last, _)) = chosen.last() {
            next.score = next.score.min(last.score);
        }
        chosen.push((next, vector));
    }
    chosen
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Words in both as a share of words in either.
fn common(a: &FxHashSet<String>, b: &FxHashSet<String>) -> f32 {
    let both = a.intersection(b).count() as f32;
    both / ((a.len() + b.len()) as f32 - both).max(1.0)
}
