//! What every entry scored for one query, and which are best.

use std::cmp::Ordering;
use std::sync::Arc;

use super::asked::{Asked, Sums};
use super::tally::{NoteSums, Tally, higher};
use super::within::Within;
use super::{Correction, Postings, WordReader};
use crate::store::{ChunkId, NoteId, NoteSet};

/// What the word index found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LexicalResults {
    /// The best chunks, best first.
    pub hits: Vec<LexicalHit>,
    /// The chunks that were asked about beside them, in the same order; those without a match score 0.
    pub also: Vec<LexicalHit>,
    /// Inverse document frequency of each term group; empty where nothing is indexed.
    pub idf: Vec<f32>,
    /// The same of a word that no note says.
    pub unsaid: f32,
    /// Words that no entry holds, and what was looked for instead.
    pub corrections: Vec<Correction>,
}

/// A chunk and what its words score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LexicalHit {
    /// The chunk.
    pub chunk: ChunkId,
    /// Its note.
    pub note: NoteId,
    /// 0 to 1: relative to the best note and the best chunk.
    pub score: f32,
    /// The shares of note and chunk that the score is made of.
    pub parts: (f32, f32),
    /// Which words it has beside those of its text.
    pub beside: Beside,
}

/// A chunk that may be among the best.
struct Scored {
    chunk: ChunkId,
    score: f32,
}

/// What was added up in some notes.
pub(super) struct Part {
    pub(super) within: Arc<Within>,
    pub(super) tally: Tally,
}

/// Scores of entries for one query.
pub(super) struct Scores<'a, P: Postings> {
    reader: &'a WordReader<P>,
    sums: Sums<'a>,
    best_note: f32,
    best_chunk: f32,
}

/// Which words of a query a passage has beside those of its text, one bit for each of the first 32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// Those in name, tags, folders and properties of its note.
    pub named: u32,
    /// Those that only stand in longer words, in its text or of its note.
    pub partly: u32,
}

impl Beside {
    /// Whether name, tags, folders or properties of the note hold the word of a number.
    pub fn is_named(&self, number: usize) -> bool {
        has_bit(self.named, number)
    }

    /// Whether the word of a number only stands in longer ones.
    pub(crate) fn is_partly(&self, number: usize) -> bool {
        has_bit(self.partly, number)
    }
}

fn has_bit(bits: u32, number: usize) -> bool {
    bits.checked_shr(number as u32).unwrap_or(0) & 1 == 1
}

impl<'a, P: Postings> Scores<'a, P> {
    /// Takes what was added up; the highest sums are among it.
    pub(super) fn new(reader: &'a WordReader<P>, sums: Sums<'a>) -> Self {
        let (mut best_note, mut best_chunk) = (0f32, 0f32);
        for note in sums.parts.iter().flat_map(|part| &part.tally.notes) {
            best_note = higher(best_note, note.score);
            best_chunk = higher(best_chunk, note.best);
        }
        Self {
            reader,
            sums,
            best_note,
            best_chunk,
        }
    }

    /// Returns what chunks score that need not be among the best, 0 when none of their notes' words match. Where words
    /// were only counted in some notes, they are counted in theirs, too.
    pub(super) fn also(
        &mut self,
        chunks: &[ChunkId],
        words: &[Asked],
    ) -> Result<Vec<LexicalHit>, P::Error> {
        let late = self.notes_beside(chunks);
        if !late.is_empty() {
            let late = Arc::new(Within::new(late, &self.reader.entries));
            self.reader.add_part(words, late, &mut self.sums)?;
        }
        Ok(chunks.iter().filter_map(|chunk| self.of(*chunk)).collect())
    }

    /// Returns the notes of some chunks that no word was counted in yet.
    fn notes_beside(&self, chunks: &[ChunkId]) -> Vec<u32> {
        let entries = chunks
            .iter()
            .filter_map(|chunk| self.reader.entries.entry(*chunk));
        let beside = entries.filter(|entry| self.part_with(*entry).is_none());
        let mut notes: Vec<u32> = beside
            .map(|entry| self.reader.entries.number_of(entry) as u32)
            .collect();
        notes.sort_unstable();
        notes.dedup();
        notes
    }

    fn part_with(&self, entry: usize) -> Option<&Part> {
        self.sums.parts.iter().find(|part| part.within.has(entry))
    }

    /// Returns what one chunk scores, if words were counted in its note.
    fn of(&self, chunk: ChunkId) -> Option<LexicalHit> {
        let entries = &self.reader.entries;
        let entry = entries.entry(chunk)?;
        let Part { within, tally } = self.part_with(entry)?;
        let place = within.place_of(entry);
        let (note, sums) = (
            &entries.notes[within.notes[place] as usize],
            &tally.notes[place],
        );
        let parts = (
            share(sums.score, self.best_note),
            self.chunk_share(tally.chunks[within.rank(entry)], sums),
        );
        let of_note = self.partly(note.entry);
        Some(LexicalHit {
            chunk,
            note: note.id(),
            score: self.combined(parts.0, parts.1),
            parts,
            beside: Beside {
                named: sums.named & !of_note,
                partly: of_note | self.partly(entry as u32),
            },
        })
    }

    /// Returns the best `limit` chunks of some notes, at most `per_note` of each.
    pub(super) fn best(&self, limit: usize, per_note: usize, within: &NoteSet) -> Vec<LexicalHit> {
        let best = self.best_scored(limit, per_note, within);
        best.iter().filter_map(|hit| self.of(hit.chunk)).collect()
    }

    fn best_scored(&self, limit: usize, per_note: usize, within: &NoteSet) -> Vec<Scored> {
        if limit == 0 {
            return Vec::new();
        }
        let mut best = Best {
            limit,
            per_note,
            hits: Vec::with_capacity(limit.min(HITS_EXPECTED) * 2),
            bar: 0.0,
        };
        for part in &self.sums.parts {
            self.add_best(part, within, &mut best);
        }
        best.cut();
        best.hits.sort_by(by_score);
        best.hits
    }

    /// Looks for the best in a part of the notes.
    fn add_best(&self, Part { within, tally }: &Part, of: &NoteSet, best: &mut Best) {
        let entries = &self.reader.entries;
        let of_note_each = share(self.note_share(), self.best_note);
        let of_chunk_each = share(1.0 - self.note_share(), self.best_chunk);
        for (place, sums) in tally.notes.iter().enumerate() {
            if of_note_each * sums.score + of_chunk_each * sums.best < best.bar * NEARLY {
                continue;
            }
            let of_note = share(sums.score, self.best_note);
            let most = share(sums.best, self.best_chunk);
            let note = || entries.notes[within.notes[place] as usize].id();
            let is_low = of_note <= 0.0 || self.combined(of_note, most) < best.bar;
            if is_low || !of.contains(note()) {
                continue;
            }
            let scored = within.chunks_of(place).map(|rank| Scored {
                chunk: ChunkId(i64::from(entries.chunk[within.entry(place, rank)]) - 1),
                score: self.combined(of_note, self.chunk_share(tally.chunks[rank], sums)),
            });
            best.add_note(scored);
        }
    }

    fn partly(&self, entry: u32) -> u32 {
        let partly = &self.sums.partly;
        let first = partly.partition_point(|(other, _)| *other < entry);
        let of_entry = partly[first..].iter();
        let bits = of_entry
            .take_while(|(other, _)| *other == entry)
            .map(|(_, number)| 1u32.checked_shl(*number as u32).unwrap_or(0));
        bits.fold(0, |all, bit| all | bit)
    }

    fn chunk_share(&self, chunk: f32, note: &NoteSums) -> f32 {
        share(chunk + note.context, self.best_chunk)
    }

    fn note_share(&self) -> f32 {
        self.sums.options.note_share
    }

    fn combined(&self, note: f32, chunk: f32) -> f32 {
        self.note_share() * note + (1.0 - self.note_share()) * chunk
    }
}

impl<P: Postings> Drop for Scores<'_, P> {
    fn drop(&mut self) {
        let parts = self.sums.parts.drain(..);
        self.reader.give_back(parts.map(|part| part.tally));
    }
}

/// Where everything is wanted, room for more is made when it is needed.
const HITS_EXPECTED: usize = 1_000;

/// Most notes are far below the bar, which is told without a division; where rounding could decide, it
/// is done exactly.
const NEARLY: f32 = 0.9999;

fn share(score: f32, best: f32) -> f32 {
    if best > 0.0 { score / best } else { 0.0 }
}

/// The best chunks so far.
struct Best {
    limit: usize,
    per_note: usize,
    hits: Vec<Scored>,
    /// What a chunk must reach to be among them.
    bar: f32,
}

impl Best {
    /// Adds the chunks of a note.
    fn add_note(&mut self, scored: impl Iterator<Item = Scored>) {
        let first = self.hits.len();
        self.hits.extend(scored.filter(|hit| hit.score >= self.bar));
        if self.hits.len() - first > self.per_note {
            self.hits[first..].sort_by(by_score);
            self.hits.truncate(first + self.per_note);
        }
        if self.hits.len() / 2 >= self.limit {
            self.cut();
        }
    }

    /// Drops all but the best, which must be reached from now on.
    fn cut(&mut self) {
        if self.limit > 0 && self.hits.len() > self.limit {
            let (_, last, _) = self.hits.select_nth_unstable_by(self.limit - 1, by_score);
            self.bar = last.score;
        }
        self.hits.truncate(self.limit);
    }
}

fn by_score(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk))
}
