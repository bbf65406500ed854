//! Fits the weights of sentences: on every other question, so that the rest can tell whether it was luck.
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

/// Fitted weights of sentences, each with its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fitted {
    /// Of sentences.
    pub sentence: Vec<(String, f32)>,
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
    Ok(Fitted {
        sentence: names.into_iter().zip(sentence).collect(),
    })
}

/// One question, as the reader is fitted to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What is asked for, by its number.
    pub sought: usize,
    /// The likeliest sentences.
    pub sentences: Vec<ReadSentence>,
}

/// A sentence of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadSentence {
    /// Its signals, and the score they have.
    pub signals: Vec<f32>,
    /// The score.
    pub score: f32,
    /// What is seen of each token.
    pub inputs: Vec<Vec<f32>>,
    /// Each token that is a function word; others are empty.
    pub words: Vec<String>,
    /// First and last token of each candidate, and its F1.
    pub spans: Vec<(usize, usize, f64)>,
}

/// Returns what the reader is fitted to.
pub fn readings(cx: &SearchContext<'_>, questions: &[Answerable]) -> Result<Vec<Reading>> {
    let options = AskOptions::at(super::JUDGED_AT);
    let read = |question: &Answerable| {
        let worth = |text: &str| {
            let all = question.answers.iter().map(|answer| f1(text, answer));
            all.fold(0.0, f64::max)
        };
        let (sought, sentences) = ask::readable(cx, &question.text, &options)?;
        let sentences = sentences.into_iter().map(|one| ReadSentence {
            signals: one.signals,
            score: one.score,
            inputs: one.inputs,
            words: one.words,
            spans: (one.spans.into_iter())
                .map(|(first, last, text)| (first, last, worth(&text)))
                .collect(),
        });
        Ok(Reading {
            sought,
            sentences: sentences.collect(),
        })
    };
    questions.iter().map(read).collect()
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
