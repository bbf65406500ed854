//! Chunk ids, which are also the slots of their vectors: which are free, and what they become.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, MAIN_DB};

use super::BLOCK_SLOTS;
use super::mean::Floor;
use crate::store::encode::EncodedNote;

/// Code and row of one vector.
type Vector = (Vec<u8>, Vec<u8>);

/// Chunk ids: which are free, and what their vectors become at the next commit.
#[derive(Default)]
pub(in crate::store) struct Slots {
    pub(in crate::store) free: BTreeSet<i64>,
    pub(in crate::store) next: i64,
    /// Slot and, unless it was freed, code and row.
    pub(in crate::store) pending: Vec<(i64, Option<Vector>)>,
    pub(in crate::store) code_bytes: usize,
    pub(in crate::store) row_bytes: usize,
}

impl Slots {
    /// Gives each chunk of a note a slot and keeps its vector for the commit.
    pub(in crate::store) fn assign(&mut self, note: &EncodedNote) {
        let codes = note.codes.chunks_exact(self.code_bytes);
        let rows = note.rows.chunks_exact(self.row_bytes);
        for (code, row) in codes.zip(rows) {
            let slot = self.free.pop_first().unwrap_or_else(|| {
                self.next += 1;
                self.next - 1
            });
            self.pending
                .push((slot, Some((code.to_vec(), row.to_vec()))));
        }
    }
}

/// Writes the vectors of changed slots into their blocks, in place where a block exists.
pub(in crate::store) fn write_vectors(
    connection: &Connection,
    slots: &Slots,
    pending: Vec<(i64, Option<Vector>)>,
) -> rusqlite::Result<()> {
    // The last word about a slot counts.
    let pending: BTreeMap<i64, _> = pending.into_iter().collect();
    let empty = (vec![0; slots.code_bytes], vec![0; slots.row_bytes]);
    let changes: Vec<(i64, Vector)> = pending
        .into_iter()
        .map(|(slot, vector)| (slot, vector.unwrap_or_else(|| empty.clone())))
        .collect();
    let block_of = |slot: i64| slot / BLOCK_SLOTS as i64;
    let mut floor = Floor::read(connection)?;
    let (mut code, mut row) = (vec![0; slots.code_bytes], vec![0; slots.row_bytes]);
    for same_block in changes.chunk_by(|a, b| block_of(a.0) == block_of(b.0)) {
        let block = block_of(same_block[0].0);
        make_block(connection, "vector_code", block, slots.code_bytes)?;
        make_block(connection, "vector_row", block, slots.row_bytes)?;
        let mut codes = connection.blob_open(MAIN_DB, "vector_code", "data", block, false)?;
        let mut rows = connection.blob_open(MAIN_DB, "vector_row", "data", block, false)?;
        for (slot, (new_code, new_row)) in same_block {
            let at = *slot as usize % BLOCK_SLOTS;
            codes.read_at_exact(&mut code, at * slots.code_bytes)?;
            rows.read_at_exact(&mut row, at * slots.row_bytes)?;
            floor.count(&code, &row, -1);
            floor.count(new_code, new_row, 1);
            codes.write_at(new_code, at * slots.code_bytes)?;
            rows.write_at(new_row, at * slots.row_bytes)?;
        }
    }
    floor.write(connection)
}

/// Makes sure that a block of vectors exists.
fn make_block(
    connection: &Connection,
    table: &str,
    block: i64,
    width: usize,
) -> rusqlite::Result<()> {
    let exists = connection
        .prepare_cached(&format!("SELECT 1 FROM {table} WHERE block = ?1"))?
        .exists([block])?;
    if !exists {
        connection
            .prepare_cached(&format!(
                "INSERT INTO {table} (block, data) VALUES (?1, zeroblob(?2))"
            ))?
            .execute((block, BLOCK_SLOTS * width))?;
    }
    Ok(())
}
