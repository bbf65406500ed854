//! Vectors as they lie in the file: codes in long blocks, magnitudes in blocks of a page.

use rusqlite::{Connection, Statement};

use super::quantise::Coder;
use crate::store::lexical::directory::{SharedConnection, locked};

/// Vectors per block of codes, which are read from first to last.
pub(super) const BLOCK_VECTORS: usize = 1_024;
/// Bytes of a block of rows, at most: it lies on one page. Of rows only a few are read, and those of a longer block could
/// only be reached through every page before.
const ROW_BLOCK_BYTES: usize = 4_040;

/// Returns how many rows of so many bytes a block of rows has.
pub(super) fn row_block_vectors(row_bytes: usize) -> usize {
    (ROW_BLOCK_BYTES / row_bytes.max(1)).max(1)
}

/// Returns how many blocks of rows there are beside so many codes.
pub(super) fn n_row_blocks(n_vectors: usize, row_bytes: usize) -> usize {
    n_vectors.div_ceil(row_block_vectors(row_bytes))
}

/// Blocks of a vector table, one after the other.
pub(super) struct Blocks<'c> {
    statement: Statement<'c>,
    n_vectors: usize,
    n_bytes: usize,
}

impl<'c> Blocks<'c> {
    pub(super) fn of_codes(connection: &'c Connection, coder: &Coder) -> rusqlite::Result<Self> {
        Ok(Self {
            statement: connection.prepare("SELECT data FROM vector_code WHERE block = ?1")?,
            n_vectors: BLOCK_VECTORS,
            n_bytes: coder.code_bytes(),
        })
    }

    pub(super) fn of_rows(connection: &'c Connection, coder: &Coder) -> rusqlite::Result<Self> {
        Ok(Self {
            statement: connection.prepare("SELECT data FROM vector_row WHERE block = ?1")?,
            n_vectors: row_block_vectors(coder.row_bytes()),
            n_bytes: coder.row_bytes(),
        })
    }

    /// Calls `each` with some vectors of one block.
    pub(super) fn each(
        &mut self,
        ids: &[usize],
        mut each: impl FnMut(usize, &[u8]),
    ) -> rusqlite::Result<()> {
        let Some(first) = ids.first() else {
            return Ok(());
        };
        let mut found = self.statement.query([first / self.n_vectors])?;
        let block = found.next()?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
        let data = block.get_ref(0)?.as_blob()?;
        for &id in ids {
            let at = id % self.n_vectors * self.n_bytes;
            let vector = data.get(at..at + self.n_bytes);
            each(id, vector.ok_or(rusqlite::Error::BlobSizeError)?);
        }
        Ok(())
    }
}

/// Returns how many blocks of codes there are, if none is missing.
pub(super) fn n_code_blocks(connection: &SharedConnection) -> rusqlite::Result<usize> {
    let last = "SELECT ifnull(max(block) + 1, 0) FROM vector_code";
    locked(connection).query_row(last, [], |row| row.get(0))
}

/// Calls `each` with every block of codes.
pub(super) fn each_code_block(
    connection: &SharedConnection,
    coder: &Coder,
    each: impl FnMut(&[u8]),
) -> rusqlite::Result<()> {
    let n_bytes = BLOCK_VECTORS * coder.code_bytes();
    each_block(connection, "vector_code", n_bytes, each).map(drop)
}

/// Calls `each` with the row of every vector, of which there are as many as codes.
pub(super) fn each_kept_row(
    connection: &SharedConnection,
    coder: &Coder,
    n_vectors: usize,
    mut each: impl FnMut(usize, &[u8]),
) -> rusqlite::Result<()> {
    let n_bytes = coder.row_bytes();
    let mut id = 0;
    let n_blocks = each_block(
        connection,
        "vector_row",
        row_block_vectors(n_bytes) * n_bytes,
        |block| {
            for row in block.chunks_exact(n_bytes) {
                if id < n_vectors {
                    each(id, row);
                }
                id += 1;
            }
        },
    )?;
    match n_blocks == n_row_blocks(n_vectors, n_bytes) {
        true => Ok(()),
        false => Err(rusqlite::Error::BlobSizeError),
    }
}

/// Calls `each` with every block of a table, which has so many bytes; a block that is missing or
/// cut short would put all others in the wrong place. Returns how many there are.
fn each_block(
    connection: &SharedConnection,
    table: &str,
    n_bytes: usize,
    mut each: impl FnMut(&[u8]),
) -> rusqlite::Result<usize> {
    let connection = locked(connection);
    let mut statement =
        connection.prepare(&format!("SELECT data, block FROM {table} ORDER BY block"))?;
    let mut blocks = statement.query([])?;
    let mut number = 0;
    while let Some(block) = blocks.next()? {
        let data = block.get_ref(0)?.as_blob()?;
        if data.len() != n_bytes || block.get::<_, usize>(1)? != number {
            return Err(rusqlite::Error::BlobSizeError);
        }
        each(data);
        number += 1;
    }
    Ok(number)
}
