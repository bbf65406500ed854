//! `ken traverse`: walks along links from a note towards a question.

use anyhow::Result;

use super::{Found, named};
use crate::args::{Place, TraverseArgs};
use crate::render;
use crate::searcher::{Searchers, WalkRequest};
use crate::settings::Settings;
use crate::wire::TraverseResponse;

pub(super) fn run(settings: &Settings, place: &Place, args: &TraverseArgs) -> Result<Found> {
    let request = WalkRequest {
        note: args.note.clone(),
        query: Some(args.query.join(" ")),
        depth: args.depth,
        limit: args.limit,
        is_deep: args.deep,
        is_compared: args.compare,
    };
    let searchers = Searchers::open(settings, place)?;
    let walk = named::ask(&searchers, &args.note, |searcher| {
        searcher.traverse(&request)
    })?;
    let walk = TraverseResponse::from(walk);
    if args.json {
        render::print_json(&walk)?;
    } else {
        render::traversal(&walk, place.quiet)?;
    }
    // Where the walk began was known before.
    let has_found = walk.retained.iter().any(|kept| kept.seen.hop > 0);
    Ok(if has_found {
        Found::Something
    } else {
        Found::Nothing
    })
}
