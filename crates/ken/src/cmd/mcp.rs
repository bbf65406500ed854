//! `ken mcp`: serves notes to an agent on standard input and output.

use anyhow::Result;

use super::Found;
use crate::args::Place;
use crate::desk::Desks;
use crate::mcp;
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, place: &Place) -> Result<Found> {
    mcp::stdio(Desks::open(settings, &served(settings, place))?)?;
    Ok(Found::Something)
}

/// An agent is started in the folder of some project, which is seldom where the notes are: where
/// nothing is named, the domains of the settings go before the folder.
fn served(settings: &Settings, place: &Place) -> Place {
    let is_named = Settings::is_place_named(place) || place.store.is_some();
    if is_named || settings.domains.is_empty() {
        return place.clone();
    }
    let names: Vec<&str> = settings.domains.keys().map(String::as_str).collect();
    Place {
        domain: Some(names.join(",")),
        ..place.clone()
    }
}
