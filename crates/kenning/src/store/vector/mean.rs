//! Mean similarity, measured while a vault is indexed: the sum of all its vectors.
//!
//! The mean cosine of a question with every chunk is its product with the mean vector, so one row of
//! figures tells what a chunk that has nothing to do with the question scores. Sums are whole numbers
//! and do not depend on the order in which notes came and went.

use rusqlite::{Connection, OptionalExtension};

use super::quantise;

/// Units of a sum that are one: fine enough for a level, small enough for billions of rows.
const UNITS: f32 = (1 << 24) as f32;
const KEY: &str = "vector_sum";

/// Sum and number of all rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorSum {
    n_rows: i64,
    sums: Vec<i64>,
}

impl VectorSum {
    pub(in crate::store) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let bytes: Option<Vec<u8>> = connection
            .prepare_cached("SELECT value FROM meta WHERE key = ?1")?
            .query_row([KEY], |row| row.get(0))
            .optional()?;
        Ok(Self::from_bytes(&bytes.unwrap_or_default()))
    }

    /// Reads what [`VectorSum::to_bytes`] returned.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut numbers = quantise::words(bytes).map(|word| word as i64);
        Self {
            n_rows: numbers.next().unwrap_or(0),
            sums: numbers.collect(),
        }
    }

    /// Returns it as it is kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = std::iter::once(&self.n_rows).chain(&self.sums);
        numbers.flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Adds another one.
    pub fn add(&mut self, other: &Self) {
        self.n_rows += other.n_rows;
        self.sums.resize(self.sums.len().max(other.sums.len()), 0);
        let sums = self.sums.iter_mut().zip(&other.sums);
        sums.for_each(|(sum, other)| *sum += other);
    }

    /// Whether nothing is to be added.
    pub fn is_empty(&self) -> bool {
        self.n_rows == 0 && self.sums.iter().all(|sum| *sum == 0)
    }

    pub(in crate::store) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection
            .prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?
            .execute((KEY, self.to_bytes()))?;
        Ok(())
    }

    /// Counts a vector `times` over; −1 takes it out again. An empty row counts for nothing.
    pub(in crate::store) fn count(&mut self, code: &[u8], row: &[u8], times: i64) {
        let mut values = Vec::with_capacity(code.len() * 8);
        let scale = quantise::unpack(quantise::words(code), row, &mut values);
        self.count_values(scale, &values, times);
    }

    /// The same of a vector that is unpacked.
    pub fn count_values(&mut self, scale: f32, values: &[i8], times: i64) {
        if scale == 0.0 {
            return;
        }
        self.n_rows += times;
        self.sums.resize(values.len(), 0);
        for (sum, value) in self.sums.iter_mut().zip(values) {
            *sum += times * (f32::from(*value) * scale * UNITS) as i64;
        }
    }

    /// Returns the mean vector, empty where there is none.
    pub fn mean(&self) -> Vec<f32> {
        let n_units = self.n_rows.max(1) as f64 * f64::from(UNITS);
        let sums = self.sums.iter();
        sums.map(|&sum| (sum as f64 / n_units) as f32).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::quantise::Coder;
    use super::*;

    /// Some unit vectors.
    fn vectors() -> Vec<Vec<f32>> {
        let raw = |seed: usize| (0..64).map(move |n| ((n * (seed + 3)) % 17) as f32 - 6.0);
        let unit = |seed| {
            let length = raw(seed).map(|x| x * x).sum::<f32>().sqrt();
            raw(seed).map(|x| x / length).collect()
        };
        (0..9).map(unit).collect()
    }

    fn packed(coder: &Coder, vector: &[f32]) -> (Vec<u8>, Vec<u8>) {
        let (mut code, mut row) = (Vec::new(), Vec::new());
        coder.push(vector, &mut code, &mut row);
        (code, row)
    }

    #[test]
    fn the_mean_similarity_is_the_mean_of_all_cosines() {
        let coder = Coder::new(vec![0.02; 64]);
        let (all, mut total, mut sum) = (vectors(), VectorSum::default(), 0.0);
        let query = coder.query(&all[0]);
        for vector in &all {
            let (code, row) = packed(&coder, vector);
            total.count(&code, &row, 1);
            let mut values = Vec::new();
            let scale = quantise::unpack(quantise::words(&code), &row, &mut values);
            sum += query.cosine(scale, &values);
        }
        let mean = query.mean_cosine(&total.mean());
        assert!((mean - sum / all.len() as f32).abs() < 1e-4, "{mean}");
    }

    #[test]
    fn what_was_taken_out_leaves_no_trace() {
        let coder = Coder::new(vec![0.02; 64]);
        let all: Vec<_> = vectors().iter().map(|v| packed(&coder, v)).collect();
        let (mut once, mut moved) = (VectorSum::default(), VectorSum::default());
        once.count(&all[1].0, &all[1].1, 1);
        for (code, row) in &all {
            moved.count(code, row, 1);
        }
        for (code, row) in all.iter().rev().filter(|vector| **vector != all[1]) {
            moved.count(code, row, -1);
        }
        assert_eq!(once, moved);
        let (code, row) = packed(&coder, &[0.0; 64]);
        moved.count(&code, &row, 1);
        assert_eq!(once, moved);
    }
}
