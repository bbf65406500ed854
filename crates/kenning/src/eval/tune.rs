//! Looks for weights that suit a vault better: chosen on half of the questions, tested on the rest.

use super::significance::{Comparison, N_RESAMPLES, SEED, paired_bootstrap};
use super::{Judgements, Outcome, run};
use crate::embed::Embedder;
use crate::error::Result;
use crate::search::signals::SIGNALS;
use crate::search::{Fusion, Mode, Tuning};
use crate::store::Store;

/// A weight of the ranking, and what is tried for it.
#[derive(Clone, Debug)]
pub struct Weight {
    /// Its name in the settings, below `[search]`.
    pub name: String,
    /// Values to try.
    pub values: &'static [f32],
    place: Place,
}

/// Where a weight stands.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// The share or weight of meaning.
    Meaning,
    /// That of a signal.
    Signal(&'static str),
}

impl Weight {
    fn set(&self, tuning: &mut Tuning, value: f32) {
        if let Some(own) = self.of(tuning) {
            *own = value;
        }
    }

    /// Returns the weight in a tuning; `None` where it has no such weight.
    pub fn of<'t>(&self, tuning: &'t mut Tuning) -> Option<&'t mut f32> {
        match self.place {
            Place::Signal(name) => tuning.rerank.weights.named(name),
            Place::Meaning => match &mut tuning.fusion {
                Fusion::Blend { vector } | Fusion::Rrf { vector, .. } => Some(vector),
            },
        }
    }
}

const VECTOR_SHARES: &[f32] = &[
    0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.65, 0.8, 1.0,
];
const VECTOR_WEIGHTS: &[f32] = &[0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0];

/// Returns the weights that count in the given way of ranking.
pub fn weights(tuning: &Tuning) -> Vec<Weight> {
    let meaning = |name: &str, values| Weight {
        name: name.to_owned(),
        values,
        place: Place::Meaning,
    };
    if let Fusion::Rrf { .. } = tuning.fusion {
        return vec![meaning("vector_weight", VECTOR_WEIGHTS)];
    }
    let tried = SIGNALS.iter().filter(|signal| !signal.tried.is_empty());
    let signals = tried.map(|signal| Weight {
        name: format!("weights.{}", signal.name),
        values: signal.tried,
        place: Place::Signal(signal.name),
    });
    let share = meaning("vector_share", VECTOR_SHARES);
    std::iter::once(share).chain(signals).collect()
}

/// One value that was tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Name of the weight.
    pub name: String,
    /// Its value.
    pub value: f32,
    /// Mean nDCG@10 of the questions to choose by.
    pub ndcg_at_10: f64,
}

/// A weight that another value suits better.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// Its name.
    pub name: String,
    /// As it is set.
    pub before: f32,
    /// As it did best.
    pub after: f32,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// Questions to choose by.
    pub n_fit: usize,
    /// Everything that was tried.
    pub trials: Vec<Trial>,
    /// Weights that should be set otherwise, by the questions to choose by.
    pub chosen: Vec<Chosen>,
    /// Means of the questions to test with, before and after.
    pub tested: (f64, f64),
    /// What the questions to test with say; `None` when there are none.
    pub comparison: Option<Comparison>,
}

impl Proposal {
    /// Whether the gain holds on questions that were not chosen by.
    pub fn is_gain(&self) -> bool {
        let holds = |found: &Comparison| found.mean_difference > 0.0 && found.is_significant();
        !self.chosen.is_empty() && self.comparison.as_ref().is_some_and(holds)
    }
}

/// Tries the values of each weight in turn, keeping what does best on every other question, and
/// compares the result with `current` on the rest.
///
/// One weight after the other: the number of trials is the sum of the values, not their product.
pub fn tune(
    store: &Store,
    embedder: &dyn Embedder,
    current: &Tuning,
    questions: &Judgements,
    weights: &[Weight],
) -> Result<Proposal> {
    let (fit, test) = halves(questions);
    let ask = |tuning: &Tuning, questions: &Judgements| {
        run(store, embedder, tuning, questions, Mode::Hybrid)
    };
    let mut tuning = current.clone();
    let mut best = ask(&tuning, &fit)?.metrics.ndcg_at_10;
    let mut trials = Vec::new();
    let mut chosen = Vec::new();
    for weight in weights {
        let Some(before) = weight.of(&mut tuning).copied() else {
            continue;
        };
        let mut after = before;
        for &value in weight.values {
            let mut tried = tuning.clone();
            weight.set(&mut tried, value);
            let ndcg_at_10 = ask(&tried, &fit)?.metrics.ndcg_at_10;
            trials.push(Trial {
                name: weight.name.clone(),
                value,
                ndcg_at_10,
            });
            if ndcg_at_10 > best + 1e-9 {
                (best, after) = (ndcg_at_10, value);
            }
        }
        if after != before {
            weight.set(&mut tuning, after);
            chosen.push(Chosen {
                name: weight.name.clone(),
                before,
                after,
            });
        }
    }
    let (before, after) = (ask(current, &test)?, ask(&tuning, &test)?);
    Ok(Proposal {
        n_fit: fit.questions.len(),
        trials,
        chosen,
        tested: (before.metrics.ndcg_at_10, after.metrics.ndcg_at_10),
        comparison: paired_bootstrap(&figures(&before), &figures(&after), N_RESAMPLES, SEED),
    })
}

fn figures(outcome: &Outcome) -> Vec<f64> {
    let all = outcome.by_question.iter();
    all.map(|(_, metrics)| metrics.ndcg_at_10).collect()
}

/// Deals the questions of each kind to two halves by the hashes of their ids.
fn halves(questions: &Judgements) -> (Judgements, Judgements) {
    let mut sorted: Vec<_> = questions
        .questions
        .iter()
        .map(|question| (*blake3::hash(question.id.as_bytes()).as_bytes(), question))
        .collect();
    sorted.sort_by(|(a_hash, a), (b_hash, b)| (&a.kind, a_hash).cmp(&(&b.kind, b_hash)));
    let half = |rest: usize| Judgements {
        questions: (sorted.iter().enumerate())
            .filter(|(position, _)| position % 2 == rest)
            .map(|(_, (_, question))| (*question).clone())
            .collect(),
        absent: Vec::new(),
    };
    (half(0), half(1))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::{Question, Relevant};
    use super::*;

    fn question(id: usize, kind: &str) -> Question {
        Question {
            id: id.to_string(),
            text: String::new(),
            kind: kind.to_owned(),
            relevant: Relevant::new(),
            excluded: HashSet::new(),
        }
    }

    #[test]
    fn halves_share_every_kind_and_no_question() {
        let mut questions: Vec<Question> = (0..40).map(|id| question(id, "a")).collect();
        questions.extend((40..50).map(|id| question(id, "b")));
        let all = Judgements {
            questions,
            absent: Vec::new(),
        };
        let (fit, test) = halves(&all);
        for half in [&fit, &test] {
            let n = |kind: &str| half.questions.iter().filter(|q| q.kind == kind).count();
            assert_eq!((n("a"), n("b")), (20, 5));
        }
        let ids = |half: &Judgements| -> HashSet<String> {
            half.questions.iter().map(|q| q.id.clone()).collect()
        };
        assert!(ids(&fit).is_disjoint(&ids(&test)));
        assert_eq!(halves(&all), (fit, test));
    }

    #[test]
    fn weights_are_set_and_read_back() {
        for fusion in [Tuning::default().fusion, crate::search::tuning::RRF] {
            let mut tuning = Tuning {
                fusion,
                ..Tuning::default()
            };
            for weight in weights(&tuning) {
                for &value in weight.values {
                    *weight.of(&mut tuning).unwrap() = value;
                    assert_eq!(
                        weight.of(&mut tuning),
                        Some(&mut value.clone()),
                        "{}",
                        weight.name
                    );
                }
            }
        }
    }
}
