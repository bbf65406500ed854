//! What a word that no note says may be meant for.

use std::cmp::Reverse;

use super::bits::Bits;
use super::fuzzy;
use super::{Postings, TermGroup, WordField, WordReader};
use crate::store::{ChunkId, NoteId};
use crate::words::{self, Language};

/// Terms that are looked at more closely.
const TERMS_MAX: usize = 32;
/// Entries in which it is looked up how a term is spelled; many words may stand under one stem.
const SAMPLES: usize = 50;
/// The same, where many are equally short.
const SAMPLES_MAX: usize = 1_000;

/// A word as it was typed, where it may be a slip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typed {
    /// Lower case, accents kept; empty where the word is spelled right, whatever the notes say.
    pub word: String,
    /// Whether it is the name of something in code, which has no grammar: what its stem is equal to
    /// may be another name.
    pub is_name: bool,
    /// How often the question says it.
    pub n_said: u32,
}

/// A word that was looked for in place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// Number of the word that no note says.
    pub number: usize,
    /// What stands for it.
    pub group: TermGroup,
    /// As a note spells it.
    pub word: String,
}

/// Where a term stands: a note's names, or one of its passages.
pub struct Place {
    /// The note.
    pub note: NoteId,
    /// The passage, unless it is a name of the note.
    pub chunk: Option<ChunkId>,
}

/// Reads what stands at a place, and in which language.
pub type Read<'r> = dyn Fn(&Place) -> Option<(String, Language)> + 'r;

/// How far a word is from what was typed: the fewest slips first, and among those the likeliest kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Slips {
    n: usize,
    /// Almost all slips are further in.
    is_first: bool,
    kind: SlipKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SlipKind {
    /// A letter was left out, typed twice, or changed places.
    LettersKept,
    /// A letter was taken for another.
    LettersChanged,
    /// Only what is left without the endings is near.
    OtherEnding,
}

/// A term as notes spell it.
struct Found {
    slips: Slips,
    /// Notes that hold it together with other words of the question.
    n_together: usize,
    n_entries: usize,
    term: String,
    word: String,
}

impl<P: Postings> WordReader<P> {
    /// Returns the word of the notes that is nearest to what was typed: a word that goes with the
    /// others of the question first, which stand in these notes, then the commonest.
    pub(super) fn correct(
        &self,
        number: usize,
        typed: &Typed,
        group: &TermGroup,
        others: &Bits,
        read: &Read<'_>,
    ) -> Result<Option<Correction>, P::Error> {
        if fuzzy::slips_forgiven(&typed.word) == 0 || self.is_spelled_so(typed, read)? {
            return Ok(None);
        }
        let mut found = Vec::new();
        for term in self.terms_near(&typed.word, group)? {
            found.extend(self.spelled(&term, typed, others, read)?);
        }
        found.sort_by(|a, b| {
            let key = |found: &Found| (found.slips, Reverse((found.n_together, found.n_entries)));
            key(a).cmp(&key(b)).then_with(|| a.term.cmp(&b.term))
        });
        let best = found.into_iter().next();
        Ok(best.filter(|best| best.slips.n > 0).map(|best| Correction {
            number,
            group: TermGroup {
                terms: vec![best.term],
                is_prefix: false,
            },
            word: best.word,
        }))
    }

    /// Whether a word may be a slip: no note says it; or it is a name that its stem would cut to another,
    /// though the index knows it as it stands.
    pub(super) fn is_doubtful(&self, typed: &Typed, group: &TermGroup) -> Result<bool, P::Error> {
        let is_word = !typed.word.is_empty() && !group.is_prefix;
        // In a vault of several languages one of its stems may be whole, and still that of another name.
        let is_whole = matches!(group.terms.as_slice(), [only] if *only == typed.word);
        let is_cut = typed.is_name && !is_whole;
        if !is_word || (is_cut && self.is_said(&typed.word)?) {
            return Ok(is_word);
        }
        for term in &group.terms {
            if self.is_said(term)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether any note says a term, wherever that is.
    pub fn is_said(&self, term: &str) -> Result<bool, P::Error> {
        Ok(!self.entries_of(term, &WordField::WRITTEN, 1)?.is_empty())
    }

    /// Returns the notes that say a term, wherever that is.
    pub fn notes_saying(&self, term: &str) -> Result<Vec<NoteId>, P::Error> {
        let entries = self.entries_of(term, &WordField::WRITTEN, usize::MAX)?;
        let mut notes: Vec<NoteId> = (entries.iter())
            .map(|&entry| self.entries.note(entry).id())
            .collect();
        notes.sort_unstable();
        notes.dedup();
        Ok(notes)
    }

    /// Returns the terms that are nearest to any form of what was typed.
    fn terms_near(&self, typed: &str, group: &TermGroup) -> Result<Vec<String>, P::Error> {
        let most = fuzzy::slips_forgiven(typed);
        let mut near = Vec::new();
        let forms = group.terms.iter().map(String::as_str);
        let mut forms: Vec<&str> = forms.chain([typed]).collect();
        forms.dedup();
        let mut found = Vec::new();
        for part in 0..self.postings.n_parts() {
            for field in WordField::SPELLED {
                for form in &forms {
                    fuzzy::collect(&self.postings, (part, field), form, most, &mut found)?;
                }
            }
        }
        found.sort_unstable();
        for (_, term) in found {
            if !near.contains(&term) && near.len() < TERMS_MAX {
                near.push(term);
            }
        }
        Ok(near)
    }

    /// Whether a passage that would be looked at has the word as it was typed: then it is no slip, whatever is near.
    fn is_spelled_so(&self, typed: &Typed, read: &Read<'_>) -> Result<bool, P::Error> {
        let entries = self.entries_of(&typed.word, &WordField::SPELLED, usize::MAX)?;
        let mut samples = self.shortest(entries).into_iter();
        Ok(samples.any(|entry| {
            let nearest = self.nearest(entry, &typed.word, typed, read);
            nearest.is_some_and(|(slips, _)| slips.n == 0)
        }))
    }

    /// Looks up how notes spell a term; a stem is not a word, and may be nearer than any of its words.
    fn spelled(
        &self,
        term: &str,
        typed: &Typed,
        others: &Bits,
        read: &Read<'_>,
    ) -> Result<Option<Found>, P::Error> {
        let entries = self.entries_of(term, &WordField::SPELLED, usize::MAX)?;
        let mut notes: Vec<usize> = (entries.iter())
            .map(|&entry| self.entries.number_of(entry))
            .collect();
        notes.sort_unstable();
        notes.dedup();
        let n_entries = entries.len();
        let samples = self.shortest(entries).into_iter();
        let best = samples
            .filter_map(|entry| self.nearest(entry, term, typed, read))
            .min();
        Ok(best.map(|(slips, word)| Found {
            slips,
            n_together: notes.iter().filter(|note| others.has(**note)).count(),
            n_entries,
            term: term.to_owned(),
            word,
        }))
    }

    /// Returns the shortest entries, and all that are as short as the last of them: which ones may not
    /// depend on the order of indexing.
    fn shortest(&self, mut entries: Vec<usize>) -> Vec<usize> {
        let length = |entry: &usize| self.entries.n_terms[*entry];
        entries.sort_by_key(length);
        if let Some(last) = entries.get(SAMPLES - 1).map(length) {
            entries.truncate(entries.partition_point(|entry| length(entry) <= last));
        }
        entries.truncate(SAMPLES_MAX);
        entries
    }

    /// Returns the word of an entry that stands under a term and is nearest to what was typed.
    fn nearest(
        &self,
        entry: usize,
        term: &str,
        typed: &Typed,
        read: &Read<'_>,
    ) -> Option<(Slips, String)> {
        let (text, language) = read(&self.place(entry))?;
        // "aquire" is one slip from "acquired", too: endings are grammar, not slips. Names have none.
        let root = words::root(&typed.word, language);
        let mut firsts = typed.word.chars();
        let firsts = [firsts.next(), firsts.next()];
        let is_first = |word: &str| word.chars().next() != firsts[0];
        let mut lowered = String::new();
        let near = words::words(&text).filter_map(|word| {
            words::lower_into(word.text, &mut lowered);
            firsts.contains(&lowered.chars().next()).then_some(())?;
            let of_word = fuzzy::slips(&typed.word, &lowered).map(|n| Slips {
                n,
                is_first: is_first(&lowered),
                kind: match fuzzy::keeps_letters(&typed.word, &lowered) {
                    true => SlipKind::LettersKept,
                    false => SlipKind::LettersChanged,
                },
            });
            let of_root = match typed.is_name {
                true => None,
                false => fuzzy::slips(&root, &words::root(&lowered, language)),
            };
            let of_root = of_root.map(|n| Slips {
                n,
                is_first: is_first(&lowered),
                kind: SlipKind::OtherEnding,
            });
            let slips = of_word.into_iter().chain(of_root).min()?;
            let is_it = words::term_of(&word, language) == term;
            is_it.then(|| (slips, lowered.clone()))
        });
        near.min()
    }

    /// Returns entries that hold a term and were not deleted: what only notes that are gone say is no
    /// spelling.
    fn entries_of(
        &self,
        term: &str,
        fields: &[WordField],
        limit: usize,
    ) -> Result<Vec<usize>, P::Error> {
        let mut entries = Vec::new();
        for part in 0..self.postings.n_parts() {
            for &field in fields {
                self.postings.entries(part, field, term, |entry, _| {
                    entries.push(entry);
                    entries.len() < limit
                })?;
                if entries.len() >= limit {
                    return Ok(entries);
                }
            }
        }
        Ok(entries)
    }

    fn place(&self, entry: usize) -> Place {
        let chunk = self.entries.chunk[entry];
        Place {
            note: self.entries.note(entry).id(),
            chunk: (chunk > 0).then(|| ChunkId(i64::from(chunk) - 1)),
        }
    }
}
