//! What is known of every entry of the word index without reading a posting.

use std::ops::Range;

use tantivy::SegmentReader;

use crate::store::{ChunkId, NoteId};

/// Columns over all entries of all segments, note entries and chunk entries alike.
#[derive(Default)]
pub(super) struct Entries {
    /// The notes, in the order of their entries.
    pub(super) notes: Vec<NoteEntry>,
    /// Which of the notes an entry belongs to.
    pub(super) note_of: Vec<u32>,
    /// Chunk id plus one, 0 for note entries and deleted ones.
    pub(super) chunk: Vec<u32>,
    pub(super) n_terms: Vec<u32>,
    /// Entry of each chunk id, `u32::MAX` where there is none.
    entry_of_slot: Vec<u32>,
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

impl Entries {
    pub(super) fn load(&mut self, segment: &SegmentReader) -> tantivy::Result<()> {
        let n_docs = segment.max_doc() as usize;
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
        let ids = segment.fast_fields().u64("note")?.values;
        self.note_of.reserve(n_docs);
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
            self.note_of.push(self.notes.len().saturating_sub(1) as u32);
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

    pub(super) fn summarise(&mut self) {
        let n_slots = self.chunk.iter().max().copied().unwrap_or(0) as usize;
        self.entry_of_slot = vec![u32::MAX; n_slots];
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
                    self.entry_of_slot[chunk as usize - 1] = entry as u32;
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

    /// Returns the note of an entry.
    pub(super) fn note(&self, entry: usize) -> &NoteEntry {
        &self.notes[self.note_of[entry] as usize]
    }

    #[inline]
    pub(super) fn has_slot(&self, slot: usize) -> bool {
        matches!(self.entry_of_slot.get(slot), Some(&entry) if entry != u32::MAX)
    }

    pub(super) fn entry(&self, chunk: ChunkId) -> Option<usize> {
        let slot = usize::try_from(chunk.0).ok()?;
        let entry = *self.entry_of_slot.get(slot)?;
        (entry != u32::MAX).then_some(entry as usize)
    }
}
