//! The word index as rows: the postings of a term in a note are one row, which holds every field.
//!
//! A row is a list of numbers in as few bytes as they need. For each field: its number, how many of its entries hold
//! the term, and for each of them its place in the note (0 the note itself, from 1 on its passages), how often, and,
//! in texts, where.

use std::collections::BTreeMap;
use std::sync::Arc;

use kenning::store::{EncodedNote, Entries, Postings, WordField, split_terms};
use tokio_postgres::Row;

use crate::snapshot::{Link, State};

/// The fields, by the numbers under which they are kept.
const FIELDS: [WordField; 10] = [
    WordField::Text,
    WordField::Section,
    WordField::FileName,
    WordField::Title,
    WordField::Aliases,
    WordField::Tags,
    WordField::Area,
    WordField::Summary,
    WordField::Properties,
    WordField::Compounds,
];

fn number_of(field: WordField) -> usize {
    FIELDS.iter().position(|other| *other == field).unwrap_or(0)
}

/// The terms of one note: for each its row, and the fields it stands in.
pub(crate) struct NoteTerms {
    pub(crate) rows: BTreeMap<String, Vec<u8>>,
    pub(crate) fields: Vec<(i16, String)>,
}

/// Where a term stands in a note: by field and place, the positions.
type Found = BTreeMap<(usize, u32), Vec<u32>>;

/// Collects the terms of a note and of its passages.
pub(crate) fn terms_of(note: &EncodedNote) -> NoteTerms {
    let mut found: BTreeMap<&str, Found> = BTreeMap::new();
    let mut add = |field: WordField, place: u32, text| {
        for (term, position) in split_terms(text) {
            let key = (number_of(field), place);
            let of_term = found.entry(term).or_default();
            of_term.entry(key).or_default().push(position);
        }
    };
    let terms = &note.prepared.terms;
    add(WordField::FileName, 0, &terms.file_name);
    add(WordField::Title, 0, &terms.title);
    add(WordField::Aliases, 0, &terms.aliases);
    add(WordField::Tags, 0, &terms.tags);
    add(WordField::Area, 0, &terms.area);
    add(WordField::Summary, 0, &terms.summary);
    add(WordField::Properties, 0, &terms.properties);
    add(WordField::Compounds, 0, &terms.compounds);
    for (place, chunk) in (1..).zip(&note.prepared.chunks) {
        add(WordField::Text, place, &chunk.text_terms);
        add(WordField::Section, place, &chunk.section_terms);
        add(WordField::Compounds, place, &chunk.compound_terms);
    }
    // The server keeps no text with a zero in it, and nobody types one.
    found.retain(|term, _| !term.contains('\0'));
    let mut fields = Vec::new();
    for (term, of_term) in &found {
        let mut last = usize::MAX;
        for &(field, _) in of_term.keys().filter(|(field, _)| *field != usize::MAX) {
            if field != last {
                fields.push((field as i16, (*term).to_owned()));
            }
            last = field;
        }
    }
    fields.sort_unstable();
    let rows = found
        .iter()
        .map(|(term, found)| ((*term).to_owned(), packed(found)));
    NoteTerms {
        rows: rows.collect(),
        fields,
    }
}

fn packed(found: &Found) -> Vec<u8> {
    let mut data = Vec::new();
    let entries: Vec<_> = found.iter().collect();
    for of_field in entries.chunk_by(|a, b| a.0.0 == b.0.0) {
        let field = of_field[0].0.0;
        push(&mut data, field as u32);
        push(&mut data, of_field.len() as u32);
        for ((_, place), positions) in of_field {
            push(&mut data, *place);
            push(&mut data, positions.len() as u32);
            if field == 0 {
                let mut last = 0;
                for &position in *positions {
                    push(&mut data, position - last);
                    last = position;
                }
            }
        }
    }
    data
}

/// Appends a number, seven bits a byte; the eighth says that there are more.
fn push(data: &mut Vec<u8>, mut number: u32) {
    while number >= 128 {
        data.push(number as u8 | 128);
        number >>= 7;
    }
    data.push(number as u8);
}

/// Takes a number from the front. What is cut short ends in zeros.
fn pull(data: &mut &[u8]) -> u32 {
    let (mut number, mut shift) = (0u32, 0);
    while let Some((&byte, rest)) = data.split_first() {
        *data = rest;
        number |= u32::from(byte & 127).wrapping_shl(shift);
        shift += 7;
        if byte < 128 {
            break;
        }
    }
    number
}

/// The postings of one term, by field.
#[derive(Default)]
pub(crate) struct TermPostings {
    /// Entry, and how often it holds the term.
    by_field: [Vec<(u32, u32)>; FIELDS.len()],
    /// Where the positions of each entry of the text begin; they end where those of the next begin.
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl TermPostings {
    /// About how many bytes it needs.
    pub(crate) fn n_bytes(&self) -> usize {
        let entries = self.by_field.iter().map(Vec::len).sum::<usize>();
        size_of::<Self>() + 8 * entries + 4 * (self.starts.len() + self.positions.len())
    }

    /// Adds the row of a note whose own entry has a number; there are so many entries behind it.
    fn add(&mut self, entry: u32, n_chunks: u32, mut data: &[u8]) {
        while !data.is_empty() {
            let (field, n) = (pull(&mut data) as usize, pull(&mut data));
            for _ in 0..n {
                let (place, frequency) = (pull(&mut data), pull(&mut data));
                let is_known = field < FIELDS.len() && place <= n_chunks;
                if is_known {
                    self.by_field[field].push((entry + place, frequency));
                }
                if field == 0 {
                    self.add_positions(is_known, frequency, &mut data);
                }
                // What makes no sense is not worth more than its bytes.
                if data.is_empty() {
                    break;
                }
            }
        }
    }

    fn add_positions(&mut self, is_known: bool, frequency: u32, data: &mut &[u8]) {
        let start = self.positions.len();
        let mut last = 0u32;
        for _ in 0..frequency {
            if data.is_empty() {
                break;
            }
            last = last.wrapping_add(pull(data));
            self.positions.push(last);
        }
        match is_known {
            true => self.starts.push(start as u32),
            false => self.positions.truncate(start),
        }
    }

    fn positions_of(&self, index: usize) -> &[u32] {
        let start = self.starts.get(index).map_or(0, |start| *start as usize);
        let end = self.starts.get(index + 1).map(|end| *end as usize);
        let end = end.unwrap_or(self.positions.len());
        self.positions.get(start..end).unwrap_or_default()
    }
}

/// The entries of all notes, and which note each number is.
pub(crate) struct Words {
    pub(crate) entries: Arc<Entries>,
    /// Ids of the notes, in order.
    notes: Vec<i32>,
    n_chunks: Vec<u32>,
}

impl Words {
    /// Reads the lengths of all notes and passages: a listing, once for each version of the index.
    pub(crate) fn of(rows: &[Row]) -> Self {
        let (mut entries, mut notes, mut n_chunks) = (Entries::default(), Vec::new(), Vec::new());
        for row in rows {
            let (chunks, lengths): (Vec<i32>, Vec<i32>) = (row.get(2), row.get(3));
            notes.push(row.get(0));
            n_chunks.push(chunks.len() as u32);
            let chunks = chunks.iter().zip(&lengths);
            entries.add(
                kenning::store::NoteId::new(i64::from(row.get::<_, i32>(0))),
                row.get::<_, i32>(1) as u32,
                chunks.map(|(&id, &n)| (kenning::store::ChunkId::new(i64::from(id)), n as u32)),
            );
        }
        entries.summarise();
        Self {
            entries: Arc::new(entries),
            notes,
            n_chunks,
        }
    }

    /// Decodes the rows of one term, which are in order of their notes.
    fn postings(&self, rows: &[(i32, &[u8])]) -> TermPostings {
        let mut postings = TermPostings::default();
        for (note, data) in rows {
            if let Ok(number) = self.notes.binary_search(note) {
                let entry = self.entries.entry_of_note(number) as u32;
                postings.add(entry, self.n_chunks[number], data);
            }
        }
        postings
    }
}

/// The postings of a snapshot, read as they are asked for.
pub(crate) struct PgPostings {
    pub(crate) link: Arc<Link>,
    pub(crate) state: Arc<State>,
    pub(crate) words: Arc<Words>,
}

impl PgPostings {
    /// Reads some terms at once, so that each need not be asked for by itself.
    pub(crate) fn prefetch(&self, terms: &[&str]) -> Result<(), kenning::error::Error> {
        let wanted = terms.iter().filter(|term| !term.contains('\0'));
        let missing: Vec<&str> = wanted
            .copied()
            .filter(|term| self.state.terms.known(&(*term).to_owned()).is_none())
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let rows = self.link.query(
            "SELECT term, note, data FROM posting WHERE term = ANY($1) ORDER BY term, note",
            &[&missing],
        )?;
        let mut by_term: BTreeMap<&str, Vec<(i32, &[u8])>> = BTreeMap::new();
        for term in &missing {
            by_term.insert(term, Vec::new());
        }
        for row in &rows {
            by_term
                .entry(row.get(0))
                .or_default()
                .push((row.get(1), row.get(2)));
        }
        for (term, rows) in by_term {
            let postings = Arc::new(self.words.postings(&rows));
            self.state.terms.keep(&term.to_owned(), &postings);
        }
        Ok(())
    }

    fn term(&self, term: &str) -> Result<Arc<TermPostings>, kenning::error::Error> {
        if term.contains('\0') {
            return Ok(Arc::default());
        }
        let known = || self.state.terms.known(&term.to_owned());
        if let Some(known) = known() {
            return Ok(known);
        }
        let rows = self.link.query(
            "SELECT note, data FROM posting WHERE term = $1 ORDER BY note",
            &[&term],
        )?;
        let rows: Vec<(i32, &[u8])> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        let postings = Arc::new(self.words.postings(&rows));
        self.state.terms.keep(&term.to_owned(), &postings);
        Ok(postings)
    }
}

impl Postings for PgPostings {
    type Error = kenning::error::Error;

    fn n_parts(&self) -> usize {
        1
    }

    fn has_terms(&self, _: usize, field: WordField) -> Result<bool, Self::Error> {
        self.state.has_terms(number_of(field), || {
            let field = number_of(field) as i16;
            let rows = self
                .link
                .query("SELECT 1 FROM term WHERE field = $1 LIMIT 1", &[&field])?;
            Ok(!rows.is_empty())
        })
    }

    fn terms(
        &self,
        _: usize,
        field: WordField,
        prefix: &str,
        mut each: impl FnMut(&str),
    ) -> Result<(), Self::Error> {
        let field = number_of(field) as i16;
        let key = (field, prefix.to_owned());
        let listed = self.state.prefixes.get(&key, || {
            // Bytes decide, so what begins so lies between the prefix and what follows all that begin so.
            let rows = self.link.query(
                "SELECT term FROM term WHERE field = $1 AND term >= $2 AND starts_with(term, $2)
                    AND ($3::text IS NULL OR term < $3) ORDER BY term",
                &[&field, &prefix, &after(prefix)],
            )?;
            let terms = rows.iter().map(|row| row.get::<_, String>(0)).collect();
            Ok::<Vec<String>, Self::Error>(terms)
        })?;
        listed.iter().for_each(|term| each(term));
        Ok(())
    }

    fn entries(
        &self,
        _: usize,
        field: WordField,
        term: &str,
        mut each: impl FnMut(usize, u32) -> bool,
    ) -> Result<(), Self::Error> {
        let postings = self.term(term)?;
        for &(entry, frequency) in &postings.by_field[number_of(field)] {
            if !each(entry as usize, frequency) {
                break;
            }
        }
        Ok(())
    }

    fn positions(
        &self,
        _: usize,
        term: &str,
        entries: &[(usize, usize)],
        mut each: impl FnMut(usize, &[u32]),
    ) -> Result<(), Self::Error> {
        let postings = self.term(term)?;
        let text = &postings.by_field[0];
        for &(entry, index) in entries {
            if let Ok(found) = text.binary_search_by_key(&(entry as u32), |(entry, _)| *entry) {
                each(index, postings.positions_of(found));
            }
        }
        Ok(())
    }
}

/// Returns the first text behind all that begin with a prefix, if there is one.
fn after(prefix: &str) -> Option<String> {
    let mut letters: Vec<char> = prefix.chars().collect();
    while let Some(last) = letters.pop() {
        let next = (u32::from(last) + 1..=u32::from(char::MAX)).find_map(char::from_u32);
        if let Some(next) = next {
            letters.push(next);
            return Some(letters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_comes_back_as_it_was_packed() {
        let found: Found = [
            ((0, 1), vec![0, 7, 300]),
            ((0, 3), vec![70_000]),
            ((3, 0), vec![1]),
        ]
        .into();
        let mut postings = TermPostings::default();
        postings.add(10, 5, &packed(&found));
        postings.add(20, 5, &packed(&found));
        assert_eq!(postings.by_field[0], [(11, 3), (13, 1), (21, 3), (23, 1)]);
        assert_eq!(postings.by_field[3], [(10, 1), (20, 1)]);
        let positions = |index| postings.positions_of(index).to_vec();
        assert_eq!(
            (positions(0), positions(3)),
            (vec![0, 7, 300], vec![70_000])
        );
    }

    #[test]
    fn a_row_that_makes_no_sense_is_no_more_than_its_bytes() {
        for data in [
            &[0, 255, 255, 255, 255, 15, 9][..],
            &[99, 1, 1, 1],
            &[0, 2, 9, 1, 1, 1, 200],
        ] {
            let mut postings = TermPostings::default();
            postings.add(1, 2, data);
            assert!(postings.n_bytes() < 1_000);
        }
    }

    #[test]
    fn what_begins_with_a_prefix_lies_before_what_follows_it() {
        assert_eq!(after("ab").as_deref(), Some("ac"));
        assert_eq!(after("a\u{10FFFF}").as_deref(), Some("b"));
        assert_eq!(after("\u{D7FF}").as_deref(), Some("\u{E000}"));
        assert_eq!(after(""), None);
    }
}
