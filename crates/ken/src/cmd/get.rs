//! `ken get`: prints a note or some of its lines, as indexed: credentials masked.

use anyhow::Result;
use kenning::search;
use kenning::store::Store;

use super::Found;
use crate::args::{GetArgs, Place};
use crate::render;
use crate::settings::Settings;
use crate::wire::PassageShape;

pub(super) fn run(settings: &Settings, place: &Place, args: &GetArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let store = Store::open(&located.store)?;
    let passage = PassageShape::from(search::passage(&store, &args.reference)?);
    if args.json {
        render::print_json(&passage)?;
    } else {
        render::passage(&passage, args.line_numbers)?;
    }
    Ok(Found::Something)
}
