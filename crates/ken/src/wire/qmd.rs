//! The JSON types of qmd, for what was written to read them.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Hit, Passage};

/// One hit as `qmd --json` prints it.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct QmdHit {
    pub(crate) docid: String,
    pub(crate) score: f64,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) title: String,
    /// Title and headings above the passage.
    pub(crate) context: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) snippet: Option<String>,
    /// The whole passage, instead of the snippet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<String>,
}

impl QmdHit {
    pub(crate) fn new(hit: &Hit, collection: &str, is_full: bool) -> Self {
        Self {
            docid: hit.id.clone(),
            score: hit.score,
            file: uri(collection, &hit.path),
            line: hit.start_line.unwrap_or(1),
            title: hit.title.clone(),
            context: hit.breadcrumb.join(" › "),
            snippet: (!is_full).then(|| hit.excerpt.clone()),
            body: is_full.then(|| hit.text.clone()),
        }
    }
}

/// One note as `qmd multi-get --json` prints it.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct QmdNote {
    pub(crate) file: String,
    pub(crate) title: String,
    pub(crate) body: String,
}

impl QmdNote {
    pub(crate) fn new(note: Passage, collection: &str) -> Self {
        Self {
            file: uri(collection, &note.path),
            title: note.title,
            body: note.text,
        }
    }
}

fn uri(collection: &str, path: &str) -> String {
    format!("qmd://{collection}/{path}")
}
