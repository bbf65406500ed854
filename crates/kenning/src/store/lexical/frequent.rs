//! What frequent words are worth is kept: they come in question after question, and cost the most.

use std::sync::Arc;

use super::tally::Worth;
use super::{LexicalOptions, TermGroup};
use crate::store::cache::Cache;

/// A word that fewer entries hold is counted anew as quickly.
const ENTRIES_MIN: usize = 1_000;
/// Entries that are kept of all words together, twice eight bytes each.
const ENTRIES_MAX: usize = 1 << 20;

/// The worth of frequent words, by their spelling and by what else it depends on.
pub(super) struct Frequent(Cache<(TermGroup, OptionBits), Worth>);

/// [`LexicalOptions`] to the bit, as a key must be.
type OptionBits = [u32; 14];

impl Frequent {
    pub(super) fn new() -> Self {
        Self(Cache::new(2 * ENTRIES_MAX, |worth: &Worth| worth.len()))
    }

    pub(super) fn get(&self, group: &TermGroup, options: &LexicalOptions) -> Option<Arc<Worth>> {
        self.0.known(&(group.clone(), bits(options)))
    }

    /// Keeps what a word is worth, if it is frequent.
    pub(super) fn keep(&self, group: &TermGroup, options: &LexicalOptions, worth: &Worth) {
        if (ENTRIES_MIN..ENTRIES_MAX).contains(&worth.len()) {
            let key = (group.clone(), bits(options));
            self.0.keep(&key, &Arc::new(worth.clone()));
        }
    }
}

fn bits(options: &LexicalOptions) -> OptionBits {
    let weights = &options.weights;
    let fields = [
        weights.text,
        weights.file_name,
        weights.title,
        weights.aliases,
        weights.tags,
    ];
    let more = [
        weights.area,
        weights.summary,
        weights.properties,
        weights.section,
    ];
    let rest = [weights.compound, weights.context];
    let bm25 = [options.k1, options.b, options.note_share];
    let mut values = fields.into_iter().chain(more).chain(rest).chain(bm25);
    std::array::from_fn(|_| values.next().unwrap_or_default().to_bits())
}
