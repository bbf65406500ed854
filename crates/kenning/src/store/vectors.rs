//! Nearest neighbours: a scan of all sign codes, then the packed rows of the best of them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::{Connection, MAIN_DB};

use super::ChunkId;
use super::codes::{self, Coder};
use super::directory::{SharedConnection, locked};
use super::floor::Floor;

/// Slots per row of the vector tables.
pub(super) const BLOCK_SLOTS: usize = 1_024;
/// How many of the nearest codes are compared exactly. Recall of the true nearest 50 is in
/// docs/benchmarks.md.
const RESCORED: usize = 800;

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
            return Ok(slots
                .iter()
                .filter_map(|&slot| {
                    let (scale, values) = rows.get(slot)?;
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
        let limit = limit_of(&distances, code.len() * 64, n, is_wanted);
        let mut slots = Vec::with_capacity(n + n / 4);
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
}

/// Returns the distance within which at least `n` of the wanted slots lie.
fn limit_of(distances: &[u16], n_bits: usize, n: usize, is_wanted: &impl Fn(usize) -> bool) -> u16 {
    // Two counts for each distance, in turn: adding to the same one again and again would wait for
    // the sum before.
    let mut n_at = vec![[0u32; 2]; n_bits + 1];
    for (slot, &distance) in distances.iter().enumerate() {
        n_at[usize::from(distance)][slot % 2] += u32::from(is_wanted(slot));
    }
    let mut n_within = 0;
    let limit = n_at.iter().position(|at| {
        n_within += (at[0] + at[1]) as usize;
        n_within >= n
    });
    limit.unwrap_or(n_at.len()) as u16
}
