//! What frequent words are worth is kept: they come in question after question, and cost the most.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::asked::Held;
use super::tally::Worth;
use super::{LexicalOptions, TermGroup};
use crate::store::cache::Cache;

/// A word that fewer entries hold is counted anew as quickly.
const ENTRIES_MIN: usize = 1_000;
/// Entries that are kept of all words together, some ten bytes each: in a small index so many, in a large one
/// several times as many as it has, or its commonest words would drive each other out.
const ENTRIES_KEPT: usize = 2 << 20;
const TIMES_KEPT: usize = 8;
/// Bytes that are kept of who holds words.
const HELD_BYTES_KEPT: usize = 16 << 20;

/// The worth of frequent words, by their spelling and by what else it depends on.
pub(super) struct Frequent {
    worths: Cache<(TermGroup, OptionBits), Worth>,
    held: Cache<(TermGroup, OptionBits), Held>,
    n_kept_max: usize,
    n_questions: AtomicU32,
}

/// [`LexicalOptions`] to the bit, as a key must be.
type OptionBits = [u32; 14];

impl Frequent {
    /// For an index of so many entries.
    pub(super) fn new(n_entries: usize) -> Self {
        let n_kept_max = (TIMES_KEPT * n_entries).max(ENTRIES_KEPT);
        Self {
            worths: Cache::new(n_kept_max, |worth: &Worth| worth.len()),
            held: Cache::new(HELD_BYTES_KEPT, Held::n_bytes),
            n_kept_max,
            n_questions: AtomicU32::new(0),
        }
    }

    /// Is told that a question is asked. A process that asks one keeps nothing for the next.
    pub(super) fn count_question(&self) {
        self.n_questions.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns who holds a word, if that was kept.
    pub(super) fn held(&self, group: &TermGroup, options: &LexicalOptions) -> Option<Arc<Held>> {
        self.held.known(&(group.clone(), bits(options)))
    }

    /// Keeps who holds a word.
    pub(super) fn keep_held(&self, group: &TermGroup, options: &LexicalOptions, held: &Arc<Held>) {
        if self.n_questions.load(Ordering::Relaxed) > 1 {
            self.held.keep(&(group.clone(), bits(options)), held);
        }
    }

    /// Returns what a word is worth, if that was kept.
    pub(super) fn worth(&self, group: &TermGroup, options: &LexicalOptions) -> Option<Arc<Worth>> {
        self.worths.known(&(group.clone(), bits(options)))
    }

    /// Keeps what a word is worth, if it is frequent.
    pub(super) fn keep_worth(&self, group: &TermGroup, options: &LexicalOptions, worth: &Worth) {
        let is_frequent = (ENTRIES_MIN..self.n_kept_max / 2).contains(&worth.len());
        if is_frequent && self.n_questions.load(Ordering::Relaxed) > 1 {
            let key = (group.clone(), bits(options));
            self.worths.keep(&key, &Arc::new(worth.clone()));
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
