//! `ken links`: the links around a note.

use anyhow::Result;

use super::{Found, named};
use crate::args::{LinksArgs, Place};
use crate::render;
use crate::searcher::Searchers;
use crate::settings::Settings;
use crate::wire::LinksResponse;

pub(super) fn run(settings: &Settings, place: &Place, args: &LinksArgs) -> Result<Found> {
    let searchers = Searchers::open(settings, place)?;
    let links = named::ask(&searchers, &args.note, |searcher| {
        searcher.links(&args.note)
    })?;
    let links = LinksResponse::from(links);
    if args.json {
        render::print_json(&links)?;
    } else {
        render::links(&links)?;
    }
    let n_links = links.outgoing.len() + links.backlinks.len() + links.unresolved.len();
    Ok(if n_links == 0 {
        Found::Nothing
    } else {
        Found::Something
    })
}
