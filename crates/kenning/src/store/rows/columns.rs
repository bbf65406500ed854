//! Lists and outlines as columns keep them: JSON, or nothing when they are empty. For every kind of store.

use crate::note::{Heading, MemoryType, Note, Warning};
use crate::store::PreparedNote;

/// A list as it is kept.
pub fn list(list: &[String]) -> Option<String> {
    (!list.is_empty()).then(|| serde_json::json!(list).to_string())
}

/// Reads a list.
pub fn read_list(json: Option<&str>) -> Vec<String> {
    json.map_or_else(Vec::new, |json| {
        serde_json::from_str(json).unwrap_or_default()
    })
}

/// The properties of a note.
pub fn properties(note: &Note) -> Option<String> {
    (!note.properties.is_empty())
        .then(|| serde_json::Value::Object(note.properties.clone()).to_string())
}

/// The outline of a note.
pub fn headings(note: &Note) -> Option<String> {
    let headings: Vec<_> = (note.headings.iter())
        .map(|h| (h.level, &h.text, h.range.start, h.range.end, h.line))
        .collect();
    (!headings.is_empty()).then(|| serde_json::json!(headings).to_string())
}

/// Reads an outline.
pub fn read_headings(json: Option<&str>) -> Vec<Heading> {
    let headings: Vec<(u8, String, usize, usize, u32)> = json.map_or_else(Vec::new, |json| {
        serde_json::from_str(json).unwrap_or_default()
    });
    let heading = |(level, text, start, end, line)| Heading {
        level,
        text,
        range: start..end,
        line,
    };
    headings.into_iter().map(heading).collect()
}

/// What could not be understood.
pub fn warnings(warnings: &[Warning]) -> Option<String> {
    let warnings: Vec<_> = warnings.iter().map(|w| (w.line, &w.message)).collect();
    (!warnings.is_empty()).then(|| serde_json::json!(warnings).to_string())
}

/// What a note is to an agent's memory: as it says itself, else as its folder does.
pub fn memory_type(record: &PreparedNote) -> Option<&'static str> {
    let own = record.note.facts.memory_type;
    let memory_type = own.or_else(|| MemoryType::of_folder(&record.path));
    memory_type.map(MemoryType::name)
}

/// Keys as they are kept, four bytes each.
pub fn keys(keys: &[u32]) -> Option<Vec<u8>> {
    let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
    (!bytes.is_empty()).then_some(bytes)
}

/// Reads what [`keys`] returned.
pub fn read_keys(bytes: &[u8]) -> Vec<u32> {
    let (keys, _) = bytes.as_chunks();
    keys.iter().map(|key| u32::from_le_bytes(*key)).collect()
}
