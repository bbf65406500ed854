//! `ken model tune`: the static model adapted to the words of a vault, if search gets better by it.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anyhow::Result;
use kenning::eval::{self, Adaptation, Adapted, Measured};
use kenning::store::Place as StorePlace;

use crate::args::{Place, TuneArgs};
use crate::cmd::Found;
use crate::render::{self, counted, say};
use crate::runtime::{self, How};
use crate::settings::{Located, Settings};
use crate::wire::eval::AdaptReport;

/// How long to wait for another writer of an index.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn run(settings: &Settings, place: &Place, args: &TuneArgs) -> Result<Found> {
    let mut found = Found::Nothing;
    for located in settings.locate_all(place)? {
        let is_changed = match args.drop {
            true => forget(&located)?,
            false => tune(settings, &located, args)?,
        };
        if is_changed {
            found = Found::Something;
        }
    }
    Ok(found)
}

fn forget(located: &Located) -> Result<bool> {
    let was_there = keep(&located.place(), None)?;
    say(&match was_there {
        true => format!(
            "{}: what was learnt of the notes is forgotten",
            located.name
        ),
        false => format!("{}: nothing was learnt of the notes", located.name),
    });
    Ok(was_there)
}

fn keep(store: &StorePlace, adapter: Option<&kenning::embed::Adapter>) -> Result<bool> {
    Ok(eval::keep_adapter(
        store,
        adapter,
        PATIENCE,
        runtime::now(),
    )?)
}

/// Learns, measures, and keeps what helps; returns whether that was anything.
fn tune(settings: &Settings, located: &Located, args: &TuneArgs) -> Result<bool> {
    if let Some(vault) = &located.vault {
        runtime::update(located, vault, How::default())?;
    }
    let model = runtime::Model::of(located)?;
    let store = runtime::store(located)?;
    let started = Instant::now();
    let tuning = settings.tuning(None);
    let found = eval::adapt(&store, &**model.embedder()?, &tuning)?;
    let seconds = started.elapsed().as_secs_f64();
    let is_kept = match &found {
        Adaptation::Tried(tried) if tried.is_gain() && !args.dry_run => {
            keep(&located.place(), Some(&tried.adapter))?;
            true
        }
        _ => false,
    };
    if args.json {
        render::print_json(&AdaptReport::new(&located.name, &found, seconds, is_kept))?;
        return Ok(is_kept);
    }
    let had = store.meta()?.adapter().is_some();
    match &found {
        Adaptation::LeftAlone(reason) => say(&format!("{}: left alone: {reason}", located.name)),
        Adaptation::Tried(tried) => {
            render::print(&table(&located.name, tried, seconds))?;
            say(verdict(tried, is_kept));
        }
    }
    if had && !is_kept {
        say("what was learnt before is still used; `ken model tune --drop` forgets it");
    }
    Ok(is_kept)
}

fn verdict(tried: &Adapted, is_kept: bool) -> &'static str {
    match (is_kept, tried.is_gain()) {
        (true, _) => "kept in the index; `ken model tune --drop` forgets it",
        (false, true) => "search is better with it; without --dry-run it is kept",
        (false, false) => {
            "not kept: the whole search is not better with confidence; nothing was changed"
        }
    }
}

/// Before and after, for people.
fn table(name: &str, tried: &Adapted, seconds: f64) -> String {
    let mut out = format!(
        "{}: learnt from {} in {}, {seconds:.1} s; {} headings and link texts of other notes asked for\n{:<34} {:>7} {:>7}   95 %\n",
        render::inline(name),
        counted(tried.n_learnt, "name"),
        counted(tried.n_rounds, "round"),
        tried.whole.comparison.n_pairs,
        "nDCG@10",
        "before",
        "after"
    );
    for (what, measured) in rows(tried) {
        let Measured {
            before,
            after,
            comparison,
        } = measured;
        let _ = writeln!(
            out,
            "{what:<34} {before:>7.4} {after:>7.4}   {:+.4} to {:+.4}",
            comparison.low, comparison.high
        );
    }
    out
}

fn rows(tried: &Adapted) -> [(&'static str, &Measured); 3] {
    [
        ("meaning alone", &tried.meaning),
        ("whole search", &tried.whole),
        ("whole search, link texts not told", &tried.unlinked),
    ]
}
