//! `ken status`: what is indexed, how old it is, what was left out and why.

use anyhow::Result;
use kenning::store::Store;

use super::{Found, open};
use crate::args::{Place, StatusArgs};
use crate::render;
use crate::settings::Settings;
use crate::wire::StatusShape;

pub(super) fn run(settings: &Settings, place: &Place, args: &StatusArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let store = Store::open(&located.store)?;
    let status = store.status()?;
    let shape = StatusShape::new(
        &status,
        &located.store,
        located.vault.as_deref(),
        open::now(),
    );
    if args.json {
        render::print_json(&shape)?;
    } else {
        render::status(&shape)?;
    }
    Ok(Found::Something)
}
