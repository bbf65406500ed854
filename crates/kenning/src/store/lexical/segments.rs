//! The postings of tantivy's segments.

use tantivy::postings::{BlockSegmentPostings, Postings as _};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, SegmentReader, TERMINATED, TantivyError, Term};

use super::fields::{Fields, WordField};
use super::fuzzy::{NearWords, firsts};
use super::postings::Postings;
use super::within::Within;

/// The segments of an index, each with the number of its first entry.
pub(in crate::store) struct Segments {
    pub(super) fields: Fields,
    pub(super) segments: Vec<Segment>,
}

pub(super) struct Segment {
    pub(super) reader: SegmentReader,
    pub(super) first_entry: usize,
}

impl Segments {
    fn term(&self, field: WordField, term: &str) -> Term {
        Term::from_field_text(self.fields.of(field), term)
    }

    /// Returns the postings of a term, if it has any, the first block of them decoded.
    fn blocks(
        &self,
        part: usize,
        field: WordField,
        term: &str,
        option: IndexRecordOption,
    ) -> tantivy::Result<Option<BlockSegmentPostings>> {
        let term = self.term(field, term);
        let index = self.segments[part].reader.inverted_index(term.field())?;
        Ok(index.read_block_postings(&term, option)?)
    }
}

impl Segment {
    #[inline]
    fn is_alive(&self, doc: u32) -> bool {
        let alive = self.reader.alive_bitset();
        alive.is_none_or(|alive| alive.is_alive(doc))
    }

    #[inline]
    fn entry(&self, doc: u32) -> usize {
        self.first_entry + doc as usize
    }

    /// Goes on to the block that may hold an entry; returns whether there is any that late.
    fn seek(&self, postings: &mut BlockSegmentPostings, entry: usize) -> bool {
        let doc = (entry - self.first_entry) as u32;
        if doc >= self.reader.max_doc() {
            return false;
        }
        postings.seek(doc);
        postings.docs().last().is_some_and(|last| *last >= doc)
    }
}

impl Postings for Segments {
    type Error = TantivyError;

    fn n_parts(&self) -> usize {
        self.segments.len()
    }

    fn has_terms(&self, part: usize, field: WordField) -> tantivy::Result<bool> {
        let field = self.fields.of(field);
        let index = self.segments[part].reader.inverted_index(field)?;
        Ok(index.terms().num_terms() > 0)
    }

    fn terms(
        &self,
        part: usize,
        field: WordField,
        prefix: &str,
        mut each: impl FnMut(&str),
    ) -> tantivy::Result<()> {
        let field = self.fields.of(field);
        let index = self.segments[part].reader.inverted_index(field)?;
        let mut stream = index.terms().range().ge(prefix.as_bytes()).into_stream()?;
        while stream.advance() && stream.key().starts_with(prefix.as_bytes()) {
            if let Ok(term) = std::str::from_utf8(stream.key()) {
                each(term);
            }
        }
        Ok(())
    }

    fn near(
        &self,
        part: usize,
        field: WordField,
        (letters, most, n_ending): (&[char], usize, usize),
        mut each: impl FnMut(&str),
    ) -> tantivy::Result<()> {
        let field = self.fields.of(field);
        let index = self.segments[part].reader.inverted_index(field)?;
        let mut keep = |term: &[u8]| {
            if let Ok(term) = std::str::from_utf8(term) {
                each(term);
            }
        };
        match NearWords::new(letters, most, n_ending) {
            // Whatever cannot become a near word is left out with all that follows it.
            Some(near) => {
                let mut stream = index.terms().search(near).into_stream()?;
                while stream.advance() {
                    keep(stream.key());
                }
            }
            None => {
                let mut stream = index.terms().stream()?;
                while stream.advance() {
                    let first = std::str::from_utf8(stream.key()).unwrap_or_default();
                    if first.starts_with(|first| firsts(letters).contains(&first)) {
                        keep(stream.key());
                    }
                }
            }
        }
        Ok(())
    }

    fn entries(
        &self,
        part: usize,
        field: WordField,
        term: &str,
        mut each: impl FnMut(usize, u32) -> bool,
    ) -> tantivy::Result<()> {
        let segment = &self.segments[part];
        let Some(mut postings) = self.blocks(part, field, term, IndexRecordOption::WithFreqs)?
        else {
            return Ok(());
        };
        while postings.block_len() > 0 {
            for (&doc, &frequency) in postings.docs().iter().zip(postings.freqs()) {
                if segment.is_alive(doc) && !each(segment.first_entry + doc as usize, frequency) {
                    return Ok(());
                }
            }
            postings.advance();
        }
        Ok(())
    }

    fn entries_within(
        &self,
        part: usize,
        field: WordField,
        term: &str,
        within: &Within,
        mut each: impl FnMut(usize, u32),
    ) -> tantivy::Result<()> {
        let segment = &self.segments[part];
        let Some(mut postings) = self.blocks(part, field, term, IndexRecordOption::WithFreqs)?
        else {
            return Ok(());
        };
        while let (Some(first), Some(last)) = (postings.docs().first(), postings.docs().last()) {
            let last = segment.entry(*last);
            let Some(next) = within.next(segment.entry(*first)) else {
                break;
            };
            if next <= last {
                for (&doc, &frequency) in postings.docs().iter().zip(postings.freqs()) {
                    let entry = segment.entry(doc);
                    if within.has(entry) && segment.is_alive(doc) {
                        each(entry, frequency);
                    }
                }
                postings.advance();
            } else if !segment.seek(&mut postings, next) {
                break;
            }
        }
        Ok(())
    }

    fn holders(
        &self,
        part: usize,
        field: WordField,
        term: &str,
        mut each: impl FnMut(usize),
    ) -> tantivy::Result<()> {
        let segment = &self.segments[part];
        let Some(mut postings) = self.blocks(part, field, term, IndexRecordOption::Basic)? else {
            return Ok(());
        };
        while postings.block_len() > 0 {
            let docs = postings.docs().iter();
            docs.filter(|doc| segment.is_alive(**doc))
                .for_each(|doc| each(segment.entry(*doc)));
            postings.advance();
        }
        Ok(())
    }

    fn positions(
        &self,
        part: usize,
        term: &str,
        entries: &[(usize, usize)],
        mut each: impl FnMut(usize, &[u32]),
    ) -> tantivy::Result<()> {
        let segment = &self.segments[part];
        let end = segment.first_entry + segment.reader.max_doc() as usize;
        let of_segment = entries.partition_point(|(entry, _)| *entry < segment.first_entry)
            ..entries.partition_point(|(entry, _)| *entry < end);
        let term = self.term(WordField::Text, term);
        let index = segment.reader.inverted_index(term.field())?;
        let option = IndexRecordOption::WithFreqsAndPositions;
        let Some(mut postings) = index.read_postings(&term, option)? else {
            return Ok(());
        };
        let mut of_entry = Vec::new();
        for &(entry, index) in &entries[of_segment] {
            let doc = (entry - segment.first_entry) as u32;
            if postings.doc() < doc && postings.seek(doc) == TERMINATED {
                break;
            }
            if postings.doc() == doc {
                postings.positions(&mut of_entry);
                each(index, &of_entry);
            }
        }
        Ok(())
    }
}
