//! What word search needs of an index: its terms, and the entries that hold them.

use super::fields::WordField;
use super::fuzzy::firsts;
use super::within::Within;

/// The dictionary and the postings of a word index, in one or more parts that each have their own.
///
/// Entries are numbered as in [`super::Entries`]; those that were deleted are left out.
pub trait Postings {
    /// What can go wrong while they are read.
    type Error;

    /// Returns the number of parts.
    fn n_parts(&self) -> usize;

    /// Whether a part has any term in a field.
    fn has_terms(&self, part: usize, field: WordField) -> Result<bool, Self::Error>;

    /// Calls `each` with every term of a field that begins so, in order.
    fn terms(
        &self,
        part: usize,
        field: WordField,
        prefix: &str,
        each: impl FnMut(&str),
    ) -> Result<(), Self::Error>;

    /// Calls `each` with every term of a field that may be near a word, and perhaps with others: its letters, the most
    /// slips, and the letters of an ending that may go for nothing. It begins with one of the first two letters.
    fn near(
        &self,
        part: usize,
        field: WordField,
        (letters, _, _): (&[char], usize, usize),
        mut each: impl FnMut(&str),
    ) -> Result<(), Self::Error> {
        let mut firsts = firsts(letters).to_vec();
        firsts.dedup();
        for first in firsts {
            self.terms(part, field, first.encode_utf8(&mut [0; 4]), &mut each)?;
        }
        Ok(())
    }

    /// Calls `each` with every entry that holds a term, in order, and how often it does; until that says no.
    fn entries(
        &self,
        part: usize,
        field: WordField,
        term: &str,
        each: impl FnMut(usize, u32) -> bool,
    ) -> Result<(), Self::Error>;

    /// The same for the entries of some notes, all of them.
    fn entries_within(
        &self,
        part: usize,
        field: WordField,
        term: &str,
        within: &Within,
        mut each: impl FnMut(usize, u32),
    ) -> Result<(), Self::Error> {
        self.entries(part, field, term, |entry, frequency| {
            if within.has(entry) {
                each(entry, frequency);
            }
            true
        })
    }

    /// Calls `each` with every entry that holds a term, in order.
    fn holders(
        &self,
        part: usize,
        field: WordField,
        term: &str,
        mut each: impl FnMut(usize),
    ) -> Result<(), Self::Error> {
        self.entries(part, field, term, |entry, _| {
            each(entry);
            true
        })
    }

    /// Calls `each` with the positions of a term of the text in some entries, which are in order: the place of the
    /// entry among them, and where it holds the term.
    fn positions(
        &self,
        part: usize,
        term: &str,
        entries: &[(usize, usize)],
        each: impl FnMut(usize, &[u32]),
    ) -> Result<(), Self::Error>;
}
