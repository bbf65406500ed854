//! `ken links`: the links around a note.

use anyhow::Result;

use super::Found;
use crate::args::{LinksArgs, Place};
use crate::desk::Desks;
use crate::render;
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, place: &Place, args: &LinksArgs) -> Result<Found> {
    let shape = Desks::open(settings, place)?.any(|desk| desk.links(&args.note))?;
    if args.json {
        render::print_json(&shape)?;
    } else {
        render::links(&shape)?;
    }
    let n_links = shape.outgoing.len() + shape.backlinks.len() + shape.unresolved.len();
    Ok(if n_links == 0 {
        Found::Nothing
    } else {
        Found::Something
    })
}
