//! Checked citations, for people.

use std::io::Write;

use anyhow::Result;

use super::{BAD, DIM, GOOD, HEAD, PATH, inline};
use crate::wire::{self, CheckedCitation, QuotePlace, VerifyResponse};

/// Most characters of a quote that are shown.
const QUOTE_CHARS_MAX: usize = 72;

/// Prints one line per citation, and where a misplaced quote really stands.
pub(crate) fn verdicts(verdicts: &VerifyResponse) -> Result<()> {
    let mut out = anstream::stdout().lock();
    for verdict in &verdicts.citations {
        write_verdict(&mut out, verdict)?;
    }
    writeln!(
        out,
        "{HEAD}{}{HEAD:#} {DIM}{} of {} verified{DIM:#}",
        verdicts.citations_status, verdicts.n_verified, verdicts.n_checked,
    )?;
    out.flush()?;
    Ok(())
}

fn write_verdict(out: &mut impl Write, verdict: &CheckedCitation) -> Result<()> {
    let style = match verdict.citation_reason {
        "match" => GOOD,
        "not_found" => BAD,
        _ => DIM,
    };
    let found = verdict.found.as_ref();
    let place = match &verdict.path {
        Some(path) if verdict.citation_verified => match found {
            Some(found) => lines(found).map_or_else(|| path.clone(), |l| format!("{path}{l}")),
            None => path.clone(),
        },
        Some(path) => wire::place(path, verdict.start_line.zip(verdict.end_line), verdict.page),
        None => verdict.cited.clone().unwrap_or_else(|| "–".to_owned()),
    };
    let quote = match &verdict.quote {
        Some(quote) => format!("  “{}”", shortened(quote)),
        None => String::new(),
    };
    let (place, quote) = (inline(&place), inline(&quote));
    let reason = verdict.citation_reason;
    writeln!(
        out,
        "{style}{reason:<13}{style:#} {PATH}{place}{PATH:#}{quote}"
    )?;
    if let Some(found) = found.filter(|_| reason != "match") {
        let id = found.id.as_deref().unwrap_or_default();
        let place = match (found.page, lines(found)) {
            (Some(page), None) => format!(" on page {page}"),
            (_, lines) => lines.map_or_else(String::new, |l| format!(" in line {}", &l[1..])),
        };
        writeln!(out, "{:14}{DIM}that note has it{place}  {id}{DIM:#}", "")?;
    }
    if let Some(claim) = &verdict.claim {
        let text = inline(&shortened(&claim.text)).into_owned();
        writeln!(out, "{:14}{DIM}{}: “{text}”{DIM:#}", "", claim.support)?;
        if let Some(nearest) = &claim.nearest {
            writeln!(
                out,
                "{:14}{DIM}nearest: “{}”{DIM:#}",
                "",
                inline(&shortened(nearest))
            )?;
        }
        if !claim.missing.is_empty() {
            let missing = inline(&claim.missing.join(", ")).into_owned();
            writeln!(out, "{:14}{BAD}it does not say {missing}{BAD:#}", "")?;
        }
    }
    if let Some(problem) = &verdict.problem {
        writeln!(out, "{:14}{DIM}{}{DIM:#}", "", inline(problem))?;
    }
    Ok(())
}

/// `:12` or `:12-20`.
fn lines(place: &QuotePlace) -> Option<String> {
    let (start, end) = place.start_line.zip(place.end_line)?;
    Some(match start == end {
        true => format!(":{start}"),
        false => format!(":{start}-{end}"),
    })
}

/// The quote on one line, cut if it is long.
fn shortened(quote: &str) -> String {
    let line = quote.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(QUOTE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
