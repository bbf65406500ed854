//! `ken store copy`: an index from one place to another.

use std::time::Instant;

use anyhow::Result;
use kenning::index::{self, CopyContext, IndexOptions};

use super::Found;
use crate::args::{Place, StoreAction, StoreCopyArgs};
use crate::settings::Settings;
use crate::{private, render, runtime};

pub(super) fn run(settings: &Settings, place: &Place, action: &StoreAction) -> Result<Found> {
    match action {
        StoreAction::Copy(args) => copy(settings, place, args),
    }
}

fn copy(settings: &Settings, place: &Place, args: &StoreCopyArgs) -> Result<Found> {
    let from = settings.store_named(&args.from, place)?;
    let to = settings.store_named(&args.to, place)?;
    let started = Instant::now();
    let show = runtime::counter("notes");
    let copied = index::copy(&CopyContext {
        from: &from,
        to: &to,
        replaces: args.force,
        patience: IndexOptions::default().patience,
        progress: &|progress| show(progress.n_done, progress.n_total),
        stop: runtime::stop_flag(),
    })?;
    drop(show);
    if let Some(file) = to.file() {
        private::close_one(file);
    }
    let to = to.name().display();
    if copied.is_stopped {
        render::say(&format!(
            "stopped: nothing was copied, {to} is as it was before"
        ));
        return Ok(Found::Interrupted);
    }
    if !place.quiet {
        let notes = render::counted(copied.n_notes, "note");
        let seconds = started.elapsed().as_secs_f64();
        let n_chunks = copied.n_chunks;
        render::say(&format!(
            "copied {notes} \u{b7} {n_chunks} chunks to {to} in {seconds:.2} s"
        ));
    }
    Ok(Found::Something)
}
