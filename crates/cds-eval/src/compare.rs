//! Two runs of one set beside each other, question by question.

use serde::Serialize;

use crate::bootstrap::{Bootstrap, bootstrap};
use crate::report::{Numbers, groups, members};
use crate::run::Outcome;
use crate::set::Family;

/// Gains and losses that are named.
const MOVES: usize = 10;

/// What one run has over the other. Differences are ours less theirs.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// How sure the difference of scores is.
    pub bootstrap: Bootstrap,
    /// Of every measure.
    pub difference: Numbers,
    /// Questions that we answer better.
    pub won: usize,
    /// Worse.
    pub lost: usize,
    /// Alike.
    pub tied: usize,
    /// Plain means of scores.
    pub by_category: Vec<Difference>,
    /// Plain means of scores.
    pub by_repository: Vec<Difference>,
    /// The largest first.
    pub gains: Vec<Move>,
    /// The largest first.
    pub losses: Vec<Move>,
}

/// What a group of questions comes to.
#[derive(Clone, Debug, Serialize)]
pub struct Difference {
    /// What they have in common.
    pub name: String,
    /// How many.
    pub count: usize,
    /// Our score.
    pub ours: f64,
    /// Theirs.
    pub theirs: f64,
    /// Ours less theirs.
    pub difference: f64,
    /// Questions that we answer better.
    pub won: usize,
    /// Worse.
    pub lost: usize,
}

/// A question that one of both answers better.
#[derive(Clone, Debug, Serialize)]
pub struct Move {
    /// The question's.
    pub id: String,
    /// What was asked.
    pub query: String,
    /// Ours less theirs.
    pub difference: f64,
    /// Of the first target.
    pub our_rank: Option<usize>,
    /// The same in the other run.
    pub their_rank: Option<usize>,
}

impl Comparison {
    /// Both runs have the same questions in the same order.
    pub fn of(family: Family, ours: &[Outcome], theirs: &[Outcome]) -> Option<Comparison> {
        let (ours, theirs) = (members(family, ours), members(family, theirs));
        if ours.is_empty() {
            return None;
        }
        let gaps: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| a.score - b.score).collect();
        let repositories: Vec<Vec<usize>> = groups(&ours, |o| Some(&o.repo)).into_values().collect();
        let mean = |at: usize| {
            let gap = |i: &usize| ours[*i].values[at] - theirs[*i].values[at];
            family.mean().of(&repositories.iter().map(|group| group.iter().map(gap).collect()).collect::<Vec<_>>())
        };
        let by = |key: fn(&Outcome) -> Option<&str>| -> Vec<Difference> {
            let of_group = |(name, group): (&str, Vec<usize>)| {
                let mean = |side: &[&Outcome]| group.iter().map(|i| side[*i].score).sum::<f64>() / group.len() as f64;
                let (our_mean, their_mean) = (mean(&ours), mean(&theirs));
                let part: Vec<f64> = group.iter().map(|i| gaps[*i]).collect();
                let (won, lost) = won_and_lost(&part);
                Difference {
                    name: name.to_owned(),
                    count: group.len(),
                    ours: our_mean,
                    theirs: their_mean,
                    difference: our_mean - their_mean,
                    won,
                    lost,
                }
            };
            groups(&ours, key).into_iter().map(of_group).collect()
        };
        let moves = |sign: f64| -> Vec<Move> {
            let mut order: Vec<usize> =
                (0..gaps.len()).filter(|i| differs(gaps[*i]) && gaps[*i] * sign > 0.0).collect();
            order.sort_by(|a, b| (gaps[*b] * sign).total_cmp(&(gaps[*a] * sign)).then(a.cmp(b)));
            let one = |i: usize| Move {
                id: ours[i].id.clone(),
                query: ours[i].query.clone(),
                difference: gaps[i],
                our_rank: ours[i].first_rank(),
                their_rank: theirs[i].first_rank(),
            };
            order.into_iter().take(MOVES).map(one).collect()
        };
        let by_repository: Vec<Vec<f64>> =
            repositories.iter().map(|group| group.iter().map(|i| gaps[*i]).collect()).collect();
        let (won, lost) = won_and_lost(&gaps);
        Some(Comparison {
            bootstrap: bootstrap(&by_repository, family.mean()),
            difference: Numbers(family.measures().iter().enumerate().map(|(at, name)| (*name, mean(at))).collect()),
            won,
            lost,
            tied: gaps.len() - won - lost,
            by_category: by(|o| o.category.as_deref()),
            by_repository: by(|o| Some(&o.repo)),
            gains: moves(1.0),
            losses: moves(-1.0),
        })
    }
}

/// More than rounding.
fn differs(gap: f64) -> bool {
    gap.abs() > 1e-9
}

fn won_and_lost(gaps: &[f64]) -> (usize, usize) {
    let count = |sign: f64| gaps.iter().filter(|gap| differs(**gap) && **gap * sign > 0.0).count();
    (count(1.0), count(-1.0))
}

#[cfg(test)]
mod tests {
    use super::Comparison;
    use crate::run::Outcome;
    use crate::set::Family;

    fn run(scores: &[(&str, f64)]) -> Vec<Outcome> {
        let one = |(i, (repo, score)): (usize, &(&str, f64))| Outcome {
            id: format!("{repo}{i}"),
            repo: (*repo).to_owned(),
            category: Some("c".to_owned()),
            score: *score,
            ranks: vec![(*score > 0.0).then_some(1)],
            values: vec![*score; Family::Queries.measures().len()],
            ..Outcome::default()
        };
        scores.iter().enumerate().map(one).collect()
    }

    #[test]
    fn questions_are_won_lost_and_tied() {
        let ours = run(&[("a", 1.0), ("a", 0.5), ("a", 0.0), ("b", 1.0)]);
        let theirs = run(&[("a", 0.0), ("a", 0.5), ("a", 0.3), ("b", 0.8)]);
        let comparison = Comparison::of(Family::Queries, &ours, &theirs).unwrap();
        assert_eq!((comparison.won, comparison.lost, comparison.tied), (2, 1, 1));
        let ids = |moves: &[super::Move]| moves.iter().map(|m| m.id.clone()).collect::<Vec<_>>();
        assert_eq!(
            (ids(&comparison.gains), ids(&comparison.losses)),
            (vec!["a0".into(), "b3".into()], vec!["a2".into()])
        );
        assert_eq!((comparison.gains[0].our_rank, comparison.gains[0].their_rank), (Some(1), None));
        // (0.7 / 3 + 0.2) / 2
        assert!((comparison.bootstrap.mean - 0.216_666).abs() < 1e-5, "{:?}", comparison.bootstrap);
        assert!((comparison.difference.0[0].1 - comparison.bootstrap.mean).abs() < 1e-12);
        let rows: Vec<String> = comparison
            .by_repository
            .iter()
            .map(|d| format!("{} {} {:.2} {} {}", d.name, d.count, d.difference, d.won, d.lost))
            .collect();
        assert_eq!(rows, ["a 3 0.23 1 1", "b 1 0.20 1 0"]);
        assert_eq!(comparison.by_category[0].count, 4);
        assert!(Comparison::of(Family::Issues, &ours, &theirs).is_none());
    }
}
