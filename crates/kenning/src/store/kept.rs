//! What was read is kept for the next question: a snapshot never changes.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

/// Up to so many things by number; when it is full, it begins anew.
pub(super) struct Kept<T> {
    known: Mutex<FxHashMap<i64, Arc<T>>>,
    n_max: usize,
}

impl<T> Kept<T> {
    pub(super) fn new(n_max: usize) -> Self {
        Self {
            known: Mutex::default(),
            n_max,
        }
    }

    /// Returns what is kept under a number, or reads it; two may read the same at once.
    pub(super) fn get<E>(
        &self,
        number: i64,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let known = self.known.lock().ok();
        if let Some(known) = known.and_then(|known| known.get(&number).map(Arc::clone)) {
            return Ok(known);
        }
        let read = Arc::new(read()?);
        if let Ok(mut known) = self.known.lock() {
            if known.len() >= self.n_max {
                known.clear();
            }
            known.insert(number, Arc::clone(&read));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_not_read_again_until_it_is_full() {
        let kept = Kept::new(2);
        let read = |number: i64, value: &str| {
            let value: Result<_, ()> = kept.get(number, || Ok(value.to_owned()));
            value.map(|value| value.to_string())
        };
        assert_eq!(read(1, "one"), Ok("one".to_owned()));
        assert_eq!(read(1, "other"), Ok("one".to_owned()));
        assert_eq!(read(2, "two"), Ok("two".to_owned()));
        assert_eq!(read(3, "three"), Ok("three".to_owned()));
        assert_eq!(read(1, "other"), Ok("other".to_owned()));
        assert_eq!(kept.get(9, || Err("no")), Err("no"));
    }
}
