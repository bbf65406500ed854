//! `ken links`: the links around a note.

use anyhow::Result;
use kenning::store::Store;
use kenning::{links, search};

use super::Found;
use crate::args::{LinksArgs, Place};
use crate::render;
use crate::settings::Settings;
use crate::wire::LinksShape;

pub(super) fn run(settings: &Settings, place: &Place, args: &LinksArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let store = Store::open(&located.store)?;
    let note = search::passage(&store, &args.note)?.note;
    let links = links::around(&store, note.id)?;
    let shape = LinksShape::new(note.path, links);
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
