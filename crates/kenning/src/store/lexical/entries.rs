//! What is known of every entry of the word index without reading a posting.

use std::ops::Range;

use tantivy::SegmentReader;

use crate::store::{ChunkId, NoteId};

/// Columns over all entries of all segments, note entries and chunk entries alike.
#[derive(Default)]
pub(super) struct Entries {
    /// Position of the note entry that an entry belongs to.
    pub(super) note_entry: Vec<u32>,
    /// Where the chunks of a note end, at its entry: they follow it.
    end: Vec<u32>,
    pub(super) note: Vec<u32>,
    /// Chunk id plus one, 0 for note entries and deleted ones.
    pub(super) chunk: Vec<u32>,
    pub(super) n_terms: Vec<u32>,
    /// Entry of each chunk id, `u32::MAX` where there is none.
    entry_of_slot: Vec<u32>,
    pub(super) is_alive: Vec<bool>,
    pub(super) n_notes: u32,
    pub(super) mean_note_terms: f32,
    pub(super) mean_chunk_terms: f32,
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
        let first = self.note.len();
        column("note", &mut self.note)?;
        column("chunk", &mut self.chunk)?;
        column("n_terms", &mut self.n_terms)?;
        let mut note_entry = first as u32;
        self.end.resize(first + n_docs, 0);
        for entry in first..first + n_docs {
            if self.chunk[entry] == 0 {
                note_entry = entry as u32;
            }
            self.note_entry.push(note_entry);
            self.end[note_entry as usize] = entry as u32 + 1;
        }
        match segment.alive_bitset() {
            None => self.is_alive.resize(first + n_docs, true),
            Some(alive) => {
                self.is_alive
                    .extend((0..segment.max_doc()).map(|doc| alive.is_alive(doc)));
                for entry in first..first + n_docs {
                    if !self.is_alive[entry] {
                        self.chunk[entry] = 0;
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn summarise(&mut self) {
        let n_slots = self.chunk.iter().max().copied().unwrap_or(0) as usize;
        self.entry_of_slot = vec![u32::MAX; n_slots];
        let (mut n_chunks, mut note_terms, mut chunk_terms) = (0u64, 0u64, 0u64);
        for entry in (0..self.note.len()).filter(|&entry| self.is_alive[entry]) {
            let n_terms = u64::from(self.n_terms[entry]);
            match self.chunk[entry] {
                0 => {
                    self.n_notes += 1;
                    note_terms += n_terms;
                }
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

    pub(super) fn note_id(&self, entry: usize) -> NoteId {
        NoteId(i64::from(self.note[entry]))
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

    /// Returns the entries of a note's chunks.
    pub(super) fn chunks_of(&self, note: usize) -> Range<usize> {
        note + 1..self.end[note] as usize
    }
}
