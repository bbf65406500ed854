//! `ken hook`: what people ask about hooks. What agents call is answered in `hook.rs`.

use std::path::Path;

use anyhow::{Context, Result};

use super::Found;
use crate::args::{Agent, HookAction, InstallArgs, Place};
use crate::hint::Hinted;
use crate::hook::agent_file;
use crate::hook::install::{self, Program, Standing};
use crate::hook::{outputs, receipt};
use crate::render;
use crate::runtime;
use crate::settings::{Settings, agent_file};

pub(super) fn run(settings: &Settings, place: &Place, action: &HookAction) -> Result<Found> {
    match action {
        HookAction::Output { id } => output(settings, id),
        HookAction::Log { json, limit } => log(settings, *json, *limit),
        HookAction::Install(args) => add(settings, place, args),
        HookAction::Remove(args) => remove(args),
        HookAction::Status(args) => status(args),
        // An agent's call never comes this far.
        _ => Ok(Found::Nothing),
    }
}

fn output(settings: &Settings, id: &str) -> Result<Found> {
    let text = outputs::read(&settings.hook_dir().join("outputs"), id).ok_or_else(|| {
        Hinted::error(
            format!("there is no output {id:?}"),
            "the last 50 are kept; run the command again",
        )
    })?;
    render::print_text(&text)?;
    Ok(Found::Something)
}

fn log(settings: &Settings, as_json: bool, limit: usize) -> Result<Found> {
    let receipts = receipt::read(&settings.hook_dir());
    let shown = &receipts[receipts.len().saturating_sub(limit)..];
    if as_json {
        shown.iter().try_for_each(render::print_json)?;
    } else {
        let now = runtime::now();
        for receipt in shown {
            render::print(&render::receipt(receipt, now))?;
        }
        let n_given: usize = receipts.iter().map(|receipt| receipt.given.len()).sum();
        let n_used: usize = receipts.iter().map(|receipt| receipt.used.len()).sum();
        let share = (100 * n_used).checked_div(n_given).unwrap_or(0);
        render::print(&format!(
            "{} calls · {n_given} passages given · {n_used} used ({share} %)\n",
            receipts.len()
        ))?;
    }
    Ok(found(!receipts.is_empty()))
}

fn add(settings: &Settings, place: &Place, args: &InstallArgs) -> Result<Found> {
    let file = file(args)?;
    let program = program(settings, place)?;
    let before = agent_file::read(&file)?;
    let mut settings = before.settings().clone();
    install::add(&mut settings, args.agent, &program);
    if args.dry_run {
        render::print(&before.saying(&settings)?)?;
    } else if settings == *before.settings() {
        render::say(&format!("{}: the hooks are there already", file.display()));
    } else {
        before.write(&before.saying(&settings)?)?;
        render::say(&format!(
            "{}: hooks added; `ken hook log` tells what they do, `ken hook remove --agent {}` takes them out",
            file.display(),
            args.agent.name()
        ));
    }
    say_trust(args);
    Ok(Found::Something)
}

/// Codex passes over a hook without a word until somebody has read and trusted it, and again after
/// every change.
fn say_trust(args: &InstallArgs) {
    if args.agent == Agent::Codex {
        render::say("Codex runs a hook only once you trust it: start `codex` and open `/hooks`");
    }
}

/// Under whatever name it was called, the agent calls the same file; and the notes that were named.
fn program(settings: &Settings, place: &Place) -> Result<Program> {
    let mut options = Vec::new();
    if place.vault.is_some() || place.domain.is_some() {
        // What does not exist is told now, not by a hook that stays silent.
        let located = settings.locate(place)?;
        options = match (&place.domain, located.vault) {
            (None, Some(vault)) => vec!["--vault".to_owned(), vault.display().to_string()],
            _ => vec!["--domain".to_owned(), located.name],
        };
    }
    Ok(Program {
        path: std::env::current_exe().context("the path of this program is unknown")?,
        options,
    })
}

fn remove(args: &InstallArgs) -> Result<Found> {
    let file = file(args)?;
    let before = agent_file::read(&file)?;
    let mut settings = before.settings().clone();
    let is_changed = install::remove(&mut settings);
    if args.dry_run {
        render::print(&before.saying(&settings)?)?;
    } else if is_changed {
        match install::is_empty(&settings) && before.may_go() {
            true => before.remove()?,
            false => before.write(&before.saying(&settings)?)?,
        }
        render::say(&format!("{}: hooks removed", file.display()));
    } else {
        render::say(&format!("{}: there are no hooks of ken", file.display()));
    }
    Ok(found(is_changed))
}

fn status(args: &InstallArgs) -> Result<Found> {
    let file = file(args)?;
    let events = install::list(agent_file::read(&file)?.settings(), args.agent);
    for (name, standing) in &events {
        let standing = standing.name();
        let line = format!("{name:<20} {standing:<10} {}", file.display());
        render::print(&format!("{}\n", render::inline(&line)))?;
    }
    let is_any = |wanted: Standing| events.iter().any(|(_, standing)| *standing == wanted);
    if is_any(Standing::Outdated) {
        render::say(&format!(
            "Claude Code before 2.1.139 cannot read these hooks; `ken hook install --agent {}` mends them",
            args.agent.name()
        ));
    }
    if is_any(Standing::Installed) {
        say_trust(args);
    }
    let is_all = events
        .iter()
        .all(|(_, standing)| *standing == Standing::Installed);
    Ok(found(is_all))
}

fn file(args: &InstallArgs) -> Result<std::path::PathBuf> {
    agent_file(args.agent, args.project.then_some(Path::new("")))
}

fn found(is_found: bool) -> Found {
    match is_found {
        true => Found::Something,
        false => Found::Nothing,
    }
}
