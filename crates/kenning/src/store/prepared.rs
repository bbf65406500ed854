//! What the write flow hands over: a note in plain fields.

use std::borrow::Cow;

use crate::chunk::{Chunk, Prints};
use crate::note::{Format, Note, Warning};
use crate::vault::Stamp;

/// A note with everything that is to be kept of it.
pub struct PreparedNote {
    /// Path below the vault.
    pub path: String,
    /// Stamp of the file.
    pub stamp: Stamp,
    /// Hash of the file's bytes.
    pub hash: [u8; 16],
    /// How it was read.
    pub format: Format,
    /// The note.
    pub note: Note,
    /// Date shown and aged by, and where it came from.
    pub date: Option<(String, Cow<'static, str>)>,
    /// Whether the path says what the note is called; that of a collection is a mere id.
    pub is_named_by_file: bool,
    /// Names as keys: rank and key.
    pub names: Vec<(u8, String)>,
    /// Terms of everything but its text.
    pub terms: Terms,
    /// Chunks in order.
    pub chunks: Vec<PreparedChunk>,
    /// What could not be understood.
    pub warnings: Vec<Warning>,
    /// What was masked: line, and what gave it away.
    pub masked: Vec<(u32, Cow<'static, str>)>,
}

/// Terms of a note, field by field.
#[derive(Default)]
pub struct Terms {
    /// Title, unless it is the file name.
    pub title: String,
    /// File name.
    pub file_name: String,
    /// Aliases.
    pub aliases: String,
    /// Tags.
    pub tags: String,
    /// Folders.
    pub area: String,
    /// Summary.
    pub summary: String,
    /// Other properties.
    pub properties: String,
    /// Long words among all of them, spelled backwards.
    pub compounds: String,
}

/// A chunk of a note.
pub struct PreparedChunk {
    /// Where it lies.
    pub chunk: Chunk,
    /// Short public id.
    pub handle: u32,
    /// Fingerprints of its text.
    pub prints: Prints,
    /// Terms of its text.
    pub text_terms: String,
    /// Terms of the headings above it.
    pub section_terms: String,
    /// Long words of its text, spelled backwards.
    pub compound_terms: String,
    /// Number of text terms.
    pub n_terms: u32,
    /// Its embedding. Without one it is found by its words only, until it is put again.
    pub vector: Option<Vec<f32>>,
    /// Word pieces of the embedded text, each once and in order.
    pub pieces: Vec<u32>,
}
