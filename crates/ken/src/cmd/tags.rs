//! `ken tags propose`, `promote`, `check` and `eval`: which tags notes could have, and which they should not.

use std::sync::Arc;

use anyhow::Result;
use kenning_curate::library::Library;
use kenning_curate::tags::measure;

use super::Found;
use super::curate::{finish, tell};
use crate::agent::Models;
use crate::args::{ChangeArgs, Place, TagsCheckArgs, TagsEvalArgs, TagsProposeArgs};
use crate::curate::advice::Adviser;
use crate::curate::tags::Wanted;
use crate::curate::{Curator, tags};
use crate::render;
use crate::runtime::{self, Model};
use crate::searcher::Searcher;
use crate::settings::{Located, Settings};
use crate::wire::{ProposalsResponse, TagDoubts, TagFigures};

fn searcher(settings: &Settings, located: &Located) -> Result<Searcher> {
    let model = Arc::new(Model::asked(located)?);
    Ok(Searcher::new(settings, located.clone(), model))
}

/// Reads all notes of the index, which was brought up to date.
pub(super) fn library(searcher: &Searcher) -> Result<Library> {
    searcher.with_store(|store| Ok(Library::read(store)?))
}

/// Returns who proposes besides the notes themselves.
fn adviser(settings: &Settings, args: &TagsProposeArgs) -> Result<Option<Adviser>> {
    let models = Models::new(settings);
    let model = match (&args.model, args.no_model) {
        (_, true) => None,
        (Some(name), false) => Some(models.named(name)?),
        (None, false) => models.answering()?,
    };
    if model.is_some() {
        // Nothing is written before every note is judged.
        runtime::exit_on_interrupt();
    }
    model.map(Adviser::new).transpose()
}

pub(super) fn propose(settings: &Settings, place: &Place, args: &TagsProposeArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let mut curator = Curator::open(&located)?;
    curator.refresh()?;
    let searcher = searcher(settings, &located)?;
    let named = args
        .notes
        .iter()
        .map(|note| Ok(searcher.passage(note)?.note.path.clone()));
    let paths: Vec<String> = named.collect::<Result<_>>()?;
    let library = library(&searcher)?;
    let adviser = adviser(settings, args)?;
    // Without a model it is over before anybody could read a number.
    let counter = (adviser.is_some() && !place.quiet).then(|| runtime::counter("notes"));
    let wanted = Wanted {
        paths: &paths,
        limit: args.limit as usize,
        adviser: adviser.map(|adviser| (adviser, &searcher)),
        progress: &|n_done, n_total| {
            if let Some(counter) = &counter {
                counter(n_done, n_total);
            }
        },
    };
    let proposed = tags::propose(&curator, &library, wanted)?;
    drop(counter);
    curator.notices.extend(proposed.notices);
    let response = ProposalsResponse::new(&proposed.notes, &curator.notices);
    match args.how.json {
        true => render::print_json(&response)?,
        false => render::proposals(&response)?,
    }
    let has_some = !proposed.notes.is_empty();
    if has_some && !args.how.dry_run {
        curator.commit(&proposed.batch)?;
        if !place.quiet && !args.how.json {
            render::say(
                "they stand in _review-queue.md; tick what is right, then run `ken tags promote`",
            );
        }
    }
    tell(&curator.notices);
    if !has_some && !place.quiet && !args.how.json {
        render::say("nothing is proposed: notes have tags already, or no tag is likely enough");
    }
    Ok(match has_some {
        true => Found::Something,
        false => Found::Nothing,
    })
}

pub(super) fn promote(settings: &Settings, place: &Place, how: ChangeArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let mut curator = Curator::open(&located)?;
    let promoted = tags::promote(&curator, &[])?;
    curator.notices.extend(promoted.refused);
    if promoted.batch.is_empty() {
        tell(&curator.notices);
        render::say("nothing is ticked in _review-queue.md");
        return Ok(Found::Nothing);
    }
    let done = format!(
        "wrote {} into notes",
        render::counted(promoted.tags.len(), "tag")
    );
    finish(curator, &promoted.batch, how, place.quiet, &done)
}

pub(super) fn check(settings: &Settings, place: &Place, args: &TagsCheckArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let curator = Curator::open(&located)?;
    curator.refresh()?;
    let counts = searcher(settings, &located)?.tags()?.into_iter().collect();
    let doubts = TagDoubts::from(tags::doubts(&curator, &counts)?);
    match args.json {
        true => render::print_json(&doubts)?,
        false => render::doubts(&doubts)?,
    }
    if doubts.doubts.is_empty() && !place.quiet && !args.json {
        render::say("no tag looks wrong");
    }
    Ok(match doubts.doubts.is_empty() {
        true => Found::Nothing,
        false => Found::Something,
    })
}

pub(super) fn eval(settings: &Settings, place: &Place, args: &TagsEvalArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    Curator::open(&located)?.refresh()?;
    let library = library(&searcher(settings, &located)?)?;
    let of_property = |note: usize, name: &str| -> Vec<String> {
        let value = library.notes[note].properties.get(name);
        let texts: Vec<&str> = match value {
            Some(serde_json::Value::String(text)) => vec![text.as_str()],
            Some(serde_json::Value::Array(list)) => {
                list.iter().filter_map(|item| item.as_str()).collect()
            }
            _ => Vec::new(),
        };
        texts.into_iter().map(str::to_lowercase).collect()
    };
    let tags_of = |note: usize| match &args.property {
        Some(name) => of_property(note, name),
        None => library.notes[note].tags.clone(),
    };
    let figures = measure::measure(&library, &tags_of, args.notes as usize);
    let figures = TagFigures::from(figures);
    match args.json {
        true => render::print_json(&figures)?,
        false => render::tag_figures(&figures)?,
    }
    Ok(Found::Something)
}
