//! The JSON shape of a list of notes.

use kenning::store::{NoteFacts, NoteRow};
use schemars::JsonSchema;
use serde::Serialize;

use crate::searcher::NotesRequest;

/// A page of the list of notes.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct NotesResponse {
    /// How many notes meet the conditions, on this page or not.
    pub(crate) n_notes: usize,
    pub(crate) offset: usize,
    pub(crate) notes: Vec<NoteSummary>,
}

/// One note of a list.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct NoteSummary {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) tags: Vec<String>,
    pub(crate) date: Option<String>,
}

impl From<&NoteRow> for NoteSummary {
    fn from(note: &NoteRow) -> Self {
        Self {
            path: note.path.clone(),
            title: note.title.clone(),
            tags: note.tags.clone(),
            date: note.date.clone(),
        }
    }
}

impl NotesResponse {
    pub(crate) fn new(mut facts: Vec<NoteFacts>, request: &NotesRequest) -> Self {
        facts.retain(|facts| {
            let has_tag = request.tag.as_deref().is_none_or(|tag| {
                let tag = tag.trim_start_matches('#');
                facts.has_tag(tag)
            });
            has_tag && facts.path.starts_with(&request.prefix)
        });
        facts.sort_by(|a, b| a.path.cmp(&b.path));
        let page = facts.iter().skip(request.offset).take(request.limit);
        Self {
            n_notes: facts.len(),
            offset: request.offset,
            notes: page
                .map(|facts| NoteSummary {
                    path: facts.path.clone(),
                    title: facts.title.clone(),
                    tags: facts.tags.clone(),
                    date: facts.date.clone(),
                })
                .collect(),
        }
    }
}
