//! `ken watch`: keeps the index up to date until it is stopped.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use kenning::index::Coverage;
use kenning_curate::intake::log::Fate;

use super::Found;
use crate::args::{Place, WatchArgs};
use crate::curate::{Curator, intake};
use crate::fill;
use crate::render;
use crate::runtime;
use crate::searcher::{Searcher, Searchers, Updated};
use crate::settings::Settings;
use crate::watch::{self, Cause, Rhythm, Tell};

pub(super) fn run(settings: &Settings, place: &Place, args: &WatchArgs) -> Result<Found> {
    let searchers = Searchers::open(settings, place)?;
    let rhythm = Rhythm {
        sweep: Duration::from_secs(args.sweep_s),
        quiet: Duration::from_millis(args.quiet_ms),
        ..Rhythm::default()
    };
    let quiet = place.quiet;
    let tell: Arc<Tell> = Arc::new(move |searcher, cause, report| {
        say(searcher, cause, report, quiet);
        take_in(searcher, cause, quiet);
    });
    let watching = watch::start(&searchers, rhythm, &tell);
    for problem in &watching.unwatched {
        render::say(&format!(
            "note: {problem}; looking every {} s instead",
            args.sweep_s
        ));
    }
    let filling = fill::start(
        &searchers,
        Arc::new(move |searcher: &Searcher, filled: Result<&Coverage>| {
            say_filled(searcher, filled, quiet);
        }),
    );
    // The handler of `stop_flag` keeps what is done; here there is nothing to keep.
    runtime::exit_on_interrupt();
    watching.wait();
    drop(filling);
    Ok(Found::Something)
}

/// Takes in what lies in the inbox, if there is one, and tells what became of what is new.
fn take_in(searcher: &Searcher, cause: Cause, quiet: bool) {
    let Some(inbox) = searcher.inbox() else {
        return;
    };
    let taken = Curator::open(searcher.located()).and_then(|curator| {
        let brought = intake::bring(&curator, &[inbox]);
        drop(curator);
        intake::take(searcher, brought, false)
    });
    let taken = match taken {
        Ok(taken) => taken,
        Err(error) => return render::error(&error),
    };
    for judged in taken
        .judged
        .iter()
        .filter(|judged| !judged.is_known && !quiet)
    {
        let place = match &judged.fate {
            Fate::Kept { path } => format!(" as {}", render::inline(path)),
            Fate::Duplicate { of, .. } => format!(" of {}", render::inline(of)),
            _ => String::new(),
        };
        render::say(&format!(
            "{}: inbox: {}: {}{place} ({:.2})",
            searcher.name(),
            render::inline(&judged.item.title),
            judged.fate.name(),
            judged.scores.total,
        ));
    }
    // What cannot be read is told when something came, not at every look.
    for (name, reason) in taken.skipped.iter().filter(|_| cause != Cause::Sweep) {
        render::say(&format!("skipped {}: {reason}", render::inline(name)));
    }
}

/// Tells that the vectors of the model that reads again are made, or why they are not.
fn say_filled(searcher: &Searcher, filled: Result<&Coverage>, quiet: bool) {
    let name = searcher.name();
    match filled {
        Err(error) => render::error(&error),
        Ok(Coverage {
            trouble: Some(trouble),
            ..
        }) => render::say(&format!("note: {name}: no vectors: {trouble}")),
        Ok(coverage) if !quiet && coverage.is_complete() => render::say(&format!(
            "{name}: {} of {} have a vector",
            coverage.n_covered,
            render::counted(coverage.n_passages, "passage")
        )),
        Ok(_) => {}
    }
}

/// Tells what an update did, if it did anything.
fn say(searcher: &Searcher, cause: Cause, report: Result<Updated>, quiet: bool) {
    let updated = match report {
        Ok(updated) => updated,
        Err(error) => return render::error(&error),
    };
    let report = &updated.report;
    let did = [
        (report.n_added, "added"),
        (report.n_changed, "changed"),
        (report.n_removed, "removed"),
        (report.n_renamed, "renamed"),
    ];
    let mut did: Vec<String> = did
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| format!("{n} {what}"))
        .collect();
    if did.is_empty() && cause == Cause::Start {
        did.push("nothing changed".to_owned());
    }
    if !quiet && !did.is_empty() {
        let found_by = match cause {
            Cause::Start => "",
            Cause::Change => "",
            Cause::Sweep => " (found by a sweep)",
        };
        render::say(&format!(
            "{}: {}{found_by}, {:.0} ms",
            searcher.name(),
            did.join(", "),
            updated.seconds * 1e3
        ));
    }
    for notice in &updated.notices {
        render::say(&format!("note: {}: {notice}", searcher.name()));
    }
    for skipped in report.skipped.iter().filter(|_| cause == Cause::Change) {
        render::say(&format!("skipped {}: {}", skipped.path, skipped.reason));
    }
}
