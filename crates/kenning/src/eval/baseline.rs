//! What changed since figures were saved, question by question, and whether it is for the worse.
//! Pure.

use std::collections::{BTreeMap, HashSet};

use super::significance::{Comparison, N_RESAMPLES, SEED, paired_bootstrap};

/// Largest mean loss that is put up with, however insignificant.
const LOSS_MAX: f64 = 0.005;
/// Figures are compared by as many digits as are saved.
const DIGITS: f64 = 1e4;

/// What changed between two measurements of the same questions.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Of the questions that both have.
    pub comparison: Comparison,
    /// Questions that lost, most first.
    pub lost: Vec<Changed>,
    /// Questions that gained, most first.
    pub gained: Vec<Changed>,
    /// Questions that only the saved figures have.
    pub missing: Vec<String>,
    /// Questions that only the new figures have.
    pub new: Vec<String>,
}

/// A question whose figure changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    /// Its id.
    pub id: String,
    /// The saved figure.
    pub before: f64,
    /// The new one.
    pub after: f64,
}

impl Change {
    /// Whether the loss is unlikely to be luck, or too large to be put up with anyway.
    pub fn is_regression(&self) -> bool {
        let mean = self.comparison.mean_difference;
        mean < -LOSS_MAX || (mean < 0.0 && self.comparison.is_significant())
    }
}

/// Compares the figures of questions by their ids; `None` when they have no question in common.
pub fn compare(before: &[(String, f64)], after: &[(String, f64)]) -> Option<Change> {
    let saved: BTreeMap<&str, f64> = before.iter().map(|(id, x)| (id.as_str(), *x)).collect();
    let asked: HashSet<&str> = after.iter().map(|(id, _)| id.as_str()).collect();
    let mut new = Vec::new();
    let mut pairs = Vec::new();
    for (id, figure) in after {
        match saved.get(id.as_str()) {
            Some(before) => pairs.push(Changed {
                id: id.clone(),
                before: rounded(*before),
                after: rounded(*figure),
            }),
            None => new.push(id.clone()),
        }
    }
    let figures = |of: fn(&Changed) -> f64| -> Vec<f64> { pairs.iter().map(of).collect() };
    let comparison = paired_bootstrap(
        &figures(|pair| pair.before),
        &figures(|pair| pair.after),
        N_RESAMPLES,
        SEED,
    )?;
    let mut lost = pairs.clone();
    lost.retain(|pair| pair.after < pair.before);
    lost.sort_by(|a, b| (a.after - a.before).total_cmp(&(b.after - b.before)));
    let mut gained = pairs;
    gained.retain(|pair| pair.after > pair.before);
    gained.sort_by(|a, b| (b.after - b.before).total_cmp(&(a.after - a.before)));
    Some(Change {
        comparison,
        lost,
        gained,
        missing: before
            .iter()
            .filter(|(id, _)| !asked.contains(id.as_str()))
            .map(|(id, _)| id.clone())
            .collect(),
        new,
    })
}

fn rounded(figure: f64) -> f64 {
    (figure * DIGITS).round() / DIGITS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(all: &[f64]) -> Vec<(String, f64)> {
        (0..)
            .zip(all)
            .map(|(id, x): (u32, _)| (id.to_string(), *x))
            .collect()
    }

    #[test]
    fn what_is_only_rounded_is_no_change() {
        let exact = figures(&[1.0 / 3.0, 2.0 / 3.0, 0.630_929_753_571_457_4]);
        let saved = figures(&[0.3333, 0.6667, 0.6309]);
        let change = compare(&saved, &exact).unwrap();
        assert_eq!((change.lost.len(), change.gained.len()), (0, 0));
        assert!(!change.is_regression());
    }

    #[test]
    fn a_small_loss_passes_unless_it_is_sure() {
        // One of 300 questions lost .9: -.003 in the mean, and may be luck.
        let before = figures(&[1.0; 300]);
        let mut after = before.clone();
        after[7].1 = 0.1;
        let change = compare(&before, &after).unwrap();
        assert_eq!(
            change.lost,
            [Changed {
                id: "7".to_owned(),
                before: 1.0,
                after: 0.1
            }]
        );
        assert!(!change.is_regression(), "{change:?}");
        // All of them lost .004: as little, but no luck.
        let after: Vec<_> = before
            .iter()
            .map(|(id, x)| (id.clone(), x - 0.004))
            .collect();
        assert!(compare(&before, &after).unwrap().is_regression());
        assert!(!compare(&after, &before).unwrap().is_regression());
    }

    #[test]
    fn a_large_loss_never_passes() {
        // One of ten, which no test of significance would call sure.
        let before = figures(&[1.0; 10]);
        let mut after = before.clone();
        after[0].1 = 0.9;
        let change = compare(&before, &after).unwrap();
        assert!(!change.comparison.is_significant() && change.is_regression());
    }

    #[test]
    fn only_common_questions_are_compared() {
        let change = compare(
            &figures(&[1.0, 0.5]),
            &[("1".to_owned(), 0.5), ("x".to_owned(), 0.0)],
        );
        let change = change.unwrap();
        assert_eq!(change.comparison.n_pairs, 1);
        assert_eq!(
            (change.missing, change.new),
            (vec!["0".to_owned()], vec!["x".to_owned()])
        );
        assert_eq!(compare(&[], &figures(&[1.0])), None);
    }
}
