//! What every entry scored for one query, and which are best.

use std::cmp::Ordering;

use super::tally::{NoteSums, Tally};
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

/// Scores of every entry for one query.
pub(super) struct Scores<'a, P: Postings> {
    reader: &'a WordReader<P>,
    tally: Tally,
    best_note: f32,
    best_chunk: f32,
    note_share: f32,
    /// Entries that hold a group as part of another word only, in order.
    partly: Vec<(u32, usize)>,
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
    /// Takes what was counted, and the entries that hold a group as part of another word only.
    pub(super) fn new(
        reader: &'a WordReader<P>,
        mut tally: Tally,
        note_share: f32,
        mut partly: Vec<(u32, usize)>,
    ) -> Self {
        partly.sort_unstable();
        let (mut best_note, mut best_chunk) = (0f32, 0f32);
        let Tally {
            chunks,
            notes,
            matched,
            ..
        } = &mut tally;
        matched.each(|number| {
            let note = &mut notes[number];
            best_note = higher(best_note, note.score);
            let chunks = chunks[reader.entries.notes[number].chunks()].iter();
            note.best = chunks.fold(f32::MIN, |best, &score| higher(best, score)) + note.context;
            best_chunk = higher(best_chunk, note.best);
        });
        Self {
            reader,
            tally,
            best_note,
            best_chunk,
            note_share,
            partly,
        }
    }

    /// Returns what one chunk scores, 0 when none of its note's words match.
    pub(super) fn of(&self, chunk: ChunkId) -> Option<LexicalHit> {
        let entries = &self.reader.entries;
        let entry = entries.entry(chunk)?;
        let number = entries.number_of(entry);
        let note = &self.tally.notes[number];
        let parts = (
            share(note.score, self.best_note),
            self.chunk_share(entry, note),
        );
        let of_note = self.partly(entries.notes[number].entry);
        Some(LexicalHit {
            chunk,
            note: entries.notes[number].id(),
            score: self.combined(parts.0, parts.1),
            parts,
            beside: Beside {
                named: note.named & !of_note,
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
        let entries = &self.reader.entries;
        let mut hits: Vec<Scored> = Vec::with_capacity(limit.min(HITS_EXPECTED) * 2);
        // What a chunk must reach to be among the best of those seen so far.
        let mut bar = 0f32;
        let of_note_each = share(self.note_share, self.best_note);
        let of_chunk_each = share(1.0 - self.note_share, self.best_chunk);
        self.tally.matched.each(|number| {
            let sums = &self.tally.notes[number];
            if of_note_each * sums.score + of_chunk_each * sums.best < bar * NEARLY {
                return;
            }
            let of_note = share(sums.score, self.best_note);
            let most = share(sums.best, self.best_chunk);
            let note = entries.notes[number].id();
            if of_note <= 0.0 || self.combined(of_note, most) < bar || !within.contains(note) {
                return;
            }
            let first = hits.len();
            for chunk in entries.notes[number].chunks() {
                let score = self.combined(of_note, self.chunk_share(chunk, sums));
                if score >= bar {
                    hits.push(Scored {
                        chunk: ChunkId(i64::from(entries.chunk[chunk]) - 1),
                        score,
                    });
                }
            }
            if hits.len() - first > per_note {
                hits[first..].sort_by(by_score);
                hits.truncate(first + per_note);
            }
            if hits.len() / 2 >= limit {
                bar = keep_best(&mut hits, limit);
            }
        });
        keep_best(&mut hits, limit);
        hits.sort_by(by_score);
        hits
    }

    fn partly(&self, entry: u32) -> u32 {
        let first = self.partly.partition_point(|(other, _)| *other < entry);
        let of_entry = self.partly[first..].iter();
        let bits = of_entry
            .take_while(|(other, _)| *other == entry)
            .map(|(_, number)| 1u32.checked_shl(*number as u32).unwrap_or(0));
        bits.fold(0, |all, bit| all | bit)
    }

    fn chunk_share(&self, chunk: usize, note: &NoteSums) -> f32 {
        share(self.tally.chunks[chunk] + note.context, self.best_chunk)
    }

    fn combined(&self, note: f32, chunk: f32) -> f32 {
        self.note_share * note + (1.0 - self.note_share) * chunk
    }
}

impl<P: Postings> Drop for Scores<'_, P> {
    fn drop(&mut self) {
        self.reader.give_back(std::mem::take(&mut self.tally));
    }
}

/// The higher of two scores, none of which is ever NaN: one instruction, where `max` is five.
#[inline]
fn higher(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Where everything is wanted, room for more is made when it is needed.
const HITS_EXPECTED: usize = 1_000;

/// Most notes are far below the bar, which is told without a division; where rounding could decide, it
/// is done exactly.
const NEARLY: f32 = 0.9999;

fn share(score: f32, best: f32) -> f32 {
    if best > 0.0 { score / best } else { 0.0 }
}

/// Drops all but the best `limit`; returns the score of the last that is left, 0 if none was dropped.
fn keep_best(hits: &mut Vec<Scored>, limit: usize) -> f32 {
    if limit == 0 || hits.len() <= limit {
        hits.truncate(limit);
        return 0.0;
    }
    let (_, last, _) = hits.select_nth_unstable_by(limit - 1, by_score);
    let bar = last.score;
    hits.truncate(limit);
    bar
}

fn by_score(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk))
}
