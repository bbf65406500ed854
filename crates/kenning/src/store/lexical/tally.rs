//! The running sums of one query in some notes: what each entry holds of the word at hand, what it has scored.
//!
//! They are as long as these notes have entries, which are numbered by their ranks, and their notes by their places
//! (see [`Within`]). The buffers are used again by the next query.

use super::LexicalOptions;
use super::bits::Bits;
use super::entries::Entries;
use super::within::{Within, after};

/// Which score an occurrence counts for beside the note's own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Text,
    Section,
}

/// What one word of a query is worth to every entry that holds it.
#[derive(Clone, Default)]
pub(super) struct Worth {
    notes: Vec<NoteWorth>,
    /// The ranks of chunks, and what they get beside the names of their notes.
    chunks: Vec<(u32, f32)>,
    /// Entries that hold the word as part of another one only, in order.
    pub(super) partly: Vec<u32>,
}

#[derive(Clone)]
struct NoteWorth {
    place: u32,
    own: f32,
    /// What its names are worth to each of its chunks.
    context: f32,
}

impl Worth {
    /// Returns how many entries it is about.
    pub(super) fn len(&self) -> usize {
        self.notes.len() + self.chunks.len()
    }
}

/// Sums of entries and notes.
#[derive(Default)]
pub(super) struct Tally {
    /// Weighted occurrences of the word at hand in the text of each entry, and in its names.
    texts: Vec<f32>,
    /// The same in the headings above an entry: so few that they are listed, each time that they are counted.
    sections: Vec<(u32, f32)>,
    /// Entries that hold the word at hand.
    counted: Bits,
    /// Scores so far of chunks, by rank.
    pub(super) chunks: Vec<f32>,
    /// Sums of notes, by place.
    pub(super) notes: Vec<NoteSums>,
    /// Buffers for the word at hand.
    worth: Worth,
}

/// What is known of a note so far.
#[derive(Clone, Copy, Default)]
pub(super) struct NoteSums {
    pub(super) score: f32,
    /// What each of its chunks gets from its names.
    pub(super) context: f32,
    /// Highest score of its chunks, once all words are counted.
    pub(super) best: f32,
    /// Which of the first 32 words its own entry holds, one bit each: name, tags, folders, properties.
    pub(super) named: u32,
}

impl Tally {
    /// Makes all sums zero, for some notes.
    pub(super) fn reset(&mut self, within: &Within) {
        for sums in [&mut self.texts, &mut self.chunks] {
            sums.clear();
            sums.resize(within.n_entries(), 0.0);
        }
        self.sections.clear();
        self.counted.reset(within.n_entries());
        self.notes.clear();
        self.notes.resize(within.notes.len(), NoteSums::default());
    }

    #[inline]
    pub(super) fn count(&mut self, rank: usize, amount: f32, target: Target) {
        match target {
            Target::Text => self.texts[rank] += amount,
            Target::Section => self.sections.push((rank as u32, amount)),
        }
        self.counted.insert(rank);
    }

    /// Counts words that the word at hand is only part of.
    pub(super) fn count_partly(
        &mut self,
        found: impl Iterator<Item = (usize, f32)>,
        within: &Within,
    ) {
        for (entry, amount) in found {
            let rank = within.rank(entry);
            if !self.counted.has(rank) {
                self.worth.partly.push(entry as u32);
            }
            self.count(rank, amount, Target::Text);
        }
    }

    /// Adds what the word of a number is worth to the scores, as often as its emphasis says.
    pub(super) fn add(&mut self, number: usize, worth: &Worth, emphasis: f32) {
        for of_note in &worth.notes {
            self.add_note(number, of_note.place as usize, of_note, emphasis);
        }
        for &(rank, amount) in &worth.chunks {
            self.chunks[rank as usize] += emphasis * amount;
        }
    }

    /// The same for what it is worth in every note, of which these are some.
    pub(super) fn add_of_every(
        &mut self,
        number: usize,
        worth: &Worth,
        emphasis: f32,
        within: &Within,
    ) {
        let (mut notes, mut chunks) = (worth.notes.as_slice(), worth.chunks.as_slice());
        for (place, &note) in within.notes.iter().enumerate() {
            notes = &notes[after(notes, |of| of.place < note)..];
            let Some(of_note) = notes.first() else { break };
            if of_note.place != note {
                continue;
            }
            self.add_note(number, place, of_note, emphasis);
            let ranks = within.ranks_of(place);
            let first = within.entry(place, ranks.start);
            let end = (first + ranks.len()) as u32;
            chunks = &chunks[after(chunks, |(entry, _)| (*entry as usize) < first)..];
            for &(entry, amount) in chunks.iter().take_while(|(entry, _)| *entry < end) {
                self.chunks[ranks.start + entry as usize - first] += emphasis * amount;
            }
        }
    }

    #[inline]
    fn add_note(&mut self, number: usize, place: usize, of_note: &NoteWorth, emphasis: f32) {
        let note = &mut self.notes[place];
        note.score += emphasis * of_note.own;
        note.context += emphasis * of_note.context;
        if of_note.context > 0.0 {
            note.named |= 1u32.checked_shl(number as u32).unwrap_or(0);
        }
    }

    /// Takes over the sums of some notes, by their places.
    pub(super) fn take_some(&mut self, all: &Self, of: &Within, places: &[usize], within: &Within) {
        self.reset(within);
        for (place, &old) in places.iter().enumerate() {
            self.notes[place] = all.notes[old];
            let old = &all.chunks[of.ranks_of(old)];
            self.chunks[within.ranks_of(place)].copy_from_slice(old);
        }
    }

    /// Returns the highest score of the chunks of a note.
    pub(super) fn best_of(&self, within: &Within, place: usize) -> f32 {
        highest(&self.chunks[within.chunks_of(place)]) + self.notes[place].context
    }

    /// Writes down the highest score of the chunks of each note, once all words are counted.
    pub(super) fn find_best(&mut self, within: &Within) {
        for place in 0..self.notes.len() {
            self.notes[place].best = self.best_of(within, place);
        }
    }

    /// Turns the counts of a word of some rarity into what it is worth by BM25, and empties them.
    ///
    /// Its buffers are those of a word before, if that was [given back](Tally::give_back).
    pub(super) fn worth(
        &mut self,
        within: &Within,
        entries: &Entries,
        options: &LexicalOptions,
        idf: f32,
    ) -> Worth {
        let mut worth = self.shares(within, entries, options);
        for of_note in &mut worth.notes {
            of_note.own *= idf;
            of_note.context *= idf;
        }
        worth.chunks.iter_mut().for_each(|(_, share)| *share *= idf);
        worth
    }

    /// Takes the buffers of a word back.
    pub(super) fn give_back(&mut self, mut worth: Worth) {
        worth.partly.clear();
        self.worth = worth;
    }

    /// The same before rarity counts, entry by entry: a note's comes before those of its chunks.
    fn shares(&mut self, within: &Within, entries: &Entries, options: &LexicalOptions) -> Worth {
        let Self {
            texts,
            sections,
            counted,
            ..
        } = self;
        // Several spellings are counted one after the other; amounts of one entry stay in their order.
        if !sections.is_sorted_by_key(|(rank, _)| *rank) {
            sections.sort_by_key(|(rank, _)| *rank);
        }
        let mut sections = sections.drain(..).peekable();
        let mut worth = std::mem::take(&mut self.worth);
        worth.notes.clear();
        worth.chunks.clear();
        let note_norm = Norm::new(options, entries.mean_note_terms);
        let chunk_norm = Norm::new(options, entries.mean_chunk_terms);
        let close = |notes: &mut Vec<NoteWorth>, in_note: f32| {
            if let Some(last) = notes.last_mut() {
                let number = within.notes[last.place as usize] as usize;
                let entry = entries.notes[number].entry;
                let norm = note_norm.of(entries.n_terms[entry as usize]);
                last.own = in_note / (in_note + norm);
            }
        };
        // Of the note at hand: the word in all of it, and in its title. A chunk is read under the
        // title: what that says counts for each chunk, also for those that do not say it.
        let (mut place, mut ranks) = (0, 0..0);
        let (mut in_note, mut context, mut from_context) = (0f32, 0f32, 0f32);
        let Worth { notes, chunks, .. } = &mut worth;
        counted.drain(|rank| {
            // Entries of a note follow each other: which one it is is looked up for the first.
            if rank >= ranks.end {
                close(notes, in_note);
                place = within.place_from(place, rank);
                ranks = within.ranks_of(place);
                in_note = 0.0;
                context = (texts[ranks.start] * options.weights.context).min(1.0);
                from_context = context / (context + options.k1);
                notes.push(NoteWorth {
                    place: place as u32,
                    own: 0.0,
                    context: from_context,
                });
            }
            let text = std::mem::take(&mut texts[rank]);
            let mut section = 0.0;
            while let Some((_, amount)) = sections.next_if(|(of, _)| *of as usize == rank) {
                section += amount;
            }
            in_note += text;
            if rank != ranks.start {
                let count = text + section + context;
                let norm = chunk_norm.of(entries.n_terms[within.entry(place, rank)]);
                chunks.push((rank as u32, count / (count + norm) - from_context));
            }
        });
        close(notes, in_note);
        worth
    }
}

/// The higher of two scores, none of which is ever NaN: one instruction, where `max` is five.
#[inline]
pub(super) fn higher(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The highest of some scores; of none, less than any.
#[inline]
fn highest(scores: &[f32]) -> f32 {
    (scores.iter()).fold(f32::MIN, |best, score| higher(best, *score))
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

/// Rarity of a word that so many of all notes hold.
pub(super) fn idf(n_matching: f32, n_notes: f32) -> f32 {
    let odds = (n_notes - n_matching + 0.5) / (n_matching + 0.5);
    (1.0 + odds).max(1.0).ln()
}
