//! Runs a format on a thread of its own, so that a bad file costs at most its deadline.
//!
//! A panic is caught and told as a reason; its message is kept off stderr, which belongs to
//! people. A thread that outlives its deadline is left behind and asked to stop: every format
//! asks [`Budget::check`] as it goes, so it ends soon after.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Once};
use std::thread;
use std::time::Duration;

use super::{Limits, Trouble};

/// Name of the threads whose panics are not printed.
const THREAD_NAME: &str = "kenning-extract";

/// Deep but legal files recurse inside the format crates; the default of 2 MiB is too near.
const STACK_BYTES: usize = 16 << 20;

/// What a thread ends with when its deadline has passed; nobody waits for it any more.
const TOO_SLOW: &str = "reading it took too long";

/// What one file may still cost.
pub(super) struct Budget {
    /// The limits that hold.
    pub(super) limits: Limits,
    is_over: Arc<AtomicBool>,
}

impl Budget {
    /// Fails once the deadline has passed.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(TOO_SLOW.to_owned());
        }
        Ok(())
    }

    /// Ends the thread once the deadline has passed, from inside a callback that cannot fail.
    pub(super) fn check_or_unwind(&self) {
        if self.is_over.load(Ordering::Relaxed) {
            panic::resume_unwind(Box::new(TOO_SLOW));
        }
    }
}

/// Runs `read` over `bytes` within the limits.
pub(super) fn run<T, F>(limits: &Limits, bytes: Vec<u8>, read: F) -> Result<T, Trouble>
where
    T: Send + 'static,
    F: FnOnce(&[u8], &Budget) -> Result<T, String> + Send + 'static,
{
    quiet_panics();
    let is_over = Arc::new(AtomicBool::new(false));
    let budget = Budget {
        limits: limits.clone(),
        is_over: Arc::clone(&is_over),
    };
    let (sender, receiver) = mpsc::sync_channel(1);
    let spawned = thread::Builder::new()
        .name(THREAD_NAME.to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| read(&bytes, &budget)));
            // The receiver is gone when the deadline has passed; nobody waits for this any more.
            let _ = sender.send(outcome.unwrap_or_else(|payload| Err(told(payload.as_ref()))));
        });
    if let Err(error) = spawned {
        let reason = format!("there was no thread to read it with ({error})");
        return Err(Trouble::Reader(reason));
    }
    match receiver.recv_timeout(Duration::from_millis(limits.deadline_ms)) {
        Ok(outcome) => outcome.map_err(Trouble::File),
        Err(RecvTimeoutError::Timeout) => {
            is_over.store(true, Ordering::Relaxed);
            Err(Trouble::too_slow(limits))
        }
        Err(RecvTimeoutError::Disconnected) => {
            let reason = "reading it failed without a reason";
            Err(Trouble::File(reason.to_owned()))
        }
    }
}

fn told(payload: &(dyn Any + Send)) -> String {
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason given");
    let message: String = message
        .lines()
        .next()
        .unwrap_or("")
        .chars()
        .take(120)
        .collect();
    format!("the file is damaged in a way its reader did not expect ({message})")
}

/// Makes panics of our own threads silent; all others go where they went before.
fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() != Some(THREAD_NAME) {
                before(info);
            }
        }));
    });
}

#[cfg(test)]
pub(super) fn test_budget() -> Budget {
    Budget {
        limits: Limits::default(),
        is_over: Arc::new(AtomicBool::new(false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_reason() {
        let reason = run::<(), _>(&Limits::default(), vec![1], |_, _| {
            panic!("cell {} is odd", 7)
        });
        assert!(reason.unwrap_err().into_reason().contains("cell 7 is odd"));
    }

    #[test]
    fn a_slow_file_is_given_up_and_its_thread_told() {
        let limits = Limits {
            deadline_ms: 20,
            ..Limits::default()
        };
        let (sender, receiver) = mpsc::channel();
        let reason = run(&limits, vec![1], move |_, budget| {
            while budget.check().is_ok() {
                thread::yield_now();
            }
            sender.send(()).unwrap();
            Ok(())
        });
        assert!(reason.unwrap_err().into_reason().contains("too long"));
        receiver.recv().unwrap();
    }
}
