//! What was changed in a vault, for people.

use std::io::Write;

use anyhow::Result;

use super::{DIM, PATH, inline};
use crate::wire::{
    ChangeRuns, LinkFigures, ProposalsResponse, SuggestionsResponse, TagDoubts, TagFigures,
};

/// Files of a run that are named.
const PATHS_SHOWN: usize = 3;
/// Notes without links that are named.
const ORPHANS_SHOWN: usize = 20;

/// Lists the runs that can be undone.
pub(crate) fn runs(runs: &ChangeRuns) -> Result<()> {
    let mut out = anstream::stdout().lock();
    for run in &runs.runs {
        let at = jiff::Timestamp::from_second(run.at).unwrap_or_default();
        let at = at.to_zoned(jiff::tz::TimeZone::system());
        let state = if run.undone { "  (undone)" } else { "" };
        writeln!(
            out,
            "{:>4}  {DIM}{}{DIM:#}  {PATH}{}{PATH:#}  {}{DIM}{state}{DIM:#}",
            run.id,
            at.strftime("%Y-%m-%d %H:%M"),
            inline(&run.verb),
            inline(run.detail.lines().next().unwrap_or_default()),
        )?;
        let shown: Vec<&str> = run
            .paths
            .iter()
            .take(PATHS_SHOWN)
            .map(String::as_str)
            .collect();
        let more = match run.paths.len().saturating_sub(PATHS_SHOWN) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        writeln!(out, "      {DIM}{}{more}{DIM:#}", inline(&shown.join(", ")))?;
    }
    out.flush()?;
    Ok(())
}

/// Lists proposed tags.
pub(crate) fn proposals(response: &ProposalsResponse) -> Result<()> {
    let mut out = anstream::stdout().lock();
    for note in &response.notes {
        writeln!(out, "{PATH}{}{PATH:#}", inline(&note.path))?;
        for found in &note.proposals {
            let (tag, reason) = (inline(&found.tag), inline(&found.reason));
            writeln!(
                out,
                "   {:.2}  #{tag}  {DIM}{reason}{DIM:#}",
                found.confidence
            )?;
        }
    }
    out.flush()?;
    Ok(())
}

/// Lists tags that may be wrong.
pub(crate) fn doubts(doubts: &TagDoubts) -> Result<()> {
    let mut out = anstream::stdout().lock();
    for doubt in &doubts.doubts {
        let instead = doubt
            .instead
            .as_deref()
            .map(|tag| format!(" → #{}", inline(tag)));
        let (tag, reason) = (inline(&doubt.tag), inline(&doubt.reason));
        let instead = instead.unwrap_or_default();
        writeln!(
            out,
            "{:>5}  {PATH}#{tag}{PATH:#}{instead}  {DIM}{reason}{DIM:#}",
            doubt.notes
        )?;
    }
    out.flush()?;
    Ok(())
}

/// Prints how well tags are proposed.
pub(crate) fn tag_figures(figures: &TagFigures) -> Result<()> {
    let mut out = anstream::stdout().lock();
    writeln!(
        out,
        "{:<16} {:>6} {:>6} {:>6} {:>6} {:>6}",
        "", "notes", "P@1", "P@3", "hit@3", "R@5"
    )?;
    for way in &figures.ways {
        let figures = [way.precision_1, way.precision_3, way.hit_3, way.recall_5];
        let [p1, p3, hit, recall] = figures;
        writeln!(
            out,
            "{:<16} {:>6} {p1:>6.3} {p3:>6.3} {hit:>6.3} {recall:>6.3}",
            way.way, way.notes
        )?;
    }
    out.flush()?;
    Ok(())
}

/// Prints how well links are suggested.
pub(crate) fn link_figures(figures: &LinkFigures) -> Result<()> {
    let mut out = anstream::stdout().lock();
    writeln!(
        out,
        "{:<28} {:>6} {:>8} {:>8}",
        "", "links", "first 3", "first 10"
    )?;
    for way in &figures.ways {
        let (three, ten) = (way.among_3, way.among_10);
        writeln!(
            out,
            "{:<28} {:>6} {three:>8.3} {ten:>8.3}",
            way.way, way.links
        )?;
    }
    out.flush()?;
    Ok(())
}

/// Lists links that could be there, and notes without any.
pub(crate) fn suggestions(response: &SuggestionsResponse) -> Result<()> {
    let mut out = anstream::stdout().lock();
    for found in &response.suggestions {
        let line = found
            .line
            .map(|line| format!(":{line}"))
            .unwrap_or_default();
        let (path, target) = (inline(&found.path), inline(&found.target));
        writeln!(
            out,
            "{PATH}{path}{PATH:#}{DIM}{line}{DIM:#} → {PATH}{target}{PATH:#}  {DIM}{:.2}{DIM:#}",
            found.score
        )?;
        if let Some(sentence) = &found.sentence {
            writeln!(out, "   {}", inline(sentence))?;
        }
        writeln!(out, "   {DIM}{}{DIM:#}", inline(&found.reason))?;
    }
    if !response.orphans.is_empty() {
        writeln!(
            out,
            "\nlinked with no other note: {}",
            response.orphans.len()
        )?;
        for path in response.orphans.iter().take(ORPHANS_SHOWN) {
            writeln!(out, "   {}", inline(path))?;
        }
    }
    out.flush()?;
    Ok(())
}
