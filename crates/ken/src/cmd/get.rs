//! `ken get`: prints a note or some of its lines, as indexed: credentials masked.

use anyhow::Result;

use super::{Found, qmd};
use crate::args::{GetArgs, Place};
use crate::desk::Desks;
use crate::render;
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, place: &Place, args: &GetArgs) -> Result<Found> {
    let (collection, reference) = qmd::reference(&args.reference);
    let mut place = place.clone();
    if let Some(collection) = collection {
        (place.domain, place.vault) = (Some(collection), None);
    }
    let passage = Desks::open(settings, &place)?
        .get(None)?
        .passage(&reference)?;
    if args.json {
        render::print_json(&passage)?;
    } else {
        render::passage(&passage, args.line_numbers)?;
    }
    Ok(Found::Something)
}
