//! `ken undo`: takes back the last change of the vault.

use anyhow::Result;
use kenning_curate::write::Undone;

use super::Found;
use crate::args::{Place, UndoArgs};
use crate::curate::Curator;
use crate::render;
use crate::settings::Settings;
use crate::wire::{ChangeRun, ChangeRuns};

pub(super) fn run(settings: &Settings, place: &Place, args: &UndoArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let mut curator = Curator::open(&located)?;
    if args.list {
        let runs = curator
            .writer
            .runs()?
            .into_iter()
            .map(ChangeRun::from)
            .collect();
        let runs = ChangeRuns { runs };
        match args.json {
            true => render::print_json(&runs)?,
            false => render::runs(&runs)?,
        }
        if runs.runs.is_empty() && !place.quiet && !args.json {
            render::say("nothing was written into notes yet");
        }
        super::curate::tell(&curator.notices);
        return Ok(match runs.runs.is_empty() {
            true => Found::Nothing,
            false => Found::Something,
        });
    }
    let run = ChangeRun::from(curator.undo(Undone::Last)?);
    match args.json {
        true => render::print_json(&run)?,
        false if place.quiet => {}
        false => render::say(&format!(
            "took back `ken {}`: {} {} as before",
            run.verb,
            run.paths.len(),
            if run.paths.len() == 1 {
                "file is"
            } else {
                "files are"
            },
        )),
    }
    super::curate::tell(&curator.notices);
    Ok(Found::Something)
}
