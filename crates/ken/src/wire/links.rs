//! The JSON of the links around a note.

use kenning::links::Links;
use kenning::store::LinkRow;
use schemars::JsonSchema;
use serde::Serialize;

/// The links around a note.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct LinksResponse {
    pub(crate) path: String,
    pub(crate) outgoing: Vec<Link>,
    pub(crate) backlinks: Vec<Link>,
    pub(crate) unresolved: Vec<Link>,
}

/// A link. `path` is the file at its other end.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Link {
    pub(crate) path: Option<String>,
    pub(crate) line: u32,
    pub(crate) kind: &'static str,
    pub(crate) target: String,
    pub(crate) anchor: Option<String>,
    pub(crate) shown: Option<String>,
}

impl Link {
    fn new(link: LinkRow, path: Option<String>) -> Self {
        Self {
            path,
            line: link.line,
            kind: link.kind.name(),
            target: link.target,
            anchor: link.anchor,
            shown: link.shown,
        }
    }
}

impl From<(String, Links)> for LinksResponse {
    fn from((path, links): (String, Links)) -> Self {
        let outgoing = links.outgoing.into_iter();
        let backlinks = links.backlinks.into_iter();
        let unresolved = links.unresolved.into_iter();
        Self {
            path,
            outgoing: outgoing
                .map(|link| Link::new(link.link, Some(link.target)))
                .collect(),
            backlinks: backlinks
                .map(|link| Link::new(link.link, Some(link.source)))
                .collect(),
            unresolved: unresolved.map(|link| Link::new(link, None)).collect(),
        }
    }
}
