//! `links` and `traverse`: from note to note.

use anyhow::Result;
use rmcp::model::JsonObject;

use super::arguments::{self, LinksArguments, TraverseArguments};
use super::reply::{self, BYTES_MAX, Reply};
use super::{choose, text};
use crate::searcher::{Searchers, WalkRequest};
use crate::wire::{LinksOutput, TraverseOutput};

pub(super) fn links(searchers: &Searchers, arguments: JsonObject) -> Result<Reply> {
    let arguments: LinksArguments = arguments::read(arguments)?;
    let (searchers, reference) =
        choose::reference(searchers, &arguments.reference, arguments.domain.as_deref())?;
    let notices = choose::refresh(&searchers);
    let (searcher, links) = choose::first(&searchers, |searcher| searcher.links(&reference))?;
    let mut linked = LinksOutput {
        domain: searcher.name().to_owned(),
        links: links.into(),
        notices,
    };
    let mut room = BYTES_MAX;
    let lists = [
        ("outgoing", &mut linked.links.outgoing),
        ("backlinks", &mut linked.links.backlinks),
        ("unresolved", &mut linked.links.unresolved),
    ];
    for (name, list) in lists {
        let n_cut = reply::keep(list, &mut room);
        if n_cut > 0 {
            linked.notices.push(format!(
                "the last {n_cut} links of `{name}` were left out to keep this answer within 25,000 \
                 tokens; `ken links` lists all of them"
            ));
        }
    }
    let mut reply = Reply::new(&linked, text::linked(&linked))?;
    let around = linked.links.outgoing.iter().chain(&linked.links.backlinks);
    for path in around.filter_map(|link| link.path.as_deref()) {
        reply.link(searcher.name(), path, path);
    }
    Ok(reply)
}

pub(super) fn traverse(searchers: &Searchers, arguments: JsonObject) -> Result<Reply> {
    let arguments: TraverseArguments = arguments::read(arguments)?;
    let (searchers, note) =
        choose::reference(searchers, &arguments.reference, arguments.domain.as_deref())?;
    let notices = choose::refresh(&searchers);
    let request = WalkRequest {
        note,
        query: arguments.query,
        depth: arguments.depth,
        limit: arguments.limit,
        is_deep: arguments.deep.unwrap_or(false),
        is_compared: false,
    };
    let (searcher, walk) = choose::first(&searchers, |searcher| searcher.traverse(&request))?;
    let mut reached = TraverseOutput::new(walk.into(), searcher.name());
    reached.notices = notices;
    let n_cut = reply::keep(&mut reached.retained, &mut BYTES_MAX.clone());
    if n_cut > 0 {
        reached.notices.push(format!(
            "the last {n_cut} notes were left out to keep this answer within 25,000 tokens; a \
             smaller `depth` or a `query` narrows the walk"
        ));
    }
    let mut reply = Reply::new(&reached, text::reached(&reached))?;
    for note in &reached.retained {
        reply.link(searcher.name(), &note.seen.path, &note.seen.title);
    }
    Ok(reply)
}
