//! The one cache: what was read stays in memory for the next question, as a snapshot never changes.

use std::hash::Hash;
use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

/// Things by key, up to so many bytes: what was not asked for lately makes room.
pub struct Cache<K, T> {
    known: Mutex<Known<K, T>>,
    /// Half of what may be kept.
    n_bytes_max: usize,
    /// About how many bytes one needs.
    n_bytes_of: fn(&T) -> usize,
}

struct Known<K, T> {
    /// What was asked for lately.
    recent: FxHashMap<K, Arc<T>>,
    n_bytes: usize,
    /// What was recent until that was full.
    older: FxHashMap<K, Arc<T>>,
}

impl<K: Clone + Eq + Hash, T> Cache<K, T> {
    /// Makes one for about so many bytes, of which `n_bytes_of` tells what one thing needs.
    pub fn new(n_bytes_max: usize, n_bytes_of: fn(&T) -> usize) -> Self {
        Self {
            known: Mutex::new(Known {
                recent: FxHashMap::default(),
                n_bytes: 0,
                older: FxHashMap::default(),
            }),
            n_bytes_max: n_bytes_max / 2,
            n_bytes_of,
        }
    }

    /// Returns what is kept under a key, or reads it; two may read the same at once.
    pub fn get<E>(&self, key: &K, read: impl FnOnce() -> Result<T, E>) -> Result<Arc<T>, E> {
        if let Some(known) = self.known(key) {
            return Ok(known);
        }
        let read = Arc::new(read()?);
        self.keep(key, &read);
        Ok(read)
    }

    /// Returns what is kept under a key.
    pub fn known(&self, key: &K) -> Option<Arc<T>> {
        let mut known = self.known.lock().ok()?;
        if let Some(recent) = known.recent.get(key) {
            return Some(Arc::clone(recent));
        }
        let older = known.older.remove(key)?;
        drop(known);
        self.keep(key, &older);
        Some(older)
    }

    /// Keeps something under a key.
    pub fn keep(&self, key: &K, read: &Arc<T>) {
        if let Ok(mut known) = self.known.lock() {
            let n_bytes = (self.n_bytes_of)(read);
            if known.n_bytes + n_bytes > self.n_bytes_max {
                known.older = std::mem::take(&mut known.recent);
                known.n_bytes = 0;
            }
            if known.recent.insert(key.clone(), Arc::clone(read)).is_none() {
                known.n_bytes += n_bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_again_stays() {
        let cache = Cache::new(16, String::len);
        let read = |number: i64, value: &str| {
            let value: Result<_, ()> = cache.get(&number, || Ok(value.to_owned()));
            value.map(|value| value.to_string())
        };
        assert_eq!(read(1, "one"), Ok("one".to_owned()));
        assert_eq!(read(1, "other"), Ok("one".to_owned()));
        assert_eq!(read(2, "two"), Ok("two".to_owned()));
        // The third makes the first two older; of these, the first is asked for in time.
        assert_eq!(read(3, "three"), Ok("three".to_owned()));
        assert_eq!(read(1, "other"), Ok("one".to_owned()));
        assert_eq!(read(5, "five"), Ok("five".to_owned()));
        assert_eq!(read(1, "other"), Ok("one".to_owned()));
        assert_eq!(read(2, "other"), Ok("other".to_owned()));
        // The last one is kept however large it is.
        assert_eq!(read(4, "more than that"), Ok("more than that".to_owned()));
        assert_eq!(read(4, "other"), Ok("more than that".to_owned()));
        assert_eq!(cache.get(&9, || Err("no")), Err("no"));
    }
}
