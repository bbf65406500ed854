//! What was read is kept for the next question: a snapshot never changes.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

/// Things by number, up to so many bytes; when it is full, it begins anew.
pub(super) struct Kept<T> {
    known: Mutex<Known<T>>,
    n_bytes_max: usize,
    /// About how many bytes one needs.
    n_bytes_of: fn(&T) -> usize,
}

struct Known<T> {
    by_number: FxHashMap<i64, Arc<T>>,
    n_bytes: usize,
}

impl<T> Kept<T> {
    pub(super) fn new(n_bytes_max: usize, n_bytes_of: fn(&T) -> usize) -> Self {
        Self {
            known: Mutex::new(Known {
                by_number: FxHashMap::default(),
                n_bytes: 0,
            }),
            n_bytes_max,
            n_bytes_of,
        }
    }

    /// Returns what is kept under a number, or reads it; two may read the same at once.
    pub(super) fn get<E>(
        &self,
        number: i64,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let known = self.known.lock().ok();
        if let Some(known) = known.and_then(|known| known.by_number.get(&number).map(Arc::clone)) {
            return Ok(known);
        }
        let read = Arc::new(read()?);
        if let Ok(mut known) = self.known.lock() {
            let n_bytes = (self.n_bytes_of)(&read);
            if known.n_bytes + n_bytes > self.n_bytes_max {
                known.by_number.clear();
                known.n_bytes = 0;
            }
            if known.by_number.insert(number, Arc::clone(&read)).is_none() {
                known.n_bytes += n_bytes;
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_not_read_again_until_it_is_full() {
        let kept = Kept::new(8, String::len);
        let read = |number: i64, value: &str| {
            let value: Result<_, ()> = kept.get(number, || Ok(value.to_owned()));
            value.map(|value| value.to_string())
        };
        assert_eq!(read(1, "one"), Ok("one".to_owned()));
        assert_eq!(read(1, "other"), Ok("one".to_owned()));
        assert_eq!(read(2, "two"), Ok("two".to_owned()));
        assert_eq!(read(3, "three"), Ok("three".to_owned()));
        assert_eq!(read(1, "other"), Ok("other".to_owned()));
        // The last one is kept however large it is.
        assert_eq!(read(4, "more than that"), Ok("more than that".to_owned()));
        assert_eq!(read(4, "other"), Ok("more than that".to_owned()));
        assert_eq!(kept.get(9, || Err("no")), Err("no"));
    }
}
