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

/// What one word of a query is worth to every entry that holds it.
#[derive(Clone, Default)]
pub(super) struct Worth {
    /// The word's rarity.
    pub(super) idf: f32,
    notes: Vec<NoteWorth>,
    /// Chunks, and what they get beside the names of their notes.
    chunks: Vec<(u32, f32)>,
    /// Entries that hold the word as part of another one only, in order.
    pub(super) partly: Vec<u32>,
}

#[derive(Clone)]
struct NoteWorth {
    /// Its number among the notes.
    note: u32,
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

/// Sums by entry.
#[derive(Default)]
pub(super) struct Tally {
    /// Weighted occurrences of the word at hand in the text of each entry, and in its names.
    texts: Vec<f32>,
    /// The same in the headings above an entry: so few that they are listed, each time that they are counted.
    sections: Vec<(u32, f32)>,
    /// Entries that hold the word at hand.
    counted: Bits,
    /// Scores so far of chunks, by entry.
    pub(super) chunks: Vec<f32>,
    /// Sums of notes, by their number.
    pub(super) notes: Vec<NoteSums>,
    /// Notes that hold any word.
    pub(super) matched: Bits,
    /// Buffers for the word at hand.
    worth: Worth,
    /// Notes that hold the word at hand itself, if others hold it as part of another one.
    n_whole: Option<u32>,
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
    pub(super) fn new(entries: &Entries) -> Self {
        let (n_entries, n_notes) = (entries.chunk.len(), entries.notes.len());
        Self {
            texts: vec![0.0; n_entries],
            sections: Vec::new(),
            counted: Bits::new(n_entries),
            chunks: vec![0.0; n_entries],
            notes: vec![NoteSums::default(); n_notes],
            matched: Bits::new(n_notes),
            worth: Worth::default(),
            n_whole: None,
        }
    }

    #[inline]
    pub(super) fn count(&mut self, entry: usize, amount: f32, target: Target) {
        match target {
            Target::Text => self.texts[entry] += amount,
            Target::Section => self.sections.push((entry as u32, amount)),
        }
        self.counted.insert(entry);
    }

    /// Whether a note holds any word so far.
    pub(super) fn has_matched(&self, note: usize) -> bool {
        self.matched.has(note)
    }

    pub(super) fn has_counted(&self) -> bool {
        self.counted.0.iter().any(|word| *word != 0)
    }

    /// Counts words that the word at hand is only part of. What is rare is the word itself, however
    /// many words it is part of.
    pub(super) fn count_partly(&mut self, mut found: Vec<(usize, f32)>, entries: &Entries) {
        if self.has_counted() {
            self.n_whole = Some(self.n_notes_counted(entries));
        }
        // Amounts of one entry stay in their order: sums depend on it.
        found.sort_by_key(|(entry, _)| *entry);
        for &(entry, amount) in &found {
            if !self.counted.has(entry) {
                self.worth.partly.push(entry as u32);
            }
            self.count(entry, amount, Target::Text);
        }
    }

    fn n_notes_counted(&self, entries: &Entries) -> u32 {
        let (mut note, mut end, mut n_notes) = (0, 0, 0);
        self.counted.each(|entry| {
            if entry >= end {
                note = entries.number_from(note, entry);
                end = entries.notes[note].chunks().end;
                n_notes += 1;
            }
        });
        n_notes
    }

    /// Adds what the word of a number is worth to the scores, as often as its emphasis says.
    pub(super) fn add(&mut self, number: usize, worth: &Worth, emphasis: f32) {
        let bit = 1u32.checked_shl(number as u32).unwrap_or(0);
        for of_note in &worth.notes {
            let note = &mut self.notes[of_note.note as usize];
            note.score += emphasis * of_note.own;
            note.context += emphasis * of_note.context;
            if of_note.context > 0.0 {
                note.named |= bit;
            }
            self.matched.insert(of_note.note as usize);
        }
        for &(chunk, amount) in &worth.chunks {
            self.chunks[chunk as usize] += emphasis * amount;
        }
    }

    /// Turns the counts of a word into what it is worth by BM25, and empties them.
    ///
    /// Its buffers are those of a word before, if that was [given back](Tally::give_back).
    pub(super) fn worth(&mut self, entries: &Entries, options: &LexicalOptions) -> Worth {
        let mut worth = self.shares(entries, options);
        let n_whole = self.n_whole.take().map(|n| n as usize);
        let n_matching = n_whole.unwrap_or(worth.notes.len()) as f32;
        let idf = idf(n_matching, entries.n_notes as f32);
        for of_note in &mut worth.notes {
            of_note.own *= idf;
            of_note.context *= idf;
        }
        worth.chunks.iter_mut().for_each(|(_, share)| *share *= idf);
        worth.idf = idf;
        worth
    }

    /// Takes the buffers of a word back.
    pub(super) fn give_back(&mut self, mut worth: Worth) {
        worth.partly.clear();
        self.worth = worth;
    }

    /// The same before rarity counts, entry by entry: a note's comes before those of its chunks.
    fn shares(&mut self, entries: &Entries, options: &LexicalOptions) -> Worth {
        let Self {
            texts,
            sections,
            counted,
            ..
        } = self;
        // Several spellings are counted one after the other; amounts of one entry stay in their order.
        if !sections.is_sorted_by_key(|(entry, _)| *entry) {
            sections.sort_by_key(|(entry, _)| *entry);
        }
        let mut sections = sections.drain(..).peekable();
        let mut worth = std::mem::take(&mut self.worth);
        worth.notes.clear();
        worth.chunks.clear();
        let note_norm = Norm::new(options, entries.mean_note_terms);
        let chunk_norm = Norm::new(options, entries.mean_chunk_terms);
        let close = |notes: &mut Vec<NoteWorth>, in_note: f32| {
            if let Some(last) = notes.last_mut() {
                let entry = entries.notes[last.note as usize].entry;
                let norm = note_norm.of(entries.n_terms[entry as usize]);
                last.own = in_note / (in_note + norm);
            }
        };
        // Of the note at hand: the word in all of it, and in its title. A chunk is read under the
        // title: what that says counts for each chunk, also for those that do not say it.
        let (mut note, mut own_entry, mut end) = (0, 0, 0);
        let (mut in_note, mut context, mut from_context) = (0f32, 0f32, 0f32);
        let Worth { notes, chunks, .. } = &mut worth;
        counted.drain(|entry| {
            // Entries of a note follow each other: which one it is is looked up for the first.
            if entry >= end {
                close(notes, in_note);
                note = entries.number_from(note, entry);
                let of_note = &entries.notes[note];
                (own_entry, end) = (of_note.entry as usize, of_note.chunks().end);
                in_note = 0.0;
                context = (texts[own_entry] * options.weights.context).min(1.0);
                from_context = context / (context + options.k1);
                notes.push(NoteWorth {
                    note: note as u32,
                    own: 0.0,
                    context: from_context,
                });
            }
            let text = std::mem::take(&mut texts[entry]);
            let mut section = 0.0;
            while let Some((_, amount)) = sections.next_if(|(of, _)| *of as usize == entry) {
                section += amount;
            }
            in_note += text;
            if entry != own_entry {
                let count = text + section + context;
                let norm = chunk_norm.of(entries.n_terms[entry]);
                chunks.push((entry as u32, count / (count + norm) - from_context));
            }
        });
        close(notes, in_note);
        worth
    }

    /// Makes everything zero again.
    pub(super) fn clear(&mut self, entries: &Entries) {
        let Self {
            chunks,
            notes,
            matched,
            ..
        } = self;
        if matched.len() > notes.len() / CLEARED_AT_ONCE_MIN {
            notes.fill(NoteSums::default());
            chunks.fill(0.0);
            return matched.0.fill(0);
        }
        matched.drain(|note| {
            notes[note] = NoteSums::default();
            chunks[entries.notes[note].chunks()].fill(0.0);
        });
    }
}

/// Where more than one in so many notes is to be cleared, clearing everything is quicker.
const CLEARED_AT_ONCE_MIN: usize = 10;

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

/// A set of entries, one bit each: in order without sorting.
#[derive(Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    fn new(n_entries: usize) -> Self {
        Self(vec![0; n_entries.div_ceil(64)])
    }

    fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    #[inline]
    fn has(&self, entry: usize) -> bool {
        self.0[entry / 64] >> (entry % 64) & 1 == 1
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
