//! Reading the rows of chunks.

use std::ops::Range;

use rusqlite::{Connection, Row};

use super::pieces;
use crate::chunk::Prints;
use crate::store::{ChunkId, NoteId};

/// Where a chunk lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkRow {
    /// Its id.
    pub id: ChunkId,
    /// Its note.
    pub note: NoteId,
    /// Position among the note's chunks.
    pub ordinal: u32,
    /// Innermost heading, as an index into the note's headings.
    pub heading: Option<usize>,
    /// Byte range in the note's text.
    pub range: Range<usize>,
    /// 1-based first line of the file, or of its text as read where it has none.
    pub start_line: u32,
    /// 1-based last line, inclusive.
    pub end_line: u32,
    /// Page, slide or sheet, where the format has one.
    pub page: Option<u32>,
    /// The file with the picture that it was read from, if it was.
    pub picture: Option<String>,
    /// Short public id.
    pub handle: u32,
    /// Fingerprints of its text.
    pub prints: Prints,
    /// Its word pieces, as they are kept.
    pub packed_pieces: Box<[u8]>,
}

impl ChunkRow {
    /// Appends the word pieces of its text and of what stands above it, each once and in order.
    pub fn pieces(&self, out: &mut Vec<u32>) {
        pieces::unpack(&self.packed_pieces, out);
    }

    /// Returns about how much memory it needs.
    pub fn n_bytes(&self) -> usize {
        size_of::<Self>() + self.packed_pieces.len()
    }
}

const COLUMNS: &str = "SELECT id, note, ordinal, heading, start_byte, end_byte, start_line,
    end_line, page, handle, print, first_print, last_print, pieces, picture FROM chunk";

/// Reads the chunk with an id.
pub(in crate::store) fn by_id(connection: &Connection, id: ChunkId) -> rusqlite::Result<ChunkRow> {
    connection
        .prepare_cached(&format!("{COLUMNS} WHERE id = ?1"))?
        .query_row([id.0], chunk_row)
}

/// Lists every chunk.
pub(in crate::store) fn ids(connection: &Connection) -> rusqlite::Result<Vec<ChunkId>> {
    connection
        .prepare_cached("SELECT id FROM chunk ORDER BY id")?
        .query_map([], |row| row.get(0).map(ChunkId))?
        .collect()
}

/// Reads the chunks of a note.
pub(in crate::store) fn of_note(
    connection: &Connection,
    note: NoteId,
) -> rusqlite::Result<Vec<ChunkRow>> {
    connection
        .prepare_cached(&format!("{COLUMNS} WHERE note = ?1 ORDER BY ordinal"))?
        .query_map([note.0], chunk_row)?
        .collect()
}

/// Reads the chunks with a short public id.
pub(in crate::store) fn by_handle(
    connection: &Connection,
    handle: u32,
) -> rusqlite::Result<Vec<ChunkRow>> {
    connection
        .prepare_cached(&format!("{COLUMNS} WHERE handle = ?1 ORDER BY id"))?
        .query_map([handle], chunk_row)?
        .collect()
}

fn chunk_row(row: &Row<'_>) -> rusqlite::Result<ChunkRow> {
    Ok(ChunkRow {
        id: ChunkId(row.get(0)?),
        note: NoteId(row.get(1)?),
        ordinal: row.get(2)?,
        heading: row.get(3)?,
        range: row.get(4)?..row.get(5)?,
        start_line: row.get(6)?,
        end_line: row.get(7)?,
        page: row.get(8)?,
        handle: row.get(9)?,
        prints: Prints {
            whole: row.get(10)?,
            first: row.get(11)?,
            last: row.get(12)?,
        },
        packed_pieces: (row.get_ref(13)?.as_blob_or_null()?.unwrap_or_default()).into(),
        picture: row.get(14)?,
    })
}
