//! What stands below an answer that a model wrote: what it cites, and what of it is not so.

use std::io::Write;

use anyhow::Result;

use super::{DIM, HEAD, PATH, inline, print, say_styled};
use crate::wire::rag::{RagChecked, RagCitation, RagOutcome, WrittenAnswer};

/// Prints what an answer rests on, for people. The answer itself was printed as it came.
pub(crate) fn written(answer: &WrittenAnswer, quiet: bool) -> Result<()> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "\n")?;
    for source in answer.cited() {
        let (number, place) = named(source);
        let crumbs = inline(&source.breadcrumb.join(" › ")).into_owned();
        writeln!(
            out,
            "  [{number}] {PATH}{place}{PATH:#}{DIM}  {crumbs}{DIM:#}"
        )?;
    }
    out.flush()?;
    for line in flagged(answer) {
        say_styled(&format!("{HEAD}not verified:{HEAD:#} {line}"));
    }
    if !quiet {
        summed_up(&answer.outcome);
    }
    Ok(())
}

/// Says what an answer came to: notices, how much of it is verified, how well the notes answer, and who did.
pub(crate) fn summed_up(outcome: &RagOutcome) {
    for notice in &outcome.notices {
        say_styled(&format!("{HEAD}hint:{HEAD:#} {}", inline(notice)));
    }
    let evidence = format!("{} evidence", outcome.evidence);
    // Where the notes do not say, there is nothing to cite.
    let is_empty = outcome.evidence == "none";
    let verified = match outcome.n_checked {
        0 if is_empty => None,
        0 => Some("cites nothing".to_owned()),
        _ => Some(outcome.verified.clone()),
    };
    let model = outcome
        .model
        .as_deref()
        .map(|model| inline(model).into_owned());
    let told: Vec<String> = [verified, Some(evidence), model]
        .into_iter()
        .flatten()
        .collect();
    say_styled(&format!("{DIM}{}{DIM:#}", told.join(" · ")));
}

/// Prints the same as Markdown.
pub(crate) fn written_markdown(answer: &WrittenAnswer) -> Result<()> {
    let mut out = "\n\n".to_owned();
    for source in answer.cited() {
        let (number, place) = named(source);
        out += &format!("- [{number}] `{}`\n", place.replace('`', "'"));
    }
    for line in flagged(answer) {
        out += &format!("- not verified: {line}\n");
    }
    if answer.outcome.n_checked > 0 {
        out += &format!("\n*{}*\n", answer.outcome.verified);
    }
    print(&out)
}

fn named(source: &RagCitation) -> (usize, String) {
    let place = source.place.as_deref().unwrap_or_default();
    (
        source.number.unwrap_or_default(),
        inline(place).into_owned(),
    )
}

/// What the answer quotes or claims that does not stand where it says.
fn flagged(answer: &WrittenAnswer) -> Vec<String> {
    let mut lines = Vec::new();
    for citation in answer.checked() {
        let RagChecked::Cited(cited) = &citation.checked else {
            continue;
        };
        let claim = cited.claim.as_ref();
        if cited.citation_verified || cited.citation_reason == "no_quote" && claim.is_none() {
            continue;
        }
        // A quote may stand there, and what is said around it not.
        let quote = cited.quote.as_deref();
        let quote = quote.filter(|_| cited.citation_reason != "match");
        let said = quote.map(|quote| format!("“{}”", inline(quote)));
        let said = said.or_else(|| claim.map(|claim| inline(&claim.text).into_owned()));
        let number = citation.number.map(|number| format!(" [{number}]"));
        let reason = match (&cited.problem, claim) {
            (Some(problem), _) => inline(problem).into_owned(),
            (None, Some(claim)) if !claim.missing.is_empty() => {
                format!("the passage lacks {}", inline(&claim.missing.join(", ")))
            }
            (None, Some(claim)) => claim.support.to_owned(),
            (None, None) => cited.citation_reason.replace('_', " "),
        };
        let number = number.unwrap_or_default();
        lines.push(format!("{}{number}: {reason}", said.unwrap_or_default()));
    }
    lines
}
