//! Nearest neighbours: a scan of all sign codes, then the packed rows of the best of them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::{Connection, MAIN_DB};

use super::ChunkId;
use super::codes::{self, Coder};
use super::directory::{SharedConnection, locked};
use super::floor::Floor;
use crate::cpu;

/// Slots per row of the vector tables.
pub(super) const BLOCK_SLOTS: usize = 1_024;
/// How many of the nearest codes are compared exactly. Recall of the true nearest 50 is in
/// docs/benchmarks.md.
const RESCORED: usize = 800;

/// How many rows before it is needed a row is asked for.
const ROWS_AHEAD: usize = 8;

/// Distances that are compared at once.
const SCANNED_AT_ONCE: usize = 32;

/// A chunk near the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The chunk.
    pub chunk: ChunkId,
    /// Cosine of its vector with the query's.
    pub cosine: f32,
}

/// All rows, unpacked.
struct Rows {
    scales: Vec<f32>,
    values: Vec<i8>,
    width: usize,
}

impl Rows {
    fn get(&self, slot: usize) -> Option<(f32, &[i8])> {
        let values = self
            .values
            .get(slot * self.width..(slot + 1) * self.width)?;
        Some((self.scales[slot], values))
    }
}

/// The vectors of one snapshot.
pub(super) struct VectorReader {
    coder: Coder,
    /// Mean of all rows.
    mean: Vec<f32>,
    codes: Vec<u64>,
    rows: OnceLock<Rows>,
    n_queries: AtomicU32,
}

impl VectorReader {
    pub(super) fn open(connection: &Connection, center: Vec<f32>) -> rusqlite::Result<Self> {
        let coder = Coder::new(center);
        let mut codes = Vec::new();
        let mut statement = connection.prepare("SELECT data FROM vector_code ORDER BY block")?;
        let mut blocks = statement.query([])?;
        while let Some(block) = blocks.next()? {
            let data = block.get_ref(0)?.as_blob()?;
            codes.extend(data.chunks_exact(8).map(codes::word));
        }
        Ok(Self {
            coder,
            mean: Floor::read(connection)?.mean(),
            codes,
            rows: OnceLock::new(),
            n_queries: AtomicU32::new(0),
        })
    }

    /// Returns the `limit` nearest chunks among the slots that `is_wanted`, best first, and the
    /// vault's noise floor: the mean cosine of all its chunks.
    pub(super) fn nearest(
        &self,
        connection: &SharedConnection,
        query: &[f32],
        limit: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> rusqlite::Result<(Vec<Neighbour>, f32)> {
        self.n_queries.fetch_add(1, Ordering::Relaxed);
        let slots = self.nearest_codes(query, limit.max(RESCORED), &is_wanted);
        let mut neighbours = self.cosines(connection, query, &slots)?;
        let nearest_first = |a: &Neighbour, b: &Neighbour| {
            (b.cosine.total_cmp(&a.cosine)).then(a.chunk.cmp(&b.chunk))
        };
        if neighbours.len() > limit {
            neighbours.select_nth_unstable_by(limit, nearest_first);
            neighbours.truncate(limit);
        }
        neighbours.sort_by(nearest_first);
        let floor = self.coder.query(query).mean_cosine(&self.mean);
        Ok((neighbours, floor))
    }

    /// Returns the cosine of each of the given slots, which must be in order.
    pub(super) fn cosines(
        &self,
        connection: &SharedConnection,
        query: &[f32],
        slots: &[usize],
    ) -> rusqlite::Result<Vec<Neighbour>> {
        let query = self.coder.query(query);
        let neighbour = |slot: usize, scale: f32, values: &[i8]| Neighbour {
            chunk: ChunkId(slot as i64),
            cosine: query.cosine(scale, values),
        };
        if let Some(rows) = self.all_rows(connection)? {
            return Ok((0..)
                .zip(slots)
                .filter_map(|(index, &slot)| {
                    let (scale, values) = rows.get(slot)?;
                    let ahead = slots.get(index + ROWS_AHEAD);
                    if let Some((_, soon)) = ahead.and_then(|&slot| rows.get(slot)) {
                        cpu::prefetch(soon);
                    }
                    Some(neighbour(slot, scale, values))
                })
                .collect());
        }
        let connection = locked(connection);
        let mut found = Vec::with_capacity(slots.len());
        let width = self.coder.row_bytes();
        let (mut row, mut values) = (vec![0; width], Vec::new());
        for same_block in slots.chunk_by(|a, b| a / BLOCK_SLOTS == b / BLOCK_SLOTS) {
            let block = (same_block[0] / BLOCK_SLOTS) as i64;
            let blob = connection.blob_open(MAIN_DB, "vector_row", "data", block, true)?;
            for &slot in same_block {
                blob.read_at_exact(&mut row, slot % BLOCK_SLOTS * width)?;
                values.clear();
                let scale = codes::unpack(self.code(slot), &row, &mut values);
                found.push(neighbour(slot, scale, &values));
            }
        }
        Ok(found)
    }

    /// One query reads the few rows it needs; a second one tells a process that stays, which is
    /// better served by keeping all of them unpacked.
    fn all_rows(&self, connection: &SharedConnection) -> rusqlite::Result<Option<&Rows>> {
        if self.n_queries.load(Ordering::Relaxed) < 2 {
            return Ok(None);
        }
        if let Some(rows) = self.rows.get() {
            return Ok(Some(rows));
        }
        let mut rows = Rows {
            scales: Vec::with_capacity(self.n_slots()),
            values: Vec::with_capacity(self.n_slots() * self.code_words() * 64),
            width: self.code_words() * 64,
        };
        let connection = locked(connection);
        let mut statement = connection.prepare("SELECT data FROM vector_row ORDER BY block")?;
        let mut blocks = statement.query([])?;
        while let Some(block) = blocks.next()? {
            for row in block
                .get_ref(0)?
                .as_blob()?
                .chunks_exact(self.coder.row_bytes())
            {
                let code = self.code(rows.scales.len());
                rows.scales.push(codes::unpack(code, row, &mut rows.values));
            }
        }
        Ok(Some(self.rows.get_or_init(|| rows)))
    }

    fn code(&self, slot: usize) -> &[u64] {
        let n_words = self.code_words();
        &self.codes[slot * n_words..(slot + 1) * n_words]
    }

    fn n_slots(&self) -> usize {
        self.codes.len() / self.code_words()
    }

    fn code_words(&self) -> usize {
        self.coder.code_bytes() / 8
    }

    /// Returns the slots of at least `n` nearest codes, in slot order.
    fn nearest_codes(
        &self,
        query: &[f32],
        n: usize,
        is_wanted: &impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let code = self.coder.query_code(query);
        let mut distances = vec![0; self.n_slots()];
        codes::distances(&code, &self.codes, &mut distances);
        nearest_slots(&distances, code.len() * 64, n, is_wanted)
    }
}

/// Returns the wanted slots that are as near as the `n`th of them, in order.
fn nearest_slots(
    distances: &[u16],
    n_bits: usize,
    n: usize,
    is_wanted: &impl Fn(usize) -> bool,
) -> Vec<usize> {
    // A sample tells how far to look; of what is found there, the nearest are counted out.
    let mut near = within(distances, guess(distances, n_bits, n), is_wanted);
    if near.len() < n {
        near = within(distances, u16::MAX, is_wanted);
    }
    let limit = limit_of(near.iter().map(|&slot| distances[slot]), n_bits, n);
    near.retain(|&slot| distances[slot] <= limit);
    near
}

/// One in so many distances is in the sample.
const SAMPLED: usize = 16;

/// Returns a distance within which a few more than `n` slots lie, most likely.
fn guess(distances: &[u16], n_bits: usize, n: usize) -> u16 {
    let sample = distances.iter().copied().step_by(SAMPLED);
    // Half as many again: where they are too few, all are looked at once more.
    limit_of(sample, n_bits, n / SAMPLED * 3 / 2 + SAMPLED)
}

/// Returns the wanted slots that are near enough, in order.
fn within(distances: &[u16], limit: u16, is_wanted: &impl Fn(usize) -> bool) -> Vec<usize> {
    let mut slots = Vec::new();
    // Few are near enough: most blocks need one comparison.
    for (block, distances) in distances.chunks(SCANNED_AT_ONCE).enumerate() {
        if distances.iter().fold(u16::MAX, |least, &d| least.min(d)) > limit {
            continue;
        }
        let near = (block * SCANNED_AT_ONCE..).zip(distances);
        slots.extend(near.filter_map(|(slot, &distance)| {
            (distance <= limit && is_wanted(slot)).then_some(slot)
        }));
    }
    slots
}

/// Returns the distance within which at least `n` of these lie.
fn limit_of(distances: impl Iterator<Item = u16>, n_bits: usize, n: usize) -> u16 {
    let mut n_at = vec![0u32; n_bits + 1];
    distances.for_each(|distance| n_at[usize::from(distance)] += 1);
    let mut n_within = 0;
    let limit = n_at.iter().position(|at| {
        n_within += *at as usize;
        n_within >= n
    });
    limit.map_or(u16::MAX, |limit| limit as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nearest_are_those_that_sorting_finds(
            distances in prop::collection::vec(0u16..=256, 0..3_000),
            n in 1usize..900,
            step in 1usize..5,
        ) {
            let is_wanted = |slot: usize| slot.is_multiple_of(step);
            let mut sorted: Vec<u16> = distances.iter().copied().step_by(step).collect();
            sorted.sort_unstable();
            let limit = sorted.get(n - 1).copied().unwrap_or(u16::MAX);
            let expected: Vec<usize> = (0..distances.len())
                .filter(|&slot| is_wanted(slot) && distances[slot] <= limit)
                .collect();
            prop_assert_eq!(nearest_slots(&distances, 256, n, &is_wanted), expected);
        }
    }
}
