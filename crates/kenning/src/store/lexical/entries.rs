//! What is known of every entry of the word index without reading a posting.

use std::ops::Range;

use tantivy::error::DataCorruption;
use tantivy::{SegmentReader, TantivyError};

use super::bits::Bits;
use super::within::after;
use crate::store::{ChunkId, NoteId};

/// Columns over all entries of all segments, note entries and chunk entries alike.
#[derive(Default)]
pub struct Entries {
    /// The notes, in the order of their entries.
    pub(super) notes: Vec<NoteEntry>,
    /// Chunk id plus one, 0 for note entries and deleted ones.
    pub(super) chunk: Vec<u32>,
    pub(super) n_terms: Vec<u32>,
    /// Entry of each chunk id, `u32::MAX` where there is none.
    entry_of_id: Vec<u32>,
    /// The last entry of each note.
    ends: Bits,
    /// Which entries are left, if any were deleted.
    is_alive: Vec<bool>,
    pub(super) n_notes: u32,
    pub(super) mean_note_terms: f32,
    pub(super) mean_chunk_terms: f32,
}

/// A note: its entry, and where those of its chunks end, which follow it.
pub(super) struct NoteEntry {
    id: u32,
    pub(super) entry: u32,
    end: u32,
}

impl NoteEntry {
    pub(super) fn id(&self) -> NoteId {
        NoteId(i64::from(self.id))
    }

    /// Returns the entries of its chunks.
    pub(super) fn chunks(&self) -> Range<usize> {
        self.entry as usize + 1..self.end as usize
    }
}

fn too_many() -> TantivyError {
    TantivyError::DataCorruption(DataCorruption::comment_only(
        "it tells of more entries than there can be",
    ))
}

impl Entries {
    /// Adds a segment of an index of so many bytes. There are no more entries than bytes, nor chunks: what
    /// says otherwise was made to take the memory.
    pub(super) fn load(
        &mut self,
        segment: &SegmentReader,
        n_bytes_all: usize,
    ) -> tantivy::Result<()> {
        let n_docs = segment.max_doc() as usize;
        if self.chunk.len().saturating_add(n_docs) > n_bytes_all {
            return Err(too_many());
        }
        // Piece by piece: a buffer for a whole column would cost more than reading it.
        let mut values = [0u64; 1_024];
        let mut column = |name: &str, out: &mut Vec<u32>| -> tantivy::Result<()> {
            let column = segment.fast_fields().u64(name)?.values;
            out.reserve(n_docs);
            for start in (0..n_docs).step_by(values.len()) {
                let n = values.len().min(n_docs - start);
                column.get_range(start as u64, &mut values[..n]);
                out.extend(values[..n].iter().map(|value| *value as u32));
            }
            Ok(())
        };
        let first = self.chunk.len();
        column("chunk", &mut self.chunk)?;
        column("n_terms", &mut self.n_terms)?;
        let is_chunk = |chunk: &u32| (*chunk as usize) <= n_bytes_all;
        if !self.chunk[first..].iter().all(is_chunk) {
            return Err(too_many());
        }
        let ids = segment.fast_fields().u64("note")?.values;
        for (doc, entry) in (0..).zip(first..first + n_docs) {
            if self.chunk[entry] == 0 {
                self.notes.push(NoteEntry {
                    id: ids.get_val(doc) as u32,
                    entry: entry as u32,
                    end: 0,
                });
            }
            if let Some(note) = self.notes.last_mut() {
                note.end = entry as u32 + 1;
            }
        }
        if let Some(alive) = segment.alive_bitset() {
            self.is_alive.resize(first, true);
            self.is_alive
                .extend((0..segment.max_doc()).map(|doc| alive.is_alive(doc)));
            for entry in (first..first + n_docs).filter(|&entry| !self.is_alive[entry]) {
                self.chunk[entry] = 0;
            }
        }
        Ok(())
    }

    /// Adds a note with its number of terms, and its chunks with theirs: the entries of another kind of index.
    pub fn add(
        &mut self,
        note: NoteId,
        n_terms: u32,
        chunks: impl Iterator<Item = (ChunkId, u32)>,
    ) {
        let entry = self.chunk.len() as u32;
        self.chunk.push(0);
        self.n_terms.push(n_terms);
        for (chunk, n_terms) in chunks {
            self.chunk.push(chunk.0 as u32 + 1);
            self.n_terms.push(n_terms);
        }
        self.notes.push(NoteEntry {
            id: note.0 as u32,
            entry,
            end: self.chunk.len() as u32,
        });
    }

    /// Counts what is there, once all of it was added.
    pub fn summarise(&mut self) {
        let n_vectors = self.chunk.iter().max().copied().unwrap_or(0) as usize;
        self.entry_of_id = vec![u32::MAX; n_vectors];
        self.ends = Bits::new(self.chunk.len());
        for note in &self.notes {
            self.ends.insert(note.end as usize - 1);
        }
        let (mut n_chunks, mut note_terms, mut chunk_terms) = (0u64, 0u64, 0u64);
        for entry in 0..self.chunk.len() {
            let n_terms = u64::from(self.n_terms[entry]);
            match self.chunk[entry] {
                0 if self.is_alive(entry) => {
                    self.n_notes += 1;
                    note_terms += n_terms;
                }
                0 => {}
                chunk => {
                    self.entry_of_id[chunk as usize - 1] = entry as u32;
                    n_chunks += 1;
                    chunk_terms += n_terms;
                }
            }
        }
        self.mean_note_terms = (note_terms as f32 / self.n_notes.max(1) as f32).max(1.0);
        self.mean_chunk_terms = (chunk_terms as f32 / n_chunks.max(1) as f32).max(1.0);
    }

    /// Whether an entry was not deleted.
    #[inline]
    pub(super) fn is_alive(&self, entry: usize) -> bool {
        self.is_alive.get(entry).is_none_or(|alive| *alive)
    }

    /// Whether a living entry is that of a note.
    pub(super) fn is_note(&self, entry: usize) -> bool {
        self.chunk[entry] == 0
    }

    /// Returns the note of an entry.
    pub(super) fn note(&self, entry: usize) -> &NoteEntry {
        &self.notes[self.number_of(entry)]
    }

    /// Returns the number of the note of an entry.
    pub(super) fn number_of(&self, entry: usize) -> usize {
        let after = (self.notes).partition_point(|note| note.entry as usize <= entry);
        after.saturating_sub(1)
    }

    /// The same, where it is not before the note of a number, and most likely soon behind it.
    pub(super) fn number_from(&self, number: usize, entry: usize) -> usize {
        let is_reached = |note: &NoteEntry| note.entry as usize <= entry;
        number + after(self.notes.get(number + 1..).unwrap_or_default(), is_reached)
    }

    /// Returns the notes that have an entry in a set, by their numbers, and leaves that empty.
    pub(super) fn drain_notes(&self, entries: &mut Bits) -> Bits {
        entries.drain_ranges(&self.ends, self.notes.len())
    }

    #[inline]
    pub(super) fn has_vector_id(&self, id: usize) -> bool {
        matches!(self.entry_of_id.get(id), Some(&entry) if entry != u32::MAX)
    }

    /// Returns how many chunks there are.
    pub(super) fn n_chunks(&self) -> usize {
        self.chunk.iter().filter(|chunk| **chunk != 0).count()
    }

    /// Returns the entry of a note by its number in the order in which notes were added; those of its chunks follow.
    pub fn entry_of_note(&self, number: usize) -> usize {
        self.notes[number].entry as usize
    }

    /// Returns how many notes there are.
    pub fn n_notes(&self) -> usize {
        self.n_notes as usize
    }

    pub(super) fn entry(&self, chunk: ChunkId) -> Option<usize> {
        let id = usize::try_from(chunk.0).ok()?;
        let entry = *self.entry_of_id.get(id)?;
        (entry != u32::MAX).then_some(entry as usize)
    }
}

#[cfg(test)]
mod tests {
    use tantivy::{Index, TantivyDocument};

    use super::*;
    use crate::store::lexical::fields::Fields;

    /// Loads an index of one entry, as one of so many bytes would be.
    fn load(chunk: u64, n_bytes_all: usize) -> tantivy::Result<usize> {
        let fields = Fields::new();
        let mut index = Index::create_in_ram(fields.schema.clone());
        index.set_tokenizers(Fields::tokenizers());
        let mut writer = index.writer_with_num_threads(1, 15_000_000)?;
        let mut entry = TantivyDocument::new();
        entry.add_u64(fields.note, 1);
        entry.add_u64(fields.chunk, chunk);
        entry.add_u64(fields.n_terms, 1);
        writer.add_document(entry)?;
        writer.commit()?;
        let mut entries = Entries::default();
        let segment = &index.searchable_segments()?[0];
        entries.load(&SegmentReader::open(segment)?, n_bytes_all)?;
        entries.summarise();
        Ok(entries.entry_of_id.len())
    }

    #[test]
    fn the_note_of_an_entry_is_found_from_any_note_before() {
        let mut entries = Entries::default();
        for (note, n_chunks) in [(7, 3), (8, 0), (9, 1), (2, 5), (4, 0)] {
            let chunks = (0..n_chunks).map(|chunk| (ChunkId(note * 10 + chunk), 1));
            entries.add(NoteId(note), 1, chunks);
        }
        let expected = [0, 0, 0, 0, 1, 2, 2, 3, 3, 3, 3, 3, 3, 4];
        assert_eq!(entries.chunk.len(), expected.len());
        for (entry, &number) in expected.iter().enumerate() {
            assert_eq!(entries.number_of(entry), number);
            for before in 0..=number {
                assert_eq!(
                    entries.number_from(before, entry),
                    number,
                    "{before} {entry}"
                );
            }
        }
    }

    #[test]
    fn numbers_in_a_file_do_not_ask_for_more_memory_than_it_has() {
        assert_eq!(load(7, 100).unwrap(), 7);
        assert!(load(u64::from(u32::MAX), 1 << 20).is_err());
        assert!(load(101, 100).is_err());
        assert!(load(1, 0).is_err());
    }
}
