//! Reads every vector, and tells what does not hold together.

use rustc_hash::FxHashSet;

use super::blocks::{each_code_block, each_kept_row};
use super::mean::VectorSum;
use super::quantise::{self, Coder};
use crate::store::lexical::directory::{SharedConnection, locked};

/// Returns what is wrong with the vectors of the passages with these ids, of which some have none.
pub(in crate::store) fn problems(
    connection: &SharedConnection,
    center: Vec<f32>,
    ids: &FxHashSet<usize>,
    without: &FxHashSet<usize>,
) -> rusqlite::Result<Vec<String>> {
    let coder = Coder::new(center);
    let n_words = coder.code_bytes() / 8;
    let mut codes: Vec<u64> = Vec::new();
    each_code_block(connection, &coder, |block| {
        codes.extend(quantise::words(block));
    })?;
    let n_vectors = codes.len() / n_words;
    let (mut problems, mut values) = (Vec::new(), Vec::new());
    let mut sum = VectorSum::default();
    each_kept_row(connection, &coder, n_vectors, |id, row| {
        values.clear();
        let code = codes.iter().skip(id * n_words).take(n_words);
        let scale = quantise::unpack(code.copied(), row, &mut values);
        sum.count_values(scale, &values, 1);
        let is_used = ids.contains(&id) && !without.contains(&id);
        if !scale.is_finite() || scale < 0.0 || !is_used && scale != 0.0 {
            problems.push(format!("the vector of passage {id} makes no sense"));
        }
    })?;
    let n_behind = ids.iter().filter(|id| **id >= n_vectors).count();
    if n_behind > 0 {
        problems.push(format!("{n_behind} passages have no room for a vector"));
    }
    let kept = VectorSum::read(&locked(connection))?;
    if sum != kept && !(sum.is_empty() && kept.is_empty()) {
        problems.push("the vectors do not add up to what was kept of them".to_owned());
    }
    Ok(problems)
}
