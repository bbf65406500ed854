//! The JSON of what an agent is told when a conversation begins, and of what is remembered.

use kenning::note::MemoryType;
use kenning::search;
use schemars::JsonSchema;
use serde::Serialize;

use super::Hit;

/// What is told.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ContextResponse {
    /// The opening message, credentials masked.
    pub(crate) message: String,
    /// How well the notes answer it: strong, moderate, weak or none. Weak evidence is not told.
    pub(crate) evidence: &'static str,
    pub(crate) confidence: f64,
    /// The blocks as an agent reads them, in `<relevant-context>`; empty if there are none.
    pub(crate) text: String,
    pub(crate) blocks: Vec<ContextBlock>,
    pub(crate) notices: Vec<String>,
}

/// One block of it.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ContextBlock {
    /// Whether the settings name the note, so that it comes along whatever is asked.
    pub(crate) always: bool,
    /// Short id of the passage.
    pub(crate) id: Option<String>,
    pub(crate) domain: String,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) section: Option<String>,
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    pub(crate) page: Option<u32>,
    /// The file with the picture that it was read from, if it was: letters may be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) picture: Option<String>,
    pub(crate) score: Option<f64>,
    /// `semantic`, `procedural` or `episodic`, where the note is one of them.
    pub(crate) memory_type: Option<&'static str>,
    pub(crate) date: Option<String>,
    pub(crate) text: String,
}

impl ContextResponse {
    pub(crate) fn new(message: &str) -> Self {
        Self {
            message: message.to_owned(),
            evidence: "none",
            confidence: 0.0,
            text: String::new(),
            blocks: Vec::new(),
            notices: Vec::new(),
        }
    }
}

impl ContextBlock {
    /// Makes a block of a note that always comes along.
    pub(crate) fn always(domain: &str, passage: search::Passage) -> Self {
        let note = &passage.note;
        Self {
            always: true,
            id: None,
            domain: domain.to_owned(),
            path: note.path.clone(),
            title: note.title.clone(),
            section: None,
            start_line: note.has_lines().then_some(passage.start_line),
            end_line: note.has_lines().then_some(passage.end_line),
            page: None,
            picture: None,
            score: None,
            memory_type: note.memory_type.map(MemoryType::name),
            date: note.date.clone(),
            text: passage.text,
        }
    }

    /// Makes a block of a passage that was found.
    pub(crate) fn found(domain: &str, hit: &Hit) -> Self {
        Self {
            always: false,
            id: Some(hit.id.clone()),
            domain: domain.to_owned(),
            path: hit.path.clone(),
            title: hit.title.clone(),
            section: hit.section.clone(),
            start_line: hit.start_line,
            end_line: hit.end_line,
            page: hit.page,
            picture: hit.picture.clone(),
            score: Some(hit.score),
            memory_type: hit.memory_type,
            date: hit.date.clone(),
            text: hit.text.clone(),
        }
    }
}

/// What was written down.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct RememberResponse {
    pub(crate) domain: String,
    /// The note that it was added to.
    pub(crate) path: String,
    /// First line of what was added; `null` where something was taken back.
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    pub(crate) memory_type: Option<&'static str>,
    /// What was written, credentials masked; or what was taken back.
    pub(crate) text: String,
    /// How many credentials were masked.
    pub(crate) masked: usize,
    /// Whether it was taken back instead of written.
    pub(crate) undone: bool,
    pub(crate) notices: Vec<String>,
}
