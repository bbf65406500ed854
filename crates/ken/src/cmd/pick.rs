//! `ken` alone on a terminal: the picker.

use anyhow::Result;

use super::Found;
use super::lists::fresh;
use crate::args::Place;
use crate::hint::Hinted;
use crate::picker;
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, place: &Place) -> Result<Found> {
    if Settings::is_terminal_dumb() {
        return Err(Hinted::error(
            "this terminal cannot show the picker",
            "ask with `ken search QUERY`; `ken help` lists what else there is",
        ));
    }
    let searchers = fresh(settings, place)?;
    let is_opened = picker::run(settings, &searchers, Settings::has_colour(place))?;
    Ok(match is_opened {
        true => Found::Something,
        false => Found::Nothing,
    })
}
