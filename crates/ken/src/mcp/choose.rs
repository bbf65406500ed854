//! Which searchers a call is for. What is not among the searchers of a client cannot be named.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use kenning::Error;

use super::address;
use crate::hint::{self, Hinted};
use crate::runtime;
use crate::searcher::{Searcher, Searchers};

/// How long a call waits for notes that have changed, over all searchers it asks.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// Returns the searcher of the domain, or all where none is named.
pub(super) fn searchers(searchers: &Searchers, domain: Option<&str>) -> Result<Vec<Arc<Searcher>>> {
    if let Some(domain) = domain {
        return Ok(vec![Arc::clone(searchers.get(Some(domain))?)]);
    }
    if searchers.all().is_empty() {
        return Err(Hinted::error(
            "no domain can be asked here",
            "add one with `ken domain add NAME PATH`, or name a folder with `--vault PATH`",
        ));
    }
    Ok(searchers.all().to_vec())
}

/// Takes a reference apart: an address names its domain itself.
pub(super) fn reference(
    all: &Searchers,
    reference: &str,
    domain: Option<&str>,
) -> Result<(Vec<Arc<Searcher>>, String)> {
    let Some((own, path)) = address::parse(reference) else {
        return Ok((searchers(all, domain)?, reference.to_owned()));
    };
    if domain.is_some_and(|domain| domain != own) {
        return Err(Hinted::error(
            format!("{reference:?} is not in that domain"),
            "leave `domain` out where an address is given",
        ));
    }
    Ok((searchers(all, Some(&own))?, path))
}

/// Brings the indexes up to date, within one patience for all of them.
pub(super) fn refresh(searchers: &[Arc<Searcher>]) -> Vec<String> {
    let deadline = Instant::now() + PATIENCE;
    let mut notices = Vec::new();
    for searcher in searchers {
        let told = searcher.refresh(deadline.saturating_duration_since(Instant::now()));
        notices.extend(
            told.into_iter()
                .map(|notice| named(searchers, searcher, notice)),
        );
    }
    notices
}

/// Puts the domain before a notice where there are several.
pub(super) fn named(searchers: &[Arc<Searcher>], searcher: &Searcher, notice: String) -> String {
    match searchers {
        [_] => notice,
        _ => format!("{}: {notice}", searcher.name()),
    }
}

/// Asks one searcher after the other and returns the first that knows.
pub(super) fn first<T>(
    searchers: &[Arc<Searcher>],
    ask: impl Fn(&Searcher) -> Result<T>,
) -> Result<(Arc<Searcher>, T)> {
    let mut trouble: Option<anyhow::Error> = None;
    for searcher in searchers {
        match ask(searcher) {
            Ok(answer) => return Ok((Arc::clone(searcher), answer)),
            Err(error) => {
                let error = explained(searcher, error);
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
pub(super) fn explained(searcher: &Searcher, error: anyhow::Error) -> anyhow::Error {
    let is_missing = error.downcast_ref().is_some_and(runtime::is_to_be_made);
    if is_missing && searcher.is_updating() {
        return Hinted::error(
            format!(
                "the notes of {:?} are being indexed for the first time",
                searcher.name()
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
