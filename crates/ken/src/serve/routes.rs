//! Every route.

use super::table::{JSON, Route, get, post};
use super::{ask, keep, reload};
use crate::wire::http::{
    DomainsResponse, HealthResponse, KeepParams, KeptResult, KeptResults, LinesParams,
    NodeResponse, NotesParams, PageParams, ReloadLine, ReloadParams, SearchParams, VerifyParams,
    WalkParams,
};
use crate::wire::{
    IndexReport, LinksResponse, NotesResponse, SearchResponse, StatusResponse, TraverseResponse,
    VerifyResponse,
};

/// Returns the table.
pub(super) fn table() -> Vec<Route> {
    let mut table = asking();
    table.extend(changing());
    table.extend(around());
    table
}

/// What is asked of a domain.
fn asking() -> Vec<Route> {
    vec![
        get("/search", ask::search)
            .says("Find passages by word and by meaning")
            .takes::<SearchParams>()
            .answers::<SearchResponse>(),
        post("/search", ask::search_sent)
            .says("Find passages by word and by meaning")
            .reads::<SearchParams>()
            .answers::<SearchResponse>(),
        get("/node/{*path}", ask::node)
            .says("Read a note or some of its lines, and the passages it is searched by")
            .takes::<LinesParams>()
            .answers::<NodeResponse>()
            .may_fail(&[409]),
        get("/links/{*path}", ask::links)
            .says("Tell where a note leads, who links to it and what leads nowhere")
            .answers::<LinksResponse>()
            .may_fail(&[409]),
        get("/traverse/{*path}", ask::traverse)
            .says("Walk along links from a note, towards a question or what is like the note")
            .takes::<WalkParams>()
            .answers::<TraverseResponse>()
            .may_fail(&[409]),
        get("/notes", ask::notes)
            .says("List notes by path")
            .takes::<NotesParams>()
            .answers::<NotesResponse>(),
        get("/status", ask::status)
            .says("Tell what is indexed, how old it is and what was left out")
            .answers::<StatusResponse>(),
        post("/verify", ask::verify)
            .says("Check the quotes of an answer against the notes it cites")
            .reads::<VerifyParams>()
            .answers::<VerifyResponse>(),
    ]
}

/// What changes an index or what lies beside it; never a note.
fn changing() -> Vec<Route> {
    vec![
        post("/reload", reload::reload)
            .says("Bring the index up to date with the notes; only what changed is read")
            .takes::<ReloadParams>()
            .answers_as::<IndexReport>(200, JSON)
            .answers_as::<ReloadLine>(200, reload::NDJSON)
            .may_fail(&[409]),
        post("/deep", keep::keep)
            .says("Keep a result that somebody found worth keeping")
            .reads::<KeepParams>()
            .answers_as::<KeptResult>(201, JSON)
            .may_fail(&[404, 409]),
        get("/deep", keep::list)
            .says("List the results that were kept, the last one first")
            .takes::<PageParams>()
            .answers::<KeptResults>(),
        post("/promote", ask::not_built)
            .says("Not built: promote proposed tags")
            .may_fail(&[501]),
        post("/apply-renames", ask::not_built)
            .says("Not built: rename tags in notes")
            .may_fail(&[501]),
    ]
}

/// What is asked of the server itself.
fn around() -> Vec<Route> {
    vec![
        get("/health", ask::health)
            .says("Tell whether the server answers, to anybody; and what it serves, to those who may ask")
            .answers::<HealthResponse>()
            .once(),
        get("/d/{domain}/health", ask::domain_health)
            .says("Tell whether the server answers for a domain, and what that rests on")
            .answers::<HealthResponse>()
            .once(),
        get("/domains", ask::domains)
            .says("List the domains that this client may ask")
            .answers::<DomainsResponse>()
            .once(),
        get("/openapi.json", ask::description)
            .says("Describe every route")
            .answers::<serde_json::Map<String, serde_json::Value>>()
            .once(),
    ]
}
