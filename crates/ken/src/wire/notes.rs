//! The JSON of notes: one of them or a part of it, and lists.

use kenning::note::MemoryType;
use kenning::search::{self, PropertyType};
use kenning::store::NoteFacts;
use schemars::JsonSchema;
use serde::Serialize;

use crate::searcher::NotesPage;

/// Part of a note.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Passage {
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) format: String,
    pub(crate) category: Option<String>,
    pub(crate) area: Option<String>,
    /// First line of the file, or of its text as read where the format has no lines.
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    pub(crate) n_lines: u32,
    pub(crate) tags: Vec<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) date: Option<String>,
    pub(crate) date_source: Option<String>,
    /// `semantic`, `procedural` or `episodic`, where the note is one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory_type: Option<&'static str>,
    pub(crate) properties: Vec<Property>,
    pub(crate) text: String,
}

/// One property of a note, with its type.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) r#type: &'static str,
    pub(crate) value: serde_json::Value,
}

impl From<search::Passage> for Passage {
    fn from(passage: search::Passage) -> Self {
        let search::Passage { note, facts, .. } = passage;
        let properties = facts.properties.into_iter();
        let (category, area) = note.para();
        Self {
            path: note.path.clone(),
            title: note.title.clone(),
            format: facts.source.format,
            category: category.map(str::to_owned),
            area: area.map(str::to_owned),
            start_line: passage.start_line,
            end_line: passage.end_line,
            n_lines: note.n_lines,
            tags: note.tags.clone(),
            aliases: note.aliases.clone(),
            date: note.date.clone(),
            date_source: facts.source.date_source,
            memory_type: note.memory_type.map(MemoryType::name),
            properties: properties
                .map(|(name, value)| Property {
                    r#type: PropertyType::of(&value).name(),
                    name,
                    value,
                })
                .collect(),
            text: passage.text,
        }
    }
}

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
    /// `semantic`, `procedural` or `episodic`, where the note is one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) memory_type: Option<&'static str>,
}

impl From<NoteFacts> for NoteSummary {
    fn from(note: NoteFacts) -> Self {
        Self {
            path: note.path,
            title: note.title,
            tags: note.tags,
            date: note.date,
            memory_type: note.memory_type.map(MemoryType::name),
        }
    }
}

impl From<NotesPage> for NotesResponse {
    fn from(page: NotesPage) -> Self {
        Self {
            n_notes: page.n_notes,
            offset: page.offset,
            notes: page.notes.into_iter().map(NoteSummary::from).collect(),
        }
    }
}
