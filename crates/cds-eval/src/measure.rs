//! How good one answer is: ranks of the targets to numbers. Every number of a question stands in one row, in the order of
//! [`QUERY_MEASURES`], so sums, tables and comparisons need not know what they mean.

use std::ops::Add;

use crate::ask::Found;
use crate::set::Target;

/// Depth of the score.
const DEPTH: usize = 10;
/// Depths at which the share of targets is told.
const RECALL: [usize; 3] = [1, 5, 10];
/// Depths at which it is told whether all targets are there.
const ALL_FOUND: [usize; 3] = [1, 3, 5];
/// Budgets of a reader, in tokens.
const BUDGETS: [u64; 3] = [500, 1000, 2000];

/// What is measured of a query. The first is its score.
pub(crate) const QUERY_MEASURES: &[&str] = &[
    "ndcg_10",
    "recall_1",
    "recall_5",
    "recall_10",
    "mrr",
    "acc_1",
    "acc_3",
    "acc_5",
    "tokens_to_first",
    "recall_500_tokens",
    "recall_1000_tokens",
    "recall_2000_tokens",
];

fn covers(hit: &Found, target: &Target) -> bool {
    hit.path == target.path && target.lines.is_none_or(|(start, end)| hit.end_line >= start && hit.start_line <= end)
}

/// The rank, from 1, of the first hit that covers each target.
pub(crate) fn ranks(hits: &[Found], targets: &[Target]) -> Vec<Option<usize>> {
    targets.iter().map(|target| hits.iter().position(|hit| covers(hit, target)).map(|i| i + 1)).collect()
}

/// Binary gains: a hit counts once however many targets it is the first to cover, while the ideal has a hit a target. That
/// is how the public benchmarks of code search count, so numbers can be laid beside theirs.
pub(crate) fn ndcg(ranks: &[Option<usize>]) -> f64 {
    let gain = |rank: usize| 1.0 / ((rank + 1) as f64).log2();
    let mut reached: Vec<usize> = ranks.iter().flatten().copied().filter(|rank| *rank <= DEPTH).collect();
    reached.sort_unstable();
    reached.dedup();
    let ideal: f64 = (1..=ranks.len().min(DEPTH)).map(gain).sum();
    // Not `sum`, whose nothing is -0.
    if ideal > 0.0 { reached.into_iter().map(gain).fold(0.0, f64::add) / ideal } else { 0.0 }
}

/// The share of targets among the first `k`.
fn recall(ranks: &[Option<usize>], k: usize) -> f64 {
    ranks.iter().flatten().filter(|rank| **rank <= k).count() as f64 / ranks.len().max(1) as f64
}

/// All numbers of a query.
pub(crate) fn query_values(hits: &[Found], targets: &[Target]) -> Vec<f64> {
    let ranks = ranks(hits, targets);
    let first = ranks.iter().flatten().min().copied();
    let mut values = vec![ndcg(&ranks)];
    values.extend(RECALL.map(|k| recall(&ranks, k)));
    values.push(first.map_or(0.0, |rank| 1.0 / rank as f64));
    values.extend(ALL_FOUND.map(|k| f64::from(u8::from(ranks.iter().all(|rank| rank.is_some_and(|r| r <= k))))));
    // Who finds nothing has read it all.
    values.push(hits[..first.unwrap_or(hits.len())].iter().map(|hit| f64::from(hit.tokens)).fold(0.0, f64::add));
    values.extend(BUDGETS.map(|budget| recall(&ranks, fitting(hits, budget))));
    values
}

/// How many hits a budget is enough for, best first, each with all of its text.
fn fitting(hits: &[Found], budget: u64) -> usize {
    let mut used = 0;
    hits.iter()
        .take_while(|hit| {
            used += u64::from(hit.tokens);
            used <= budget
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::{QUERY_MEASURES, query_values, ranks};
    use crate::ask::Found;
    use crate::set::Target;

    /// Hits written as `path:first-last=tokens`.
    fn hits(text: &str) -> Vec<Found> {
        let hit = |word: &str| {
            let (place, tokens) = word.split_once('=').unwrap_or((word, "100"));
            let (path, lines) = place.split_once(':').unwrap_or((place, "1-10"));
            let (start, end) = lines.split_once('-').unwrap();
            Found {
                path: path.to_owned(),
                start_line: start.parse().unwrap(),
                end_line: end.parse().unwrap(),
                tokens: tokens.parse().unwrap(),
                ..Found::default()
            }
        };
        text.split_whitespace().map(hit).collect()
    }

    fn targets(text: &str) -> Vec<Target> {
        let target = |word: &str| match word.split_once(':') {
            None => Target { path: word.to_owned(), lines: None },
            Some((path, lines)) => {
                let (start, end) = lines.split_once('-').unwrap();
                Target { path: path.to_owned(), lines: Some((start.parse().unwrap(), end.parse().unwrap())) }
            }
        };
        text.split_whitespace().map(target).collect()
    }

    #[test]
    fn a_target_is_reached_by_the_first_hit_that_covers_it() {
        let check = |found: &str, wanted: &str, expect: &[Option<usize>]| {
            assert_eq!(ranks(&hits(found), &targets(wanted)), expect, "{found} for {wanted}");
        };
        check("a b c", "b", &[Some(2)]);
        check("a b c", "d", &[None]);
        check("", "d", &[None]);
        check("a b c", "c a", &[Some(3), Some(1)]);
        check("a:1-10 a:11-20", "a", &[Some(1)]);
        check("a:1-10 a:11-20", "a:15-16", &[Some(2)]);
        check("a:1-10 a:11-20", "a:10-11", &[Some(1)]);
        check("a:1-10 a:11-20", "a:21-30", &[None]);
        check("a:5-10", "a:10-99", &[Some(1)]);
        check("a:5-10", "a:1-4", &[None]);
    }

    #[test]
    fn numbers_by_hand() {
        let check = |found: &str, wanted: &str, measure: &str, expect: f64| {
            let at = QUERY_MEASURES.iter().position(|m| *m == measure).unwrap();
            let value = query_values(&hits(found), &targets(wanted))[at];
            assert!((value - expect).abs() < 5e-5, "{measure} of {found} for {wanted}: {value}, not {expect}");
        };
        check("a b c", "a", "ndcg_10", 1.0);
        check("a b c", "b", "ndcg_10", 0.6309);
        check("a b c", "c", "ndcg_10", 0.5);
        check("a b c", "d", "ndcg_10", 0.0);
        check("", "d", "ndcg_10", 0.0);
        check("0 1 2 3 4 5 6 7 8 a", "a", "ndcg_10", 0.2891);
        check("0 1 2 3 4 5 6 7 8 9 a", "a", "ndcg_10", 0.0);
        // Ranks 1 and 3 of two: (1 + 0.5) / (1 + 0.6309).
        check("a x b", "a b", "ndcg_10", 0.9197);
        check("x a", "a b", "ndcg_10", 0.3869);
        check("a", "a b c", "ndcg_10", 0.4693);
        // One hit covers both targets and counts once.
        check("a:1-50", "a:1-2 a:30-31", "ndcg_10", 0.6131);

        check("x a b", "a b", "recall_1", 0.0);
        check("x a b", "a b c", "recall_5", 0.6667);
        check("1 2 3 4 5 a", "a", "recall_5", 0.0);
        check("1 2 3 4 5 a", "a", "recall_10", 1.0);
        check("x a b", "a b", "mrr", 0.5);
        check("x", "a", "mrr", 0.0);
        check("0 1 2 3 4 5 6 7 8 9 a", "a", "mrr", 0.0909);
        check("a", "a", "acc_1", 1.0);
        check("a b", "a b", "acc_1", 0.0);
        check("a b", "a b", "acc_3", 1.0);
        check("a x y z b", "a b", "acc_3", 0.0);
        check("a x y z b", "a b", "acc_5", 1.0);

        check("x=300 a=50 y=7", "a", "tokens_to_first", 350.0);
        check("x=300 a=50 y=7", "y a", "tokens_to_first", 350.0);
        check("x=300 a=50 y=7", "b", "tokens_to_first", 357.0);
        check("", "b", "tokens_to_first", 0.0);
        check("x=300 a=200", "a", "recall_500_tokens", 1.0);
        check("x=300 a=201", "a", "recall_500_tokens", 0.0);
        // What does not fit ends the reading, also when a shorter one follows.
        check("x=501 a=1", "a", "recall_500_tokens", 0.0);
        check("x=501 a=1", "a", "recall_1000_tokens", 1.0);
        check("x=501 a=1 y=1400 b=98 c=1", "a b c", "recall_2000_tokens", 0.6667);
    }
}
