//! `ken intake`: takes in what comes from outside.

use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use kenning_curate::intake::item::Item;
use kenning_curate::intake::log::Entry;
use kenning_curate::intake::read::Given;

use super::Found;
use super::curate::tell;
use crate::args::{IntakeAction, IntakeArgs, IntakeReviewArgs, Place};
use crate::curate::Curator;
use crate::curate::intake::{self, Brought, TakenIn};
use crate::hint::Hinted;
use crate::render;
use crate::runtime::Model;
use crate::searcher::Searcher;
use crate::settings::Settings;
use crate::wire::{
    DecideResponse, IntakeFigures, IntakeResponse, IntakeStats, WaitingItem, WaitingResponse,
};

pub(super) fn run(settings: &Settings, place: &Place, args: &IntakeArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let model = Arc::new(Model::asked(&located)?);
    let searcher = Searcher::new(settings, located, model);
    match &args.action {
        None => {
            let brought = bring(&searcher, &args.paths)?;
            let taken = intake::take(&searcher, brought, args.dry_run)?;
            let how = (
                args.json,
                args.why || args.dry_run,
                args.dry_run,
                place.quiet,
            );
            tell_taken(taken, how)
        }
        Some(IntakeAction::Review(args)) => review(&searcher, args),
        Some(IntakeAction::Stats { json }) => stats(&searcher, *json),
        Some(IntakeAction::Replay { dry_run, why, json }) => {
            let taken = intake::replay(&searcher, *dry_run)?;
            tell_taken(taken, (*json, *why || *dry_run, *dry_run, place.quiet))
        }
        Some(IntakeAction::Eval {
            labels,
            notes,
            json,
        }) => {
            let labelled = match labels {
                Some(file) => labelled(file)?,
                None => Vec::new(),
            };
            let measured = intake::measure(&searcher, labelled, *notes as usize)?;
            let figures = IntakeFigures::new(measured.routing, measured.doubles, &measured.judged);
            match json {
                true => render::print_json(&figures)?,
                false => render::intake_figures(&figures)?,
            }
            Ok(Found::Something)
        }
    }
}

/// Reads what was named, or what is piped.
fn bring(searcher: &Searcher, paths: &[PathBuf]) -> Result<Brought> {
    if paths.is_empty() {
        return Err(Hinted::error(
            "nothing was given to take in",
            "name files or folders, or `-` for standard input; `ken intake --help` says more",
        ));
    }
    let curator = Curator::open(searcher.located())?;
    let (piped, files): (Vec<PathBuf>, Vec<PathBuf>) = paths
        .iter()
        .cloned()
        .partition(|path| path.as_os_str() == "-");
    let mut brought = intake::bring(&curator, &files);
    if !piped.is_empty() {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        let given = Given {
            name: "-".to_owned(),
            bytes,
            in_vault: None,
        };
        brought.join(intake::brought(vec![given]));
    }
    Ok(brought)
}

fn tell_taken(
    taken: TakenIn,
    (json, why, is_dry, quiet): (bool, bool, bool, bool),
) -> Result<Found> {
    let response = IntakeResponse::new(&taken.judged, taken.run, taken.skipped, taken.notices);
    if let (true, Some(skipped)) = (response.items.is_empty(), response.skipped.first()) {
        return Err(Hinted::error(
            format!("{}: {}", skipped.name, skipped.reason),
            "`ken intake --help` says what can be taken in",
        ));
    }
    let is_something = response.items.iter().any(|item| !item.known);
    let has_run = response.run.is_some();
    match json {
        true => render::print_json(&response)?,
        false => render::intake(&response, why)?,
    }
    if !json && !quiet {
        let n = |outcome: &str| {
            let of = response.items.iter();
            of.filter(|item| item.outcome == outcome && !item.known)
                .count()
        };
        let n_known = response.items.iter().filter(|item| item.known).count();
        let verb = if is_dry { "would be " } else { "" };
        render::say(&format!(
            "{} {verb}kept, {} for review, {} logged, {} there already, {n_known} came in before{}",
            n("kept"),
            n("queued"),
            n("logged"),
            n("duplicate"),
            if has_run {
                "; `ken undo` takes it back"
            } else {
                ""
            },
        ));
    }
    tell(&response.notices);
    Ok(match is_something {
        true => Found::Something,
        false => Found::Nothing,
    })
}

fn stats(searcher: &Searcher, json: bool) -> Result<Found> {
    let curator = Curator::open(searcher.located())?;
    let (entries, notice) = intake::entries(&curator)?;
    let stats = IntakeStats::from(entries.as_slice());
    match json {
        true => render::print_json(&stats)?,
        false => render::intake_stats(&stats)?,
    }
    tell(&notice.into_iter().collect::<Vec<_>>());
    Ok(if entries.is_empty() {
        Found::Nothing
    } else {
        Found::Something
    })
}

fn review(searcher: &Searcher, args: &IntakeReviewArgs) -> Result<Found> {
    let mut curator = Curator::open(searcher.located())?;
    if let Some(id) = &args.keep {
        let entry = intake::waiting_one(&curator, id)?;
        let (path, run) = intake::keep(&mut curator, &entry, args.to.as_deref())?;
        return decided(&curator, args.json, (entry.id, Some(path), run));
    }
    if let Some(id) = &args.drop {
        let entry = intake::waiting_one(&curator, id)?;
        intake::drop_one(&curator, &entry)?;
        return decided(&curator, args.json, (entry.id, None, None));
    }
    let waiting = intake::waiting(&curator)?;
    if args.json {
        let items = waiting.iter().map(WaitingItem::from).collect();
        render::print_json(&WaitingResponse { items })?;
    } else if args.list {
        waiting
            .iter()
            .try_for_each(|entry| render::waiting(&entry.into()))?;
    } else {
        step_through(&mut curator, &waiting)?;
    }
    tell(&curator.notices);
    if waiting.is_empty() {
        render::say("nothing waits");
        return Ok(Found::Nothing);
    }
    Ok(Found::Something)
}

fn decided(
    curator: &Curator<'_>,
    json: bool,
    (id, path, run): (String, Option<String>, Option<u64>),
) -> Result<Found> {
    match (json, &path) {
        (true, _) => render::print_json(&DecideResponse {
            id,
            run,
            path,
            notices: curator.notices.clone(),
        })?,
        (false, Some(path)) => {
            render::say(&format!(
                "kept as {}; `ken undo` takes it back",
                render::inline(path)
            ));
            tell(&curator.notices);
        }
        (false, None) => render::say("dropped; it stays in the log"),
    }
    Ok(Found::Something)
}

/// Shows one item after the other and asks what is to become of it.
fn step_through(curator: &mut Curator<'_>, waiting: &[Entry]) -> Result<()> {
    let mut lines = io::stdin().lock().lines();
    for (at, entry) in waiting.iter().enumerate() {
        render::waiting(&entry.into())?;
        let folder = match entry.folder.is_empty() {
            true => "the root",
            false => &entry.folder,
        };
        loop {
            let mut out = io::stderr().lock();
            write!(
                out,
                "{} of {}: keep in {} (k), in another folder (k FOLDER), drop (d), later (l), quit (q)? ",
                at + 1,
                waiting.len(),
                render::inline(folder),
            )?;
            out.flush()?;
            drop(out);
            let Some(answer) = lines.next().transpose()? else {
                return Ok(());
            };
            let (verb, rest) = answer.trim().split_once(' ').unwrap_or((answer.trim(), ""));
            let to = (!rest.trim().is_empty()).then(|| rest.trim());
            match verb.to_lowercase().as_str() {
                "k" | "keep" => match intake::keep(curator, entry, to) {
                    Ok((path, _)) => render::say(&format!("kept as {}", render::inline(&path))),
                    Err(error) => {
                        render::error(&error);
                        continue;
                    }
                },
                "d" | "drop" => intake::drop_one(curator, entry)?,
                "l" | "later" | "" => {}
                "q" | "quit" => return Ok(()),
                _ => continue,
            }
            break;
        }
    }
    Ok(())
}

/// Reads items with labels.
fn labelled(file: &std::path::Path) -> Result<Vec<(String, Item)>> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut all = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let value: serde_json::Value =
            serde_json::from_str(line).with_context(|| format!("{}:{}", file.display(), at + 1))?;
        let label = value["label"].as_str().unwrap_or_default().to_owned();
        if !matches!(label.as_str(), "keep" | "review" | "drop") {
            return Err(Hinted::error(
                format!(
                    "{}:{}: the label has to be keep, review or drop",
                    file.display(),
                    at + 1
                ),
                "give every line one",
            ));
        }
        let name = format!(
            "{}.jsonl",
            file.file_stem().unwrap_or_default().to_string_lossy()
        );
        let mut brought = intake::brought(vec![Given {
            name,
            bytes: line.as_bytes().to_vec(),
            in_vault: None,
        }]);
        all.extend(brought.items.pop().map(|item| (label, item)));
    }
    Ok(all)
}
