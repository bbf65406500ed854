//! Nearest neighbours: a scan of all binary codes, then the quantised vectors of the best of them.

mod blocks;
pub(super) mod by_text;
pub(super) mod ids;

pub(super) mod mean;
mod near;
pub(super) mod notes;
pub(super) mod quantise;
pub(super) mod whole;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use rusqlite::Connection;
use rustc_hash::FxHashSet;

use super::lexical::directory::{SharedConnection, locked};
use super::{ChunkId, NoteId};
use crate::cpu::{self, for_avx2};
use blocks::{BLOCK_VECTORS, Blocks, each_code_block, each_kept_row, row_block_vectors};
use mean::VectorSum;
use near::Near;
use quantise::{CodedVector, Coder, SignProducts};

/// How many of the nearest codes are compared more closely: one in so many, but neither fewer nor more than these.
/// First by the question's own numbers with the signs, then, of the likeliest, with whole rows. Recall of the true
/// nearest 50 is in docs/benchmarks.md.
const LOOKED_AT_EACH: usize = 64;
const LOOKED_AT_MIN: usize = 800;
const LOOKED_AT_MAX: usize = 12_800;
/// How many at most are compared exactly.
const RESCORED_MAX: usize = 2_400;

/// From so many vectors on, two cores scan the codes. Fewer are scanned before the other is awake.
const SHARED_MIN: usize = 250_000;

/// How many rows before it is needed a row is asked for.
const ROWS_AHEAD: usize = 8;

/// Buffers that are kept for the next query: as many as questions are usually asked at once.
const SPARE_MAX: usize = 4;

/// As many vector ids as are near enough to most queries, and then some.
const IDS_NEAR: usize = 2 * LOOKED_AT_MIN;

/// Distances that are compared at once.
const SCANNED_AT_ONCE: usize = 8;

/// What the vectors found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nearest {
    /// The nearest chunks, best first.
    pub hits: Vec<Neighbour>,
    /// Mean similarity: the cosine of the query with all chunks on average, which is what an unrelated one
    /// scores.
    pub mean: f32,
}

/// A chunk near the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The chunk.
    pub chunk: ChunkId,
    /// Its note.
    pub note: NoteId,
    /// Cosine of its vector with the query's.
    pub cosine: f32,
}

/// All binary codes and quantised vectors, the latter unpacked.
struct All {
    /// Side by side (see `quantise`).
    codes: Vec<u64>,
    scales: Vec<f32>,
    values: Vec<i8>,
    width: usize,
}

impl All {
    /// Writes down how far each code is from one; two cores share the work where it is worth waking one.
    fn distances(&self, code: &[u64], out: &mut [u16]) {
        if out.len() < SHARED_MIN {
            return quantise::distances_abreast(code, &self.codes, out);
        }
        let middle = out.len() / BLOCK_VECTORS / 2 * BLOCK_VECTORS;
        let (codes, more_codes) = self.codes.split_at(middle * code.len());
        let (out, more) = out.split_at_mut(middle);
        std::thread::scope(|scope| {
            scope.spawn(|| quantise::distances_abreast(code, more_codes, more));
            quantise::distances_abreast(code, codes, out);
        });
    }

    /// Returns how well the signs of each of some codes fit a question.
    fn products(&self, ids: &[usize], signs: &SignProducts) -> Vec<f32> {
        let n_words = self.width / 64;
        let mut words = Vec::with_capacity(n_words);
        let mut product = |(index, &id): (usize, &usize)| {
            if let Some(&soon) = ids.get(index + ROWS_AHEAD) {
                quantise::prefetch_abreast(&self.codes, n_words, soon);
            }
            words.clear();
            words.extend(quantise::code_abreast(&self.codes, n_words, id));
            signs.product(&words)
        };
        ids.iter().enumerate().map(&mut product).collect()
    }

    fn row(&self, id: usize) -> Option<(f32, &[i8])> {
        let values = self.values.get(id * self.width..(id + 1) * self.width)?;
        Some((self.scales[id], values))
    }
}

/// The vectors of one snapshot.
pub(super) struct VectorReader {
    coder: Coder,
    /// Mean of all vectors.
    mean: Vec<f32>,
    /// Ids of chunks that no vector was made of yet.
    missing: FxHashSet<usize>,
    all: OnceLock<All>,
    building: Mutex<()>,
    n_queries: AtomicU32,
    /// Buffers for distances: they are large, and used again.
    spare: Mutex<Vec<Vec<u16>>>,
}

impl VectorReader {
    pub(super) fn open(connection: &Connection, center: Vec<f32>) -> rusqlite::Result<Self> {
        Ok(Self {
            coder: Coder::new(center),
            mean: VectorSum::read(connection)?.mean(),
            missing: ids::missing(connection)?,
            all: OnceLock::new(),
            building: Mutex::default(),
            n_queries: AtomicU32::new(0),
            spare: Mutex::default(),
        })
    }

    /// Returns the `limit` nearest chunks among the vector ids that `is_wanted`, best first, and the
    /// mean similarity.
    pub(super) fn nearest(
        &self,
        connection: &SharedConnection,
        query: &[f32],
        limit: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> rusqlite::Result<(Vec<(ChunkId, f32)>, f32)> {
        self.n_queries.fetch_add(1, Ordering::Relaxed);
        let is_wanted = |id: usize| is_wanted(id) && self.has_vector(id);
        let near = match self.all(connection)? {
            Some(all) => self.near_in_memory(all, query, limit, &is_wanted),
            None => self.near_in_file(connection, query, limit, &is_wanted)?,
        };
        let near = self.likeliest(query, near, limit.max(RESCORED_MAX));
        let of_query = self.coder.query(query);
        let cosine = |scale: f32, values: &[i8]| of_query.cosine(scale, values);
        let mut neighbours = match near.codes {
            Some(codes) => self.each_row_in_file(connection, &near.ids, &codes, cosine)?,
            None => self.each_row(connection, &near.ids, cosine)?,
        };
        let nearest_first =
            |a: &(ChunkId, f32), b: &(ChunkId, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if neighbours.len() > limit {
            neighbours.select_nth_unstable_by(limit, nearest_first);
            neighbours.truncate(limit);
        }
        neighbours.sort_by(nearest_first);
        Ok((neighbours, of_query.mean_cosine(&self.mean)))
    }

    /// Returns those whose codes are nearest to a question's.
    fn near_in_memory(
        &self,
        all: &All,
        query: &[f32],
        limit: usize,
        is_wanted: &impl Fn(usize) -> bool,
    ) -> Near {
        let spare = self.spare.lock().ok().and_then(|mut spare| spare.pop());
        let mut distances = spare.unwrap_or_default();
        distances.resize(all.scales.len(), 0);
        all.distances(&self.coder.query_code(query), &mut distances);
        let n_bits = self.coder.code_bytes() * 8;
        let n = limit.max(n_looked_at(distances.len()));
        let ids = nearest_ids(&distances, n_bits, n, is_wanted);
        self.give_back(distances);
        Near { ids, codes: None }
    }

    /// Returns those `n` whose signs fit the question best.
    fn likeliest(&self, query: &[f32], near: Near, n: usize) -> Near {
        if near.ids.len() <= n {
            return near;
        }
        let signs = self.coder.query(query).signs();
        let n_words = self.coder.code_bytes() / 8;
        let products: Vec<f32> = match (&near.codes, self.all.get()) {
            (Some(codes), _) => (codes.chunks_exact(n_words))
                .map(|code| signs.product(code))
                .collect(),
            (None, Some(all)) => all.products(&near.ids, &signs),
            (None, None) => return near,
        };
        let mut likely: Vec<(usize, f32)> = products.into_iter().enumerate().collect();
        // Places are in the order of the ids.
        likely.select_nth_unstable_by(n, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        likely.truncate(n);
        likely.sort_unstable_by_key(|(place, _)| *place);
        near.only(likely.iter().map(|(place, _)| *place), n_words)
    }

    /// Reads the code of each id from the file.
    fn each_code(
        &self,
        connection: &SharedConnection,
        ids: &[usize],
        mut of_code: impl FnMut(&[u64]),
    ) -> rusqlite::Result<()> {
        let mut words = Vec::with_capacity(self.coder.code_bytes() / 8);
        let connection = locked(connection);
        let mut blocks = Blocks::of_codes(&connection, &self.coder)?;
        for same_block in ids.chunk_by(|a, b| a / BLOCK_VECTORS == b / BLOCK_VECTORS) {
            blocks.each(same_block, |_, code| {
                words.clear();
                words.extend(quantise::words(code));
                of_code(&words);
            })?;
        }
        Ok(())
    }

    /// Whether a vector was made of the chunk with an id.
    pub(super) fn has_vector(&self, id: usize) -> bool {
        self.missing.is_empty() || !self.missing.contains(&id)
    }

    /// Returns the cosine of each of the given vector ids, which must be in order.
    pub(super) fn cosines(
        &self,
        connection: &SharedConnection,
        query: &[f32],
        ids: &[usize],
    ) -> rusqlite::Result<Vec<(ChunkId, f32)>> {
        let query = self.coder.query(query);
        let cosine = |scale: f32, values: &[i8]| query.cosine(scale, values);
        self.each_row(connection, ids, cosine)
    }

    /// Returns the vector of each of the given ids, which must be in order, as it is kept.
    pub(super) fn coded(
        &self,
        connection: &SharedConnection,
        ids: &[usize],
    ) -> rusqlite::Result<Vec<(ChunkId, CodedVector)>> {
        let coded = |scale: f32, values: &[i8]| CodedVector {
            scale,
            values: values.to_vec(),
        };
        self.each_row(connection, ids, coded)
    }

    /// Asks for something of the row of each id.
    fn each_row<T>(
        &self,
        connection: &SharedConnection,
        ids: &[usize],
        mut of_row: impl FnMut(f32, &[i8]) -> T,
    ) -> rusqlite::Result<Vec<(ChunkId, T)>> {
        if let Some(all) = self.all(connection)? {
            let mut found = Vec::with_capacity(ids.len());
            for (index, &id) in ids.iter().enumerate() {
                let ahead = ids.get(index + ROWS_AHEAD);
                if let Some((_, soon)) = ahead.and_then(|&id| all.row(id)) {
                    cpu::prefetch(soon);
                }
                let row = all.row(id);
                found
                    .extend(row.map(|(scale, values)| (ChunkId(id as i64), of_row(scale, values))));
            }
            return Ok(found);
        }
        let mut codes = Vec::with_capacity(ids.len() * self.coder.code_bytes() / 8);
        self.each_code(connection, ids, |code| codes.extend_from_slice(code))?;
        self.each_row_in_file(connection, ids, &codes, of_row)
    }

    /// The same, of which the codes are known.
    fn each_row_in_file<T>(
        &self,
        connection: &SharedConnection,
        ids: &[usize],
        codes: &[u64],
        mut of_row: impl FnMut(f32, &[i8]) -> T,
    ) -> rusqlite::Result<Vec<(ChunkId, T)>> {
        let mut found = Vec::with_capacity(ids.len());
        let mut codes = codes.chunks_exact(self.coder.code_bytes() / 8);
        let connection = locked(connection);
        let mut blocks = Blocks::of_rows(&connection, &self.coder)?;
        let mut values = Vec::new();
        let n_rows = row_block_vectors(self.coder.row_bytes());
        for same_block in ids.chunk_by(|a, b| a / n_rows == b / n_rows) {
            blocks.each(same_block, |id, row| {
                let code = codes.next().unwrap_or_default();
                values.clear();
                let scale = quantise::unpack(code.iter().copied(), row, &mut values);
                found.push((ChunkId(id as i64), of_row(scale, &values)));
            })?;
        }
        Ok(found)
    }

    /// Takes a buffer back for the next query.
    fn give_back(&self, distances: Vec<u16>) {
        if let Ok(mut spare) = self.spare.lock()
            && spare.len() < SPARE_MAX
        {
            spare.push(distances);
        }
    }

    /// One query reads what it needs; a second one tells a process that stays, which is better served
    /// by keeping everything, and unpacked.
    fn all(&self, connection: &SharedConnection) -> rusqlite::Result<Option<&All>> {
        if let Some(all) = self.all.get() {
            return Ok(Some(all));
        }
        if self.n_queries.load(Ordering::Relaxed) < 2 {
            return Ok(None);
        }
        // One builds it, and the others wait rather than do the same.
        let _building = self.building.lock();
        if let Some(all) = self.all.get() {
            return Ok(Some(all));
        }
        let n_words = self.coder.code_bytes() / 8;
        let mut codes = Vec::new();
        each_code_block(connection, &self.coder, |block| {
            codes.extend(quantise::words(block));
        })?;
        let n_vectors = codes.len() / n_words;
        let width = n_words * 64;
        let mut scales = Vec::with_capacity(n_vectors);
        let mut values = Vec::with_capacity(n_vectors * width);
        each_kept_row(connection, &self.coder, n_vectors, |id, row| {
            let code = codes.iter().skip(id * n_words).take(n_words);
            scales.push(quantise::unpack(code.copied(), row, &mut values));
        })?;
        Ok(Some(self.all.get_or_init(|| All {
            codes: quantise::abreast(&codes, n_words),
            scales,
            values,
            width,
        })))
    }
}

/// Returns how many of so many codes are looked at more closely.
fn n_looked_at(n_codes: usize) -> usize {
    (n_codes / LOOKED_AT_EACH).clamp(LOOKED_AT_MIN, LOOKED_AT_MAX)
}

/// Returns the wanted vector ids that are as near as the `n`th of them, in order.
fn nearest_ids(
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
    let limit = limit_of(near.iter().map(|&id| distances[id]), n_bits, n);
    near.retain(|&id| distances[id] <= limit);
    near
}

/// One in so many distances is in the sample.
const SAMPLED: usize = 16;

/// Returns a distance within which a few more than `n` vector ids lie, most likely.
fn guess(distances: &[u16], n_bits: usize, n: usize) -> u16 {
    let sample = distances.iter().copied().step_by(SAMPLED);
    // Half as many again: where they are too few, all are looked at once more.
    limit_of(sample, n_bits, n / SAMPLED * 3 / 2 + SAMPLED)
}

/// Returns the wanted vector ids that are near enough, in order.
fn within(distances: &[u16], limit: u16, is_wanted: &impl Fn(usize) -> bool) -> Vec<usize> {
    let mut ids = Vec::with_capacity(IDS_NEAR);
    near_ids(distances, limit, &mut ids);
    ids.retain(|id| is_wanted(*id));
    ids
}

for_avx2! {
    /// Appends the vector ids that are near enough.
    fn near_ids(distances: &[u16], limit: u16, ids: &mut Vec<usize>) = near_ids_plain;
}

#[inline(always)]
fn near_ids_plain(distances: &[u16], limit: u16, ids: &mut Vec<usize>) {
    // Few are near enough: most blocks need one comparison.
    let (blocks, rest) = distances.as_chunks::<SCANNED_AT_ONCE>();
    let mut push_near = |start: usize, distances: &[u16]| {
        for (id, &distance) in (start..).zip(distances) {
            if distance <= limit {
                ids.push(id);
            }
        }
    };
    for (start, block) in (0..).step_by(SCANNED_AT_ONCE).zip(blocks) {
        let mut is_any_near = false;
        for &distance in block {
            is_any_near |= distance <= limit;
        }
        if is_any_near {
            push_near(start, block);
        }
    }
    push_near(distances.len() - rest.len(), rest);
}

/// Returns the distance within which at least `n` of these lie.
fn limit_of(distances: impl Iterator<Item = u16>, n_bits: usize, n: usize) -> u16 {
    let mut n_at = vec![0u32; n_bits + 1];
    distances.for_each(|distance| n_at[usize::from(distance)] += 1);
    limit_of_counts(&n_at, n)
}

/// The same, by how many lie at each distance.
fn limit_of_counts(n_at: &[u32], n: usize) -> u16 {
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
            let is_wanted = |id: usize| id.is_multiple_of(step);
            let mut sorted: Vec<u16> = distances.iter().copied().step_by(step).collect();
            sorted.sort_unstable();
            let limit = sorted.get(n - 1).copied().unwrap_or(u16::MAX);
            let expected: Vec<usize> = (0..distances.len())
                .filter(|&id| is_wanted(id) && distances[id] <= limit)
                .collect();
            prop_assert_eq!(nearest_ids(&distances, 256, n, &is_wanted), expected);
        }
    }
}
