//! A hook is done in time, whatever the rest of the process is waiting for; and what it did is written
//! down either way.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::receipt;
use super::session::Session;
use crate::render;
use crate::settings::Settings;
use crate::wire::{HookResponse, Receipt};

/// Ends the process in time, whatever the rest of it is waiting for.
pub(super) struct Deadline {
    is_over: Arc<AtomicBool>,
    started: Instant,
    folder: PathBuf,
}

impl Deadline {
    pub(super) fn start(settings: &Settings, receipt: &Receipt, started: Instant) -> Self {
        let folder = settings.hook_dir();
        let deadline = Self {
            is_over: Arc::default(),
            started,
            folder: folder.clone(),
        };
        let is_over = Arc::clone(&deadline.is_over);
        let limit = Duration::from_millis(settings.hooks.deadline_ms);
        let mut receipt = receipt.clone();
        thread::spawn(move || {
            thread::sleep(limit.saturating_sub(started.elapsed()));
            if !is_over.swap(true, Ordering::SeqCst) {
                receipt.why = "it took too long".to_owned();
                receipt.ms = started.elapsed().as_millis() as u64;
                let _ = receipt::add(&folder, &receipt);
                std::process::exit(0);
            }
        });
        deadline
    }

    /// Says what there is to say, unless time was up, and writes down what happened.
    pub(super) fn finish(
        &self,
        mut receipt: Receipt,
        said: Option<HookResponse>,
        session: &mut Session,
    ) {
        if self.is_over.swap(true, Ordering::SeqCst) {
            return;
        }
        if let Some(said) = said {
            // An agent that has gone away reads nothing; that is its own business.
            let _ = render::print_json(&said);
        }
        session.save();
        receipt.ms = self.started.elapsed().as_millis() as u64;
        let _ = receipt::add(&self.folder, &receipt);
    }
}
