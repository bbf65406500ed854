//! Word search: BM25 over notes and over chunks from the same postings, in one pass.
//!
//! Every posting of a query term is read once. Its counts add up to the chunk's score and, since
//! a note's entries follow each other, to the note's. Lengths and document frequencies are those
//! of living entries only, so that an updated index scores exactly like a rebuilt one.

use std::path::Path;

use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{Index, SegmentReader, Term};

use super::directory::SqlDirectory;
use super::fuzzy;
use super::terms::Fields;
use super::{ChunkId, NoteId};
use crate::error::Result;

/// The ways one query word may be spelled in the index; a match of any of them counts as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermGroup {
    /// Exact terms.
    pub terms: Vec<String>,
    /// Match every term that starts with one of these, too.
    pub is_prefix: bool,
}

/// What one occurrence of a term in each field is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldWeights {
    /// Title of the note.
    pub title: f32,
    /// File name and aliases.
    pub names: f32,
    /// Tags.
    pub tags: f32,
    /// Folders, summary, other properties.
    pub about: f32,
    /// Headings above a chunk, for the chunk.
    pub section: f32,
    /// Title of the note, for each of its chunks.
    pub context: f32,
}

/// Parameters of the scoring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LexicalOptions {
    /// BM25's saturation.
    pub k1: f32,
    /// BM25's length normalisation.
    pub b: f32,
    /// Field weights; the text counts 1.
    pub weights: FieldWeights,
    /// Share of the note's own score in a chunk's; the rest is the chunk's.
    pub note_share: f32,
    /// Slips are forgiven in queries of up to this many words; longer ones have enough others.
    pub forgiving_words_max: usize,
}

/// A chunk found by its words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LexicalHit {
    /// The chunk.
    pub chunk: ChunkId,
    /// Its note.
    pub note: NoteId,
    /// 0 to 1: relative to the best note and the best chunk.
    pub score: f32,
}

/// The entries of the word index, as of one snapshot.
pub(super) struct LexicalReader {
    fields: Fields,
    segments: Vec<Segment>,
    entries: Entries,
}

struct Segment {
    reader: SegmentReader,
    first_entry: usize,
}

/// Columns over all entries of all segments, note entries and chunk entries alike.
#[derive(Default)]
struct Entries {
    /// Position of the note entry that an entry belongs to.
    note_entry: Vec<u32>,
    note: Vec<u32>,
    /// Chunk id plus one, 0 for note entries and deleted ones.
    chunk: Vec<u32>,
    n_terms: Vec<u32>,
    /// Entry of each chunk id, `u32::MAX` where there is none.
    entry_of_slot: Vec<u32>,
    is_alive: Vec<bool>,
    n_notes: u32,
    mean_note_terms: f32,
    mean_chunk_terms: f32,
}

/// Scores of every entry for one query.
pub struct LexicalScores<'a> {
    entries: &'a Entries,
    sums: Sums,
    best_note: f32,
    best_chunk: f32,
    note_share: f32,
    /// Inverse document frequency of each term group.
    pub idf: Vec<f32>,
    /// Groups that no entry holds, by number, and what was looked for instead.
    pub respelled: Vec<(usize, TermGroup)>,
}

impl LexicalReader {
    pub(super) fn open(directory: SqlDirectory, path: &Path) -> Result<Self> {
        Self::open_index(directory).map_err(super::lexical(path))
    }

    fn open_index(directory: SqlDirectory) -> tantivy::Result<Self> {
        let index = Index::open(directory)?;
        let mut reader = Self {
            fields: Fields::new(),
            segments: Vec::new(),
            entries: Entries::default(),
        };
        for segment in index.searchable_segments()? {
            let segment = SegmentReader::open(&segment)?;
            let first_entry = reader.entries.note.len();
            reader.entries.load(&segment)?;
            reader.segments.push(Segment {
                reader: segment,
                first_entry,
            });
        }
        reader.entries.summarise();
        Ok(reader)
    }

    pub(super) fn note_of_slot(&self, slot: usize) -> Option<NoteId> {
        self.note_of(ChunkId(slot as i64))
    }

    pub(super) fn note_of(&self, chunk: ChunkId) -> Option<NoteId> {
        let entry = self.entries.entry(chunk)?;
        Some(self.entries.note_id(entry))
    }

    /// Scores every entry that holds any of the groups.
    pub(super) fn score(
        &self,
        groups: &[TermGroup],
        options: &LexicalOptions,
    ) -> tantivy::Result<LexicalScores<'_>> {
        let n_entries = self.entries.note.len();
        let mut sums = Sums {
            scores: vec![0f32; n_entries],
            context: vec![0f32; n_entries],
        };
        let mut counts = Counts::new(n_entries);
        let mut idf = Vec::with_capacity(groups.len());
        let mut respelled = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            self.count(group, &options.weights, &mut counts)?;
            if counts.touched.is_empty() && groups.len() <= options.forgiving_words_max {
                let near = self.respell(group)?;
                if !near.terms.is_empty() {
                    self.count(&near, &options.weights, &mut counts)?;
                    respelled.push((number, near));
                }
            }
            idf.push(self.add_scores(&mut counts, options, &mut sums));
        }
        let mut scores = LexicalScores::new(&self.entries, sums, options.note_share, idf);
        scores.respelled = respelled;
        Ok(scores)
    }

    /// Returns the terms of the index that a word without any match may be meant for.
    fn respell(&self, group: &TermGroup) -> tantivy::Result<TermGroup> {
        let mut found = Vec::new();
        for segment in &self.segments {
            for field in [self.fields.text, self.fields.title, self.fields.names] {
                for term in &group.terms {
                    fuzzy::collect(&segment.reader, field, term, &mut found)?;
                }
            }
        }
        Ok(TermGroup {
            terms: fuzzy::choose(found),
            is_prefix: false,
        })
    }

    /// Counts the weighted occurrences of a group in every entry.
    fn count(
        &self,
        group: &TermGroup,
        weights: &FieldWeights,
        counts: &mut Counts,
    ) -> tantivy::Result<()> {
        let fields = &self.fields;
        let weighted = [
            (fields.text, 1.0, Target::Text),
            (fields.section, weights.section, Target::Section),
            (fields.title, weights.title, Target::Text),
            (fields.names, weights.names, Target::Text),
            (fields.tags, weights.tags, Target::Text),
            (fields.about, weights.about, Target::Text),
        ];
        for segment in &self.segments {
            for (field, weight, target) in weighted {
                if weight == 0.0 {
                    continue;
                }
                for term in segment.spellings(field, group)? {
                    segment.count_term(&term, weight, target, &self.entries.is_alive, counts)?;
                }
            }
        }
        Ok(())
    }

    /// Turns counts into BM25 shares and empties them; returns the group's idf.
    fn add_scores(&self, counts: &mut Counts, options: &LexicalOptions, sums: &mut Sums) -> f32 {
        let entries = &self.entries;
        // Sorted runs, one per field and segment: the stable sort merges them.
        counts.touched.sort();
        let n_matching = counts
            .touched
            .chunk_by(|&a, &b| entries.note_entry[a as usize] == entries.note_entry[b as usize])
            .count() as f32;
        let n_notes = entries.n_notes as f32;
        let idf = (1.0 + (n_notes - n_matching + 0.5) / (n_matching + 0.5))
            .max(1.0)
            .ln();
        let norm = |n_terms: u32, mean: f32| {
            options.k1 * (1.0 - options.b + options.b * n_terms as f32 / mean)
        };
        for of_note in counts
            .touched
            .chunk_by(|&a, &b| entries.note_entry[a as usize] == entries.note_entry[b as usize])
        {
            let note = entries.note_entry[of_note[0] as usize] as usize;
            let named = counts.text[note];
            let in_note: f32 = of_note
                .iter()
                .map(|&entry| counts.text[entry as usize])
                .sum();
            let note_norm = norm(entries.n_terms[note], entries.mean_note_terms);
            sums.scores[note] += idf * in_note / (in_note + note_norm);
            // A chunk is read under its title: what the title says counts for each chunk of the
            // note, also for those that do not say it themselves.
            let context = (named * options.weights.context).min(1.0);
            let from_context = idf * context / (context + options.k1);
            sums.context[note] += from_context;
            for &entry in of_note {
                let entry = entry as usize;
                if entry == note {
                    continue;
                }
                let count = counts.text[entry] + counts.section[entry] + context;
                let chunk_norm = norm(entries.n_terms[entry], entries.mean_chunk_terms);
                sums.scores[entry] += idf * count / (count + chunk_norm) - from_context;
            }
        }
        counts.clear();
        idf
    }
}

impl Segment {
    /// Returns the terms of the index that stand for a group.
    fn spellings(&self, field: Field, group: &TermGroup) -> tantivy::Result<Vec<Term>> {
        let exact = group
            .terms
            .iter()
            .map(|term| Term::from_field_text(field, term));
        if !group.is_prefix {
            return Ok(exact.collect());
        }
        let index = self.reader.inverted_index(field)?;
        let mut found = Vec::new();
        for prefix in &group.terms {
            let mut stream = index.terms().range().ge(prefix.as_bytes()).into_stream()?;
            while stream.advance() && stream.key().starts_with(prefix.as_bytes()) {
                if let Ok(term) = std::str::from_utf8(stream.key()) {
                    found.push(Term::from_field_text(field, term));
                }
            }
        }
        Ok(found)
    }

    fn count_term(
        &self,
        term: &Term,
        weight: f32,
        target: Target,
        is_alive: &[bool],
        counts: &mut Counts,
    ) -> tantivy::Result<()> {
        let index = self.reader.inverted_index(term.field())?;
        let Some(mut postings) = index.read_block_postings(term, IndexRecordOption::WithFreqs)?
        else {
            return Ok(());
        };
        while postings.block_len() > 0 {
            for (&doc, &frequency) in postings.docs().iter().zip(postings.freqs()) {
                let entry = self.first_entry + doc as usize;
                if is_alive[entry] {
                    counts.add(entry, weight * frequency as f32, target);
                }
            }
            postings.advance();
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Text,
    Section,
}

/// Scores so far: of notes and chunks at their entries, and what every chunk of a note gets from
/// the note's names, at the note's entry.
struct Sums {
    scores: Vec<f32>,
    context: Vec<f32>,
}

/// Weighted occurrences of one group, by entry.
struct Counts {
    text: Vec<f32>,
    section: Vec<f32>,
    touched: Vec<u32>,
}

impl Counts {
    fn new(n_entries: usize) -> Self {
        Self {
            text: vec![0.0; n_entries],
            section: vec![0.0; n_entries],
            touched: Vec::new(),
        }
    }

    #[inline]
    fn add(&mut self, entry: usize, amount: f32, target: Target) {
        if self.text[entry] == 0.0 && self.section[entry] == 0.0 {
            self.touched.push(entry as u32);
        }
        match target {
            Target::Text => self.text[entry] += amount,
            Target::Section => self.section[entry] += amount,
        }
    }

    fn clear(&mut self) {
        for &entry in &self.touched {
            self.text[entry as usize] = 0.0;
            self.section[entry as usize] = 0.0;
        }
        self.touched.clear();
    }
}

impl Entries {
    fn load(&mut self, segment: &SegmentReader) -> tantivy::Result<()> {
        let n_docs = segment.max_doc() as usize;
        let mut values = vec![0u64; n_docs];
        let mut column = |name: &str, out: &mut Vec<u32>| -> tantivy::Result<()> {
            segment
                .fast_fields()
                .u64(name)?
                .values
                .get_range(0, &mut values);
            out.extend(values.iter().map(|value| *value as u32));
            Ok(())
        };
        let first = self.note.len();
        column("note", &mut self.note)?;
        column("chunk", &mut self.chunk)?;
        column("n_terms", &mut self.n_terms)?;
        let mut note_entry = first as u32;
        for entry in first..first + n_docs {
            if self.chunk[entry] == 0 {
                note_entry = entry as u32;
            }
            self.note_entry.push(note_entry);
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

    fn summarise(&mut self) {
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

    fn note_id(&self, entry: usize) -> NoteId {
        NoteId(i64::from(self.note[entry]))
    }

    fn entry(&self, chunk: ChunkId) -> Option<usize> {
        let slot = usize::try_from(chunk.0).ok()?;
        let entry = *self.entry_of_slot.get(slot)?;
        (entry != u32::MAX).then_some(entry as usize)
    }
}

impl<'a> LexicalScores<'a> {
    fn new(entries: &'a Entries, sums: Sums, note_share: f32, idf: Vec<f32>) -> Self {
        let (mut best_note, mut best_chunk) = (0f32, 0f32);
        for (entry, &score) in sums.scores.iter().enumerate() {
            let note = entries.note_entry[entry] as usize;
            if note == entry {
                best_note = best_note.max(score);
            } else {
                best_chunk = best_chunk.max(score + sums.context[note]);
            }
        }
        Self {
            entries,
            sums,
            best_note,
            best_chunk,
            note_share,
            idf,
            respelled: Vec::new(),
        }
    }

    /// Returns the score of one chunk, 0 when none of its note's words match.
    pub fn of(&self, chunk: ChunkId) -> f32 {
        self.entries
            .entry(chunk)
            .map_or(0.0, |entry| self.combined(entry))
    }

    /// Returns BM25 of the best note over the most a note could reach for these terms, 0 to 1.
    pub fn best_note_share(&self) -> f32 {
        let most: f32 = self.idf.iter().sum();
        if most > 0.0 {
            (self.best_note / most).min(1.0)
        } else {
            0.0
        }
    }

    /// Returns the best `limit` chunks for which `is_wanted`, at most `per_note` of one note.
    pub fn best(
        &self,
        limit: usize,
        per_note: usize,
        is_wanted: impl Fn(NoteId) -> bool,
    ) -> Vec<LexicalHit> {
        let mut hits = Vec::new();
        let mut start = 0;
        while start < self.sums.scores.len() {
            let len = self.entries.note_entry[start..]
                .iter()
                .take_while(|&&note| note as usize == start)
                .count()
                .max(1);
            let note = self.entries.note_id(start);
            if self.sums.scores[start] > 0.0 && self.entries.is_alive[start] && is_wanted(note) {
                let first = hits.len();
                hits.extend((start + 1..start + len).map(|entry| LexicalHit {
                    chunk: ChunkId(i64::from(self.entries.chunk[entry]) - 1),
                    note,
                    score: self.combined(entry),
                }));
                if hits.len() - first > per_note {
                    hits[first..].sort_by(by_score);
                    hits.truncate(first + per_note);
                }
            }
            start += len;
        }
        if hits.len() > limit {
            hits.select_nth_unstable_by(limit, by_score);
            hits.truncate(limit);
        }
        hits.sort_by(by_score);
        hits
    }

    /// Returns the shares of note and chunk that a chunk's score is made of.
    pub fn parts(&self, chunk: ChunkId) -> (f32, f32) {
        let Some(entry) = self.entries.entry(chunk) else {
            return (0.0, 0.0);
        };
        let note = self.entries.note_entry[entry] as usize;
        let share = |score: f32, best: f32| if best > 0.0 { score / best } else { 0.0 };
        (
            share(self.sums.scores[note], self.best_note),
            share(
                self.sums.scores[entry] + self.sums.context[note],
                self.best_chunk,
            ),
        )
    }

    fn combined(&self, entry: usize) -> f32 {
        let note = self.entries.note_entry[entry] as usize;
        let chunk_score = self.sums.scores[entry] + self.sums.context[note];
        let share = |score: f32, best: f32| if best > 0.0 { score / best } else { 0.0 };
        self.note_share * share(self.sums.scores[note], self.best_note)
            + (1.0 - self.note_share) * share(chunk_score, self.best_chunk)
    }
}

fn by_score(a: &LexicalHit, b: &LexicalHit) -> std::cmp::Ordering {
    b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk))
}

/// Returns the number of notes in the word index.
pub(super) fn n_notes(reader: &LexicalReader) -> u64 {
    u64::from(reader.entries.n_notes)
}
