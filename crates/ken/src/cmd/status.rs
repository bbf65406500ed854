//! `ken status`: what is indexed, how old it is, what was left out and why.

use anyhow::Result;

use super::Found;
use crate::args::{Place, StatusArgs};
use crate::desk::Desks;
use crate::render;
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, place: &Place, args: &StatusArgs) -> Result<Found> {
    let desks = Desks::open(settings, place)?;
    for desk in desks.all() {
        let shape = desk.status()?;
        if args.json {
            render::print_json(&shape)?;
        } else {
            if desks.all().len() > 1 {
                render::print(&format!("{}\n", render::inline(desk.name())))?;
            }
            render::status(&shape)?;
        }
    }
    Ok(Found::Something)
}
