//! Checked citations, for people.

use std::io::Write;

use anyhow::Result;

use super::{BAD, DIM, GOOD, HEAD, PATH, counted};
use crate::wire::{PlaceShape, VerdictShape, VerdictsShape};

/// Most characters of a quote that are shown.
const QUOTE_CHARS_MAX: usize = 72;

/// Prints one line per citation, and where a misplaced quote really stands.
pub(crate) fn verdicts(verdicts: &VerdictsShape) -> Result<()> {
    let mut out = anstream::stdout().lock();
    for verdict in &verdicts.citations {
        write_verdict(&mut out, verdict)?;
    }
    let n_quotes = verdicts.citations.iter().filter(|one| one.quote.is_some());
    let n_match = verdicts
        .citations
        .iter()
        .filter(|one| one.reason == "match");
    writeln!(
        out,
        "{HEAD}{}{HEAD:#} {DIM}{} of {} stand where they should{DIM:#}",
        verdicts.status,
        n_match.count(),
        counted(n_quotes.count(), "quote"),
    )?;
    out.flush()?;
    Ok(())
}

fn write_verdict(out: &mut impl Write, verdict: &VerdictShape) -> Result<()> {
    let style = match verdict.reason {
        "match" => GOOD,
        "not_found" => BAD,
        _ => DIM,
    };
    let found = verdict.found.as_ref();
    let place = match (&verdict.path, verdict.start_line, verdict.end_line) {
        (Some(path), ..) if verdict.reason == "match" => match found {
            Some(found) => format!("{path}:{}", lines(found)),
            None => path.clone(),
        },
        (Some(path), Some(start), Some(end)) => format!("{path}:{start}-{end}"),
        _ => verdict.cited.clone().unwrap_or_else(|| "–".to_owned()),
    };
    let quote = match &verdict.quote {
        Some(quote) => format!("  “{}”", shortened(quote)),
        None => String::new(),
    };
    let reason = verdict.reason;
    writeln!(
        out,
        "{style}{reason:<13}{style:#} {PATH}{place}{PATH:#}{quote}"
    )?;
    if let Some(found) = found.filter(|_| reason != "match") {
        let id = found.id.as_deref().unwrap_or_default();
        let lines = lines(found);
        writeln!(
            out,
            "{:14}{DIM}that note has it in line {lines}  {id}{DIM:#}",
            ""
        )?;
    }
    if let Some(problem) = &verdict.problem {
        writeln!(out, "{:14}{DIM}{problem}{DIM:#}", "")?;
    }
    Ok(())
}

/// `12` or `12-20`.
fn lines(place: &PlaceShape) -> String {
    match (place.start_line, place.end_line) {
        (start, end) if start == end => start.to_string(),
        (start, end) => format!("{start}-{end}"),
    }
}

/// The quote on one line, cut if it is long.
fn shortened(quote: &str) -> String {
    let line = quote.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(QUOTE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
