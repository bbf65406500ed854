//! Chunk ids, which are also vector ids: which are free, and what vectors they get.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, MAIN_DB};
use rustc_hash::FxHashSet;

use super::blocks::{BLOCK_VECTORS, n_row_blocks, row_block_vectors};
use super::mean::VectorSum;
use crate::store::ChunkId;
use crate::store::encode::EncodedNote;

/// Binary code and quantised form of one vector.
type Vector = (Vec<u8>, Vec<u8>);

/// Chunk ids: which are free, and what their vectors become at the next commit.
#[derive(Default)]
pub(in crate::store) struct VectorIds {
    pub(in crate::store) free: BTreeSet<i64>,
    pub(in crate::store) next: i64,
    /// Vector id and, unless it was freed, code and row.
    pub(in crate::store) pending: Vec<(i64, Option<Vector>)>,
    pub(in crate::store) code_bytes: usize,
    pub(in crate::store) row_bytes: usize,
}

impl VectorIds {
    /// Gives each chunk of a note a vector id and keeps its vector for the commit.
    pub(in crate::store) fn assign(&mut self, note: &EncodedNote) {
        let codes = note.codes.chunks_exact(self.code_bytes);
        let rows = note.rows.chunks_exact(self.row_bytes);
        for (code, row) in codes.zip(rows) {
            let id = self.free.pop_first().unwrap_or_else(|| {
                self.next += 1;
                self.next - 1
            });
            self.pending.push((id, Some((code.to_vec(), row.to_vec()))));
        }
    }
}

/// Writes the vectors of changed ids into their blocks, in place where a block exists.
pub(in crate::store) fn write_vectors(
    connection: &Connection,
    ids: &VectorIds,
    pending: Vec<(i64, Option<Vector>)>,
) -> rusqlite::Result<()> {
    // The last word about a vector id counts.
    let pending: BTreeMap<i64, _> = pending.into_iter().collect();
    let empty = (vec![0; ids.code_bytes], vec![0; ids.row_bytes]);
    let changes: Vec<(i64, Vector)> = pending
        .into_iter()
        .map(|(id, vector)| (id, vector.unwrap_or_else(|| empty.clone())))
        .collect();
    let block_of = |id: i64| id / BLOCK_VECTORS as i64;
    let n_rows = row_block_vectors(ids.row_bytes) as i64;
    let mut sum = VectorSum::read(connection)?;
    let (mut code, mut row) = (vec![0; ids.code_bytes], vec![0; ids.row_bytes]);
    for same_block in changes.chunk_by(|a, b| block_of(a.0) == block_of(b.0)) {
        let block = block_of(same_block[0].0);
        make_block(connection, ids, block)?;
        let mut codes = connection.blob_open(MAIN_DB, "vector_code", "data", block, false)?;
        let first = same_block[0].0 / n_rows;
        let mut rows = connection.blob_open(MAIN_DB, "vector_row", "data", first, false)?;
        for (id, (new_code, new_row)) in same_block {
            rows.reopen(id / n_rows)?;
            let at = *id as usize % BLOCK_VECTORS * ids.code_bytes;
            let row_at = (id % n_rows) as usize * ids.row_bytes;
            codes.read_at_exact(&mut code, at)?;
            rows.read_at_exact(&mut row, row_at)?;
            sum.count(&code, &row, -1);
            sum.count(new_code, new_row, 1);
            codes.write_at(new_code, at)?;
            rows.write_at(new_row, row_at)?;
        }
    }
    sum.write(connection)
}

/// Makes sure that a block of codes exists, and those of their rows.
fn make_block(connection: &Connection, ids: &VectorIds, block: i64) -> rusqlite::Result<()> {
    let exists = connection
        .prepare_cached("SELECT 1 FROM vector_code WHERE block = ?1")?
        .exists([block])?;
    if exists {
        return Ok(());
    }
    connection
        .prepare_cached("INSERT INTO vector_code (block, data) VALUES (?1, zeroblob(?2))")?
        .execute((block, BLOCK_VECTORS * ids.code_bytes))?;
    let n_blocks = |n_codes: i64| n_row_blocks(n_codes as usize * BLOCK_VECTORS, ids.row_bytes);
    let mut add = connection
        .prepare_cached("INSERT INTO vector_row (block, data) VALUES (?1, zeroblob(?2))")?;
    for number in n_blocks(block)..n_blocks(block + 1) {
        add.execute((number, row_block_vectors(ids.row_bytes) * ids.row_bytes))?;
    }
    Ok(())
}

/// Returns the ids of chunks that no vector was made of yet.
pub(in crate::store) fn missing(connection: &Connection) -> rusqlite::Result<FxHashSet<usize>> {
    connection
        .prepare_cached("SELECT chunk FROM chunk_without_vector")?
        .query_map([], |row| row.get(0))?
        .collect()
}

/// Notes that some chunks have a vector now.
pub(in crate::store) fn set_found(
    connection: &Connection,
    chunks: &[ChunkId],
) -> rusqlite::Result<()> {
    let mut found =
        connection.prepare_cached("DELETE FROM chunk_without_vector WHERE chunk = ?1")?;
    chunks
        .iter()
        .try_for_each(|chunk| found.execute([chunk.0]).map(drop))
}

/// Notes which of some chunks have no vector.
pub(in crate::store) fn set_missing(
    connection: &Connection,
    ids: &[i64],
    has_vector: &[bool],
) -> rusqlite::Result<()> {
    let missing = ids.iter().zip(has_vector).filter(|(_, has)| !**has);
    for (id, _) in missing {
        connection
            .prepare_cached("INSERT INTO chunk_without_vector (chunk) VALUES (?1)")?
            .execute([id])?;
    }
    Ok(())
}
