//! Notes as resources: listed page by page, read by address.

use kenning::Error;
use rmcp::model::{
    ErrorData, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate,
};

use super::{address, choose, read};
use crate::render::told;
use crate::searcher::{NotesRequest, Searchers, masked};
use crate::wire::ListedNote;

const PAGE: usize = 100;

/// Returns the template of every note's address.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new("ken://{domain}/{+path}", "note")
        .with_title("A note")
        .with_description("The text of a note, credentials masked, by domain and path")
}

/// Lists notes. The cursor is how many came before.
pub(super) fn list(
    searchers: &Searchers,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let offset = match cursor {
        None => 0,
        Some(cursor) => cursor
            .parse()
            .map_err(|_| ErrorData::invalid_params("the cursor is none of this server's", None))?,
    };
    let request = NotesRequest {
        offset,
        limit: PAGE,
        ..NotesRequest::default()
    };
    let searchers = choose::searchers(searchers, None).map_err(|error| internal(&error))?;
    choose::refresh(&searchers);
    let listed = match read::listed(&searchers, &request) {
        Ok(listed) => listed,
        // Clients ask for the list when they start, which may be before there is an index.
        Err(_) if searchers.iter().any(|searcher| searcher.is_updating()) => {
            return Ok(ListResourcesResult::default());
        }
        Err(error) => return Err(internal(&error)),
    };
    let resources = listed.notes.into_iter().map(|ListedNote { domain, note }| {
        let mime_type = address::mime_type(&note.path);
        Resource::new(address::uri(&domain, &note.path), told(&note.path))
            .with_title(told(&note.title))
            .with_mime_type(mime_type)
    });
    let mut result = ListResourcesResult::with_all_items(resources.collect());
    result.next_cursor = listed.next_offset.map(|next| next.to_string());
    Ok(result)
}

/// Reads the whole text of a note.
pub(super) fn read(searchers: &Searchers, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || {
        let data = serde_json::json!({"uri": masked(uri)});
        ErrorData::resource_not_found("there is no such resource", Some(data))
    };
    let (domain, path) = address::parse(uri).ok_or_else(unknown)?;
    let searcher = searchers.get(Some(&domain)).map_err(|_| unknown())?;
    searcher.refresh(choose::PATIENCE);
    let note = match searcher.passage(&path) {
        // Names and ids are for tools; a resource has one address.
        Ok(note) if note.note.path == path => note,
        Ok(_) => return Err(unknown()),
        Err(error) => match error.downcast_ref() {
            Some(Error::NotFound { .. } | Error::Ambiguous { .. }) => return Err(unknown()),
            _ => return Err(internal(&choose::explained(searcher, error))),
        },
    };
    let contents = ResourceContents::text(note.text, address::uri(&domain, &path))
        .with_mime_type(address::mime_type(&path));
    Ok(ReadResourceResult::new(vec![contents]))
}

fn internal(error: &anyhow::Error) -> ErrorData {
    ErrorData::internal_error(masked(&error.to_string()), None)
}
