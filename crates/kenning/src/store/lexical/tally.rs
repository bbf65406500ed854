//! The running sums of one query: what each entry holds of the word at hand, what it has scored.
//!
//! The buffers are as long as the index has entries. They are made once and used again: a query
//! leaves them as it found them, all zero, and pays for the entries it touched only.

use super::LexicalOptions;
use super::entries::Entries;

/// Which score an occurrence counts for beside the note's own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Text,
    Section,
}

/// Sums by entry.
#[derive(Default)]
pub(super) struct Tally {
    /// Weighted occurrences of the word at hand.
    text: Vec<f32>,
    section: Vec<f32>,
    /// Entries that hold it.
    counted: Bits,
    /// The same as a list, in order.
    touched: Vec<u32>,
    /// Scores so far, of notes and of chunks.
    pub(super) scores: Vec<f32>,
    /// What every chunk of a note gets from the note's names, at the note's entry.
    pub(super) context: Vec<f32>,
    /// Highest score of a note's chunks, at the note's entry, once all words are counted.
    pub(super) best: Vec<f32>,
    /// Entries of notes that hold any word.
    pub(super) matched: Bits,
}

impl Tally {
    pub(super) fn new(n_entries: usize) -> Self {
        Self {
            text: vec![0.0; n_entries],
            section: vec![0.0; n_entries],
            counted: Bits::new(n_entries),
            touched: Vec::new(),
            scores: vec![0.0; n_entries],
            context: vec![0.0; n_entries],
            best: vec![0.0; n_entries],
            matched: Bits::new(n_entries),
        }
    }

    #[inline]
    pub(super) fn count(&mut self, entry: usize, amount: f32, target: Target) {
        let counts = match target {
            Target::Text => &mut self.text,
            Target::Section => &mut self.section,
        };
        counts[entry] += amount;
        self.counted.insert(entry);
    }

    pub(super) fn has_counted(&self) -> bool {
        self.counted.0.iter().any(|word| *word != 0)
    }

    /// Turns counts into BM25 shares and empties them; returns the word's idf.
    pub(super) fn add_scores(&mut self, entries: &Entries, options: &LexicalOptions) -> f32 {
        let n_matching = self.list_touched(entries) as f32;
        let n_notes = entries.n_notes as f32;
        let idf = (1.0 + (n_notes - n_matching + 0.5) / (n_matching + 0.5))
            .max(1.0)
            .ln();
        let note_norm = Norm::new(options, entries.mean_note_terms);
        let chunk_norm = Norm::new(options, entries.mean_chunk_terms);
        let note_of = |entry: u32| entries.note_entry[entry as usize];
        for of_note in self.touched.chunk_by(|&a, &b| note_of(a) == note_of(b)) {
            let note = note_of(of_note[0]) as usize;
            let named = self.text[note];
            let in_note: f32 = of_note.iter().map(|&entry| self.text[entry as usize]).sum();
            self.scores[note] += idf * in_note / (in_note + note_norm.of(entries.n_terms[note]));
            self.matched.insert(note);
            // A chunk is read under its title: what the title says counts for each chunk of the
            // note, also for those that do not say it themselves.
            let context = (named * options.weights.context).min(1.0);
            let from_context = idf * context / (context + options.k1);
            self.context[note] += from_context;
            for entry in of_note.iter().map(|&entry| entry as usize) {
                let (text, section) = (self.text[entry], self.section[entry]);
                self.text[entry] = 0.0;
                self.section[entry] = 0.0;
                if entry != note {
                    let count = text + section + context;
                    let norm = chunk_norm.of(entries.n_terms[entry]);
                    self.scores[entry] += idf * count / (count + norm) - from_context;
                }
            }
        }
        idf
    }

    /// Lists the entries that were counted, in order; returns how many notes they are of.
    fn list_touched(&mut self, entries: &Entries) -> usize {
        self.touched.clear();
        let (mut n_notes, mut last) = (0, u32::MAX);
        let touched = &mut self.touched;
        self.counted.drain(|entry| {
            let note = entries.note_entry[entry];
            n_notes += usize::from(note != last);
            last = note;
            touched.push(entry as u32);
        });
        n_notes
    }

    /// Makes everything zero again.
    pub(super) fn clear(&mut self, entries: &Entries) {
        let Self {
            scores,
            context,
            matched,
            ..
        } = self;
        matched.drain(|note| {
            context[note] = 0.0;
            scores[note] = 0.0;
            scores[entries.chunks_of(note)].fill(0.0);
        });
    }
}

/// BM25's length normalisation, `k1 · (1 − b + b · n / mean)`.
struct Norm {
    fixed: f32,
    per_term: f32,
}

impl Norm {
    fn new(options: &LexicalOptions, mean: f32) -> Self {
        Self {
            fixed: options.k1 * (1.0 - options.b),
            per_term: options.k1 * options.b / mean,
        }
    }

    fn of(&self, n_terms: u32) -> f32 {
        self.fixed + self.per_term * n_terms as f32
    }
}

/// A set of entries, one bit each: in order without sorting.
#[derive(Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    fn new(n_entries: usize) -> Self {
        Self(vec![0; n_entries.div_ceil(64)])
    }

    #[inline]
    fn insert(&mut self, entry: usize) {
        self.0[entry / 64] |= 1 << (entry % 64);
    }

    /// Calls `each` for every entry, in order.
    pub(super) fn each(&self, mut each: impl FnMut(usize)) {
        for (index, &word) in self.0.iter().enumerate() {
            each_bit(word, |bit| each(index * 64 + bit));
        }
    }

    /// The same, and leaves the set empty.
    fn drain(&mut self, mut each: impl FnMut(usize)) {
        for (index, word) in self.0.iter_mut().enumerate() {
            each_bit(std::mem::take(word), |bit| each(index * 64 + bit));
        }
    }
}

#[inline]
fn each_bit(mut word: u64, mut each: impl FnMut(usize)) {
    while word != 0 {
        each(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}
