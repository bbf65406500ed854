//! `ken get`: prints a note or some of its lines, as indexed: credentials masked.

use anyhow::Result;

use super::{Found, qmd};
use crate::args::{GetArgs, Place};
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
    let (vault, passage) = Searchers::open(settings, &place)?.any(|searcher| {
        let vault = searcher.vault().map(ToOwned::to_owned);
        Ok((vault, Passage::from(searcher.passage(&reference)?)))
    })?;
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
