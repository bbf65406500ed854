//! Whether search knows when the notes do not say.

use super::significance::auroc;
use crate::error::Result;
use crate::search::{self, Evidence, SearchContext, SearchOptions};

/// How well confidence tells questions with an answer from those without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Abstention {
    /// Questions that notes answer.
    pub answerable: Doubt,
    /// Questions that no note answers.
    pub absent: Doubt,
    /// How often an answerable question gets more confidence than an absent one, ties counting
    /// half: 1 is a perfect separation, 0.5 a coin. `None` when one sort is missing.
    pub auroc: Option<f64>,
}

/// How sure search was about some questions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Doubt {
    /// Questions asked.
    pub n_questions: usize,
    /// Share of them whose evidence was none or weak.
    pub none_or_weak: f64,
    /// Mean confidence.
    pub confidence: f64,
}

/// Asks both sorts of questions as a person would, and compares how sure the answers are.
pub fn abstention<'a>(
    cx: &SearchContext<'_>,
    answerable: impl IntoIterator<Item = &'a str>,
    absent: impl IntoIterator<Item = &'a str>,
) -> Result<Abstention> {
    let (answerable, positives) = ask(cx, answerable)?;
    let (absent, negatives) = ask(cx, absent)?;
    Ok(Abstention {
        answerable,
        absent,
        auroc: auroc(&positives, &negatives),
    })
}

fn ask<'a>(
    cx: &SearchContext<'_>,
    questions: impl IntoIterator<Item = &'a str>,
) -> Result<(Doubt, Vec<f64>)> {
    let options = SearchOptions::default();
    let mut n_doubted = 0usize;
    let mut confidences = Vec::new();
    for text in questions {
        let answer = search::search(cx, text, &options)?;
        n_doubted += usize::from(answer.evidence <= Evidence::Weak);
        confidences.push(f64::from(answer.confidence));
    }
    let n = confidences.len().max(1) as f64;
    let doubt = Doubt {
        n_questions: confidences.len(),
        none_or_weak: n_doubted as f64 / n,
        confidence: confidences.iter().sum::<f64>() / n,
    };
    Ok((doubt, confidences))
}
