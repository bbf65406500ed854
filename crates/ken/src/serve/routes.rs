//! Every route: one row says its method, path and handler, what it is for, who may ask and what can go wrong. What it
//! takes and answers is read off the handler.

use super::table::{JSON, Route, delete, get, patch, post};
use super::{browse, conversations, curate, handlers, health, keep, openai, rag, reload};
use crate::wire::IndexReport;
use crate::wire::http::ReloadLine;
use crate::wire::openai::{Completion, CompletionChunk};
use crate::wire::rag::RagLine;

/// Returns the table.
pub(super) fn table() -> Vec<Route> {
    let mut table = asking();
    table.extend(looking());
    table.extend(answering());
    table.extend(changing());
    table.extend(talking());
    table.extend(around());
    table
}

/// Returns methods and paths of the routes that need no token.
pub(super) fn open() -> Vec<(&'static str, &'static str)> {
    let open = table().into_iter().filter(|route| route.is_open);
    open.map(|route| (route.method, route.path)).collect()
}

/// Returns the paths that files may be sent to.
pub(super) fn with_files() -> Vec<&'static str> {
    let large = table().into_iter().filter(|route| route.takes_files);
    large.map(|route| route.path).collect()
}

/// What is answered in sentences, as they form.
fn answering() -> Vec<Route> {
    vec![
        post("/rag", rag::rag)
            .says("Answer a question from the notes, with citations that are checked, line by line")
            .answers::<RagLine>(reload::NDJSON)
            .may_fail(&[404, 409])
            .with_files(),
        post("/v1/chat/completions", openai::completions)
            .says("Answer a chat from the notes, as clients of OpenAI ask")
            .answers::<Completion>(JSON)
            .answers::<CompletionChunk>(openai::EVENT_STREAM)
            .may_fail(&[502])
            .with_files(),
        get("/v1/models", openai::models).says("List the models that can answer a chat"),
    ]
}

/// What is asked of a domain.
fn asking() -> Vec<Route> {
    vec![
        get("/search", handlers::search).says("Find passages by word and by meaning"),
        post("/search", handlers::search_sent).says("Find passages by word and by meaning"),
        get("/ask", handlers::ask).says("Answer a question in the words of the notes"),
        post("/ask", handlers::ask_sent).says("Answer a question in the words of the notes"),
        get("/node/{*path}", handlers::node)
            .says("Read a note or some of its lines, and the passages it is searched by")
            .may_fail(&[409]),
        get("/links/{*path}", handlers::links)
            .says("Tell where a note leads, who links to it and what leads nowhere")
            .may_fail(&[409]),
        get("/traverse/{*path}", handlers::traverse)
            .says("Walk along links from a note, towards a question or what is like the note")
            .may_fail(&[409]),
        get("/context", handlers::context)
            .says("Tell what an agent should know when a conversation begins with a message"),
        get("/notes", handlers::notes).says("List notes by path"),
        get("/status", handlers::status)
            .says("Tell what is indexed, how old it is and what was left out"),
        post("/verify", handlers::verify)
            .says("Check the quotes of an answer against the notes it cites"),
    ]
}

/// What is asked of a domain by those who look around.
fn looking() -> Vec<Route> {
    vec![
        get("/facets", browse::facets)
            .says("Count tags, folders, months and endings of the notes that answer, or of all"),
        get("/preview/{*path}", browse::preview)
            .says("Render a note as HTML that is safe to show")
            .may_fail(&[409]),
        get("/similar/{*path}", browse::similar)
            .says("Find the notes that are like one, by meaning")
            .may_fail(&[409]),
        get("/calendar", browse::calendar).says("Count the notes of each day"),
        get("/map", browse::map).says("Place all notes on a plane, near those that they are like"),
        get("/findings", browse::findings)
            .says("List the credentials that were masked: where, never what"),
        get("/dead-links", browse::dead_links).says("List the links that lead nowhere"),
        get("/clients", browse::clients)
            .says("Tell who asks, and who else may to those who may ask every domain")
            .once(),
    ]
}

/// What changes an index, what lies beside it, or, for those who may, notes.
fn changing() -> Vec<Route> {
    vec![
        post("/reload", reload::reload)
            .says("Bring the index up to date with the notes; only what changed is read")
            .answers::<IndexReport>(JSON)
            .answers::<ReloadLine>(reload::NDJSON)
            .may_fail(&[409]),
        post("/deep", keep::keep)
            .says("Keep a result that somebody found worth keeping")
            .may_fail(&[404, 409]),
        get("/deep", keep::list).says("List the results that were kept, the last one first"),
        post("/promote", curate::promote)
            .says("Write the tags that are ticked in the review queue into their notes")
            .may_fail(&[403, 409]),
        get("/review", curate::review)
            .says("List the tags that wait in the review queue, and what was said of them")
            .may_fail(&[403]),
        get("/undo", curate::runs)
            .says("List what was written into notes and can be taken back, the last first")
            .may_fail(&[403]),
        post("/undo", curate::undo)
            .says("Take back what was written last: every file gets back what it held")
            .may_fail(&[403, 409]),
        post("/intake", curate::intake)
            .says("Take things in: make notes of what scores high, queue or log the rest")
            .may_fail(&[403, 409]),
        get("/intake", curate::waiting)
            .says("List what came in and waits for somebody to decide, the best first")
            .may_fail(&[403]),
        post("/intake/decide", curate::decide)
            .says("Keep or drop something that waits")
            .may_fail(&[403, 409]),
        post("/apply-renames", curate::apply_renames)
            .says("Give tags other names in all notes of the domain, or in none")
            .may_fail(&[403, 409]),
    ]
}

/// What was asked and answered before.
fn talking() -> Vec<Route> {
    vec![
        get("/conversations", conversations::list)
            .says("List this client's conversations, or those that have some words"),
        post("/conversations", conversations::begin).says("Begin a conversation"),
        get("/conversations/{id}", conversations::get)
            .says("Read a conversation: what was asked, answered and cited")
            .may_fail(&[404, 409]),
        patch("/conversations/{id}", conversations::change)
            .says("Rename a conversation, go back in it, or show another of its branches")
            .may_fail(&[404, 409]),
        delete("/conversations/{id}", conversations::delete)
            .says("Delete a conversation with all its branches")
            .may_fail(&[404, 409]),
        get("/conversations/{id}/export", conversations::export)
            .says("Read a conversation as Markdown")
            .answers::<String>(conversations::MARKDOWN)
            .may_fail(&[404, 409]),
    ]
}

/// What is asked of the server itself.
fn around() -> Vec<Route> {
    vec![
        get("/live", health::live)
            .says("Tell that the process answers, to anybody, whatever is wrong with indexes")
            .open()
            .once(),
        get("/health", health::health)
            .says("Tell whether indexes can be asked, to anybody; and which, to those who may ask")
            .open()
            .once(),
        get("/d/{domain}/health", health::domain_health)
            .says("Tell whether the index of a domain can be asked, and what that rests on")
            .once(),
        get("/domains", handlers::domains)
            .says("List the domains that this client may ask")
            .once(),
        get("/openapi.json", handlers::description)
            .says("Describe every route")
            .answers::<serde_json::Map<String, serde_json::Value>>(JSON)
            .once(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_stands_in_the_documentation() {
        let text = include_str!("../../../../docs/http.md");
        for route in table() {
            let (method, path) = (route.method.to_uppercase(), route.path.replace("{*", "{"));
            // What stands under a domain is the same as what stands without.
            let path = path.trim_start_matches("/d/{domain}");
            assert!(
                text.contains(&format!("`{method} {path}")),
                "{method} {path}"
            );
        }
    }
}
