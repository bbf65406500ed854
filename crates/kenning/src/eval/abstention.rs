//! Whether search knows when the notes do not say.

use super::significance::auroc;
use crate::error::Result;
use crate::search::{self, Evidence, SearchContext, SearchOptions};

/// Share of the questions without an answer that should get no more than weak evidence, and of those with
/// one that may.
const ABSENT_MIN: f64 = 0.93;
const ANSWERABLE_MAX: f64 = 0.05;

/// How well confidence tells questions with an answer from those without.
#[derive(Clone, Debug, PartialEq)]
pub struct Abstention {
    /// Questions that notes answer.
    pub answerable: Doubt,
    /// Questions that no note answers.
    pub absent: Doubt,
    /// How often an answerable question gets more confidence than an absent one, ties counting
    /// half: 1 is a perfect separation, 0.5 a coin. `None` when one sort is missing.
    pub auroc: Option<f64>,
    /// Questions with an answer whose evidence was none or weak, and questions without one whose was not.
    pub misjudged: Vec<Misjudged>,
}

/// A question whose evidence says the opposite of what is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Misjudged {
    /// What was asked.
    pub text: String,
    /// How its evidence was graded.
    pub evidence: Evidence,
    /// How sure search was.
    pub confidence: f32,
}

impl Abstention {
    /// Whether answers can be taken at their word: few of them are misjudged either way.
    pub fn is_honest(&self) -> bool {
        let is_modest = self.absent.none_or_weak >= ABSENT_MIN || self.absent.n_questions == 0;
        is_modest && self.answerable.none_or_weak <= ANSWERABLE_MAX
    }
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
    let mut misjudged = Vec::new();
    let (answerable, positives) = ask(cx, answerable, true, &mut misjudged)?;
    let (absent, negatives) = ask(cx, absent, false, &mut misjudged)?;
    Ok(Abstention {
        answerable,
        absent,
        auroc: auroc(&positives, &negatives),
        misjudged,
    })
}

fn ask<'a>(
    cx: &SearchContext<'_>,
    questions: impl IntoIterator<Item = &'a str>,
    is_answerable: bool,
    misjudged: &mut Vec<Misjudged>,
) -> Result<(Doubt, Vec<f64>)> {
    let options = SearchOptions::at(super::JUDGED_AT);
    let mut n_doubted = 0usize;
    let mut confidences = Vec::new();
    for text in questions {
        let answer = search::search(cx, text, &options)?;
        let is_doubted = answer.evidence <= Evidence::Weak;
        n_doubted += usize::from(is_doubted);
        if is_doubted == is_answerable {
            misjudged.push(Misjudged {
                text: text.to_owned(),
                evidence: answer.evidence,
                confidence: answer.confidence,
            });
        }
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
