//! What was measured as tables for people.

use std::fmt::Write;

use kenning::eval::{Fitted, Judgements, Outcome};

use crate::render;
use crate::wire::eval::{
    AbstentionFigures, AnswerShares, AnswerabilityReport, AnswersReport, BaselineChange,
    EvalReport, TuneReport,
};

/// How often extraction shows the answer, over all questions and over both halves.
pub(super) fn answers(reports: &[AnswersReport]) -> String {
    let mut out = String::new();
    for report in reports {
        let _ = writeln!(
            out,
            "{}: {} questions, {:.2} ms each\n{:<9} {:>7} {:>7} {:>7} {:>7} {:>9}",
            render::inline(&report.collection),
            report.questions,
            report.median_ms,
            "",
            "span",
            "first",
            "shown",
            "F1",
            "answered"
        );
        for (half, shares) in [
            ("all", &report.all),
            ("1, 3, 5 …", &report.even),
            ("2, 4, 6 …", &report.odd),
        ] {
            let AnswerShares {
                span,
                first,
                shown,
                f1,
                answered,
            } = shares;
            let _ = writeln!(
                out,
                "{half:<9} {span:>7.4} {first:>7.4} {shown:>7.4} {f1:>7.4} {answered:>9.4}"
            );
        }
    }
    out
}

/// Weights as they are written down.
pub(super) fn fitted(fitted: &Fitted) -> String {
    let mut out = String::new();
    for (name, weight) in &fitted.sentence {
        let _ = writeln!(out, "    {weight:.3}, // {name}");
    }
    out
}

/// Everything about one collection or vault. Writing into a string does not fail.
pub(super) fn measured(
    report: &EvalReport,
    judgements: &Judgements,
    outcomes: &[Outcome; 3],
) -> String {
    let mut out = format!(
        "{}: {} queries, {} notes, {} chunks\n{:<8} {:>8} {:>10} {:>11} {:>8} {:>7} {:>7} {:>9} {:>9} {:>9}\n",
        render::inline(&report.collection),
        report.queries,
        report.documents,
        report.chunks,
        "mode",
        "nDCG@10",
        "recall@10",
        "recall@100",
        "MRR@10",
        "P@1",
        "P@5",
        "p50 ms",
        "p99 ms",
        "CPU ms"
    );
    for (mode, figures) in &report.modes {
        let of = |name: &str| figures[name].as_f64().unwrap_or_default();
        let _ = writeln!(
            out,
            "{mode:<8} {:>8.4} {:>10.4} {:>11.4} {:>8.4} {:>7.4} {:>7.4} {:>9.2} {:>9.2} {:>9.2}",
            of("ndcg_at_10"),
            of("recall_at_10"),
            of("recall_at_100"),
            of("mrr_at_10"),
            of("precision_at_1"),
            of("precision_at_5"),
            of("p50_ms"),
            of("p99_ms"),
            of("cpu_ms")
        );
    }
    kinds(&mut out, judgements, outcomes);
    if let Some(found) = &report.abstention {
        let _ = write!(out, "\n{}", abstention(found));
        for question in found.misjudged.iter().flatten() {
            let (grade, confidence) = (question.evidence, question.confidence);
            let _ = writeln!(
                out,
                "  {grade:<8} {confidence:.2}  {}",
                render::inline(&question.text)
            );
        }
    }
    if let Some(change) = &report.baseline {
        let _ = write!(out, "\n{}", changed(change));
    }
    out
}

/// nDCG@10 of each mode by kind, and what else hybrid did.
fn kinds(out: &mut String, judgements: &Judgements, outcomes: &[Outcome; 3]) {
    let [lexical, vector, hybrid] = outcomes.each_ref().map(|o| o.by_kind(judgements));
    if hybrid.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n{:<12} {:>7} {:>8} {:>8} {:>8} {:>10} {:>8} {:>7}",
        "nDCG@10 of", "queries", "lexical", "vector", "hybrid", "recall@10", "MRR@10", "P@1"
    );
    for (((kind, n, m), (_, _, l)), (_, _, v)) in hybrid.iter().zip(&lexical).zip(&vector) {
        let _ = writeln!(
            out,
            "{kind:<12} {n:>7} {:>8.4} {:>8.4} {:>8.4} {:>10.4} {:>8.4} {:>7.4}",
            l.ndcg_at_10, v.ndcg_at_10, m.ndcg_at_10, m.recall_at_10, m.mrr_at_10, m.precision_at_1
        );
    }
}

fn abstention(found: &AbstentionFigures) -> String {
    format!(
        "absent: {} queries, evidence none or weak for {:.1} % of them and {:.1} % of the others; \
         AUROC {}\n",
        found.absent,
        found.absent_none_or_weak * 100.0,
        found.answerable_none_or_weak * 100.0,
        figure(found.auroc)
    )
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"))
}

fn changed(change: &BaselineChange) -> String {
    let mut out = format!(
        "against {}: {:+.4} nDCG@10 of hybrid over {} queries (95 % between {:+.4} and {:+.4}, \
         p = {:.4})\n{} lost, {} gained\n",
        render::inline(&change.file),
        change.mean_difference,
        change.queries,
        change.low,
        change.high,
        change.p,
        change.lost.len(),
        change.gained.len()
    );
    for lost in &change.lost {
        let _ = writeln!(
            out,
            "{:>+9.4}  {:.4} -> {:.4}  {}",
            lost.after - lost.before,
            lost.before,
            lost.after,
            render::inline(&lost.id)
        );
    }
    out
}

/// Collections and the questions they cannot answer.
pub(super) fn answerable(report: &AnswerabilityReport) -> String {
    let mut out = format!(
        "{:<24} {:<24} {:>7} {:>7} {:>9} {:>9} {:>8}\n",
        "collection", "cannot answer", "own", "foreign", "own n/w", "for. n/w", "AUROC"
    );
    for pair in &report.collections {
        let found = &pair.abstention;
        let _ = writeln!(
            out,
            "{:<24} {:<24} {:>7} {:>7} {:>7.1} % {:>7.1} % {:>8}",
            pair.collection,
            pair.questions_of,
            found.answerable,
            found.absent,
            found.answerable_none_or_weak * 100.0,
            found.absent_none_or_weak * 100.0,
            figure(found.auroc)
        );
    }
    let _ = writeln!(out, "{:<88} {:>8}", "mean", figure(report.mean_auroc));
    out
}

/// What was tried, and what to put into the settings if anything.
pub(super) fn tuned(report: &TuneReport) -> String {
    let mut out = format!(
        "{}: {} to choose by, {} to test with\n{:<16} {:>8} {:>8}\n",
        render::inline(&report.collection),
        render::counted(report.fit_queries, "question"),
        report.test_queries,
        "weight",
        "value",
        "nDCG@10"
    );
    for trial in &report.trials {
        let (name, value) = (
            trial["name"].as_str().unwrap_or_default(),
            trial["value"].to_string(),
        );
        let ndcg = trial["ndcg_at_10"].as_f64().unwrap_or_default();
        let _ = writeln!(out, "{name:<16} {value:>8} {ndcg:>8.4}");
    }
    if report.chosen.is_empty() {
        return out + "\nnothing to change: what is set did best\n";
    }
    let _ = writeln!(
        out,
        "\nto test with: {:.4} -> {:.4} (95 % between {:+.4} and {:+.4}, p = {:.4})",
        report.tested.0,
        report.tested.1,
        report.low.unwrap_or_default(),
        report.high.unwrap_or_default(),
        report.p.unwrap_or(1.0)
    );
    if !report.is_gain {
        return out + "nothing to change: what did best on one half may be luck on the other\n";
    }
    out += "put this into config.toml:\n\n[search]\n";
    for chosen in &report.chosen {
        let name = chosen["name"].as_str().unwrap_or_default();
        let _ = writeln!(
            out,
            "{name} = {} # was {}",
            chosen["after"], chosen["before"]
        );
    }
    out
}
