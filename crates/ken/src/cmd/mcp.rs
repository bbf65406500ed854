//! `ken mcp`: serves notes to an agent on standard input and output.

use anyhow::Result;

use super::Found;
use crate::args::{McpArgs, Place};
use crate::hint::Hinted;
use crate::mcp;
use crate::searcher::Searchers;
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, place: &Place, args: &McpArgs) -> Result<Found> {
    let mut caller = settings.person();
    caller.may_remember |= args.remember;
    mcp::stdio(
        Searchers::open(settings, &served(settings, place)?)?,
        caller,
    )?;
    Ok(Found::Something)
}

/// An agent is started in the folder of some project, which is seldom where the notes are: where
/// nothing is named, the domains of the settings go before the folder, and a folder is served only
/// if it is one of notes.
fn served(settings: &Settings, place: &Place) -> Result<Place> {
    let mut served = place.clone();
    if Settings::is_place_named(place) || place.store.is_some() {
        return Ok(served);
    }
    if settings.domains.is_empty() {
        served.vault = Settings::notes_here()?;
        return match served.vault {
            Some(_) => Ok(served),
            None => Err(Hinted::error(
                "there are no domains to serve, and the current folder is not a vault",
                "add one with `ken domain add NAME PATH`, or serve this folder with `ken mcp --vault .`",
            )),
        };
    }
    let names: Vec<&str> = settings.domains.keys().map(String::as_str).collect();
    served.domain = Some(names.join(","));
    Ok(served)
}
