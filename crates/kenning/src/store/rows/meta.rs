//! What is known of the index as a whole.

use std::collections::HashMap;

use rusqlite::types::{FromSql, Value};
use rusqlite::{Connection, OptionalExtension};

use crate::embed::{Adapter, ModelId};
use crate::words::Language;

/// The fact of an index that keeps what questions are adapted by.
pub(crate) const ADAPTER: &str = "adapter";

/// The index as a whole, as far as every question may need it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// Model of the vectors; none in an index that was never filled.
    pub model: Option<ModelId>,
    /// The languages of the notes and how many are written in each, commonest first.
    pub languages: Vec<(Language, u64)>,
    /// Number of notes.
    pub n_notes: u64,
    /// Seconds since 1970 at which the vault was last compared with the index.
    pub checked_at: Option<i64>,
    /// The file system that the vault was last seen on.
    pub device: Option<u64>,
    /// Name of the vault that it was made from.
    pub vault: Option<String>,
    adapter: Option<Adapter>,
    facts: HashMap<String, String>,
}

impl Meta {
    /// Makes sense of what is kept of the index as a whole, by key.
    pub fn of(facts: HashMap<String, String>) -> Self {
        let fact = |key: &str| facts.get(key).map(String::as_str);
        let languages: Vec<(String, u64)> =
            serde_json::from_str(fact("languages").unwrap_or_default()).unwrap_or_default();
        let model = fact("model_name").map(|name| ModelId {
            name: name.to_owned(),
            revision: fact("model_revision").unwrap_or_default().to_owned(),
            dimensions: (fact("model_dimensions").and_then(|n| n.parse().ok())).unwrap_or_default(),
        });
        let adapter = fact(ADAPTER).and_then(Adapter::read);
        Self {
            adapter: adapter.filter(|own| model.as_ref().is_some_and(|model| own.fits(model))),
            model,
            languages: languages
                .into_iter()
                .map(|(code, n_notes)| (Language::from_code(&code), n_notes))
                .collect(),
            n_notes: fact("n_notes").and_then(|n| n.parse().ok()).unwrap_or(0),
            checked_at: fact("checked_at").and_then(|time| time.parse().ok()),
            device: fact("device").and_then(|id| id.parse().ok()),
            vault: fact("vault").map(str::to_owned),
            facts,
        }
    }

    /// Returns what questions are adapted to the vault by, if it is there and made for the model of the index.
    pub fn adapter(&self) -> Option<&Adapter> {
        self.adapter.as_ref()
    }

    /// Lists everything that is noted of the index, by key.
    pub fn facts(&self) -> impl Iterator<Item = (&str, &str)> {
        (self.facts.iter()).map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Returns what a writer has noted of the index under a key (see `StoreWriter::set_fact`).
    pub fn fact(&self, key: &str) -> Option<&str> {
        self.facts.get(key).map(String::as_str)
    }
}

/// Reads everything but what only the store itself makes sense of.
pub(in crate::store) fn read(connection: &Connection) -> rusqlite::Result<Meta> {
    let facts: HashMap<String, String> = connection
        .prepare_cached("SELECT key, value FROM meta WHERE typeof(value) IN ('text', 'integer')")?
        .query_map([], |row| Ok((row.get(0)?, text(row.get(1)?))))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(Meta::of(facts))
}

fn text(value: Value) -> String {
    match value {
        Value::Text(text) => text,
        Value::Integer(number) => number.to_string(),
        _ => String::new(),
    }
}

/// Reads one value.
pub(in crate::store) fn get<T: FromSql>(
    connection: &Connection,
    key: &str,
) -> rusqlite::Result<Option<T>> {
    connection
        .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
        .query_row([key], |row| row.get(0))
        .optional()
}

/// Writes what the vectors lie around.
pub(in crate::store) fn set_center(
    connection: &Connection,
    center: &[f32],
) -> rusqlite::Result<()> {
    let center: Vec<u8> = center.iter().flat_map(|x| x.to_le_bytes()).collect();
    connection
        .prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES ('code_center', ?1)")?
        .execute([center])
        .map(drop)
}

/// Reads which index it is and how many commits it has.
pub(in crate::store) fn identity(connection: &Connection) -> rusqlite::Result<Vec<u8>> {
    connection.query_row("SELECT token FROM identity", [], |row| row.get(0))
}

/// Reads what the vectors lie around.
pub(in crate::store) fn center(connection: &Connection) -> rusqlite::Result<Vec<f32>> {
    let bytes: Vec<u8> = get(connection, "code_center")?.unwrap_or_default();
    let (numbers, _) = bytes.as_chunks();
    Ok(numbers
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect())
}
