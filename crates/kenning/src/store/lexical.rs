//! Word search: BM25 over notes and over chunks from the same postings, in one pass.
//!
//! The counts of a word in a chunk add up to the chunk's score and, since
//! a note's entries follow each other, to the note's. Who holds a word is read of all; how often, only of notes that may
//! be among the best (`contenders.rs`). Lengths and document frequencies are those
//! of living entries only, so that an updated index scores exactly like a rebuilt one.

mod asked;
mod bits;
mod compounds;
mod contenders;
mod corrections;
pub(super) mod directory;
mod entries;
pub(super) mod fields;
mod frequent;
mod fuzzy;
mod positions;
mod postings;
mod scores;
pub(super) mod segments;
mod tally;
pub(super) mod whole;
mod within;
pub(super) mod write;

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use tantivy::{Index, SegmentReader};

use super::{ChunkId, LexicalQuery, NoteId, NoteSet};
use crate::budget::Budget;
use crate::error::Result;
use asked::Asked;
use bits::Bits;
pub use corrections::{Correction, Typed};
pub use corrections::{Place, Read};
use directory::SqlDirectory;
pub use entries::Entries;
use fields::Fields;
pub use fields::{WordField, split_terms};
use frequent::Frequent;
pub use positions::Positions;
pub use postings::Postings;
use scores::Scores;
pub use scores::{Beside, LexicalHit, LexicalResults};
use segments::{Segment, Segments};
use tally::Tally;
pub use within::Within;

/// Buffers that are kept for the next query: as many as questions are usually asked at once.
const SPARE_MAX: usize = 4;
/// The ways one query word may be spelled in the index; a match of any of them counts as one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TermGroup {
    /// Exact terms.
    pub terms: Vec<String>,
    /// Match every term that starts with one of these, too.
    pub is_prefix: bool,
}

/// What one occurrence of a term in each field is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldWeights {
    /// Text of a chunk.
    pub text: f32,
    /// File name.
    pub file_name: f32,
    /// Title of the note, where it is not its file name.
    pub title: f32,
    /// Aliases.
    pub aliases: f32,
    /// Tags.
    pub tags: f32,
    /// Folders.
    pub area: f32,
    /// Summary.
    pub summary: f32,
    /// Other properties.
    pub properties: f32,
    /// Headings above a chunk, for the chunk.
    pub section: f32,
    /// Share that is left of a word which stands in a longer one.
    pub compound: f32,
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
    /// BM25's saturation of words that the question repeats.
    pub k3: f32,
    /// Field weights.
    pub weights: FieldWeights,
    /// Share of the note's own score in a chunk's; the rest is the chunk's.
    pub note_share: f32,
    /// Slips are forgiven in queries of up to this many words; longer ones have enough others.
    pub forgiving_words_max: usize,
}

/// The entries of a word index, as of one snapshot, whoever keeps its postings.
pub struct WordReader<P> {
    postings: P,
    entries: Arc<Entries>,
    every: OnceLock<Arc<Within>>,
    spare: Mutex<Vec<Tally>>,
    frequent: Frequent,
}

/// The entries of tantivy's index.
pub(super) type LexicalReader = WordReader<Segments>;

/// What helps with a question beside its words.
pub struct Asking<'a> {
    /// Reads how notes spell a word.
    pub read: &'a Read<'a>,
    /// How much work it may be.
    pub budget: &'a Budget,
}

impl LexicalReader {
    pub(super) fn open(directory: SqlDirectory, path: &Path) -> Result<Self> {
        Self::open_index(directory).map_err(super::lexical_error(path))
    }

    fn open_index(directory: SqlDirectory) -> tantivy::Result<Self> {
        let n_bytes_all = directory.n_bytes_all();
        let index = Index::open(directory)?;
        let (mut entries, mut segments) = (Entries::default(), Vec::new());
        for segment in index.searchable_segments()? {
            let segment = SegmentReader::open(&segment)?;
            let first_entry = entries.chunk.len();
            entries.load(&segment, n_bytes_all)?;
            segments.push(Segment {
                reader: segment,
                first_entry,
            });
        }
        entries.summarise();
        let fields = Fields::new();
        Ok(Self::new(Segments { fields, segments }, Arc::new(entries)))
    }
}

impl<P: Postings> WordReader<P> {
    /// Reads entries by their postings.
    pub fn new(postings: P, entries: Arc<Entries>) -> Self {
        Self {
            frequent: Frequent::new(entries.chunk.len()),
            postings,
            entries,
            every: OnceLock::new(),
            spare: Mutex::default(),
        }
    }

    /// Returns where its postings come from.
    pub fn postings(&self) -> &P {
        &self.postings
    }

    /// Whether a vector id is that of a chunk.
    #[inline]
    pub fn has_vector_id(&self, id: usize) -> bool {
        self.entries.has_vector_id(id)
    }

    /// Returns how many entries there are, those of notes included.
    pub(super) fn n_entries(&self) -> usize {
        self.entries.chunk.len()
    }

    /// Returns how many chunks there are.
    pub(super) fn n_chunks(&self) -> usize {
        self.entries.n_chunks()
    }

    /// Returns the note of the chunk with a vector id.
    pub fn note_of_vector(&self, id: usize) -> Option<NoteId> {
        self.note_of(ChunkId(id as i64))
    }

    /// Returns the note of a chunk.
    pub fn note_of(&self, chunk: ChunkId) -> Option<NoteId> {
        let entry = self.entries.entry(chunk)?;
        Some(self.entries.note(entry).id())
    }

    /// Scores every entry that holds any of the groups; returns the best of some notes, and what the chunks
    /// in `also` score.
    pub fn search(
        &self,
        query: &LexicalQuery<'_>,
        within: &NoteSet,
        also: &[ChunkId],
        asking: &Asking<'_>,
    ) -> Result<LexicalResults, P::Error> {
        self.search_beside(query, within, || also.to_vec(), asking)
    }

    /// The same, where it is asked last which chunks `also` are: somebody may still be looking for them.
    pub(super) fn search_beside(
        &self,
        query: &LexicalQuery<'_>,
        within: &NoteSet,
        also: impl FnOnce() -> Vec<ChunkId>,
        asking: &Asking<'_>,
    ) -> Result<LexicalResults, P::Error> {
        self.frequent.count_question();
        let (mut words, doubted) = self.look_up(query, asking.budget)?;
        let mut corrections = Vec::new();
        if !doubted.is_empty() {
            let mut others = Bits::new(self.entries.notes.len());
            (words.iter()).for_each(|word| others.insert_all(&word.held.notes));
            for (number, typed) in doubted {
                let group = &query.groups[number];
                let near = self.correct(number, typed, group, &others, asking.read)?;
                let meant = near.as_ref().map_or(group, |near| &near.group);
                let word = self.asked(number, meant, query, asking.budget)?;
                (word.iter()).for_each(|word| others.insert_all(&word.held.notes));
                words.extend(word);
                corrections.extend(near);
            }
        }
        let mut idf = vec![0.0; query.groups.len()];
        words.iter().for_each(|word| idf[word.number] = word.idf);
        let (hits, also) = self.score(&mut words, query, within, also)?;
        Ok(LexicalResults {
            hits,
            also,
            idf,
            unsaid: tally::idf(0.0, self.entries.n_notes as f32),
            corrections,
        })
    }

    /// Returns the best chunks of some notes, and what others score.
    fn score(
        &self,
        words: &mut [Asked],
        query: &LexicalQuery<'_>,
        within: &NoteSet,
        also: impl FnOnce() -> Vec<ChunkId>,
    ) -> Result<(Vec<LexicalHit>, Vec<LexicalHit>), P::Error> {
        if query.limit == 0 {
            // Somebody may be waiting to be asked.
            also();
            return Ok(Default::default());
        }
        // In one order, so that sums do not depend on how it was typed.
        words.sort_by(|a, b| (b.most().total_cmp(&a.most())).then(a.number.cmp(&b.number)));
        let mut scores = Scores::new(self, self.add_words(words, query, within)?);
        let hits = scores.best(query.limit, query.per_note, within);
        Ok((hits, scores.also(&also(), words)?))
    }

    /// Returns all notes, to be counted in.
    fn every(&self) -> Arc<Within> {
        let every = || Arc::new(Within::every(&self.entries));
        Arc::clone(self.every.get_or_init(every))
    }

    /// Returns buffers of a query before, or new ones.
    fn spare_tally(&self) -> Tally {
        let spare = self.spare.lock().ok().and_then(|mut spare| spare.pop());
        spare.unwrap_or_default()
    }

    /// Takes buffers back for the next query.
    fn give_back(&self, tallies: impl Iterator<Item = Tally>) {
        if let Ok(mut spare) = self.spare.lock() {
            let n_wanted = SPARE_MAX.saturating_sub(spare.len());
            spare.extend(tallies.take(n_wanted));
        }
    }

    /// Returns the terms of the index that stand for a group.
    fn spellings<'g>(
        &self,
        part: usize,
        field: WordField,
        group: &'g TermGroup,
    ) -> Result<Cow<'g, [String]>, P::Error> {
        if !group.is_prefix {
            return Ok(Cow::Borrowed(&group.terms));
        }
        let mut found = Vec::new();
        for prefix in &group.terms {
            let push = |term: &str| found.push(term.to_owned());
            self.postings.terms(part, field, prefix, push)?;
        }
        Ok(Cow::Owned(found))
    }
}

/// Returns the number of notes in the word index.
pub(super) fn n_notes(reader: &LexicalReader) -> u64 {
    u64::from(reader.entries.n_notes)
}
