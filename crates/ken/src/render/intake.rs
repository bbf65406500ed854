//! What came in, for people.

use std::io::Write;

use anyhow::Result;

use super::{BAD, DIM, GOOD, HEAD, MATCH, PATH, inline};
use crate::wire::{IntakeFigures, IntakeItem, IntakeResponse, IntakeStats, WaitingItem};

/// Prints the table of what became of items, with reasons where they are wanted.
pub(crate) fn intake(response: &IntakeResponse, with_reasons: bool) -> Result<()> {
    let mut out = anstream::stdout().lock();
    for item in &response.items {
        let style = match item.outcome {
            "kept" => GOOD,
            "queued" => MATCH,
            _ => DIM,
        };
        let score = match item.known {
            true => "  · ".to_owned(),
            false => format!("{:.2}", item.score),
        };
        writeln!(
            out,
            "{style}{:<9}{style:#} {score}  {}  {DIM}{}{DIM:#}",
            item.outcome,
            inline(&item.title),
            inline(&place(item)),
        )?;
        if with_reasons && !item.known {
            reasons(&mut out, item)?;
        }
    }
    for skipped in &response.skipped {
        writeln!(
            out,
            "{BAD}{:<9}{BAD:#}       {}  {DIM}{}{DIM:#}",
            "skipped",
            inline(&skipped.name),
            inline(&skipped.reason)
        )?;
    }
    out.flush()?;
    Ok(())
}

fn place(item: &IntakeItem) -> String {
    let known = if item.known { " (came in before)" } else { "" };
    match (item.outcome, &item.path, item.same) {
        ("kept", Some(path), _) => format!("→ {path}{known}"),
        (_, Some(path), Some(same)) => format!("{:.0} % the same as {path}{known}", same * 100.0),
        ("queued", ..) => match item.folders.first() {
            Some(folder) => format!("for review; {}/?", folder.folder),
            None => format!("for review{known}"),
        },
        _ => known.trim().to_owned(),
    }
}

fn reasons(out: &mut impl Write, item: &IntakeItem) -> Result<()> {
    for reason in &item.reasons {
        writeln!(out, "                {DIM}{}{DIM:#}", inline(reason))?;
    }
    for folder in &item.folders {
        let shown = if folder.folder.is_empty() {
            "the root"
        } else {
            &folder.folder
        };
        let why = match folder.reason.is_empty() {
            true => String::new(),
            false => format!(": {}", inline(&folder.reason)),
        };
        writeln!(
            out,
            "                {DIM}folder {} {:.2}{why}{DIM:#}",
            inline(shown),
            folder.share,
        )?;
    }
    for tag in &item.tags {
        writeln!(
            out,
            "                {DIM}#{} {:.2}: {}{DIM:#}",
            inline(&tag.tag),
            tag.confidence,
            inline(&tag.reason)
        )?;
    }
    Ok(())
}

/// Prints an item that waits.
pub(crate) fn waiting(item: &WaitingItem) -> Result<()> {
    let mut out = anstream::stdout().lock();
    writeln!(
        out,
        "{HEAD}{}{HEAD:#}  {DIM}{} · {:.2}{DIM:#}",
        inline(&item.title),
        item.id,
        item.score
    )?;
    let from = [&item.url, &item.source, &item.author, &item.published];
    let from: Vec<&str> = from.into_iter().flatten().map(String::as_str).collect();
    writeln!(out, "   {DIM}{}{DIM:#}", inline(&from.join(" · ")))?;
    for reason in &item.reasons {
        writeln!(out, "   {DIM}{}{DIM:#}", inline(reason))?;
    }
    let folder = if item.folder.is_empty() {
        "the root"
    } else {
        &item.folder
    };
    writeln!(out, "   would go into {PATH}{}{PATH:#}", inline(folder))?;
    writeln!(out, "   {}", inline(&item.excerpt))?;
    out.flush()?;
    Ok(())
}

/// Prints what came in, counted.
pub(crate) fn intake_stats(stats: &IntakeStats) -> Result<()> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "{} items came in", stats.items)?;
    for (outcome, n) in &stats.outcomes {
        writeln!(out, "{n:>7}  {outcome}")?;
    }
    for (title, counts) in [
        ("what they were", &stats.kinds),
        ("folders they went into", &stats.folders),
    ] {
        if !counts.is_empty() {
            writeln!(out, "\n{HEAD}{title}{HEAD:#}")?;
        }
        for (name, n) in counts {
            let name = if name.is_empty() { "the root" } else { name };
            writeln!(out, "{n:>7}  {}", inline(name))?;
        }
    }
    if !stats.sources.is_empty() {
        writeln!(out, "\n{HEAD}where they came from{HEAD:#}")?;
    }
    for source in &stats.sources {
        writeln!(
            out,
            "{:>7}  {}  {DIM}{} kept{DIM:#}",
            source.items,
            inline(&source.source),
            source.kept
        )?;
    }
    let [total, relevance, actionability, depth, authority] = stats.means;
    writeln!(
        out,
        "\non average {total:.2}: relevance {relevance:.2}, actionability {actionability:.2}, depth {depth:.2}, authority {authority:.2}"
    )?;
    out.flush()?;
    Ok(())
}

/// Prints how well intake does.
pub(crate) fn intake_figures(figures: &IntakeFigures) -> Result<()> {
    let mut out = anstream::stdout().lock();
    if !figures.routing.is_empty() {
        writeln!(
            out,
            "{:<20} {:>6} {:>6} {:>8}",
            "routing", "notes", "right", "among 3"
        )?;
    }
    for way in &figures.routing {
        writeln!(
            out,
            "{:<20} {:>6} {:>6.3} {:>8.3}",
            way.way, way.notes, way.right, way.among_3
        )?;
    }
    if !figures.copies.is_empty() {
        writeln!(
            out,
            "\n{:<20} {:>6} {:>9} {:>6} {:>11} {:>8}",
            "copies, edited", "copies", "precision", "recall", "as the same", "ms each"
        )?;
    }
    for way in &figures.copies {
        let percent = format!("{} %", way.edited_percent);
        writeln!(
            out,
            "{percent:<20} {:>6} {:>9.3} {:>6.3} {:>11.3} {:>8.2}",
            way.copies, way.precision, way.recall, way.recall_same, way.ms
        )?;
    }
    if let Some(agreement) = figures.agreement {
        writeln!(
            out,
            "{:<10} {:>6} {:>6} {:>6}",
            "label", "keep", "review", "drop"
        )?;
        for (label, outcomes) in &figures.labels {
            let n = |name: &str| outcomes.get(name).copied().unwrap_or(0);
            writeln!(
                out,
                "{:<10} {:>6} {:>6} {:>6}",
                inline(label),
                n("keep"),
                n("review"),
                n("drop")
            )?;
        }
        writeln!(out, "agreement {agreement:.3}")?;
    }
    for wrong in &figures.wrong {
        let item = &wrong.item;
        writeln!(
            out,
            "{DIM}labelled {:<6} {:<9} {:.2} (r {:.2} a {:.2} d {:.2} au {:.2})  {}{DIM:#}",
            wrong.label,
            item.outcome,
            item.score,
            item.relevance,
            item.actionability,
            item.depth,
            item.authority,
            inline(&item.title)
        )?;
    }
    out.flush()?;
    Ok(())
}
