//! A damaged index is put aside and made again from the notes, and those who ask are told.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use kenning::store::FileId;

use super::{Searcher, locked};
use crate::render::say;
use crate::runtime;

/// Whether a searcher mends its index, and what there is to tell about it.
#[derive(Default)]
pub(super) struct Mending {
    is_allowed: AtomicBool,
    /// One mends, and the others wait.
    under_way: Mutex<()>,
    word: Mutex<Option<String>>,
}

impl Mending {
    pub(super) fn allow(&self) {
        self.is_allowed.store(true, Ordering::Relaxed);
    }

    /// Returns what was done since it was last told.
    pub(super) fn told(&self) -> Option<String> {
        locked(&self.word).take()
    }
}

impl Searcher {
    /// Whether it makes an index that is no good from the notes.
    pub(super) fn makes_anew(&self) -> bool {
        self.mending.is_allowed.load(Ordering::Relaxed) && self.vault().is_some()
    }

    /// Makes the index again if it was damage that went wrong with the file that was `seen`; tells
    /// whether it is worth asking again.
    pub(super) fn mend(&self, error: &anyhow::Error, seen: Option<FileId>) -> Result<bool> {
        let Some(reason) = runtime::damage(&self.located, error) else {
            return Ok(false);
        };
        // What was read of the damaged file is not asked again.
        self.index.close_snapshots();
        if !self.makes_anew() {
            self.note_damage(seen);
            return Ok(false);
        }
        let _under_way = locked(&self.mending.under_way);
        // The others find the file exchanged, and only ask again.
        if seen == FileId::of(&self.located.store) {
            let word = runtime::remake(&self.located, &reason, seen)?;
            say(&format!("note: {word}"));
            *locked(&self.mending.word) = Some(word);
        }
        Ok(true)
    }
}
