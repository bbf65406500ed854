//! The JSON types of `ken eval`, one of which is also read back.

use std::fmt::Write;
use std::time::Duration;

use kenning::eval::{
    Abstention, Adaptation, AnswerFigures, AnswerOutcome, Answerable, Change, Changed, Judgements,
    Measured, Misjudged, Outcome, Proposal, ReadSentence, Reading,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Quality figures of one collection or vault.
#[derive(Debug, Serialize)]
pub(crate) struct EvalReport {
    pub(crate) collection: String,
    pub(crate) queries: usize,
    pub(crate) documents: u64,
    pub(crate) chunks: u64,
    pub(crate) fusion: &'static str,
    pub(crate) modes: Map<String, Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(crate) kinds: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) abstention: Option<AbstentionFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) baseline: Option<BaselineChange>,
    pub(crate) questions: Vec<QuestionScores>,
}

/// How one question did. Questions are told apart by their ids.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct QuestionScores {
    pub(crate) id: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) kind: String,
    pub(crate) ndcg_at_10: ByMode,
}

/// A figure of each mode, to four digits.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) struct ByMode {
    pub(crate) lexical: f64,
    pub(crate) vector: f64,
    pub(crate) hybrid: f64,
}

/// What is read of saved figures; the output of `--json` will do, too.
#[derive(Debug, Deserialize)]
pub(crate) struct SavedScores {
    pub(crate) questions: Vec<QuestionScores>,
}

/// How sure search is of what the notes say and do not say.
#[derive(Debug, Serialize)]
pub(crate) struct AbstentionFigures {
    pub(crate) absent: usize,
    pub(crate) absent_none_or_weak: f64,
    pub(crate) absent_confidence: f64,
    pub(crate) answerable: usize,
    pub(crate) answerable_none_or_weak: f64,
    pub(crate) answerable_confidence: f64,
    pub(crate) auroc: Option<f64>,
    /// Listed where there is a gate to pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) misjudged: Option<Vec<MisjudgedQuestion>>,
}

/// A question whose evidence says the opposite of what is known.
#[derive(Debug, Serialize)]
pub(crate) struct MisjudgedQuestion {
    pub(crate) text: String,
    pub(crate) evidence: &'static str,
    pub(crate) confidence: f32,
}

impl MisjudgedQuestion {
    pub(crate) fn all(found: &Abstention) -> Vec<Self> {
        let of = |misjudged: &Misjudged| Self {
            text: misjudged.text.clone(),
            evidence: misjudged.evidence.name(),
            confidence: misjudged.confidence,
        };
        found.misjudged.iter().map(of).collect()
    }
}

/// What changed since figures were saved, in hybrid mode.
#[derive(Debug, Serialize)]
pub(crate) struct BaselineChange {
    pub(crate) file: String,
    pub(crate) queries: usize,
    pub(crate) mean_difference: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) p: f64,
    pub(crate) is_significant: bool,
    pub(crate) is_regression: bool,
    pub(crate) lost: Vec<ChangedQuestion>,
    pub(crate) gained: Vec<ChangedQuestion>,
    pub(crate) missing: Vec<String>,
    pub(crate) new: Vec<String>,
}

/// A question whose figure changed.
#[derive(Debug, Serialize)]
pub(crate) struct ChangedQuestion {
    pub(crate) id: String,
    pub(crate) before: f64,
    pub(crate) after: f64,
}

/// Collections asked what they can and what they cannot answer.
#[derive(Debug, Serialize)]
pub(crate) struct AnswerabilityReport {
    pub(crate) collections: Vec<AnswerablePair>,
    pub(crate) mean_auroc: Option<f64>,
}

/// One collection, asked the questions of another.
#[derive(Debug, Serialize)]
pub(crate) struct AnswerablePair {
    pub(crate) collection: String,
    pub(crate) questions_of: String,
    #[serde(flatten)]
    pub(crate) abstention: AbstentionFigures,
}

/// Weights that were tried and what came of it.
#[derive(Debug, Serialize)]
pub(crate) struct TuneReport {
    pub(crate) collection: String,
    pub(crate) fit_queries: usize,
    pub(crate) test_queries: usize,
    pub(crate) trials: Vec<Value>,
    /// Weights that did better on the one half: name, before, after.
    pub(crate) chosen: Vec<Value>,
    /// nDCG@10 on the other half, before and after.
    pub(crate) tested: (f64, f64),
    pub(crate) mean_difference: Option<f64>,
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
    pub(crate) p: Option<f64>,
    /// Whether the gain holds there.
    pub(crate) is_gain: bool,
}

/// Rounds to the four digits that are kept.
pub(crate) fn rounded(figure: f64) -> f64 {
    (figure * 1e4).round() / 1e4
}

/// Returns the figures of one mode.
pub(crate) fn figures(outcome: &Outcome, cpu: Duration) -> Value {
    let mut figures = metrics(&outcome.metrics);
    figures["p50_ms"] = json!(outcome.median.as_secs_f64() * 1e3);
    figures["p99_ms"] = json!(outcome.p99.as_secs_f64() * 1e3);
    let n = outcome.by_question.len().max(1) as f64;
    figures["cpu_ms"] = json!(cpu.as_secs_f64() * 1e3 / n);
    figures
}

/// What `ken model tune` found.
#[derive(Debug, Serialize)]
pub(crate) struct AdaptReport {
    domain: String,
    seconds: f64,
    kept: bool,
    /// Why nothing was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_alone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tried: Option<Value>,
}

impl AdaptReport {
    pub(crate) fn new(domain: &str, found: &Adaptation, seconds: f64, kept: bool) -> Self {
        let measured = |found: &Measured| {
            json!({
                "before": found.before,
                "after": found.after,
                "low": found.comparison.low,
                "high": found.comparison.high,
                "queries": found.comparison.n_pairs,
            })
        };
        let (left_alone, tried) = match found {
            Adaptation::LeftAlone(reason) => (Some(reason.clone()), None),
            Adaptation::Tried(tried) => (
                None,
                Some(json!({
                    "names": tried.n_learnt,
                    "held_out": tried.n_held_out,
                    "rounds": tried.n_rounds,
                    "bytes": tried.adapter.write().len(),
                    "meaning": measured(&tried.meaning),
                    "hybrid": measured(&tried.whole),
                    "hybrid_without_link_texts": measured(&tried.unlinked),
                })),
            ),
        };
        Self {
            domain: domain.to_owned(),
            seconds,
            kept,
            left_alone,
            tried,
        }
    }
}

/// Returns measures under their names.
pub(crate) fn metrics(m: &kenning::eval::Metrics) -> Value {
    json!({
        "ndcg_at_10": m.ndcg_at_10,
        "recall_at_10": m.recall_at_10,
        "recall_at_100": m.recall_at_100,
        "mrr_at_10": m.mrr_at_10,
        "precision_at_1": m.precision_at_1,
        "precision_at_5": m.precision_at_5,
        "precision_at_10": m.precision_at_10,
    })
}

impl QuestionScores {
    /// Puts what each mode did beside the questions; outcomes come as lexical, vector, hybrid.
    pub(crate) fn all(questions: &Judgements, outcomes: &[Outcome; 3]) -> Vec<Self> {
        let figure = |mode: usize, at: usize| {
            let (_, metrics) = &outcomes[mode].by_question[at];
            rounded(metrics.ndcg_at_10)
        };
        (questions.questions.iter().enumerate())
            .map(|(at, question)| Self {
                id: question.id.clone(),
                kind: question.kind.clone(),
                ndcg_at_10: ByMode {
                    lexical: figure(0, at),
                    vector: figure(1, at),
                    hybrid: figure(2, at),
                },
            })
            .collect()
    }
}

impl EvalReport {
    /// Returns what is saved: one question a line, so that changes can be read as such.
    pub(crate) fn saved(&self) -> serde_json::Result<String> {
        let mut text = format!(
            "{{\"collection\":{},\"fusion\":{},\n \"questions\":[",
            serde_json::to_string(&self.collection)?,
            serde_json::to_string(self.fusion)?
        );
        for (at, question) in self.questions.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            // Writing into a string does not fail.
            let _ = write!(text, "{comma}\n  {}", serde_json::to_string(question)?);
        }
        Ok(text + "\n]}\n")
    }
}

impl From<&Abstention> for AbstentionFigures {
    fn from(found: &Abstention) -> Self {
        Self {
            absent: found.absent.n_questions,
            absent_none_or_weak: rounded(found.absent.none_or_weak),
            absent_confidence: rounded(found.absent.confidence),
            answerable: found.answerable.n_questions,
            answerable_none_or_weak: rounded(found.answerable.none_or_weak),
            answerable_confidence: rounded(found.answerable.confidence),
            auroc: found.auroc.map(rounded),
            misjudged: None,
        }
    }
}

impl BaselineChange {
    pub(crate) fn new(file: String, change: Change) -> Self {
        let changed = |all: Vec<Changed>| -> Vec<ChangedQuestion> {
            all.into_iter()
                .map(|Changed { id, before, after }| ChangedQuestion { id, before, after })
                .collect()
        };
        let found = change.comparison;
        Self {
            file,
            queries: found.n_pairs,
            mean_difference: rounded(found.mean_difference),
            low: rounded(found.low),
            high: rounded(found.high),
            p: rounded(found.p),
            is_significant: found.is_significant(),
            is_regression: change.is_regression(),
            lost: changed(change.lost),
            gained: changed(change.gained),
            missing: change.missing,
            new: change.new,
        }
    }
}

impl TuneReport {
    pub(crate) fn new(collection: String, proposal: &Proposal) -> Self {
        let number = |value: f32| rounded(f64::from(value));
        let found = proposal.comparison.as_ref();
        Self {
            collection,
            fit_queries: proposal.n_fit,
            test_queries: found.map_or(0, |found| found.n_pairs),
            trials: (proposal.trials.iter())
                .map(|trial| {
                    json!({"name": trial.name, "value": number(trial.value),
                           "ndcg_at_10": rounded(trial.ndcg_at_10)})
                })
                .collect(),
            chosen: (proposal.chosen.iter())
                .map(|chosen| {
                    json!({"name": chosen.name, "before": number(chosen.before),
                           "after": number(chosen.after)})
                })
                .collect(),
            tested: (rounded(proposal.tested.0), rounded(proposal.tested.1)),
            mean_difference: found.map(|found| rounded(found.mean_difference)),
            low: found.map(|found| rounded(found.low)),
            high: found.map(|found| rounded(found.high)),
            p: found.map(|found| rounded(found.p)),
            is_gain: proposal.is_gain(),
        }
    }
}

/// How often extraction shows the answer.
#[derive(Debug, Serialize)]
pub(crate) struct AnswersReport {
    pub(crate) collection: String,
    pub(crate) questions: usize,
    pub(crate) median_ms: f64,
    pub(crate) all: AnswerShares,
    /// Every other question, from the first on: the half that weights are fitted to.
    pub(crate) even: AnswerShares,
    /// The other half.
    pub(crate) odd: AnswerShares,
    pub(crate) answers: Vec<GivenAnswer>,
}

/// A question as `scripts/fit-reader` reads it, on one line.
pub(crate) fn reading(reading: &Reading) -> Value {
    let sentence = |one: &ReadSentence| {
        json!({"signals": one.signals, "score": one.score, "inputs": one.inputs,
               "words": one.words, "spans": one.spans})
    };
    json!({"sought": reading.sought,
           "sentences": reading.sentences.iter().map(sentence).collect::<Vec<_>>()})
}

/// Shares of questions from 0 to 1.
#[derive(Debug, Serialize)]
pub(crate) struct AnswerShares {
    /// The answer stands in the marked span.
    pub(crate) span: f64,
    /// In the first sentence.
    pub(crate) first: f64,
    /// In what is shown.
    pub(crate) shown: f64,
    /// F1 of the marked span.
    pub(crate) f1: f64,
    /// Something is shown.
    pub(crate) answered: f64,
}

/// One question and what was given as an answer.
#[derive(Debug, Serialize)]
pub(crate) struct GivenAnswer {
    pub(crate) id: String,
    pub(crate) question: String,
    pub(crate) expected: Vec<String>,
    pub(crate) span: String,
    pub(crate) sentences: Vec<String>,
    pub(crate) figures: AnswerShares,
}

impl AnswersReport {
    pub(crate) fn new(
        collection: String,
        questions: &[Answerable],
        outcome: &AnswerOutcome,
    ) -> Self {
        let given = questions
            .iter()
            .zip(&outcome.given)
            .zip(&outcome.by_question);
        let given = given.map(|((question, given), figures)| GivenAnswer {
            id: question.id.clone(),
            question: question.text.clone(),
            expected: question.answers.clone(),
            span: given.span.clone(),
            sentences: given.sentences.clone(),
            figures: figures.into(),
        });
        Self {
            collection,
            questions: questions.len(),
            median_ms: rounded(outcome.median.as_secs_f64() * 1e3),
            all: (&outcome.all()).into(),
            even: (&outcome.half(0)).into(),
            odd: (&outcome.half(1)).into(),
            answers: given.collect(),
        }
    }
}

impl From<&AnswerFigures> for AnswerShares {
    fn from(figures: &AnswerFigures) -> Self {
        Self {
            span: rounded(figures.span),
            first: rounded(figures.first),
            shown: rounded(figures.shown),
            f1: rounded(figures.f1),
            answered: rounded(figures.answered),
        }
    }
}
