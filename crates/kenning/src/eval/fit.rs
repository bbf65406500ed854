//! Fits the weights of extraction: on every other question, so that the rest can tell whether it was luck.
//!
//! A question's candidates share one unit of probability, by the softmax of their scores; the weights
//! are moved until the share of good candidates is as large as it gets.

use super::answers::{Answerable, f1, holds};
use crate::ask::{self, AskOptions, Candidates};
use crate::error::Result;
use crate::search::SearchContext;

/// Passes over all questions.
const PASSES: usize = 300;
/// How far weights are moved at first.
const STEP: f64 = 0.08;
/// What large weights cost.
const DECAY: f64 = 4e-3;

/// What the best span may add to the score of its sentence.
const SPAN_SHARES: [f64; 6] = [0.0, 0.1, 0.2, 0.3, 0.5, 1.0];

/// Fitted weights: of sentences, then of spans, each with its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fitted {
    /// Of sentences.
    pub sentence: Vec<(String, f32)>,
    /// Of spans.
    pub span: Vec<(String, f32)>,
    /// For each share of the best span in the score of its sentence, how the halves did: those the
    /// weights were fitted to, then the others.
    pub shares: Vec<(f64, [Halved; 2])>,
}

/// How half of the questions did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Halved {
    /// The answer stands in the first sentence.
    pub first: f64,
    /// F1 of the best span of it.
    pub f1: f64,
}

/// Fits the weights to every other question.
pub fn fit(cx: &SearchContext<'_>, questions: &[Answerable]) -> Result<Fitted> {
    let options = AskOptions::at(super::JUDGED_AT);
    let mut sentences = Vec::new();
    for question in questions {
        let candidates = ask::candidate_sentences(cx, &question.text, &options)?;
        let is_good = |text: &str| question.answers.iter().any(|answer| holds(text, answer));
        sentences.push(Group::of(candidates, |text| {
            f64::from(u8::from(is_good(text)))
        }));
    }
    let names = ask::sentence_signals();
    let fitted: Vec<&Group> = sentences.iter().step_by(2).collect();
    let sentence = learn(&fitted, names.len());
    let mut spans = Vec::new();
    for question in questions {
        let found = ask::candidate_spans(cx, &question.text, &sentence, &options)?;
        let best = |text: &str| {
            question
                .answers
                .iter()
                .map(|answer| f1(text, answer))
                .fold(0.0, f64::max)
        };
        let is_good = |text: &str| question.answers.iter().any(|answer| holds(text, answer));
        let found = found.into_iter().map(|(text, score, spans)| Looked {
            is_good: is_good(&text),
            score: f64::from(score),
            spans: Group::of(spans, best),
        });
        spans.push(found.collect::<Vec<_>>());
    }
    let span_names = ask::span_signals();
    let joined: Vec<Group> = spans
        .iter()
        .step_by(2)
        .map(|looked| Group::joined(looked))
        .collect();
    let span = learn(&joined.iter().collect::<Vec<_>>(), span_names.len());
    let shares = SPAN_SHARES.map(|share| {
        (
            share,
            [0, 1].map(|first| halved(&spans, first, share, &span)),
        )
    });
    Ok(Fitted {
        sentence: names.into_iter().zip(sentence).collect(),
        span: span_names.into_iter().zip(span).collect(),
        shares: shares.to_vec(),
    })
}

/// A sentence whose spans were looked at.
struct Looked {
    is_good: bool,
    score: f64,
    spans: Group,
}

/// How every other question does, from the given one on.
fn halved(all: &[Vec<Looked>], first: usize, share: f64, weights: &[f32]) -> Halved {
    let weights: Vec<f64> = weights.iter().map(|&weight| f64::from(weight)).collect();
    let mut half = Halved::default();
    let mut n = 0.0;
    for looked in all.iter().skip(first).step_by(2) {
        n += 1.0;
        let scored = looked.iter().map(|sentence| {
            let spans = sentence
                .spans
                .signals
                .iter()
                .map(|own| score(own, &weights));
            let best = spans.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            let (place, best) = best.unwrap_or((0, 0.0));
            (sentence.score + share * best, place, sentence)
        });
        if let Some((_, place, sentence)) = scored.max_by(|a, b| a.0.total_cmp(&b.0)) {
            half.first += f64::from(u8::from(sentence.is_good));
            half.f1 += sentence.spans.goodness.get(place).copied().unwrap_or(0.0);
        }
    }
    Halved {
        first: half.first / f64::max(n, 1.0),
        f1: half.f1 / f64::max(n, 1.0),
    }
}

/// The candidates of one question: signals, and how good each is.
struct Group {
    signals: Vec<Vec<(u16, f32)>>,
    goodness: Vec<f64>,
}

impl Group {
    fn of(candidates: Candidates, goodness: impl Fn(&str) -> f64) -> Self {
        let (mut signals, mut good) = (Vec::new(), Vec::new());
        for (text, own) in candidates {
            good.push(goodness(&text));
            let own = (0..).zip(own).filter(|(_, value)| *value != 0.0);
            signals.push(own.collect());
        }
        Self {
            signals,
            goodness: good,
        }
    }

    /// All spans of a question's sentences.
    fn joined(looked: &[Looked]) -> Self {
        let all = looked.iter().map(|sentence| &sentence.spans);
        Self {
            signals: all
                .clone()
                .flat_map(|group| group.signals.clone())
                .collect(),
            goodness: all.flat_map(|group| group.goodness.clone()).collect(),
        }
    }
}

/// Adds up signals by their weights.
fn score(own: &[(u16, f32)], weights: &[f64]) -> f64 {
    own.iter()
        .map(|(at, value)| weights[usize::from(*at)] * f64::from(*value))
        .sum()
}

/// Moves weights towards good candidates, by Adam.
fn learn(groups: &[&Group], n_signals: usize) -> Vec<f32> {
    let is_useful = |group: &&&Group| group.goodness.iter().any(|good| *good > 0.0);
    let useful: Vec<&Group> = groups.iter().filter(is_useful).copied().collect();
    let mut weights = vec![0.0f64; n_signals];
    let (mut mean, mut square) = (vec![0.0; n_signals], vec![0.0; n_signals]);
    for pass in 1..=PASSES {
        let mut slope = vec![0.0; n_signals];
        for group in &useful {
            add_slope(group, &weights, &mut slope);
        }
        let step = STEP * (1.0 - pass as f64 / (PASSES + 1) as f64);
        for at in 0..n_signals {
            let slope = slope[at] / useful.len().max(1) as f64 - DECAY * weights[at];
            mean[at] = 0.9 * mean[at] + 0.1 * slope;
            square[at] = 0.999 * square[at] + 0.001 * slope * slope;
            let (m, v) = (
                mean[at] / (1.0 - 0.9f64.powi(pass as i32)),
                square[at] / (1.0 - 0.999f64.powi(pass as i32)),
            );
            weights[at] += step * m / (v.sqrt() + 1e-8);
        }
    }
    weights.into_iter().map(|weight| weight as f32).collect()
}

/// Adds how the logarithm of the expected goodness grows with each weight.
fn add_slope(group: &Group, weights: &[f64], slope: &mut [f64]) {
    let scores: Vec<f64> = group
        .signals
        .iter()
        .map(|own| score(own, weights))
        .collect();
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let shares: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
    let total: f64 = shares.iter().sum();
    let expected: f64 = shares
        .iter()
        .zip(&group.goodness)
        .map(|(share, good)| share * good)
        .sum::<f64>()
        / total;
    for ((own, share), good) in group.signals.iter().zip(&shares).zip(&group.goodness) {
        let pull = share / total * (good / expected.max(1e-9) - 1.0);
        if pull.abs() > 1e-9 {
            for (at, value) in own {
                slope[usize::from(*at)] += pull * f64::from(*value);
            }
        }
    }
}
