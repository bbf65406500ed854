//! How much room vectors take in an index file.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use crate::seam::{axis, prepared, put};
use crate::support::look_into;

/// Bytes that a thousand vectors take in a file.
fn vector_bytes(dimensions: usize) -> i64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index.db");
    let vectors: Vec<_> = (0..1_000)
        .map(|n| Some(axis(dimensions, n % dimensions)))
        .collect();
    put(
        &path.as_path().into(),
        dimensions,
        vec![prepared("a.md", "red roof", &vectors)],
    );
    let connection = look_into(&path);
    let sum = "SELECT (SELECT SUM(LENGTH(data)) FROM vector_code)
        + (SELECT SUM(LENGTH(data)) FROM vector_row)";
    connection.query_row(sum, [], |row| row.get(0)).unwrap()
}

#[test]
fn vectors_take_no_more_room_than_they_have_dimensions() {
    // A bit a dimension, in blocks of 1,024 vectors; four more and a scale, in blocks of as many as a page has room for.
    for dimensions in [384, 1_024] {
        let row_bytes = dimensions / 2 + 4;
        let n_rows = 1_024usize.next_multiple_of(4_040 / row_bytes);
        let expected = 1_024 * dimensions / 8 + n_rows * row_bytes;
        assert_eq!(vector_bytes(dimensions), expected as i64);
    }
}
