//! `ken traverse`: walks along links from a note towards a question.

use std::time::Instant;

use anyhow::Result;
use kenning::search::decay::{Decay, HalfLife, Mode};
use kenning::store::Store;
use kenning::traverse::{DEEP, FAST, Params, TraverseContext, Walker};
use kenning::{search, secrets};

use super::{Found, open};
use crate::args::{Place, TraverseArgs};
use crate::render;
use crate::settings::Settings;
use crate::wire::{CompareShape, MissedShape, TraverseShape, WalkShape, Walked};

pub(super) fn run(settings: &Settings, place: &Place, args: &TraverseArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let store = Store::open(&located.store)?;
    let note = search::passage(&store, &args.note)?.note;
    let model = open::Model::load(settings)?;
    let query = secrets::mask(args.query.join(" ")).0.into_string();
    let query = Some(query).filter(|query| !query.trim().is_empty());
    let decay = Decay {
        mode: Mode::HalfLife(HalfLife::default()),
        ..Decay::default()
    };
    let started = Instant::now();
    let cx = TraverseContext {
        store: &store,
        embedder: &model,
        now: open::now(),
        decay: &decay,
    };
    let walker = Walker::new(&cx, note.id, query.as_deref())?;
    let (fast, deep) = (with(FAST, args), with(DEEP, args));
    let (traversal, compare) = if args.compare {
        let compared = walker.compare(&fast, &deep)?;
        let shape = CompareShape {
            fast: WalkShape::from(&compared.fast),
            deep: WalkShape::from(&compared.deep),
            missed: compared.missed.iter().map(MissedShape::from).collect(),
        };
        let asked = if args.deep {
            compared.deep
        } else {
            compared.fast
        };
        (asked, Some(shape))
    } else {
        let params = if args.deep { &deep } else { &fast };
        (walker.walk(params)?, None)
    };
    let shape = TraverseShape::new(
        &traversal,
        Walked {
            path: note.path,
            title: note.title,
            query,
            mode: if args.deep { "deep" } else { "fast" },
            decay: &decay,
            took_ms: started.elapsed().as_secs_f64() * 1e3,
            compare,
        },
    );
    if args.json {
        render::print_json(&shape)?;
    } else {
        render::traversal(&shape, place.quiet)?;
    }
    // Where the walk began was known before.
    let has_found = shape.retained.iter().any(|kept| kept.seen.hop > 0);
    Ok(if has_found {
        Found::Something
    } else {
        Found::Nothing
    })
}

fn with(params: Params, args: &TraverseArgs) -> Params {
    Params {
        hops: args.depth.unwrap_or(params.hops),
        k: args.limit.map_or(params.k, |limit| limit as usize),
        ..params
    }
}
