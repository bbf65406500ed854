//! What frequent words are worth is kept: they come in question after question, and cost the most.

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::tally::Worth;
use super::{LexicalOptions, TermGroup};

/// A word that fewer entries hold is counted anew as quickly.
const ENTRIES_MIN: usize = 1_000;
/// Entries that are kept of all words together, eight bytes each.
const ENTRIES_MAX: usize = 1 << 20;

/// The worth of frequent words, for one set of options; others make it begin anew.
#[derive(Default)]
pub(super) struct Frequent(Mutex<Known>);

#[derive(Default)]
struct Known {
    options: Option<LexicalOptions>,
    words: FxHashMap<TermGroup, Arc<Worth>>,
    n_entries: usize,
}

impl Frequent {
    pub(super) fn get(&self, group: &TermGroup, options: &LexicalOptions) -> Option<Arc<Worth>> {
        let known = self.0.lock().ok()?;
        let word = known.words.get(group)?;
        (known.options.as_ref() == Some(options)).then(|| Arc::clone(word))
    }

    /// Keeps what a word is worth, if it is frequent.
    pub(super) fn keep(&self, group: &TermGroup, options: &LexicalOptions, worth: &Worth) {
        if (ENTRIES_MIN..ENTRIES_MAX).contains(&worth.len())
            && let Ok(mut known) = self.0.lock()
        {
            let is_full = known.n_entries + worth.len() > ENTRIES_MAX;
            if is_full || known.options.as_ref() != Some(options) {
                *known = Known {
                    options: Some(*options),
                    ..Known::default()
                };
            }
            known.n_entries += worth.len();
            known.words.insert(group.clone(), Arc::new(worth.clone()));
        }
    }
}
