//! How well the beginning of the order answers the question.

use super::evidence::{Evidence, Signals};
use super::ranked::Ranked;
use super::{Ranking, SearchContext, list};
use crate::error::Result;

/// How well the notes answer.
pub(super) struct Verdict {
    pub(super) evidence: Evidence,
    pub(super) confidence: f32,
    /// What scores are worth: the best of a bad lot is still bad.
    pub(super) certainty: f32,
}

impl Verdict {
    /// The notes do not say.
    const NONE: Self = Self {
        evidence: Evidence::None,
        confidence: 0.0,
        certainty: 0.0,
    };
    /// There is nothing to doubt.
    const CERTAIN: Self = Self {
        evidence: Evidence::Strong,
        confidence: 1.0,
        certainty: 1.0,
    };
}

/// Judges the notes by the beginning of the order, however much of it is asked for.
pub(super) fn of(cx: &SearchContext<'_>, ranking: &mut Ranking<'_>) -> Result<Verdict> {
    let Ranking {
        plan,
        query,
        strength,
        best,
        ..
    } = ranking;
    let mut judged = list::usual(best);
    judged.truncate(list::USUAL_LENGTH);
    if judged.is_empty() {
        return Ok(Verdict::NONE);
    }
    // Without words there is nothing to doubt: what the filter let through is what was asked for.
    if plan.is_listing || plan.is_of_time || best[0].is_pinned() {
        return Ok(Verdict::CERTAIN);
    }
    for &place in &judged {
        best[place].read_text(cx.store)?;
    }
    let judged: Vec<&Ranked> = judged.iter().map(|&place| &best[place]).collect();
    let when = plan.when.as_deref();
    let signals = Signals::of(cx, &judged, query, strength, plan.mode, when)?;
    let confidence = signals.confidence();
    Ok(match Evidence::of(confidence) {
        Evidence::None => Verdict {
            confidence,
            ..Verdict::NONE
        },
        evidence => Verdict {
            evidence,
            confidence,
            certainty: signals.certainty(),
        },
    })
}
