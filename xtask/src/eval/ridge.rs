//! Linear weights that are not below zero, fitted to relevance by least squares with a penalty on their size. Only sums of
//! products are kept of the data, so that leaving a part out is a subtraction.

/// Sums over rows of features and relevance.
#[derive(Clone, Debug)]
pub(super) struct Moments {
    /// Feature by feature.
    products: Vec<Vec<f64>>,
    /// Feature by relevance.
    relevance: Vec<f64>,
    rows: f64,
}

impl Moments {
    pub(super) fn new(features: usize) -> Moments {
        Moments { products: vec![vec![0.0; features]; features], relevance: vec![0.0; features], rows: 0.0 }
    }

    /// Adds the rows of one query less their means: what all its hits have in common ranks none above another.
    pub(super) fn add(&mut self, rows: &[(Vec<f64>, f64)]) {
        let n = rows.len().max(1) as f64;
        let features = self.relevance.len();
        let mean: Vec<f64> = (0..features).map(|j| rows.iter().map(|row| row.0[j]).sum::<f64>() / n).collect();
        let middle = rows.iter().map(|row| row.1).sum::<f64>() / n;
        for (row, relevance) in rows {
            for j in 0..features {
                let x = row[j] - mean[j];
                self.relevance[j] += x * (relevance - middle);
                for k in 0..features {
                    self.products[j][k] += x * (row[k] - mean[k]);
                }
            }
        }
        self.rows += n;
    }

    /// Sums of all of these.
    pub(super) fn sum<'a>(parts: impl Iterator<Item = &'a Moments>, features: usize) -> Moments {
        let mut total = Moments::new(features);
        for part in parts {
            for j in 0..features {
                total.relevance[j] += part.relevance[j];
                for k in 0..features {
                    total.products[j][k] += part.products[j][k];
                }
            }
            total.rows += part.rows;
        }
        total
    }

    /// The weights. A preset holds none below zero, so neither does the fit: one weight after another is set to its best
    /// value beside the others until none moves.
    pub(super) fn fit(&self, penalty: f64) -> Vec<f64> {
        let features = self.relevance.len();
        let mut weights = vec![0.0; features];
        for _ in 0..2_000 {
            let mut moved = 0.0_f64;
            for j in 0..features {
                let others: f64 = (0..features).filter(|k| *k != j).map(|k| self.products[j][k] * weights[k]).sum();
                let scale = self.products[j][j] + penalty * self.rows;
                let best = if scale > 0.0 { ((self.relevance[j] - others) / scale).max(0.0) } else { 0.0 };
                moved = moved.max((best - weights[j]).abs());
                weights[j] = best;
            }
            if moved < 1e-9 {
                break;
            }
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::Moments;

    #[test]
    fn weights_are_found_again() {
        // Relevance is 2 a + b - c, with what a query has in common on top.
        let mut moments = Moments::new(3);
        for query in 0..8 {
            let row = |i: u32| {
                let [a, b, c] = [(i * 7 + query) % 5, (i * 3 + query * 2) % 4, (i + query) % 3].map(f64::from);
                (vec![a, b, c], 2.0 * a + b - c + f64::from(query) * 10.0)
            };
            moments.add(&(0..20).map(row).collect::<Vec<_>>());
        }
        let weights = moments.fit(0.0);
        assert!(weights[2].abs() < 1e-12, "none is below zero: {weights:?}");
        assert!((weights[0] - 2.0).abs() < 0.1 && (weights[1] - 1.0).abs() < 0.3, "{weights:?}");
        let small = moments.fit(100.0);
        assert!(small[0] < 0.2 * weights[0], "a penalty makes them small: {small:?}");
        let twice = Moments::sum([&moments, &moments].into_iter(), 3).fit(0.0);
        assert!((twice[0] - weights[0]).abs() < 1e-6);
    }
}
