//! `ken get`: prints a note or some of its lines, as indexed: credentials masked.

use anyhow::Result;

use super::Found;
use crate::args::{GetArgs, Place};
use crate::desk::Desks;
use crate::render;
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, place: &Place, args: &GetArgs) -> Result<Found> {
    let passage = Desks::open(settings, place)?.any(|desk| desk.passage(&args.reference))?;
    if args.json {
        render::print_json(&passage)?;
    } else {
        render::passage(&passage, args.line_numbers)?;
    }
    Ok(Found::Something)
}
