//! How a hit came by its score: the figures of the code that scored it, stage by stage. The stages
//! account for all of it: who follows them from zero arrives at the score that is shown.

use super::condition::NOT_SHOWN;
use super::features::Features;
use super::fuse::{Fused, reciprocal_rank};
use super::plan::Plan;
use super::ranked::{Promise, Ranked};
use super::tuning::Fusion;
use super::{Mode, rerank};

/// One stage of the ranking and what it did to a hit.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// The stage.
    pub name: &'static str,
    /// What it did to the score.
    pub effect: Effect,
    /// By how much.
    pub value: f32,
    /// The score after it.
    pub score: f32,
    /// What it is made of.
    pub detail: String,
}

/// What a stage does to a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The value is added.
    Adds,
    /// The score is multiplied by the value.
    Times,
    /// The score becomes the value.
    Is,
    /// The score becomes the value if that is less.
    AtMost,
}

impl Effect {
    /// Returns the name in explanations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adds => "adds",
            Self::Times => "times",
            Self::Is => "is",
            Self::AtMost => "at most",
        }
    }

    /// Returns the score after a stage of this effect.
    pub fn on(self, score: f32, value: f32) -> f32 {
        match self {
            Self::Adds => score + value,
            Self::Times => score * value,
            Self::Is => value,
            Self::AtMost => score.min(value),
        }
    }
}

/// The stages so far; each one goes on from the score of the last.
#[derive(Default)]
struct Trace(Vec<Stage>);

impl Trace {
    fn score(&self) -> f32 {
        self.0.last().map_or(0.0, |last| last.score)
    }

    fn add(&mut self, name: &'static str, effect: Effect, value: f32, detail: String) {
        self.0.push(Stage {
            name,
            effect,
            value,
            score: effect.on(self.score(), value),
            detail,
        });
    }
}

/// Tells the stages of one hit. `certainty` is what the scores of the whole list are worth.
pub(super) fn stages(ranked: &Ranked, plan: &Plan<'_>, certainty: f32) -> Vec<Stage> {
    let mut trace = Trace::default();
    retrieved(&mut trace, &ranked.fused, plan);
    reranked(&mut trace, ranked, plan);
    if ranked.is_unshown {
        let detail = "it does not show what its note was let through for";
        trace.add("condition", Effect::Times, NOT_SHOWN, detail.to_owned());
    }
    aged(&mut trace, ranked);
    linked(&mut trace, ranked);
    if let Some(most) = ranked.most {
        let detail = "no higher than those that were reranked";
        trace.add("below", Effect::AtMost, most, detail.to_owned());
    }
    promised(&mut trace, ranked);
    if !ranked.is_pinned() && certainty != 1.0 {
        let detail = "how much of what was asked the best passages hold";
        trace.add("certainty", Effect::Times, certainty, detail.to_owned());
    }
    if trace.score() > 1.0 {
        trace.add("most", Effect::AtMost, 1.0, "no score is higher".to_owned());
    }
    trace.0
}

/// What the retrievers said, and how their shares add up.
fn retrieved(trace: &mut Trace, fused: &Fused, plan: &Plan<'_>) {
    let candidate = &fused.candidate;
    let rank =
        |rank: Option<u32>| rank.map_or("unlisted".to_owned(), |rank| format!("rank {rank}"));
    let (of_words, of_meaning, how) = shares(fused, plan);
    let (note, chunk) = candidate.lexical_parts;
    if plan.mode != Mode::Vector {
        let detail = format!(
            "{} with {:.3}, note {note:.3}, passage {chunk:.3}",
            rank(candidate.lexical_rank),
            candidate.lexical
        );
        trace.add("words", Effect::Adds, of_words, detail);
    }
    if let Some(cosine) = candidate.cosine {
        let detail = format!(
            "{} with {:.3}, cosine {cosine:.3} above {:.3}",
            rank(candidate.vector_rank),
            fused.vector,
            candidate.mean_similarity
        );
        trace.add("meaning", Effect::Adds, of_meaning, detail);
    }
    trace.add("fusion", Effect::Is, fused.blended, how);
    if fused.period > 0.0 {
        let detail = "its note is of the time that was asked for".to_owned();
        trace.add("time", Effect::Adds, fused.period, detail);
    }
}

/// What words and meaning add to the score, and by which rule.
fn shares(fused: &Fused, plan: &Plan<'_>) -> (f32, f32, String) {
    let candidate = &fused.candidate;
    match (plan.mode, plan.fusion()) {
        (Mode::Lexical, _) => (candidate.lexical, 0.0, "words alone".to_owned()),
        (Mode::Vector, _) => (0.0, fused.vector, "meaning alone".to_owned()),
        (Mode::Hybrid, Fusion::Blend { vector: share }) => {
            let how = format!("{}, share of meaning {share:.2}", plan.typed.intent.name());
            let of_words = (1.0 - share) * candidate.lexical;
            (of_words, share * fused.vector, how)
        }
        (
            Mode::Hybrid,
            Fusion::Rrf {
                k,
                lexical,
                vector,
                missing_rank,
            },
        ) => {
            let most = (lexical + vector) / (k + 1.0);
            let of = |rank, weight| reciprocal_rank(&[(rank, weight)], k, missing_rank) / most;
            let of_words = of(candidate.lexical_rank, lexical);
            let of_meaning = of(candidate.vector_rank, vector);
            (of_words, of_meaning, format!("reciprocal ranks, k {k}"))
        }
    }
}

/// What reranking added. What was not reranked is measured on the same scale.
fn reranked(trace: &mut Trace, ranked: &Ranked, plan: &Plan<'_>) {
    let tuning = &plan.tuning;
    if !rerank::is_used(tuning, plan.mode) {
        return;
    }
    if let Some(features) = &ranked.features {
        let added = tuning.rerank.weights.weighted(&features.signals);
        trace.add("rerank", Effect::Adds, added, seen(features));
    }
    let most = 1.0 + tuning.rerank.weights.most();
    let detail = format!("over {most:.2}, the most there is");
    trace.add("scale", Effect::Times, 1.0 / most, detail);
    if let Some(features) = ranked.features.filter(|features| features.kept() < 1.0) {
        let detail = format!(
            "it repeats what was asked {:.2}, or what many notes say {:.2}",
            features.stuffing, features.repeated
        );
        trace.add("repetition", Effect::Times, features.kept(), detail);
    }
    if let Some(most) = ranked.stub_most {
        let detail = "a stub, below a passage that explains".to_owned();
        trace.add("stub", Effect::AtMost, most, detail);
    }
    if let Some(reread) = ranked.reread {
        let detail = format!(
            "read again by a slower model, which says {:.3}",
            reread.judgement
        );
        trace.add("reread", Effect::Adds, reread.added, detail);
    }
}

fn aged(trace: &mut Trace, ranked: &Ranked) {
    let Some(decay) = ranked.decay else {
        return;
    };
    if decay.factor != 1.0 {
        let demoted = if decay.is_demoted { ", superseded" } else { "" };
        let detail = format!("{}{demoted}", decay.reason.name());
        trace.add("age", Effect::Times, decay.factor, detail);
    }
    if decay.boost != 0.0 {
        let detail = "lately written".to_owned();
        trace.add("recent", Effect::Adds, decay.boost, detail);
    }
}

fn linked(trace: &mut Trace, ranked: &Ranked) {
    let Some(terms) = ranked.links else {
        return;
    };
    let before = trace.score();
    if before > 0.0 {
        let detail = "share of the score so far".to_owned();
        trace.add("links share", Effect::Times, terms.score / before, detail);
    }
    let detail = format!(
        "pagerank {:.3}, centrality {:.3}, recent {:.2}",
        terms.pagerank, terms.centrality, terms.recent
    );
    let added = terms.pagerank + terms.centrality + terms.recent;
    trace.add("links", Effect::Adds, added, detail);
}

fn promised(trace: &mut Trace, ranked: &Ranked) {
    let (name, detail) = match ranked.promise {
        None => return,
        Some(Promise::Name) => ("name", "its note was called by name"),
        Some(Promise::Tag) => ("tag", "its note has a tag that was named"),
        Some(Promise::Words) => ("every word", "the best by words holds them all"),
        Some(Promise::Answer) => ("answer", "it has what the plan asks for"),
    };
    trace.add(name, Effect::Is, ranked.score, detail.to_owned());
}

/// The signals of a passage, by name.
fn seen(features: &Features) -> String {
    let signals = features.signals.named();
    let seen: Vec<String> = signals
        .chain([("coverage", features.coverage)])
        .map(|(name, value)| format!("{name} {value:.2}"))
        .collect();
    seen.join(", ")
}
