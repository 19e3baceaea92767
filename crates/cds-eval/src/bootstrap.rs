//! Whether a difference is more than chance: the questions are drawn again and again, with replacement, within each
//! repository, and the difference is taken anew each time.

use serde::Serialize;

/// Draws. With a fixed seed the same two runs give the same numbers.
const RESAMPLES: usize = 10_000;
const SEED: u64 = 0x5eed;

/// A difference and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Bootstrap {
    /// As measured.
    pub mean: f64,
    /// 2.5 % of draws are below.
    pub low: f64,
    /// 2.5 % of draws are above.
    pub high: f64,
    /// How often chance alone would give a difference of either sign, at least.
    pub p: f64,
}

/// How groups of differences become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mean {
    /// Every group counts the same.
    OfGroups,
    /// Every member counts the same.
    OfMembers,
}

impl Mean {
    pub(crate) fn of(self, groups: &[Vec<f64>]) -> f64 {
        self.weighted(groups, |group| group.iter().sum())
    }

    fn weighted(self, groups: &[Vec<f64>], mut sum: impl FnMut(&[f64]) -> f64) -> f64 {
        let groups = groups.iter().filter(|group| !group.is_empty());
        match self {
            Mean::OfGroups => {
                let (total, n) =
                    groups.fold((0.0, 0), |(total, n), group| (total + sum(group) / group.len() as f64, n + 1));
                total / f64::from(n.max(1))
            }
            Mean::OfMembers => {
                let (total, n) = groups.fold((0.0, 0), |(total, n), group| (total + sum(group), n + group.len()));
                total / n.max(1) as f64
            }
        }
    }
}

/// Differences of paired scores, by repository.
pub(crate) fn bootstrap(groups: &[Vec<f64>], mean: Mean) -> Bootstrap {
    let mut random = Random(SEED);
    let mut draw = |group: &[f64]| (0..group.len()).map(|_| group[random.below(group.len())]).sum();
    let mut draws: Vec<f64> = (0..RESAMPLES).map(|_| mean.weighted(groups, &mut draw)).collect();
    draws.sort_by(f64::total_cmp);
    let below = draws.iter().filter(|d| **d <= 0.0).count();
    let above = draws.iter().filter(|d| **d >= 0.0).count();
    let p = 2.0 * (below.min(above) + 1) as f64 / (RESAMPLES + 1) as f64;
    Bootstrap {
        mean: mean.of(groups),
        low: draws[RESAMPLES * 25 / 1000],
        high: draws[RESAMPLES * 975 / 1000],
        p: p.min(1.0),
    }
}

/// SplitMix64: good enough to draw with, and the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::{Mean, bootstrap};

    #[test]
    fn means_weigh_groups_or_members() {
        let groups = [vec![1.0, 1.0, 1.0], vec![0.0], Vec::new()];
        assert!((Mean::OfGroups.of(&groups) - 0.5).abs() < 1e-12);
        assert!((Mean::OfMembers.of(&groups) - 0.75).abs() < 1e-12);
        assert!(Mean::OfGroups.of(&[]).abs() < 1e-12);
    }

    #[test]
    fn the_sign_and_the_certainty_of_a_difference() {
        let check = |groups: &[Vec<f64>], is_sure: bool, sign: f64| {
            let result = bootstrap(groups, Mean::OfGroups);
            assert_eq!(result, bootstrap(groups, Mean::OfGroups), "the same every time");
            assert!(result.low <= result.mean && result.mean <= result.high, "{result:?}");
            assert_eq!(result.p < 0.05, is_sure, "{result:?}");
            assert_eq!(result.low * result.high > 0.0, is_sure, "{result:?}");
            assert!(result.mean * sign >= 0.0, "{result:?}");
        };
        let better: Vec<f64> = (0..40).map(|i| 0.1 + 0.01 * f64::from(i % 5)).collect();
        let worse: Vec<f64> = better.iter().map(|d| -d).collect();
        let noise: Vec<f64> = (0..40).map(|i| if i % 2 == 0 { 0.3 } else { -0.29 }).collect();
        check(&[better.clone(), better], true, 1.0);
        check(&[worse], true, -1.0);
        check(&[noise], false, 1.0);
        check(&[vec![0.0; 10]], false, 0.0);
        assert!((bootstrap(&[vec![0.0; 10]], Mean::OfMembers).p - 1.0).abs() < 1e-12);
    }

    #[test]
    fn draws_stay_within_their_group() {
        // Each group is all alike, so that a draw cannot differ from the mean.
        let result = bootstrap(&[vec![0.5; 4], vec![-0.1; 9]], Mean::OfGroups);
        assert!((result.low - 0.2).abs() < 1e-9 && (result.high - 0.2).abs() < 1e-9, "{result:?}");
    }
}
