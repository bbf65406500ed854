//! How much work a question may cost, and whether anybody still waits for its answer.
//!
//! Work is counted, not timed: the same question to the same index is answered, or refused, every time.
//! Loops ask before each step and end early; whoever called them then finds the error.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Error, Result};

/// Tells work from outside that nobody waits for it any more.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Ends the work at its next step.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether nobody waits any more.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The work that one question may still cost. A unit is about what it takes to look at one byte or one
/// posting.
#[derive(Debug)]
pub struct Budget {
    left: AtomicU64,
    stop: Stop,
}

impl Default for Budget {
    /// No limit, and nobody who could stop it.
    fn default() -> Self {
        Self::new(u64::MAX, Stop::default())
    }
}

impl Budget {
    /// Allows so many units of work, for as long as somebody waits.
    pub fn new(n_units: u64, stop: Stop) -> Self {
        Self {
            left: AtomicU64::new(n_units),
            stop,
        }
    }

    /// Whether a step of so many units may be done. Once one may not, none may.
    pub(crate) fn spend(&self, n_units: u64) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        if left == u64::MAX {
            return !self.stop.is_set();
        }
        let left = left.checked_sub(n_units).filter(|left| *left > 0);
        self.left.store(left.unwrap_or(0), Ordering::Relaxed);
        left.is_some() && !self.stop.is_set()
    }

    /// Returns an error if the work ended early.
    pub fn check(&self) -> Result<()> {
        if self.stop.is_set() {
            return Err(Error::Stopped);
        }
        match self.left.load(Ordering::Relaxed) {
            0 => Err(Error::TooCostly {
                reason: "it would take more work than one question may".to_owned(),
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_when_it_is_used_up() {
        let budget = Budget::new(10, Stop::default());
        assert!(budget.spend(9) && budget.check().is_ok());
        assert!(!budget.spend(1) && !budget.spend(0));
        assert!(matches!(budget.check(), Err(Error::TooCostly { .. })));
    }

    #[test]
    fn work_ends_when_nobody_waits() {
        let stop = Stop::default();
        for budget in [
            Budget::new(10, stop.clone()),
            Budget::new(u64::MAX, stop.clone()),
        ] {
            assert!(budget.spend(1) || stop.is_set());
            stop.set();
            assert!(!budget.spend(1));
            assert!(matches!(budget.check(), Err(Error::Stopped)));
        }
        let unlimited = Budget::default();
        assert!(unlimited.spend(u64::MAX) && unlimited.spend(u64::MAX));
    }
}
