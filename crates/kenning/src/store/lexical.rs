//! Word search: BM25 over notes and over chunks from the same postings, in one pass.
//!
//! Every posting of a query term is read once. Its counts add up to the chunk's score and, since
//! a note's entries follow each other, to the note's. Lengths and document frequencies are those
//! of living entries only, so that an updated index scores exactly like a rebuilt one.

mod compounds;
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
pub(super) mod write;

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex};

use tantivy::{Index, SegmentReader};

use super::{ChunkId, LexicalQuery, NoteId, NoteSet};
use crate::budget::Budget;
use crate::error::Result;
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
use tally::{Tally, Target};

/// Buffers that are kept for the next query: as many as questions are usually asked at once.
const SPARE_MAX: usize = 4;
/// Units of work that a word costs, each spelling of it in each field, and each entry that holds it.
const WORD_COST: u64 = 2_000;
const TERM_COST: u64 = 200;
const ENTRY_COST: u64 = 8;

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

/// A word of a query.
struct Asked<'g> {
    number: usize,
    group: &'g TermGroup,
    /// How often the query says it.
    n_said: u32,
}

impl<'g> Asked<'g> {
    fn new(number: usize, group: &'g TermGroup, typed: &[Typed]) -> Self {
        Self {
            number,
            group,
            n_said: typed.get(number).map_or(1, |typed| typed.n_said),
        }
    }
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
        let LexicalQuery {
            groups,
            typed,
            options,
            ..
        } = *query;
        self.frequent.count_question();
        let spare = self.spare.lock().ok().and_then(|mut spare| spare.pop());
        let mut tally = spare.unwrap_or_else(|| Tally::new(&self.entries));
        let mut idf = vec![0.0; groups.len()];
        let mut partly = Vec::new();
        let mut doubted = Vec::new();
        let forgives = groups.len() <= options.forgiving_words_max;
        for (number, group) in groups.iter().enumerate() {
            match typed.get(number).filter(|_| forgives) {
                Some(word)
                    if self.is_doubtful(word, group)? && !self.is_part(group, options)? =>
                {
                    doubted.push((number, word));
                }
                _ => {
                    let word = Asked::new(number, group, typed);
                    idf[number] =
                        self.add(&word, options, asking.budget, &mut tally, &mut partly)?;
                }
            }
        }
        // Last, when it is known what the other words are about.
        let mut corrections = Vec::new();
        for (number, word) in doubted {
            let near = self.correct(number, word, &groups[number], &tally, asking.read)?;
            let group = near.as_ref().map_or(&groups[number], |near| &near.group);
            let word = Asked::new(number, group, typed);
            idf[number] = self.add(&word, options, asking.budget, &mut tally, &mut partly)?;
            corrections.extend(near);
        }
        let scores = Scores::new(self, tally, options.note_share, partly);
        Ok(LexicalResults {
            hits: scores.best(query.limit, query.per_note, within),
            also: (also().into_iter())
                .filter_map(|chunk| scores.of(chunk))
                .collect(),
            idf,
            unsaid: tally::idf(0.0, self.entries.n_notes as f32),
            corrections,
        })
    }

    /// Adds what a word is worth to every entry; returns its rarity. Entries that hold it as part of another word only go to `partly`.
    fn add(
        &self,
        word: &Asked<'_>,
        options: &LexicalOptions,
        budget: &Budget,
        tally: &mut Tally,
        partly: &mut Vec<(u32, usize)>,
    ) -> Result<f32, P::Error> {
        let group = word.group;
        if !budget.spend(WORD_COST) {
            return Ok(0.0);
        }
        let emphasis = emphasis(word.n_said, options.k3);
        if let Some(worth) = self.frequent.get(group, options) {
            tally.add(word.number, &worth, emphasis);
            partly.extend(worth.partly.iter().map(|&entry| (entry, word.number)));
            budget.spend(ENTRY_COST * worth.len() as u64);
            return Ok(worth.idf);
        }
        self.count(group, &options.weights, budget, tally)?;
        self.count_compounds(group, &options.weights, tally)?;
        let worth = tally.worth(&self.entries, options);
        // A word that was not counted to the end is worth nothing, and not kept.
        if !budget.spend(ENTRY_COST * worth.len() as u64) {
            tally.give_back(worth);
            return Ok(0.0);
        }
        tally.add(word.number, &worth, emphasis);
        partly.extend(worth.partly.iter().map(|&entry| (entry, word.number)));
        self.frequent.keep(group, options, &worth);
        let idf = worth.idf;
        tally.give_back(worth);
        Ok(idf)
    }

    /// Takes buffers back for the next query.
    fn give_back(&self, mut tally: Tally) {
        tally.clear(&self.entries);
        if let Ok(mut spare) = self.spare.lock()
            && spare.len() < SPARE_MAX
        {
            spare.push(tally);
        }
    }

    /// Counts the weighted occurrences of a group in every entry.
    fn count(
        &self,
        group: &TermGroup,
        weights: &FieldWeights,
        budget: &Budget,
        tally: &mut Tally,
    ) -> Result<(), P::Error> {
        let weighted = [
            (WordField::Text, weights.text, Target::Text),
            (WordField::Section, weights.section, Target::Section),
            (WordField::FileName, weights.file_name, Target::Text),
            (WordField::Title, weights.title, Target::Text),
            (WordField::Aliases, weights.aliases, Target::Text),
            (WordField::Tags, weights.tags, Target::Text),
            (WordField::Area, weights.area, Target::Text),
            (WordField::Summary, weights.summary, Target::Text),
            (WordField::Properties, weights.properties, Target::Text),
        ];
        for part in 0..self.postings.n_parts() {
            for (field, weight, target) in weighted {
                if weight == 0.0 {
                    continue;
                }
                for term in self.spellings(part, field, group)?.iter() {
                    if !budget.spend(TERM_COST) {
                        return Ok(());
                    }
                    self.postings
                        .entries(part, field, term, |entry, frequency| {
                            tally.count(entry, weight * frequency as f32, target);
                            true
                        })?;
                }
            }
        }
        Ok(())
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

/// What a word counts for being said more than once: BM25's `(k3 + 1) n / (k3 + n)`.
fn emphasis(n_said: u32, k3: f32) -> f32 {
    let n_said = n_said.max(1) as f32;
    (k3 + 1.0) * n_said / (k3 + n_said)
}

/// Returns the number of notes in the word index.
pub(super) fn n_notes(reader: &LexicalReader) -> u64 {
    u64::from(reader.entries.n_notes)
}
