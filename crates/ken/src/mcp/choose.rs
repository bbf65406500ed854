//! Which desks a call is for. What is not among the desks of a client cannot be named.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use kenning::Error;

use super::address;
use crate::cmd::open;
use crate::desk::{Desk, Desks};
use crate::hint::{self, Hinted};

/// How long a call waits for notes that have changed, over all desks it asks.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// Returns the desk of the domain, or all where none is named.
pub(super) fn desks(desks: &Desks, domain: Option<&str>) -> Result<Vec<Arc<Desk>>> {
    if let Some(domain) = domain {
        return Ok(vec![Arc::clone(desks.get(Some(domain))?)]);
    }
    if desks.all().is_empty() {
        return Err(Hinted::error(
            "no domain can be asked here",
            "add one with `ken domain add NAME PATH`, or name a folder with `--vault PATH`",
        ));
    }
    Ok(desks.all().to_vec())
}

/// Takes a reference apart: an address names its domain itself.
pub(super) fn reference(
    all: &Desks,
    reference: &str,
    domain: Option<&str>,
) -> Result<(Vec<Arc<Desk>>, String)> {
    let Some((own, path)) = address::parse(reference) else {
        return Ok((desks(all, domain)?, reference.to_owned()));
    };
    if domain.is_some_and(|domain| domain != own) {
        return Err(Hinted::error(
            format!("{reference:?} is not in that domain"),
            "leave `domain` out where an address is given",
        ));
    }
    Ok((desks(all, Some(&own))?, path))
}

/// Brings the indexes up to date, within one patience for all of them.
pub(super) fn refresh(desks: &[Arc<Desk>]) -> Vec<String> {
    let deadline = Instant::now() + PATIENCE;
    let mut notices = Vec::new();
    for desk in desks {
        let told = desk.refresh(deadline.saturating_duration_since(Instant::now()));
        notices.extend(told.into_iter().map(|notice| named(desks, desk, notice)));
    }
    notices
}

/// Puts the domain before a notice where there are several.
pub(super) fn named(desks: &[Arc<Desk>], desk: &Desk, notice: String) -> String {
    match desks {
        [_] => notice,
        _ => format!("{}: {notice}", desk.name()),
    }
}

/// Asks one desk after the other and returns the first that knows.
pub(super) fn first<T>(
    desks: &[Arc<Desk>],
    ask: impl Fn(&Desk) -> Result<T>,
) -> Result<(Arc<Desk>, T)> {
    let mut trouble: Option<anyhow::Error> = None;
    for desk in desks {
        match ask(desk) {
            Ok(answer) => return Ok((Arc::clone(desk), answer)),
            Err(error) => {
                let error = explained(desk, error);
                // That one domain does not know it says less than what is wrong with another.
                let is_telling = trouble.as_ref().is_none_or(is_unknown);
                if is_telling {
                    trouble = Some(error);
                }
            }
        }
    }
    Err(trouble.unwrap_or_else(|| Hinted::error("no domain can be asked here", "add one")))
}

fn is_unknown(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(Error::NotFound { .. }))
}

/// An index that is being made will be there soon.
pub(super) fn explained(desk: &Desk, error: anyhow::Error) -> anyhow::Error {
    let is_missing = error.downcast_ref().is_some_and(open::is_to_be_made);
    if is_missing && desk.is_updating() {
        return Hinted::error(
            format!(
                "the notes of {:?} are being indexed for the first time",
                desk.name()
            ),
            "ask again in some seconds",
        );
    }
    match error.downcast_ref() {
        Some(Error::StoreOfAnother { .. }) => {
            let hint = hint::of(&error).unwrap_or_default();
            Hinted::error(hint::told(&error), hint)
        }
        _ => error,
    }
}
