//! Longer words that a word is part of: "Mietvertrag" for "Vertrag".
//!
//! They stand backwards in a field of their own, so that those that end alike stand together. Only notes
//! in languages that join words have any.

use tantivy::Term;
use tantivy::postings::Postings;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, TERMINATED};

use super::tally::Tally;
use super::{FieldWeights, LexicalOptions, LexicalReader, Segment, TermGroup};
use crate::words::{self, PartPlace};

/// What is left of [`FieldWeights::compound`] where a word is not what the longer one is about.
const NOT_AT_END: f32 = 0.5;

impl LexicalReader {
    /// Counts the longer words that a group is part of.
    pub(super) fn count_compounds(
        &self,
        group: &TermGroup,
        weights: &FieldWeights,
        tally: &mut Tally,
    ) -> tantivy::Result<()> {
        let found = self.compounds_of(group, weights, !tally.has_counted())?;
        if !found.is_empty() {
            tally.count_partly(found, &self.entries);
        }
        Ok(())
    }

    /// Whether a group is part of any longer word.
    pub(super) fn is_part(
        &self,
        group: &TermGroup,
        options: &LexicalOptions,
    ) -> tantivy::Result<bool> {
        let found = self.compounds_of(group, &options.weights, true)?;
        Ok(!found.is_empty())
    }

    /// Returns the entries with longer words that a group is part of, each with what that is worth; a
    /// part in the middle, or one whose own term is too short, only counts if that is wanted, which is for
    /// a word that is found in no other way.
    fn compounds_of(
        &self,
        group: &TermGroup,
        weights: &FieldWeights,
        even_inside: bool,
    ) -> tantivy::Result<Vec<(usize, f32)>> {
        let mut found = Vec::new();
        if weights.compound == 0.0 || group.is_prefix {
            return Ok(found);
        }
        let mut segments = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            let index = segment.reader.inverted_index(self.fields.compounds)?;
            if index.terms().num_terms() > 0 {
                segments.push(segment);
            }
        }
        for &segment in &segments {
            for part in &group.terms {
                if !words::is_doer(part, &group.terms) {
                    let end = words::backwards(part);
                    self.ending_with(segment, part, &end, weights, &mut found)?;
                    self.beginning_with(segment, part, weights, &mut found)?;
                } else if even_inside {
                    let end = words::backwards_doer(part);
                    self.ending_with(segment, part, &end, weights, &mut found)?;
                }
            }
        }
        if found.is_empty() && even_inside {
            for &segment in &segments {
                for part in &group.terms {
                    self.holding(segment, part, weights, &mut found)?;
                }
            }
        }
        Ok(found)
    }

    /// Adds what ends with a part, which is spelled backwards in `end`.
    fn ending_with(
        &self,
        segment: &Segment,
        part: &str,
        end: &str,
        weights: &FieldWeights,
        found: &mut Vec<(usize, f32)>,
    ) -> tantivy::Result<()> {
        let index = segment.reader.inverted_index(self.fields.compounds)?;
        let mark = end.len() - part.len();
        let mut stream = index.terms().range().ge(end.as_bytes()).into_stream()?;
        let mut ending = Vec::new();
        while stream.advance() && stream.key().starts_with(end.as_bytes()) {
            if is_at(PartPlace::End, part, &stream.key()[mark..]) {
                ending.push(stream.key().to_vec());
            }
        }
        self.collect(segment, &ending, weights, weights.compound, found)
    }

    fn beginning_with(
        &self,
        segment: &Segment,
        part: &str,
        weights: &FieldWeights,
        found: &mut Vec<(usize, f32)>,
    ) -> tantivy::Result<()> {
        let index = segment.reader.inverted_index(self.fields.text)?;
        let mut stream = index.terms().range().ge(part.as_bytes()).into_stream()?;
        let mut beginning = Vec::new();
        while stream.advance() && stream.key().starts_with(part.as_bytes()) {
            let Ok(term) = std::str::from_utf8(stream.key()) else {
                continue;
            };
            if words::part_place(part, term) == Some(PartPlace::Beginning) {
                beginning.push(words::backwards(term).into_bytes());
            }
        }
        let share = weights.compound * NOT_AT_END;
        self.collect(segment, &beginning, weights, share, found)
    }

    /// Looks at every compound: only done for a word that is found in no other way.
    fn holding(
        &self,
        segment: &Segment,
        part: &str,
        weights: &FieldWeights,
        found: &mut Vec<(usize, f32)>,
    ) -> tantivy::Result<()> {
        let index = segment.reader.inverted_index(self.fields.compounds)?;
        let mut stream = index.terms().stream()?;
        let mut holding = Vec::new();
        let inside = words::backwards(part);
        while stream.advance() {
            let has_part = std::str::from_utf8(stream.key()).is_ok_and(|key| key.contains(&inside));
            if has_part && is_at(PartPlace::Inside, part, stream.key()) {
                holding.push(stream.key().to_vec());
            }
        }
        let share = weights.compound * NOT_AT_END;
        self.collect(segment, &holding, weights, share, found)
    }

    /// Adds the living entries that hold one of the compounds, each with what that is worth.
    fn collect(
        &self,
        segment: &Segment,
        compounds: &[Vec<u8>],
        weights: &FieldWeights,
        share: f32,
        found: &mut Vec<(usize, f32)>,
    ) -> tantivy::Result<()> {
        let index = segment.reader.inverted_index(self.fields.compounds)?;
        for compound in compounds {
            let term = Term::from_field_bytes(self.fields.compounds, compound);
            let Some(mut postings) = index.read_postings(&term, IndexRecordOption::WithFreqs)?
            else {
                continue;
            };
            while postings.doc() != TERMINATED {
                let entry = segment.first_entry + postings.doc() as usize;
                if self.entries.is_alive(entry) {
                    let is_note = self.entries.note(entry).entry as usize == entry;
                    let weight = if is_note { weights.title } else { weights.text };
                    found.push((entry, share * weight * postings.term_freq() as f32));
                }
                postings.advance();
            }
        }
        Ok(())
    }
}

/// Whether a part stands at a place of a compound that is spelled backwards.
fn is_at(place: PartPlace, part: &str, key: &[u8]) -> bool {
    let Ok(key) = std::str::from_utf8(key) else {
        return false;
    };
    words::part_place(part, &words::backwards(key)) == Some(place)
}
