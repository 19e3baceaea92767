//! Hits that say the same: near duplicates go, and on request each next hit is chosen for being unlike those before it.

use cds_index::tokenize::Tokenizer;
use cds_model::{ChunkId, FileId, counted};
use rustc_hash::FxHashSet;

use super::{Candidate, Candidates, Stage};
use crate::Result;
use crate::pipeline::Cx;

/// Hits that are looked at: what stands below is not read anyway.
const LOOKED_AT: usize = 50;

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

    fn is_optional(&self) -> bool {
        true
    }

    fn run(&self, cx: &Cx, pool: &mut Candidates) -> Result<()> {
        pool.sort();
        let rest = pool.list.split_off(LOOKED_AT.min(pool.list.len()));
        let mut first = std::mem::take(&mut pool.list);
        if self.near_duplicate <= 1.0 {
            let before = first.len();
            first = self.without_duplicates(cx, first, &mut pool.left_out)?;
            if first.len() < before {
                let count = counted(before - first.len(), "near duplicate");
                pool.warnings.push(format!("{count} of better hits left out: near_duplicate 2 shows them"));
            }
        }
        if let Some((balance, vectors)) = self.mmr.zip(cx.snapshot.vectors()?) {
            let vector = |chunk: ChunkId| vectors.get(chunk).unwrap_or_default();
            let with_vectors = first.into_iter().map(|c| (c.clone(), vector(c.chunk))).collect();
            first = one_by_one(with_vectors, balance).into_iter().map(|(candidate, _)| candidate).collect();
        }
        pool.list = first.into_iter().chain(rest).collect();
        Ok(())
    }
}

impl Diverse {
    /// Texts are compared, not vectors: a vector knows the path as well, and a copy lies elsewhere.
    fn without_duplicates(
        &self,
        cx: &Cx,
        list: Vec<Candidate>,
        left_out: &mut FxHashSet<FileId>,
    ) -> Result<Vec<Candidate>> {
        let mut tokenizer = Tokenizer::default();
        let mut words = |candidate: &Candidate| -> Result<FxHashSet<String>> {
            let Some(view) = cx.snapshot.chunk(candidate.chunk) else { return Ok(FxHashSet::default()) };
            let Some(document) = view.document() else { return Ok(FxHashSet::default()) };
            let text = cx.snapshot.text(document.id)?;
            Ok(tokenizer.terms(text.get(view.range()).unwrap_or_default()).into_iter().map(|t| t.text).collect())
        };
        let mut kept: Vec<(Candidate, FxHashSet<String>)> = Vec::new();
        for candidate in list {
            let own = words(&candidate)?;
            let repeats = |(better, others): &(Candidate, FxHashSet<String>)| {
                better.chunk != candidate.chunk && common(others, &own) >= self.near_duplicate
            };
            if kept.iter().any(repeats) {
                left_out.extend(cx.snapshot.file_of(candidate.chunk));
            } else {
                kept.push((candidate, own));
            }
        }
        Ok(kept.into_iter().map(|(candidate, _)| candidate).collect())
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
        // Their order is the answer: scores follow it, and no two are equal, or they would be sorted again.
        if let Some((last, _)) = chosen.last().filter(|(last, _)| last.score <= next.score) {
            next.score = last.score.next_down();
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
