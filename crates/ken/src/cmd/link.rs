//! `ken link`: links that could be there and are not.

use anyhow::Result;
use kenning_curate::suggest::{Suggester, add_link, measure};
use kenning_curate::write::Batch;

use super::Found;
use super::curate::finish;
use super::tags::library;
use crate::args::{LinkAction, Place};
use crate::curate::Curator;
use crate::hint::Hinted;
use crate::render;
use crate::runtime::Model;
use crate::searcher::Searcher;
use crate::settings::Settings;
use crate::wire::{LinkFigures, SuggestionsResponse};

/// Notes of a vault that are looked at where none is named.
const NOTES_MAX: usize = 1000;

pub(super) fn run(settings: &Settings, place: &Place, action: &LinkAction) -> Result<Found> {
    let located = settings.locate(place)?;
    let curator = Curator::open(&located)?;
    curator.refresh()?;
    let model = std::sync::Arc::new(Model::asked(&located)?);
    let searcher = Searcher::new(settings, located.clone(), model);
    match action {
        LinkAction::Suggest { note, limit, json } => {
            suggest(&searcher, note.as_deref(), *limit as usize, *json)
        }
        LinkAction::Add { note, to, how } => {
            let library = library(&searcher)?;
            let position = |name: &str| -> Result<usize> {
                let path = searcher.passage(name)?.note.path.clone();
                library.position(&path).ok_or_else(|| {
                    Hinted::error(format!("{path} is not in the index"), "run `ken index`")
                })
            };
            let (source, target) = (position(note)?, position(to)?);
            let path = &library.notes[source].path;
            let Some(seen) = curator.writer.read(path)? else {
                return Err(Hinted::error(format!("{path} is gone"), "run `ken index`"));
            };
            let text = String::from_utf8_lossy(&seen.bytes).into_owned();
            let (new, line) = add_link(&text, &library, source, target)?;
            let title = &library.notes[target].title;
            let mut batch = Batch::new("link add", &format!("{path}:{line} → {title}"));
            batch.write(seen, new.into_bytes());
            let done = format!("{path}:{line} links to {title} now");
            finish(curator, &batch, *how, place.quiet, &done)
        }
        LinkAction::Eval { json } => {
            let library = library(&searcher)?;
            let figures = searcher.with_store(|store| Ok(measure::measure(store, &library)?))?;
            let figures = LinkFigures::from(figures);
            match json {
                true => render::print_json(&figures)?,
                false => render::link_figures(&figures)?,
            }
            Ok(Found::Something)
        }
    }
}

fn suggest(searcher: &Searcher, note: Option<&str>, limit: usize, json: bool) -> Result<Found> {
    let library = library(searcher)?;
    let suggester = Suggester::new(&library);
    let source = match note {
        Some(note) => library.position(&searcher.passage(note)?.note.path),
        None => None,
    };
    let found = match (note, source) {
        (Some(_), Some(source)) => {
            let text = searcher.passage(&library.notes[source].path)?.text;
            suggester.of_note(source, &text, limit)
        }
        (Some(_), None) => Vec::new(),
        (None, _) => searcher.with_store(|store| Ok(suggester.of_all(store, NOTES_MAX, limit)?))?,
    };
    let orphans = match note {
        Some(_) => Vec::new(),
        None => suggester.orphans(),
    };
    let response = SuggestionsResponse::new(&library, found, &orphans);
    match json {
        true => render::print_json(&response)?,
        false => render::suggestions(&response)?,
    }
    Ok(match response.suggestions.is_empty() {
        true => Found::Nothing,
        false => Found::Something,
    })
}
