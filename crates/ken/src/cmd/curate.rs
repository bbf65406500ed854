//! `ken note` and the part of `ken tags` that changes notes: what is to be done is planned, and then shown or done.

use anyhow::Result;
use kenning::vault::Skipped;
use kenning_curate::write::Batch;
use kenning_curate::{diff, links};

use super::Found;
use crate::args::{ChangeArgs, NoteAction, Place, TagsMergeArgs, TagsRenameArgs};
use crate::curate::{Curator, Renaming, rename_tags};
use crate::hint::Hinted;
use crate::render;
use crate::runtime::Model;
use crate::searcher::Searcher;
use crate::settings::Settings;
use crate::wire::ChangeResponse;

/// Says what else there is to know.
pub(super) fn tell(notices: &[String]) {
    for notice in notices {
        render::say(&format!("note: {notice}"));
    }
}

pub(super) fn note(settings: &Settings, place: &Place, action: &NoteAction) -> Result<Found> {
    let NoteAction::Rename { note, to, how } = action;
    let located = settings.locate(place)?;
    let mut curator = Curator::open(&located)?;
    curator.refresh()?;
    let model = std::sync::Arc::new(Model::asked(&located)?);
    let searcher = Searcher::new(settings, located.clone(), model);
    let from = searcher.passage(note)?.note.path.clone();
    let to = links::new_path(&from, to)?;
    curator.refuse_left_out(&to, "name a folder that the domain includes")?;
    let files = searcher.with_store(|store| Ok(store.files()?))?;
    let moved = links::plan(&curator.writer, &curator.vault, files, (&from, &to))?;
    let n_links = moved.n_links;
    curator.notices.extend(told(&moved.skipped));
    let done = format!(
        "moved {from} to {to}, and repaired {n_links} {}",
        if n_links == 1 { "link" } else { "links" }
    );
    finish(curator, &moved.batch, *how, place.quiet, &done)
}

pub(super) fn rename(settings: &Settings, place: &Place, args: &TagsRenameArgs) -> Result<Found> {
    let pairs = [(args.old.clone(), args.new.clone())];
    renamed(settings, place, &pairs, Renaming::Alone, args.how)
}

pub(super) fn merge(settings: &Settings, place: &Place, args: &TagsMergeArgs) -> Result<Found> {
    let Some((into, tags)) = args.tags.split_last() else {
        return Ok(Found::Nothing);
    };
    let pairs: Vec<(String, String)> = tags.iter().map(|tag| (tag.clone(), into.clone())).collect();
    renamed(settings, place, &pairs, Renaming::Merging, args.how)
}

fn renamed(
    settings: &Settings,
    place: &Place,
    pairs: &[(String, String)],
    how: Renaming,
    change: ChangeArgs,
) -> Result<Found> {
    let located = settings.locate(place)?;
    let mut curator = Curator::open(&located)?;
    let renamed = rename_tags(&curator, pairs, how)?;
    curator.notices.extend(told(&renamed.skipped));
    if renamed.batch.is_empty() {
        tell(&curator.notices);
        return Err(Hinted::error(
            format!(
                "no note has the tag #{}",
                pairs[0].0.trim_start_matches('#')
            ),
            "`ken tags` lists those that there are",
        ));
    }
    let (n_tags, n_notes) = (renamed.n_tags, renamed.batch.changes().len());
    let (tags, notes) = (
        render::counted(n_tags, "tag"),
        render::counted(n_notes, "note"),
    );
    let done = format!("changed {tags} in {notes}");
    finish(curator, &renamed.batch, change, place.quiet, &done)
}

/// Says which notes were left alone, and why.
fn told(skipped: &[Skipped]) -> Vec<String> {
    let told = skipped
        .iter()
        .map(|skipped| format!("{}: {}", skipped.path, skipped.reason));
    told.collect()
}

/// Shows what would change, or changes it.
pub(super) fn finish(
    mut curator: Curator<'_>,
    batch: &Batch,
    how: ChangeArgs,
    quiet: bool,
    done: &str,
) -> Result<Found> {
    let run = match how.dry_run {
        true => None,
        false => curator.commit(batch)?,
    };
    let shown = how.dry_run.then(|| diff::unified(batch.changes()));
    if how.json {
        let notices = curator.notices.clone();
        render::print_json(&ChangeResponse::new(batch, run, shown, notices))?;
        return Ok(Found::Something);
    }
    match shown {
        Some(diff) => render::print_text(&diff)?,
        None if quiet => {}
        None => render::say(&format!("{done}; `ken undo` takes it back")),
    }
    tell(&curator.notices);
    Ok(Found::Something)
}
