//! The usual measures of a ranking. Pure.

use super::Relevant;

/// Measures of one ranking, or their means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Discounted gain of the first ten, over the best possible.
    pub ndcg_at_10: f64,
    /// Share of relevant notes among the first ten.
    pub recall_at_10: f64,
    /// Share of relevant notes among the first hundred.
    pub recall_at_100: f64,
    /// One over the rank of the first relevant note, if it is among the first ten.
    pub mrr_at_10: f64,
    /// Share of the first one that is relevant: whether it is.
    pub precision_at_1: f64,
    /// Share of the first five that are relevant.
    pub precision_at_5: f64,
    /// Share of the first ten that are relevant.
    pub precision_at_10: f64,
}

impl Metrics {
    /// Measures a ranking of note paths.
    pub fn of(ranking: &[String], relevant: &Relevant) -> Self {
        let gains: Vec<f64> = ranking
            .iter()
            .map(|path| relevant.get(path).copied().unwrap_or(0.0).max(0.0))
            .collect();
        let mut ideal: Vec<f64> = relevant
            .values()
            .copied()
            .filter(|gain| *gain > 0.0)
            .collect();
        ideal.sort_by(|a, b| b.total_cmp(a));
        let n_relevant = ideal.len().max(1) as f64;
        let n_found = |n: usize| gains.iter().take(n).filter(|gain| **gain > 0.0).count() as f64;
        let best = discounted(&ideal);
        Self {
            ndcg_at_10: if best > 0.0 {
                discounted(&gains) / best
            } else {
                0.0
            },
            recall_at_10: n_found(10) / n_relevant,
            recall_at_100: n_found(100) / n_relevant,
            mrr_at_10: gains
                .iter()
                .take(10)
                .position(|gain| *gain > 0.0)
                .map_or(0.0, |position| 1.0 / (position + 1) as f64),
            precision_at_1: n_found(1),
            precision_at_5: n_found(5) / 5.0,
            precision_at_10: n_found(10) / 10.0,
        }
    }

    /// Returns the means of several measurements.
    pub fn mean<'a>(all: impl Iterator<Item = &'a Self>) -> Self {
        let (mut sum, mut n) = (Self::default(), 0.0f64);
        for one in all {
            sum.ndcg_at_10 += one.ndcg_at_10;
            sum.recall_at_10 += one.recall_at_10;
            sum.recall_at_100 += one.recall_at_100;
            sum.mrr_at_10 += one.mrr_at_10;
            sum.precision_at_1 += one.precision_at_1;
            sum.precision_at_5 += one.precision_at_5;
            sum.precision_at_10 += one.precision_at_10;
            n += 1.0;
        }
        let n = n.max(1.0);
        Self {
            ndcg_at_10: sum.ndcg_at_10 / n,
            recall_at_10: sum.recall_at_10 / n,
            recall_at_100: sum.recall_at_100 / n,
            mrr_at_10: sum.mrr_at_10 / n,
            precision_at_1: sum.precision_at_1 / n,
            precision_at_5: sum.precision_at_5 / n,
            precision_at_10: sum.precision_at_10 / n,
        }
    }
}

/// Gains of the first ten, each divided by the logarithm of its rank.
fn discounted(gains: &[f64]) -> f64 {
    gains
        .iter()
        .take(10)
        .enumerate()
        .map(|(position, gain)| gain / (position as f64 + 2.0).log2())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worked_example() {
        let relevant = Relevant::from([
            ("a".to_owned(), 2.0),
            ("b".to_owned(), 1.0),
            ("z".to_owned(), 1.0),
        ]);
        let ranking: Vec<String> = ["x", "a", "b"].map(str::to_owned).to_vec();
        let metrics = Metrics::of(&ranking, &relevant);
        let dcg = 2.0 / 3f64.log2() + 1.0 / 4f64.log2();
        let ideal = 2.0 + 1.0 / 3f64.log2() + 1.0 / 4f64.log2();
        assert!((metrics.ndcg_at_10 - dcg / ideal).abs() < 1e-12);
        assert!((metrics.recall_at_10 - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(metrics.mrr_at_10, 0.5);
        assert_eq!(metrics.precision_at_1, 0.0);
        assert_eq!(metrics.precision_at_5, 0.4);
        assert_eq!(metrics.precision_at_10, 0.2);
    }

    #[test]
    fn nothing_found_is_zero() {
        assert_eq!(
            Metrics::of(&[], &Relevant::from([("a".to_owned(), 1.0)])),
            Metrics::default()
        );
    }
}
