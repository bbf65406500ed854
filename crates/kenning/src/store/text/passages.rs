//! Reading texts: of a note, of a passage.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::TextReader;
use crate::error::Result;
use crate::store::NoteId;
use crate::store::cache::Kept;
use crate::store::lexical::Place;
use crate::store::read::{ChunkRow, Store, meta};
use crate::words::Language;

/// Unpacked texts that are kept.
const BLOCK_BYTES_KEPT_MAX: usize = 8 << 20;
/// Places of texts that are kept.
const PLACE_BYTES_KEPT_MAX: usize = 1 << 19;

/// Texts of one snapshot that were read.
pub(in crate::store) struct Texts {
    reader: OnceLock<TextReader>,
    blocks: Kept<Vec<u8>>,
    places: Kept<TextPlace>,
}

impl Default for Texts {
    fn default() -> Self {
        Self {
            reader: OnceLock::new(),
            blocks: Kept::new(BLOCK_BYTES_KEPT_MAX, Vec::len),
            places: Kept::new(PLACE_BYTES_KEPT_MAX, |_| size_of::<TextPlace>()),
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

impl Store {
    /// Returns the text of a note, as it was read.
    pub fn text(&self, note: NoteId) -> Result<String> {
        self.text_of(note, |place| 0..place.own_start.unwrap_or(place.n_bytes))
    }

    /// Returns the file of a note as it stands, credentials masked, if its text was read out of it.
    pub fn own_text(&self, note: NoteId) -> Result<Option<String>> {
        let place = self.texts.places.get(note.0, || self.text_place(note))?;
        let own = place.own_start.map(|start| start..place.n_bytes);
        own.map(|own| self.text_of(note, |_| own.clone()))
            .transpose()
    }

    /// Returns the text of a chunk.
    pub fn passage(&self, chunk: &ChunkRow) -> Result<String> {
        self.text_of(chunk.note, |_| chunk.range.clone())
    }

    /// Whether any note says one of the terms, wherever that is.
    pub fn is_said(&self, terms: &[String]) -> Result<bool> {
        self.guarded(|| {
            let Some(reader) = self.lexical()? else {
                return Ok(false);
            };
            let is_said = |term: &String| {
                reader
                    .is_said(term)
                    .map_err(crate::store::lexical(self.path()))
            };
            for term in terms {
                if is_said(term)? {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// Whether a note in the language says a term.
    pub fn is_said_in(&self, term: &str, language: Language) -> Result<bool> {
        let notes = self.guarded(|| match self.lexical()? {
            Some(reader) => reader
                .notes_saying(term)
                .map_err(crate::store::lexical(self.path())),
            None => Ok(Vec::new()),
        })?;
        for note in notes {
            if self.note(note)?.language == language {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns what stands at a place of the word index, and in which language.
    pub(in crate::store) fn said(&self, place: &Place) -> Result<(String, Language)> {
        let note = self.note(place.note)?;
        let text = match place.chunk {
            Some(chunk) => self.passage(&self.chunk(chunk)?.row)?,
            None => {
                let names = [&note.title, &note.path].into_iter().chain(&note.aliases);
                names.fold(String::new(), |all, name| all + name + "\n")
            }
        };
        Ok((text, note.language))
    }

    fn text_of(&self, note: NoteId, part: impl Fn(&TextPlace) -> Range<usize>) -> Result<String> {
        let place = self.texts.places.get(note.0, || self.text_place(note))?;
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
        self.texts.blocks.get(id, || self.unpacked_block(id))
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
                    self.sql(|connection| meta(connection, "dictionary"))?;
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
