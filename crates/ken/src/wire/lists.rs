//! The JSON of lists of notes: tags, tasks, what changed last.

use kenning::store::{NoteRow, day_of_ns};
use serde::Serialize;

/// A tag and how many notes have it or one below it.
#[derive(Debug, Serialize)]
pub(crate) struct TagCount {
    pub(crate) tag: String,
    pub(crate) notes: usize,
}

/// The tasks of one note.
#[derive(Debug, Serialize)]
pub(crate) struct NoteTasks {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) domain: Option<String>,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) date: Option<String>,
    pub(crate) tasks: Vec<Task>,
}

/// One task.
#[derive(Debug, Serialize)]
pub(crate) struct Task {
    /// The line it stands on, from 1.
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// A note in a list.
#[derive(Debug, Serialize)]
pub(crate) struct NoteLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) domain: Option<String>,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) date: Option<String>,
    /// The day its file was last modified.
    pub(crate) modified: Option<String>,
    pub(crate) tags: Vec<String>,
    /// How like it is to the note that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) score: Option<f64>,
}

impl NoteLine {
    pub(crate) fn new(domain: Option<&str>, note: &NoteRow) -> Self {
        Self {
            domain: domain.map(str::to_owned),
            path: note.path.clone(),
            title: note.title.clone(),
            date: note.date.clone(),
            modified: day_of_ns(note.mtime_ns).map(|day| day.to_string()),
            tags: note.tags.clone(),
            score: None,
        }
    }
}
