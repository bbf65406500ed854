//! Vectors of a second model, by what they were made of: the same text gets them back, wherever it stands.

use rusqlite::{Connection, OptionalExtension};
use rustc_hash::FxHashSet;

use crate::embed::{PassageKey, quantise};

/// Reads the vectors of some texts; those that have none are `None`.
pub(in crate::store) fn read(
    connection: &Connection,
    keys: &[PassageKey],
) -> rusqlite::Result<Vec<Option<Vec<f32>>>> {
    let mut statement = connection.prepare_cached("SELECT data FROM text_vector WHERE key = ?1")?;
    let mut one = |key: &PassageKey| {
        let data = statement.query_row([&key.0[..]], |row| row.get::<_, Vec<u8>>(0));
        Ok(data.optional()?.and_then(|data| unpacked(&data)))
    };
    keys.iter().map(&mut one).collect()
}

/// Tells which of some texts have no vector.
pub(in crate::store) fn missing(
    connection: &Connection,
    keys: &[PassageKey],
) -> rusqlite::Result<Vec<bool>> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM text_vector WHERE key = ?1")?;
    let mut one = |key: &PassageKey| Ok(!statement.exists([&key.0[..]])?);
    keys.iter().map(&mut one).collect()
}

pub(in crate::store) fn write(
    connection: &Connection,
    vectors: &[(PassageKey, Vec<f32>)],
) -> rusqlite::Result<()> {
    let mut statement = connection
        .prepare_cached("INSERT OR REPLACE INTO text_vector (key, data) VALUES (?1, ?2)")?;
    for (key, vector) in vectors {
        statement.execute((&key.0[..], packed(vector)))?;
    }
    Ok(())
}

/// Removes what belongs to no text any more; returns how many that were.
pub(in crate::store) fn keep_only(
    connection: &Connection,
    used: &FxHashSet<PassageKey>,
) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare("SELECT key FROM text_vector")?;
    let keys = statement.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
    let is_used =
        |key: &[u8]| <[u8; 16]>::try_from(key).is_ok_and(|key| used.contains(&PassageKey(key)));
    let mut unused = Vec::new();
    for key in keys {
        let key = key?;
        if !is_used(&key) {
            unused.push(key);
        }
    }
    for key in &unused {
        connection
            .prepare_cached("DELETE FROM text_vector WHERE key = ?1")?
            .execute([key])?;
    }
    Ok(unused.len())
}

/// Returns a vector as it is kept: a byte for each dimension, behind the scale.
pub fn packed(vector: &[f32]) -> Vec<u8> {
    let (scale, bytes) = quantise(vector);
    let mut data = scale.to_le_bytes().to_vec();
    data.extend(bytes.into_iter().map(|byte| byte as u8));
    data
}

/// Reads what [`packed`] returned.
pub fn unpacked(data: &[u8]) -> Option<Vec<f32>> {
    let (scale, bytes) = data.split_first_chunk::<4>()?;
    let scale = f32::from_le_bytes(*scale);
    Some(
        bytes
            .iter()
            .map(|&byte| f32::from(byte as i8) * scale)
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_comes_back_nearly_as_it_was() {
        let vector = [0.5, -0.25, 0.125, 0.0];
        let back = unpacked(&packed(&vector)).unwrap();
        assert!(vector.iter().zip(&back).all(|(a, b)| (a - b).abs() < 0.003));
        assert_eq!(unpacked(&[1, 2]), None);
    }
}
