//! Some of the notes, and the entries that belong to them, numbered one after the other.
//!
//! What is added up for a query is as long as the notes are that it is added up in. A place is the number of a note
//! among them, a rank that of an entry among theirs; both rise with what they number.

use std::ops::Range;

use super::bits::Bits;
use super::entries::Entries;

/// Notes, and all entries of theirs.
pub struct Within {
    /// Their numbers, rising.
    pub(super) notes: Vec<u32>,
    /// The entry of each, and the rank of that.
    starts: Vec<(u32, u32)>,
    entries: Bits,
    /// How many entries are before each word of the bits.
    ranks: Vec<u32>,
    n_entries: usize,
    is_every: bool,
}

impl Within {
    /// Takes the numbers of notes, which must rise.
    pub(super) fn new(notes: Vec<u32>, entries: &Entries) -> Self {
        let mut held = Bits::new(entries.chunk.len());
        let mut n_entries = 0;
        let start = |&number: &u32| {
            let note = &entries.notes[number as usize];
            let range = note.entry as usize..note.chunks().end;
            let start = (note.entry, n_entries as u32);
            n_entries += range.len();
            held.insert_range(range);
            start
        };
        let starts = notes.iter().map(start).collect();
        Self {
            is_every: notes.len() == entries.notes.len(),
            notes,
            starts,
            ranks: held.ranks(),
            entries: held,
            n_entries,
        }
    }

    /// All notes.
    pub(super) fn every(entries: &Entries) -> Self {
        Self::new((0..entries.notes.len() as u32).collect(), entries)
    }

    /// Whether no note is left out.
    pub(super) fn is_every(&self) -> bool {
        self.is_every
    }

    /// Returns how many entries belong to the notes.
    pub(super) fn n_entries(&self) -> usize {
        self.n_entries
    }

    /// Whether an entry belongs to one of the notes.
    #[inline]
    pub fn has(&self, entry: usize) -> bool {
        self.entries.has(entry)
    }

    /// Returns the rank of an entry that belongs to one of the notes.
    #[inline]
    pub(super) fn rank(&self, entry: usize) -> usize {
        self.ranks[entry / 64] as usize + self.entries.n_before_in_word(entry)
    }

    /// Returns the first entry from one on that belongs to one of the notes.
    pub(super) fn next(&self, entry: usize) -> Option<usize> {
        self.entries.next(entry)
    }

    /// Returns the place of the note of a rank, which is not before a place, and most likely soon behind it.
    pub(super) fn place_from(&self, place: usize, rank: usize) -> usize {
        let is_reached = |start: &(u32, u32)| start.1 as usize <= rank;
        place + after(self.starts.get(place + 1..).unwrap_or_default(), is_reached)
    }

    /// Returns the place of the note with an entry, which belongs to one of them.
    pub(super) fn place_of(&self, entry: usize) -> usize {
        let after = (self.starts).partition_point(|start| start.0 as usize <= entry);
        after.saturating_sub(1)
    }

    /// Returns the ranks of the entries of the note at a place: its own comes first.
    #[inline]
    pub(super) fn ranks_of(&self, place: usize) -> Range<usize> {
        let end = self.starts.get(place + 1).map(|start| start.1 as usize);
        self.starts[place].1 as usize..end.unwrap_or(self.n_entries)
    }

    /// The same of its chunks alone.
    #[inline]
    pub(super) fn chunks_of(&self, place: usize) -> Range<usize> {
        let ranks = self.ranks_of(place);
        ranks.start + 1..ranks.end
    }

    /// Returns the entry of a rank of the note at a place.
    #[inline]
    pub(super) fn entry(&self, place: usize, rank: usize) -> usize {
        let (entry, first) = self.starts[place];
        entry as usize + rank - first as usize
    }
}

/// Returns how many at the beginning of a list are before what is looked for, which is most likely near.
pub(super) fn after<T>(list: &[T], is_before: impl Fn(&T) -> bool) -> usize {
    let (mut start, mut step) = (0, 1);
    while list.get(start + step - 1).is_some_and(&is_before) {
        start += step;
        step *= 2;
    }
    let end = list.len().min(start + step);
    start + list[start..end].partition_point(is_before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{ChunkId, NoteId};

    #[test]
    fn what_comes_after_is_found_from_any_place() {
        let list: Vec<usize> = (0..40).map(|n| n * 3).collect();
        for start in 0..list.len() {
            for sought in 0..130 {
                let expected = list[start..].iter().filter(|n| **n < sought).count();
                assert_eq!(after(&list[start..], |n| *n < sought), expected);
            }
        }
    }

    #[test]
    fn entries_of_some_notes_follow_each_other() {
        let mut entries = Entries::default();
        for note in 0..40i64 {
            let chunks = (0..note % 5).map(|chunk| (ChunkId(note * 10 + chunk), 1));
            entries.add(NoteId(note), 1, chunks);
        }
        let within = Within::new((0..40).filter(|note| note % 3 == 1).collect(), &entries);
        let (mut rank, mut place) = (0, 0);
        for entry in 0..entries.chunk.len() {
            let number = entries.number_of(entry);
            assert_eq!(within.has(entry), number % 3 == 1);
            if within.has(entry) {
                assert_eq!(within.rank(entry), rank);
                place = within.place_from(place, rank);
                assert_eq!(within.notes[place] as usize, number);
                assert_eq!(
                    (within.place_of(entry), within.entry(place, rank)),
                    (place, entry)
                );
                assert!(within.ranks_of(place).contains(&rank));
                rank += 1;
            }
        }
        assert_eq!(within.n_entries(), rank);
        assert!(!within.is_every() && Within::every(&entries).is_every());
    }
}
