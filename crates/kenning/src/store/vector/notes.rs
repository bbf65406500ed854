//! One vector for each note: the mean of those of its passages.

use std::collections::BTreeMap;

use super::blocks::{each_code_block, each_kept_row};
use super::{VectorReader, quantise};
use crate::store::NoteId;
use crate::store::lexical::directory::SharedConnection;

impl VectorReader {
    /// Returns the mean direction of each note, by id, as the codes have it: centred and rotated.
    pub(in crate::store) fn note_means(
        &self,
        connection: &SharedConnection,
        note_of: impl Fn(usize) -> Option<NoteId>,
    ) -> rusqlite::Result<Vec<(NoteId, Vec<f32>)>> {
        let n_words = self.coder.code_bytes() / 8;
        let mut codes: Vec<u64> = Vec::new();
        each_code_block(connection, &self.coder, |block| {
            codes.extend(quantise::words(block));
        })?;
        let mut sums: BTreeMap<NoteId, Vec<f32>> = BTreeMap::new();
        let mut values = Vec::new();
        let n_vectors = codes.len() / n_words;
        each_kept_row(connection, &self.coder, n_vectors, |id, row| {
            let note = note_of(id).filter(|_| self.has_vector(id));
            if let Some(note) = note {
                let code = codes.iter().skip(id * n_words).take(n_words);
                values.clear();
                let scale = quantise::unpack(code.copied(), row, &mut values);
                // What is near nothing says nothing of its note.
                if scale > 0.0 {
                    add(sums.entry(note).or_default(), &values);
                }
            }
        })?;
        Ok(sums
            .into_iter()
            .map(|(note, sum)| (note, unit(sum)))
            .collect())
    }
}

/// Returns the mean direction of passages, of which the values are given.
pub fn mean_direction(passages: impl Iterator<Item = Vec<i8>>) -> Vec<f32> {
    let mut sum = Vec::new();
    passages.for_each(|values| add(&mut sum, &values));
    unit(sum)
}

/// Adds the direction of a passage: each counts the same, however long it is.
fn add(sum: &mut Vec<f32>, values: &[i8]) {
    sum.resize(values.len(), 0.0);
    let length: f32 = values.iter().map(|&x| f32::from(x) * f32::from(x)).sum();
    let scale = length.sqrt().max(1.0).recip();
    let parts = sum.iter_mut().zip(values);
    parts.for_each(|(sum, &x)| *sum += f32::from(x) * scale);
}

fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > f32::EPSILON {
        vector.iter_mut().for_each(|x| *x /= length);
    }
    vector
}
