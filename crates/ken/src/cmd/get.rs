//! `ken get`: prints a note or some of its lines, as indexed: credentials masked.

use anyhow::Result;
use kenning::search;

use super::{Found, named, qmd};
use crate::args::{GetArgs, Place};
use crate::hint::Hinted;
use crate::render;
use crate::searcher::Searchers;
use crate::settings::Settings;
use crate::wire::Passage;

pub(super) fn run(settings: &Settings, place: &Place, args: &GetArgs) -> Result<Found> {
    let (collection, mut reference) = qmd::reference(&args.reference);
    if args.from.is_some() || args.lines.is_some() {
        let (from, n_lines) = (args.from.unwrap_or(1), args.lines.unwrap_or(u32::MAX / 2));
        let to = from.saturating_add(n_lines - 1);
        reference = format!("{reference}:{from}-{to}");
    }
    let place = qmd::with_collection(place, collection.as_slice());
    let searchers = Searchers::open(settings, &place)?;
    let (vault, passage) = named::ask(&searchers, &reference, |searcher| {
        let vault = searcher.vault().map(ToOwned::to_owned);
        Ok((vault, Passage::from(searcher.passage(&reference)?)))
    })?;
    check_lines(&reference, &passage)?;
    if args.full_path {
        let file = qmd::on_disk(vault.as_deref(), &passage.path);
        render::print(&format!("{}\n---\n\n", render::inline(&file)))?;
    }
    if args.json {
        render::print_json(&passage)?;
    } else {
        render::passage(&passage, args.line_numbers)?;
    }
    Ok(Found::Something)
}

/// Lines that a note does not have are a mistake, which its last line would not answer.
fn check_lines(reference: &str, passage: &Passage) -> Result<()> {
    let Some((from, to)) = search::lines_asked(reference) else {
        return Ok(());
    };
    let (path, n_lines) = (&passage.path, passage.n_lines.max(1));
    let (message, hint) = if from == 0 {
        let message = "lines are counted from 1".to_owned();
        (
            message,
            format!("`ken get \"{path}:1\"` prints the first one"),
        )
    } else if to < from {
        let message = format!("lines {from} to {to} run backwards");
        (message, format!("`ken get \"{path}:{to}-{from}\"`"))
    } else if from > n_lines {
        let lines = if n_lines == 1 { "line" } else { "lines" };
        let message = format!("{path} has {n_lines} {lines}, so there is no line {from}");
        let start = n_lines.saturating_sub(19).max(1);
        (
            message,
            format!("`ken get \"{path}:{start}-\"` prints the end"),
        )
    } else {
        return Ok(());
    };
    Err(Hinted::error(message, hint))
}
