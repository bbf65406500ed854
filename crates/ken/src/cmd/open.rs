//! `ken open`: opens a note where it can be edited.

use anyhow::Result;
use kenning::search::Passage;

use super::{Found, named, qmd};
use crate::args::{OpenArgs, Place};
use crate::hint::Hinted;
use crate::open::{self, Target, With};
use crate::render;
use crate::searcher::{Searcher, Searchers};
use crate::settings::Settings;
use crate::wire::obsidian_uri;

pub(super) fn run(settings: &Settings, place: &Place, args: &OpenArgs) -> Result<Found> {
    let (collection, reference) = qmd::reference(&args.reference);
    let place = qmd::with_collection(place, collection.as_slice());
    let searchers = Searchers::open(settings, &place)?;
    let target = named::ask(&searchers, &reference, |searcher| {
        target(searcher, &searcher.passage(&reference)?)
    })?;
    let with = match (args.obsidian, args.system) {
        (true, _) => With::Obsidian,
        (_, true) => With::System,
        _ => With::Editor,
    };
    if args.dry_run {
        let words = open::command(settings, &target, with)?;
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        render::print(&format!("{}\n", render::inline(&words.join(" "))))?;
    } else {
        open::open(settings, &target, with)?;
    }
    Ok(Found::Something)
}

/// Returns where a passage is opened: at its first line, and in Obsidian at the heading above it.
pub(super) fn target(searcher: &Searcher, passage: &Passage) -> Result<Target> {
    let vault = searcher.vault().ok_or_else(|| {
        Hinted::error(
            "only an index is known here, not the vault it was made from",
            "name the vault with `--vault PATH`",
        )
    })?;
    let note = &passage.note;
    let headings = note.headings.iter();
    let heading = headings
        .take_while(|heading| heading.line <= passage.start_line)
        .last();
    let section = heading
        .filter(|_| passage.start_line > 1)
        .map(|heading| heading.text.as_str());
    let name = vault.file_name().unwrap_or_default().to_string_lossy();
    Ok(Target {
        file: vault.join(&note.path),
        line: note.has_lines().then_some(passage.start_line),
        uri: obsidian_uri(&name, &note.path, section),
    })
}

/// Opens the hit of a search.
pub(super) fn hit(
    settings: &Settings,
    vault: &std::path::Path,
    hit: &crate::wire::Hit,
) -> Result<()> {
    let target = Target {
        file: vault.join(&hit.path),
        line: hit.start_line,
        uri: hit.uri.clone(),
    };
    open::open(settings, &target, With::Editor)
}
