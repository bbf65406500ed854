//! `ken index`: brings the index up to date.

use anyhow::Result;
use kenning::index::Report;
use kenning::vault::Vault;

use super::Found;
use crate::args::{IndexArgs, Place};
use crate::git;
use crate::hint::Hinted;
use crate::render;
use crate::runtime::{self, How};
use crate::searcher::{Updated, caveats};
use crate::settings::{Located, Settings};
use crate::wire::IndexReport;

pub(super) fn run(settings: &Settings, place: &Place, args: &IndexArgs) -> Result<Found> {
    let file = args
        .path
        .as_ref()
        .filter(|path| path.is_file() || is_gone_note(path));
    match file {
        Some(file) => {
            let mut place = place.clone();
            if place.vault.is_none() && place.domain.is_none() {
                place.vault = vault_around(file);
            }
            let located = settings.locate(&place)?;
            let vault = located.vault.as_deref().unwrap_or(file);
            let vault = Vault::open(vault, located.rules.clone())?.with_git(git::log);
            let path = vault.relative(file).ok_or_else(|| {
                Hinted::error(
                    format!(
                        "{} lies outside the vault {}",
                        file.display(),
                        vault.root().display()
                    ),
                    "name the vault it belongs to with `--vault PATH`",
                )
            })?;
            refuse_left_out(&vault, &path)?;
            let updated = runtime::update_file(&located, &vault, &path)?;
            tell(updated, &located, &place, args)
        }
        None => whole(settings, place, args),
    }
}

/// Brings the index of a vault up to date, or that of each domain that is meant.
fn whole(settings: &Settings, place: &Place, args: &IndexArgs) -> Result<Found> {
    let mut place = place.clone();
    if let Some(path) = &args.path {
        place.vault = Some(path.clone());
    }
    let all = settings.locate_all(&place)?;
    let mut failure = None;
    for located in &all {
        let Some(vault) = &located.vault else {
            return Err(Hinted::error(
                "no vault was named",
                "name the folder of notes: `ken index PATH`",
            ));
        };
        if all.len() > 1 && !place.quiet {
            render::say(&format!("{}:", located.name));
        }
        let how = How {
            full: args.full,
            check: true,
            accept_removals: args.accept_removals,
            is_hurried: false,
        };
        let updated = runtime::update(located, vault, how)?;
        match tell(updated, located, &place, args) {
            Ok(Found::Interrupted) => return Ok(Found::Interrupted),
            // The other domains may have other models.
            Err(error) => failure = Some(error),
            Ok(_) => {}
        }
    }
    failure.map_or(Ok(Found::Something), Err)
}

fn tell(
    (report, seconds): (Report, f64),
    located: &Located,
    place: &Place,
    args: &IndexArgs,
) -> Result<Found> {
    let updated = Updated {
        notices: caveats::of_run(located, &report),
        report,
        seconds,
    };
    if args.json {
        render::print_json(&IndexReport::from(&updated))?;
    } else {
        render::report(&updated.report, seconds, place.quiet);
    }
    // What is not as it was asked for is said whoever reads it, quiet or not.
    for notice in &updated.notices {
        render::say(&format!("note: {notice}"));
    }
    match updated.report.is_stopped {
        true => Ok(Found::Interrupted),
        false => without_vectors(&updated.report),
    }
}

/// What was asked for is not done as long as vectors could not be made; the rest of it stays.
fn without_vectors(report: &Report) -> Result<Found> {
    let Some(first) = report.unembedded.first() else {
        return Ok(Found::Something);
    };
    let n = render::counted(report.n_without_vector, "passage");
    let hint = report.vector_hint.as_deref().unwrap_or("run it again");
    Err(Hinted::error(
        format!("no vectors could be made of {n}: {}", first.reason),
        format!("{hint}; then `ken index` goes on where it ended"),
    ))
}

/// A file that the rules leave out is not taken by naming it.
fn refuse_left_out(vault: &Vault, path: &str) -> Result<()> {
    if vault.stamp(path).is_some() && vault.find(path).is_none() {
        return Err(Hinted::error(
            format!("{path} is left out of the index"),
            "its kind is not read, or the settings, .gitignore or Obsidian exclude it; `ken status` tells",
        ));
    }
    Ok(())
}

/// A file that no longer exists may still be in the index.
fn is_gone_note(path: &std::path::Path) -> bool {
    !path.exists()
        && path.extension().is_some()
        && path
            .parent()
            .is_some_and(|folder| folder.exists() || folder.as_os_str().is_empty())
}

/// The vault that a file lies in, by the marks of a vault in the folders above it.
fn vault_around(file: &std::path::Path) -> Option<std::path::PathBuf> {
    let file = std::path::absolute(file).ok()?;
    crate::settings::vault_above(file.parent()?)
}
