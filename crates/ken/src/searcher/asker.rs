//! For whom a thread works: whoever asked may go away, or have waited long enough, and the engine then
//! ends at its next step. A question is answered on one thread from beginning to end.

use std::cell::RefCell;

use kenning::budget::{Budget, Stop};

/// Units of work that any question may cost, and what is added for each byte of the index: to look
/// at every text once or twice is a plain question, however large the vault.
const WORK_BASE: u64 = 1_000_000_000;
const WORK_PER_BYTE: u64 = 16;

thread_local! {
    static STOP: RefCell<Stop> = RefCell::default();
}

/// Runs work that ends when `stop` is set.
pub(crate) fn on_behalf_of<T>(stop: &Stop, work: impl FnOnce() -> T) -> T {
    let before = STOP.replace(stop.clone());
    let _back = Back(Some(before));
    work()
}

/// Puts back for whom the thread worked before, whatever happens meanwhile.
struct Back(Option<Stop>);

impl Drop for Back {
    fn drop(&mut self) {
        STOP.set(self.0.take().unwrap_or_default());
    }
}

/// Returns what a question to an index of so many bytes may cost on this thread.
pub(crate) fn budget(n_bytes: u64) -> Budget {
    let n_units = WORK_BASE.saturating_add(n_bytes.saturating_mul(WORK_PER_BYTE));
    Budget::new(n_units, STOP.with_borrow(Stop::clone))
}

/// Somebody who waits. When this is dropped, nobody does.
pub(crate) struct Waiting(pub(crate) Stop);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.set();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_with_the_one_who_waits() {
        let waiting = Waiting(Stop::default());
        let stop = waiting.0.clone();
        on_behalf_of(&stop, || {
            let budget = budget(0);
            assert!(budget.check().is_ok());
            drop(waiting);
            assert!(budget.check().is_err());
        });
        // The next question of this thread is somebody else's.
        assert!(budget(0).check().is_ok());
    }
}
