//! Outcomes summed up: all of them, and by category, language and repository.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::bootstrap::Mean;
use crate::run::Outcome;
use crate::set::Family;

/// Numbers by the name of the measure, in the order of measures.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbers(pub Vec<(&'static str, f64)>);

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

/// Some outcomes.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// What they have in common.
    pub name: String,
    /// How many.
    pub count: usize,
    /// Their means.
    #[serde(flatten)]
    pub numbers: Numbers,
    /// Median time of a search.
    pub latency_p50_ms: f64,
    /// 95 % took less.
    pub latency_p95_ms: f64,
}

/// All outcomes of a family.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Which.
    #[serde(skip)]
    pub family: Family,
    /// How many repositories.
    pub repositories: usize,
    /// Questions whose tree was missing: they count as not answered.
    pub missing: usize,
    /// Questions that were asked and found nothing at all.
    pub without_hits: usize,
    /// All. Of queries the mean of the repositories' means, so that none counts more for being asked more; of
    /// issues the mean.
    pub overall: Summary,
    /// Plain means.
    pub by_category: Vec<Summary>,
    /// Plain means.
    pub by_language: Vec<Summary>,
    /// Plain means.
    pub by_repository: Vec<Summary>,
}

impl Family {
    /// How repositories become one number.
    pub(crate) fn mean(self) -> Mean {
        match self {
            Family::Queries => Mean::OfGroups,
            Family::Issues => Mean::OfMembers,
        }
    }
}

/// Outcomes of a family.
pub(crate) fn members(family: Family, outcomes: &[Outcome]) -> Vec<&Outcome> {
    outcomes.iter().filter(|outcome| outcome.family() == family).collect()
}

/// Positions of outcomes by what they have in common, in its order. Those without it are in no group.
pub(crate) fn groups<'a>(
    outcomes: &[&'a Outcome],
    key: impl Fn(&'a Outcome) -> Option<&'a str>,
) -> BTreeMap<&'a str, Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, outcome) in outcomes.iter().enumerate() {
        if let Some(key) = key(outcome) {
            groups.entry(key).or_default().push(i);
        }
    }
    groups
}

impl Report {
    /// Sums up one family; none when the set has no such lines.
    pub fn of(family: Family, outcomes: &[Outcome]) -> Option<Report> {
        let members = members(family, outcomes);
        if members.is_empty() {
            return None;
        }
        let by = |key: fn(&Outcome) -> Option<&str>| -> Vec<Summary> {
            let summary = |(name, group): (&str, Vec<usize>)| {
                let part: Vec<&Outcome> = group.into_iter().map(|i| members[i]).collect();
                summary(name, family, &part, &[(0..part.len()).collect()])
            };
            groups(&members, key).into_iter().map(summary).collect()
        };
        let repositories: Vec<Vec<usize>> = groups(&members, |o| Some(&o.repo)).into_values().collect();
        Some(Report {
            family,
            repositories: repositories.len(),
            missing: members.iter().filter(|o| o.latency_ms.is_none()).count(),
            without_hits: members.iter().filter(|o| o.latency_ms.is_some() && o.hits.is_empty()).count(),
            overall: summary("all", family, &members, &repositories),
            by_category: by(|o| o.category.as_deref()),
            by_language: by(|o| o.language.as_deref()),
            by_repository: by(|o| Some(&o.repo)),
        })
    }
}

fn summary(name: &str, family: Family, members: &[&Outcome], groups: &[Vec<usize>]) -> Summary {
    let number = |(at, measure): (usize, &&'static str)| {
        let values: Vec<Vec<f64>> =
            groups.iter().map(|group| group.iter().map(|i| members[*i].values[at]).collect()).collect();
        (*measure, family.mean().of(&values))
    };
    let mut times: Vec<f64> = members.iter().filter_map(|o| o.latency_ms).collect();
    times.sort_by(f64::total_cmp);
    Summary {
        name: name.to_owned(),
        count: members.len(),
        numbers: Numbers(family.measures().iter().enumerate().map(number).collect()),
        latency_p50_ms: percentile(&times, 50),
        latency_p95_ms: percentile(&times, 95),
    }
}

/// The least of sorted numbers that `percent` of them do not exceed.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::{Report, percentile};
    use crate::run::Outcome;
    use crate::set::Family;

    fn outcome(repo: &str, category: Option<&str>, score: f64, latency_ms: Option<f64>) -> Outcome {
        Outcome {
            repo: repo.to_owned(),
            category: category.map(str::to_owned),
            score,
            latency_ms,
            values: vec![score; Family::Queries.measures().len()],
            ..Outcome::default()
        }
    }

    #[test]
    fn repositories_count_the_same_and_categories_by_their_questions() {
        let outcomes = [
            outcome("a", Some("x"), 1.0, Some(1.0)),
            outcome("a", Some("x"), 0.0, Some(2.0)),
            outcome("a", Some("y"), 0.5, Some(3.0)),
            outcome("b", None, 1.0, None),
        ];
        let report = Report::of(Family::Queries, &outcomes).unwrap();
        let shown = |summaries: &[super::Summary]| -> Vec<String> {
            let one =
                |s: &super::Summary| format!("{} {} {:.2} {}", s.name, s.count, s.numbers.0[0].1, s.latency_p95_ms);
            summaries.iter().map(one).collect()
        };
        assert_eq!(shown(&[report.overall]), ["all 4 0.75 3"]);
        assert_eq!(shown(&report.by_category), ["x 2 0.50 2", "y 1 0.50 3"]);
        assert_eq!(shown(&report.by_repository), ["a 3 0.50 3", "b 1 1.00 0"]);
        assert_eq!((report.repositories, report.missing, report.without_hits), (2, 1, 3));
        assert!(report.by_language.is_empty() && Report::of(Family::Issues, &outcomes).is_none());
    }

    #[test]
    fn percentiles() {
        let numbers: Vec<f64> = (1..=20).map(f64::from).collect();
        for (n, percent, expect) in [(20, 50, 10.0), (20, 95, 19.0), (1, 50, 1.0), (3, 50, 2.0), (0, 95, 0.0)] {
            assert!((percentile(&numbers[..n], percent) - expect).abs() < 1e-12, "{n} {percent}");
        }
    }
}
