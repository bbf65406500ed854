//! A response as JSON, of limited size.

use std::io::{self, Write};
use std::marker::PhantomData;

use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use kenning::Error;
use serde::Serialize;

use super::table::JSON;

/// Most bytes of an answer.
const ANSWER_BYTES_MAX: usize = 16 << 20;

/// A `T` as it is sent.
pub(super) struct Reply<T> {
    json: Bytes,
    of: PhantomData<fn() -> T>,
}

impl<T: Serialize> Reply<T> {
    /// Writes an answer down, unless it is too long.
    pub(super) fn new(answer: &T) -> kenning::Result<Self> {
        let mut json = Bounded(Vec::new());
        // What an answer is made of can always be written, if there is room.
        serde_json::to_writer(&mut json, answer).map_err(|_| Error::TooCostly {
            reason: format!("its answer is longer than {} MB", ANSWER_BYTES_MAX >> 20),
        })?;
        Ok(Self {
            json: json.0.into(),
            of: PhantomData,
        })
    }
}

/// Bytes that do not grow without end.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > ANSWER_BYTES_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<T> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        ([(header::CONTENT_TYPE, JSON)], self.json).into_response()
    }
}

/// A `T` that was made.
pub(super) struct Created<T>(pub(super) Reply<T>);

impl<T> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        (StatusCode::CREATED, self.0).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_an_end() {
        assert_eq!(&Reply::new(&["a"]).unwrap().json[..], b"[\"a\"]");
        assert!(Reply::new(&"x".repeat(ANSWER_BYTES_MAX - 2)).is_ok());
        let error = Reply::new(&"x".repeat(ANSWER_BYTES_MAX)).err().unwrap();
        assert_eq!(
            error.to_string(),
            "the question is too costly: its answer is longer than 16 MB"
        );
        // A sign may take six bytes.
        assert!(Reply::new(&"\u{1}".repeat(ANSWER_BYTES_MAX / 5)).is_err());
    }
}
