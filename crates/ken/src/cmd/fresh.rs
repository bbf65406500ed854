//! Puts a question to a domain whose index is up to date: what changed is taken in first, and a damaged
//! index is made again. `search`, `ask` and others come through here.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use kenning::Error;
use kenning::embed::EmbedError;
use kenning::index::{Freshness, Withheld};
use kenning::store::{FileId, Store};

use crate::hint;
use crate::render;
use crate::runtime::{self, How};
use crate::searcher::{Searcher, caveats, fresh};
use crate::settings::{Located, Settings};

/// Whether an index is brought up to date before it is asked.
#[derive(Clone, Copy)]
pub(super) struct Update {
    /// It is asked as it is.
    pub(super) is_off: bool,
    /// Every file is looked at first.
    pub(super) is_thorough: bool,
    pub(super) quiet: bool,
}

/// Puts a question to one domain, after bringing its index up to date; a damaged one is made again,
/// and the notice says so. `None` where there is no index yet.
pub(super) fn asked<T>(
    settings: &Settings,
    located: &Located,
    update: Update,
    question: impl Fn(&Searcher, &Store, Option<i64>) -> Result<T>,
) -> Result<Option<(T, Option<String>)>> {
    let seen = FileId::of(&located.store);
    let answer = ask_once(settings, located, update, &question);
    let damage = (answer.as_ref().err()).and_then(|error| runtime::damage(located, error));
    match damage {
        Some(reason) if located.vault.is_some() && !update.is_off => {
            let word = runtime::remake(located, &reason, seen)?;
            let answer = ask_once(settings, located, update, &question)?;
            Ok(answer.map(|answer| (answer, Some(word))))
        }
        _ => Ok(answer?.map(|answer| (answer, None))),
    }
}

fn ask_once<T>(
    settings: &Settings,
    located: &Located,
    update: Update,
    question: &impl Fn(&Searcher, &Store, Option<i64>) -> Result<T>,
) -> Result<Option<T>> {
    let now = runtime::now();
    let (store, is_checked) = match open_fresh(located, update) {
        Err(error) if matches!(error.downcast_ref(), Some(Error::StoreMissing { .. })) => {
            return Ok(None);
        }
        other => other?,
    };
    let model = Arc::new(runtime::Model::asked(located)?);
    let searcher = Searcher::new(settings, located.clone(), model);
    store.map_pages()?;
    question(&searcher, &store, is_checked.then_some(now)).map(Some)
}

/// A folder that is gone is told even where the index could not be told.
pub(super) fn said_of_missing(located: &Located, said: &[String]) -> Option<String> {
    let reason = runtime::FOLDER_GONE.to_owned();
    let is_gone = located.vault.as_ref().is_some_and(|vault| !vault.is_dir());
    let notice = caveats::withheld(located, &Withheld::Closed { reason });
    (is_gone && !said.contains(&notice)).then_some(notice)
}

/// Opens the index, bringing it up to date first where that is needed; tells whether it is known
/// to be up to date.
fn open_fresh(located: &Located, update: Update) -> Result<(Store, bool)> {
    let Some(folder) = located.vault.as_deref().filter(|_| !update.is_off) else {
        return Ok((runtime::store(located)?, false));
    };
    let store = match runtime::store(located) {
        Ok(store) => Some(store),
        Err(error) if runtime::is_to_be_made(&error) => None,
        Err(error) => return Err(error.into()),
    };
    if let Some(store) = store {
        let looked = fresh::look(located, folder, &store, update.is_thorough);
        let is_missing = |error: &anyhow::Error| {
            matches!(error.downcast_ref(), Some(Error::VaultMissing { .. }))
        };
        match looked {
            // A disk may not be there for now: what is known of it can still be asked.
            Err(error) if is_missing(&error) => return Ok((store, false)),
            Err(error) => return Err(error),
            Ok(Freshness::Fresh) => return Ok((store, true)),
            Ok(Freshness::Likely) => return Ok((store, false)),
            Ok(Freshness::Stale) => {}
        }
    }
    refresh(located, folder, update.quiet)
}

fn refresh(located: &Located, folder: &Path, quiet: bool) -> Result<(Store, bool)> {
    let how = How {
        is_hurried: true,
        ..How::default()
    };
    match runtime::update(located, folder, how) {
        Ok((report, _)) if report.is_stopped => {
            let notices = caveats::of_run(located, &report);
            Err(hint::Interrupted(notices.join("; ")).into())
        }
        Ok((report, seconds)) => {
            let did_something =
                report.n_added + report.n_changed + report.n_removed + report.n_renamed > 0;
            if did_something || report.rebuilt.is_some() {
                render::report(&report, seconds, quiet);
            }
            Ok((runtime::store(located)?, report.withheld.is_none()))
        }
        // Somebody else is at it; what they have committed so far can be searched.
        Err(error) if matches!(error.downcast_ref(), Some(Error::StoreBusy { .. })) => {
            render::say("note: another process is indexing; these are the notes it has finished");
            Ok((runtime::store(located)?, false))
        }
        // Words can still be looked up in the index as it is.
        Err(error) if is_for_the_model(&error) => {
            let Ok(store) = runtime::store(located) else {
                return Err(error);
            };
            let notice = "note: notes have changed, but without the model they cannot be indexed";
            render::say(&format!("{notice}: {error:#}"));
            Ok((store, false))
        }
        // What cannot be written can still be read.
        Err(error) if is_closed_to_us(&error) => match runtime::store(located) {
            Ok(store) => {
                render::say(&format!(
                    "note: the notes have changed, but the index cannot: {error}"
                ));
                Ok((store, false))
            }
            Err(_) => Err(error),
        },
        Err(error) => Err(error),
    }
}

/// Whether it is the model that cannot be had.
fn is_for_the_model(error: &anyhow::Error) -> bool {
    error.is::<EmbedError>() || matches!(error.downcast_ref(), Some(Error::Model(_)))
}

/// Whether the index may not be written, by us or by anybody.
fn is_closed_to_us(error: &anyhow::Error) -> bool {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    match error.downcast_ref() {
        Some(Error::Io { source, .. }) => {
            matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem)
        }
        _ => false,
    }
}
