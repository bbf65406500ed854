//! Nearest neighbours by pgvector: exact where there is little to compare, an HNSW index where there is much.

use std::fmt::Write;

use kenning::error::Result;
use kenning::store::{ChunkId, CodedVector, Coder, Nearest, Neighbour, NoteId, NoteSet, VectorSum};
use tokio_postgres::Row;

use crate::session::Session;
use crate::snapshot::{Link, State, once};

/// Passages from which on an index pays off.
pub(crate) const INDEXED_MIN: i64 = 50_000;
/// A filter that leaves a smaller share of all notes is compared note by note.
const INDEXED_SHARE_MIN: f64 = 0.2;

/// Returns a vector as the server reads it.
pub(crate) fn text_of(values: impl Iterator<Item = f32>) -> String {
    let mut text = String::from("[");
    for value in values {
        // Writing into a string cannot fail.
        let _ = write!(text, "{value},");
    }
    text.pop();
    text.push(']');
    text
}

/// The signed values of a vector that is kept as values times scale. Half floats are exact enough to tell them.
pub(crate) fn values_of(scale: f32, kept: &[f32]) -> Vec<i8> {
    let value = |x: &f32| {
        if scale == 0.0 {
            0
        } else {
            (x / scale).round() as i8
        }
    };
    kept.iter().map(value).collect()
}

pub(crate) fn coder(link: &Link, state: &State) -> Result<Coder> {
    let center = once(&state.center, || {
        let rows = link.query("SELECT bytes FROM meta WHERE key = 'code_center'", &[])?;
        let bytes: Vec<u8> = rows.first().and_then(|row| row.get(0)).unwrap_or_default();
        Ok(floats(&bytes))
    })?;
    Ok(Coder::new(center))
}

pub(crate) fn floats(bytes: &[u8]) -> Vec<f32> {
    let (numbers, _) = bytes.as_chunks();
    numbers
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect()
}

fn has_index(link: &Link, state: &State) -> Result<bool> {
    once(&state.has_vector_index, || {
        let rows = link.query(
            "SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
             WHERE c.relname = 'chunk_vector' AND c.relnamespace = current_schema()::regnamespace",
            &[],
        )?;
        Ok(rows.first().is_some_and(|row| row.get(0)))
    })
}

/// Finds the nearest chunks.
pub(crate) fn nearest(
    link: &Link,
    state: &State,
    vector: &[f32],
    k: usize,
    within: (&NoteSet, &[i32], usize),
) -> Result<Nearest> {
    let coder = coder(link, state)?;
    let width = coder.code_bytes() * 8;
    let query = coder.query(vector);
    let (rotated, offset) = query.rotated();
    let question = text_of(rotated.iter().copied());
    let (set, notes, n_notes) = within;
    let share = notes.len() as f64 / n_notes.max(1) as f64;
    let is_indexed = has_index(link, state)? && (set.is_every() || share >= INDEXED_SHARE_MIN);
    let column = match is_indexed {
        true => format!("vector::halfvec({width})"),
        false => "vector".to_owned(),
    };
    let filter = if set.is_every() {
        ""
    } else {
        "AND note = ANY($3)"
    };
    let sql = format!(
        "SELECT id, note, scale, (-(vector <#> (SELECT $1::text::halfvec)))::real FROM chunk
         WHERE vector IS NOT NULL {filter}
         ORDER BY {column} <#> (SELECT $1::text::halfvec{}) LIMIT $2",
        if is_indexed {
            format!("({width})")
        } else {
            String::new()
        }
    );
    let limit = k as i64;
    let rows = match set.is_every() {
        true => link.query(&sql, &[&question, &limit])?,
        false => link.query(&sql, &[&question, &limit, &notes])?,
    };
    let mut hits: Vec<Neighbour> = rows.iter().map(|row| neighbour(row, offset)).collect();
    hits.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.chunk.cmp(&b.chunk)));
    Ok(Nearest {
        hits,
        mean: query.mean_cosine(&mean(link, state)?.mean()),
    })
}

fn neighbour(row: &Row, offset: f32) -> Neighbour {
    Neighbour {
        chunk: ChunkId::new(i64::from(row.get::<_, i32>(0))),
        note: NoteId::new(i64::from(row.get::<_, i32>(1))),
        cosine: cosine(row.get(2), row.get(3), offset),
    }
}

fn cosine(scale: f32, product: f32, offset: f32) -> f32 {
    if scale == 0.0 { 0.0 } else { offset + product }
}

fn mean(link: &Link, state: &State) -> Result<VectorSum> {
    once(&state.mean, || {
        let rows = link.query("SELECT data FROM vector_sum", &[])?;
        Ok(added(&rows))
    })
}

/// Adds up changes of the sum.
pub(crate) fn added(rows: &[Row]) -> VectorSum {
    let mut sum = VectorSum::default();
    for row in rows {
        sum.add(&VectorSum::from_bytes(row.get(0)));
    }
    sum
}

/// Compares a vector with those of some chunks.
pub(crate) fn cosines(
    link: &Link,
    state: &State,
    vector: &[f32],
    chunks: &[i32],
) -> Result<Vec<(ChunkId, f32)>> {
    let query = coder(link, state)?.query(vector);
    let (rotated, offset) = query.rotated();
    let question = text_of(rotated.iter().copied());
    let rows = link.query(
        "SELECT id, scale, (-(vector <#> (SELECT $1::text::halfvec)))::real FROM chunk
         WHERE id = ANY($2) AND vector IS NOT NULL ORDER BY id",
        &[&question, &chunks],
    )?;
    let of_row = |row: &Row| {
        let id = ChunkId::new(i64::from(row.get::<_, i32>(0)));
        (id, cosine(row.get(1), row.get(2), offset))
    };
    Ok(rows.iter().map(of_row).collect())
}

/// Reads the vectors of some chunks.
pub(crate) fn coded(link: &Link, chunks: &[i32]) -> Result<Vec<(ChunkId, CodedVector)>> {
    let rows = link.query(
        "SELECT id, scale, vector::real[] FROM chunk WHERE id = ANY($1) AND vector IS NOT NULL ORDER BY id",
        &[&chunks],
    )?;
    let vector = |row: &Row| {
        let scale: f32 = row.get(1);
        let values = values_of(scale, &row.get::<_, Vec<f32>>(2));
        let id = ChunkId::new(i64::from(row.get::<_, i32>(0)));
        (id, CodedVector { scale, values })
    };
    Ok(rows.iter().map(vector).collect())
}

/// Returns the mean direction of each note that has vectors.
pub(crate) fn note_means(link: &Link) -> Result<Vec<(NoteId, Vec<f32>)>> {
    let rows = link.query(
        "SELECT note, scale, vector::real[] FROM chunk WHERE vector IS NOT NULL AND scale <> 0 ORDER BY note, ordinal",
        &[],
    )?;
    let of_note = |rows: &[Row]| {
        let values = rows
            .iter()
            .map(|row| values_of(row.get(1), &row.get::<_, Vec<f32>>(2)));
        let note = NoteId::new(i64::from(rows[0].get::<_, i32>(0)));
        (note, kenning::store::mean_direction(values))
    };
    let same = |a: &Row, b: &Row| a.get::<_, i32>(0) == b.get::<_, i32>(0);
    Ok(rows.chunk_by(same).map(of_note).collect())
}

/// Makes the index over all vectors, once there are enough of them. Readers and writers go on meanwhile.
pub(crate) fn make_index(session: &mut Session) -> Result<(), tokio_postgres::Error> {
    let rows = session.query(
        "SELECT count(*), max(vector_dims(vector)) FROM (SELECT vector FROM chunk WHERE vector IS NOT NULL
            LIMIT $1) AS enough",
        &[&INDEXED_MIN],
    )?;
    let (n, width): (i64, Option<i32>) = (rows[0].get(0), rows[0].get(1));
    match width {
        Some(width) if n >= INDEXED_MIN => session.batch(&format!(
            "CREATE INDEX CONCURRENTLY IF NOT EXISTS chunk_vector ON chunk
             USING hnsw ((vector::halfvec({width})) halfvec_ip_ops)"
        )),
        _ => Ok(()),
    }
}
