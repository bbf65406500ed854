//! Reading texts: of a note, of a passage.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::TextReader;
use crate::error::Result;
use crate::store::cache::Cache;
use crate::store::lexical::Place;
use crate::store::rows::meta;
use crate::store::sqlite::read::SqliteStore;
use crate::store::{NoteId, Part};
use crate::words::Language;

/// Bytes of unpacked texts that stay in memory.
const BLOCK_BYTES_CACHED_MAX: usize = 8 << 20;
/// Bytes of places of texts that stay in memory.
const PLACE_BYTES_CACHED_MAX: usize = 1 << 19;

/// Texts of one snapshot that were read.
pub(in crate::store) struct Texts {
    reader: OnceLock<TextReader>,
    blocks: Cache<i64, Vec<u8>>,
    places: Cache<i64, TextPlace>,
}

impl Default for Texts {
    fn default() -> Self {
        Self {
            reader: OnceLock::new(),
            blocks: Cache::new(BLOCK_BYTES_CACHED_MAX, Vec::len),
            places: Cache::new(PLACE_BYTES_CACHED_MAX, |_| size_of::<TextPlace>()),
        }
    }
}

/// Where a note's text lies: in which block, and where in it.
struct TextPlace {
    block: i64,
    start: usize,
    n_bytes: usize,
    /// Where in it the file as it stands begins, behind what was read out of it.
    own_start: Option<usize>,
}

impl SqliteStore {
    pub(in crate::store) fn read_text(&self, note: NoteId, part: &Part) -> Result<String> {
        self.text_of(note, |place| match part {
            Part::Whole => 0..place.own_start.unwrap_or(place.n_bytes),
            Part::File => place.own_start.unwrap_or(0)..place.n_bytes,
            Part::Passage(range) => range.clone(),
        })
    }

    /// Returns what stands at a place of the word index, and in which language.
    pub(in crate::store) fn said(&self, place: &Place) -> Result<(String, Language)> {
        let note = self.note(place.note)?;
        let text = match place.chunk {
            Some(chunk) => {
                let chunk = self.chunk(chunk)?;
                self.passage(&chunk)?
            }
            None => note.spelled(),
        };
        Ok((text, note.language))
    }

    fn text_of(&self, note: NoteId, part: impl Fn(&TextPlace) -> Range<usize>) -> Result<String> {
        let place = self.texts.places.get(&note.0, || self.text_place(note))?;
        let block = self.text_block(place.block)?;
        let text = block
            .get(place.start..place.start.saturating_add(place.n_bytes))
            .and_then(|text| text.get(part(&place)))
            .map(<[u8]>::to_vec);
        text.and_then(|text| String::from_utf8(text).ok())
            .ok_or_else(|| self.corrupt("a note's text is not where it should be".to_owned()))
    }

    fn text_place(&self, note: NoteId) -> Result<TextPlace> {
        self.sql(|connection| {
            connection
                .prepare_cached(
                    "SELECT block, start, n_bytes, own_start FROM note_text WHERE note = ?1",
                )?
                .query_row([note.0], |row| {
                    Ok(TextPlace {
                        block: row.get(0)?,
                        start: row.get(1)?,
                        n_bytes: row.get(2)?,
                        own_start: row.get(3)?,
                    })
                })
        })
    }

    /// Unpacks a block of texts, or returns it from memory: notes that are found together often lie
    /// together.
    fn text_block(&self, id: i64) -> Result<Arc<Vec<u8>>> {
        self.texts.blocks.get(&id, || self.unpacked_block(id))
    }

    fn unpacked_block(&self, id: i64) -> Result<Vec<u8>> {
        let packed: Vec<u8> = self.sql(|connection| {
            connection
                .prepare_cached("SELECT data FROM text_block WHERE id = ?1")?
                .query_row([id], |row| row.get(0))
        })?;
        let texts = match self.texts.reader.get() {
            Some(texts) => texts,
            None => {
                let dictionary: Option<Vec<u8>> =
                    self.sql(|connection| meta::get(connection, "dictionary"))?;
                let texts = TextReader::new(&dictionary.unwrap_or_default())
                    .map_err(|error| self.corrupt(error.to_string()))?;
                self.texts.reader.get_or_init(|| texts)
            }
        };
        texts
            .unpack(&packed)
            .map_err(|error| self.corrupt(error.to_string()))
    }
}
