//! Longer words that a word is part of: "Mietvertrag" for "Vertrag".
//!
//! They stand backwards in a field of their own, so that those that end alike stand together. Only notes
//! in languages that join words have any.

use super::{FieldWeights, LexicalOptions, Postings, TermGroup, WordField, WordReader};
use crate::words::{self, PartPlace};

/// What is left of [`FieldWeights::compound`] where a word is not what the longer one is about.
const NOT_AT_END: f32 = 0.5;

impl<P: Postings> WordReader<P> {
    /// Whether a group is part of any longer word.
    pub(super) fn is_part(
        &self,
        group: &TermGroup,
        options: &LexicalOptions,
    ) -> Result<bool, P::Error> {
        let found = self.compounds_of(group, &options.weights, true)?;
        Ok(!found.is_empty())
    }

    /// Returns the entries with longer words that a group is part of, each with what that is worth; a
    /// part in the middle, or one whose own term is too short, only counts if that is wanted, which is for
    /// a word that is found in no other way.
    ///
    /// They come in the order of the entries, and amounts of one in theirs: sums depend on it.
    pub(super) fn compounds_of(
        &self,
        group: &TermGroup,
        weights: &FieldWeights,
        even_inside: bool,
    ) -> Result<Vec<(usize, f32)>, P::Error> {
        let mut found = Vec::new();
        if weights.compound == 0.0 || group.is_prefix {
            return Ok(found);
        }
        let mut parts = Vec::with_capacity(self.postings.n_parts());
        for part in 0..self.postings.n_parts() {
            if self.postings.has_terms(part, WordField::Compounds)? {
                parts.push(part);
            }
        }
        for &number in &parts {
            for part in &group.terms {
                if !words::is_doer(part, &group.terms) {
                    let end = words::backwards(part);
                    self.ending_with(number, part, &end, weights, &mut found)?;
                    if words::is_part_anywhere(part) {
                        self.beginning_with(number, part, weights, &mut found)?;
                    }
                } else if even_inside {
                    let end = words::backwards_doer(part);
                    self.ending_with(number, part, &end, weights, &mut found)?;
                }
            }
        }
        if found.is_empty() && even_inside {
            for &number in &parts {
                let parts = group.terms.iter();
                for part in parts.filter(|part| words::is_part_anywhere(part)) {
                    self.holding(number, part, weights, &mut found)?;
                }
            }
        }
        found.sort_by_key(|(entry, _)| *entry);
        Ok(found)
    }

    /// Adds what ends with a part, which is spelled backwards in `end`.
    fn ending_with(
        &self,
        number: usize,
        part: &str,
        end: &str,
        weights: &FieldWeights,
        found: &mut Vec<(usize, f32)>,
    ) -> Result<(), P::Error> {
        let mark = end.len() - part.len();
        let mut ending = Vec::new();
        self.postings
            .terms(number, WordField::Compounds, end, |key| {
                if key
                    .get(mark..)
                    .is_some_and(|key| is_at(PartPlace::End, part, key))
                {
                    ending.push(key.to_owned());
                }
            })?;
        self.collect(number, &ending, weights, weights.compound, found)
    }

    fn beginning_with(
        &self,
        number: usize,
        part: &str,
        weights: &FieldWeights,
        found: &mut Vec<(usize, f32)>,
    ) -> Result<(), P::Error> {
        let mut beginning = Vec::new();
        self.postings.terms(number, WordField::Text, part, |term| {
            if words::part_place(part, term) == Some(PartPlace::Beginning) {
                beginning.push(words::backwards(term));
            }
        })?;
        let share = weights.compound * NOT_AT_END;
        self.collect(number, &beginning, weights, share, found)
    }

    /// Looks at every compound: only done for a word that is found in no other way.
    fn holding(
        &self,
        number: usize,
        part: &str,
        weights: &FieldWeights,
        found: &mut Vec<(usize, f32)>,
    ) -> Result<(), P::Error> {
        let mut holding = Vec::new();
        let inside = words::backwards(part);
        self.postings
            .terms(number, WordField::Compounds, "", |key| {
                if key.contains(&inside) && is_at(PartPlace::Inside, part, key) {
                    holding.push(key.to_owned());
                }
            })?;
        let share = weights.compound * NOT_AT_END;
        self.collect(number, &holding, weights, share, found)
    }

    /// Adds the living entries that hold one of the compounds, each with what that is worth.
    fn collect(
        &self,
        number: usize,
        compounds: &[String],
        weights: &FieldWeights,
        share: f32,
        found: &mut Vec<(usize, f32)>,
    ) -> Result<(), P::Error> {
        for compound in compounds {
            let collect = |entry: usize, frequency: u32| {
                let is_note = self.entries.is_note(entry);
                let weight = if is_note { weights.title } else { weights.text };
                found.push((entry, share * weight * frequency as f32));
                true
            };
            self.postings
                .entries(number, WordField::Compounds, compound, collect)?;
        }
        Ok(())
    }
}

/// Whether a part stands at a place of a compound that is spelled backwards.
fn is_at(place: PartPlace, part: &str, key: &str) -> bool {
    words::part_place(part, &words::backwards(key)) == Some(place)
}
