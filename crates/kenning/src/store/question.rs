//! What [`super::Store`] is asked, in plain values: no closure, no path of a file, no row number.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::{ChunkId, LexicalOptions, Nearest, NoteId, TermGroup, Typed};

/// Notes among which something is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteSet(Option<FxHashSet<NoteId>>);

impl NoteSet {
    /// Returns the set of every note.
    pub fn every() -> Self {
        Self(None)
    }

    /// Whether no note is left out.
    pub fn is_every(&self) -> bool {
        self.0.is_none()
    }

    /// Whether no note is left.
    pub fn is_empty(&self) -> bool {
        self.0.as_ref().is_some_and(FxHashSet::is_empty)
    }

    /// Whether a note is in it.
    #[inline]
    pub fn contains(&self, note: NoteId) -> bool {
        self.0.as_ref().is_none_or(|notes| notes.contains(&note))
    }

    /// Lists the notes of it; none where no note is left out.
    pub fn iter(&self) -> impl Iterator<Item = NoteId> {
        self.0.iter().flatten().copied()
    }

    /// Returns the notes that are in both.
    pub fn and(&self, other: &Self) -> Self {
        match (&self.0, &other.0) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(notes), Some(others)) => Self(Some(notes & others)),
        }
    }
}

impl FromIterator<NoteId> for NoteSet {
    fn from_iter<I: IntoIterator<Item = NoteId>>(notes: I) -> Self {
        Self(Some(notes.into_iter().collect()))
    }
}

/// Which notes are described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select<'a> {
    /// All of them, in no order that means anything: a listing.
    Every,
    /// These, in this order.
    Notes(&'a [NoteId]),
    /// Those whose files changed last, the newest first.
    Newest(usize),
}

/// What is told of each note beside path, title and dates. Lists and properties are kept as JSON and cost
/// most of the time: what is not wanted is left empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// Its tags.
    pub tags: bool,
    /// Its aliases and properties.
    pub properties: bool,
    /// Who wrote it, what it is, whether it ages or was replaced.
    pub standing: bool,
    /// What it was read from.
    pub source: bool,
    /// The day of its last commit.
    pub commits: bool,
}

impl Wanted {
    /// Path, title and dates.
    pub const NAMES: Self = Self {
        tags: false,
        properties: false,
        standing: false,
        source: false,
        commits: false,
    };
}

/// Which chunks are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By<'a> {
    /// Those with these ids, in this order.
    Ids(&'a [ChunkId]),
    /// Those of a note, in order.
    Note(NoteId),
    /// Those with a short public id: one, unless two happen to share it.
    Handle(u32),
}

/// Which part of a note's text is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The text that is searched, as it was read out of the file.
    Whole,
    /// The file as it stands, credentials masked; of most notes, that is the text.
    File,
    /// Some bytes of the text.
    Passage(Range<usize>),
}

/// What a note is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name<'a> {
    /// Its path below the vault.
    Path(&'a str),
    /// A name of it, as a key (see [`crate::words::name_key`]).
    Key(&'a str),
}

/// Which links are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinksOf<'a> {
    /// All of them, by note and line: a listing.
    Every,
    /// Those of a note, in order.
    Note(NoteId),
    /// Those whose target contains a name, whatever its case; some may lead elsewhere.
    Target(&'a str),
}

/// Which files are compared with the vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// All of them: a listing.
    Every,
    /// Up to `n` behind the first `n_before`, by path. Ids would not do: they have gaps wherever notes
    /// were moved or went.
    Window {
        /// How many are passed over.
        n_before: u64,
        /// How many are wanted.
        n: u64,
    },
}

/// What the word index is asked.
#[derive(Clone, Copy, Debug)]
pub struct LexicalQuery<'a> {
    /// The words.
    pub groups: &'a [TermGroup],
    /// The words as they were typed, where they may be slips: what no note says of them may be looked for
    /// in another spelling.
    pub typed: &'a [Typed],
    /// How to score.
    pub options: &'a LexicalOptions,
    /// Most hits; with none, no chunk is scored, and only the rarity of the words is told.
    pub limit: usize,
    /// Most hits of one note.
    pub per_note: usize,
}

impl LexicalQuery<'_> {
    /// Returns the chunks that were found by meaning and have a score by words, too; none where words find nothing.
    pub fn also_of(&self, nearest: &Nearest) -> Vec<ChunkId> {
        match self.limit {
            0 => Vec::new(),
            _ => nearest.hits.iter().map(|hit| hit.chunk).collect(),
        }
    }
}

/// What the vectors are asked beside the words.
#[derive(Clone, Copy, Debug)]
pub struct NearQuery<'a> {
    /// The question.
    pub vector: &'a [f32],
    /// How many are looked for.
    pub k: usize,
    /// How many of them are wanted.
    pub n: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_note_is_the_neutral_set() {
        let set = |ids: &[i64]| ids.iter().map(|&id| NoteId(id)).collect::<NoteSet>();
        assert_eq!(NoteSet::every().and(&set(&[1, 2])), set(&[1, 2]));
        assert_eq!(set(&[1, 2]).and(&NoteSet::every()), set(&[1, 2]));
        assert_eq!(set(&[1, 2]).and(&set(&[2, 3])), set(&[2]));
        assert!(set(&[1]).and(&set(&[2])).is_empty() && !NoteSet::every().is_empty());
        assert!(NoteSet::every().contains(NoteId(7)) && !set(&[1]).contains(NoteId(7)));
    }
}
