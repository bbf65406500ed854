//! Chunk ids, which are also the slots of their vectors: which are free, and what they become.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, MAIN_DB};

use super::rows::NoteRecord;
use super::vectors::BLOCK_SLOTS;

/// Code and row of one vector.
type Vector = (Vec<u8>, Vec<u8>);

/// Chunk ids: which are free, and what their vectors become at the next commit.
#[derive(Default)]
pub(super) struct Slots {
    pub(super) free: BTreeSet<i64>,
    pub(super) next: i64,
    /// Slot and, unless it was freed, code and row.
    pub(super) pending: Vec<(i64, Option<Vector>)>,
    pub(super) code_bytes: usize,
    pub(super) row_bytes: usize,
}

impl Slots {
    /// Gives each chunk of the record a slot and keeps its vector for the commit.
    pub(super) fn assign(&mut self, record: &NoteRecord) {
        let codes = record.codes.chunks_exact(self.code_bytes);
        let rows = record.rows.chunks_exact(self.row_bytes);
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
pub(super) fn write_vectors(
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
    for same_block in changes.chunk_by(|a, b| block_of(a.0) == block_of(b.0)) {
        let block = block_of(same_block[0].0);
        for (table, width) in [
            ("vector_code", slots.code_bytes),
            ("vector_row", slots.row_bytes),
        ] {
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
            let mut blob = connection.blob_open(MAIN_DB, table, "data", block, false)?;
            for (slot, (code, row)) in same_block {
                let bytes = if table == "vector_code" { code } else { row };
                blob.write_at(bytes, *slot as usize % BLOCK_SLOTS * width)?;
            }
        }
    }
    Ok(())
}
