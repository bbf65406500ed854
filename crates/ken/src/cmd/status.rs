//! `ken status`: what is indexed, how old it is, what was left out and why.

use anyhow::Result;

use super::Found;
use crate::args::{Place, StatusArgs};
use crate::desk::Desks;
use crate::render;
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, place: &Place, args: &StatusArgs) -> Result<Found> {
    let shape = Desks::open(settings, place)?.get(None)?.status()?;
    if args.json {
        render::print_json(&shape)?;
    } else {
        render::status(&shape)?;
    }
    Ok(Found::Something)
}
