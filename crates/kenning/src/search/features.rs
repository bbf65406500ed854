//! The features of a passage that reranking goes by: which words of the query it holds, where, and what its
//! note is called. Pure.

use smallvec::{SmallVec, smallvec};

use super::Query;
use super::matcher::Matcher;
use super::signals::{OfEach, Seen, SignalValues};
use super::tuning::{REPEATED_LOSS, STUFFED_MIN, TELLING_SHARE};
use crate::store::{Beside, Positions};
use crate::words::Language;

/// What a word that only stands in a longer one counts for as being there.
pub(super) const PART_COVERAGE: f32 = 0.6;

/// What reranking goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Features {
    /// What is added to the score.
    pub(super) signals: SignalValues,
    /// Share of the query's words, by rarity, in the passage, above it, in links to its note, or in
    /// anything else that is seen of it.
    pub(super) coverage: f32,
    /// How far the passage repeats the query's words instead of saying anything about them.
    pub(super) stuffing: f32,
    /// Whether it is a stub: little but the words of the query.
    pub(super) is_stub: bool,
    /// Words of it that were not asked for.
    pub(super) n_others: u32,
    /// Share of the query's words that it holds, by rarity, that only text has which many notes repeat.
    pub(super) repeated: f32,
    /// Whether it, or what it is called, holds one of the query's rarer words.
    pub(super) is_telling: bool,
}

impl Features {
    /// Returns what is kept of a score where words are merely repeated.
    pub(super) fn kept(&self) -> f32 {
        (1.0 - self.stuffing).max(STUFFED_MIN) * (1.0 - REPEATED_LOSS * self.repeated)
    }
}

/// What a note is called, whichever of its passages it is.
pub(super) struct Names<'a> {
    /// Title, file name and aliases.
    pub(super) own: SmallVec<[&'a str; 4]>,
    /// What other notes call it when they link to it.
    pub(super) anchor_texts: &'a [String],
    pub(super) tags: &'a [String],
    /// Notes it is linked with.
    pub(super) n_neighbours: u32,
    pub(super) language: Language,
}

/// A passage whose features are read.
pub(super) struct Passage<'a> {
    /// Where words of the query stand in it.
    pub(super) positions: &'a Positions,
    pub(super) headings: &'a [&'a str],
    /// Words it has beside those of its text.
    pub(super) beside: Beside,
    /// Its text, where parts of words count.
    pub(super) text: Option<&'a str>,
    /// Paragraphs of it that many notes have.
    pub(super) repeated: Vec<&'a str>,
}

/// The features of a note's names.
pub(super) struct NameFeatures {
    is_held: OfEach<bool>,
    title: f32,
    anchor_text: f32,
}

/// Reads the features of one passage after the other.
pub(super) struct FeatureReader<'q> {
    matcher: Matcher<'q>,
    /// Rarity of each word of the query.
    idf: &'q [f32],
    total: f32,
}

impl<'q> FeatureReader<'q> {
    /// Looks for `query`; `idf` is the rarity of each of its words.
    pub(super) fn new(query: &'q Query, idf: &'q [f32]) -> Self {
        Self {
            matcher: Matcher::new(query),
            idf,
            total: idf.iter().sum(),
        }
    }

    /// Reads the features of a note's names.
    pub(super) fn names(&mut self, names: &Names<'_>) -> NameFeatures {
        let mut is_held: OfEach<bool> = smallvec![false; self.matcher.query.groups.len()];
        for tag in names.tags {
            (self.matcher).each(tag, names.language, |group, _, _| is_held[group] = true);
        }
        let mut best = |texts: &mut dyn Iterator<Item = &str>| {
            texts
                .map(|name| self.agreement(name, names.language, &mut is_held))
                .fold(0.0, f32::max)
        };
        let title = best(&mut names.own.iter().copied());
        let anchor_text = best(&mut names.anchor_texts.iter().map(String::as_str));
        NameFeatures {
            is_held,
            title,
            anchor_text,
        }
    }

    /// Reads the features of a passage. `cosine` is how like they are to those of the query, where that is
    /// measured; where it is not, a word is like itself and nothing else.
    pub(super) fn features(
        &mut self,
        passage: &Passage<'_>,
        names: &Names<'_>,
        of_note: &NameFeatures,
        cosine: Option<f32>,
    ) -> Features {
        if self.idf.is_empty() || self.total <= 0.0 {
            return Features::default();
        }
        let Positions { found, n_words } = passage.positions;
        let mut is_held = of_note.is_held.clone();
        found.iter().for_each(|&(group, _)| is_held[group] = true);
        let headings = passage.headings.iter();
        let heading = headings
            .map(|heading| self.agreement(heading, names.language, &mut is_held))
            .fold(0.0, f32::max);
        let coverage = self.covered(is_held.clone(), passage.beside);
        let seen = Seen {
            query: self.matcher.query,
            idf: self.idf,
            total: self.total,
            is_held: &is_held,
            positions: passage.positions,
            headings: passage.headings,
            heading,
            names: &names.own,
            n_neighbours: names.n_neighbours,
            title: of_note.title,
            anchor_text: of_note.anchor_text,
            text: passage.text,
            cosine: cosine.unwrap_or(coverage),
        };
        Features {
            signals: SignalValues::of(&seen),
            coverage,
            stuffing: stuffing(found, *n_words, self.idf.len()),
            is_stub: is_stub(found.len() as u32, *n_words),
            n_others: n_words.saturating_sub(found.len() as u32),
            repeated: self.repeated(passage, names.language, of_note),
            is_telling: self.is_telling(&is_held),
        }
    }

    /// Whether one of the rarer words is held: by the others alone, nothing is told.
    fn is_telling(&self, is_held: &[bool]) -> bool {
        let rarest = self.idf.iter().copied().fold(0.0, f32::max);
        let mut held = self.idf.iter().zip(is_held);
        held.any(|(&idf, &is_held)| is_held && idf >= TELLING_SHARE * rarest)
    }

    /// Share of the words that a passage itself holds, by rarity, that only repeated paragraphs have.
    fn repeated(
        &mut self,
        passage: &Passage<'_>,
        language: Language,
        of_note: &NameFeatures,
    ) -> f32 {
        if passage.repeated.is_empty() {
            return 0.0;
        }
        let mut n_own: OfEach<i32> = smallvec![0; self.idf.len()];
        let mut is_held: OfEach<bool> = smallvec![false; self.idf.len()];
        for &(group, _) in &passage.positions.found {
            n_own[group] += 1;
            is_held[group] = true;
        }
        for paragraph in &passage.repeated {
            (self.matcher).each(paragraph, language, |group, _, _| n_own[group] -= 1);
        }
        let held = share(&is_held, self.idf, 1.0);
        for group in 0..is_held.len() {
            is_held[group] &= n_own[group] <= 0 && !of_note.is_held[group];
        }
        match held > 0.0 {
            true => share(&is_held, self.idf, held),
            false => 0.0,
        }
    }

    /// Returns which words of the query a passage holds, by itself or by what stands above it.
    pub(super) fn held(
        &mut self,
        passage: &Passage<'_>,
        names: &Names<'_>,
        of_note: &NameFeatures,
    ) -> OfEach<bool> {
        let mut is_held = of_note.is_held.clone();
        (passage.positions.found.iter()).for_each(|&(group, _)| is_held[group] = true);
        for heading in passage.headings {
            self.agreement(heading, names.language, &mut is_held);
        }
        for (group, held) in is_held.iter_mut().enumerate() {
            *held |= passage.beside.is_named(group);
        }
        is_held
    }

    /// Share of the words that are held anywhere, by rarity; one that only stands in a longer word counts
    /// in part.
    fn covered(&self, mut is_held: OfEach<bool>, beside: Beside) -> f32 {
        let mut in_part = 0.0;
        for (group, held) in is_held.iter_mut().enumerate() {
            *held |= beside.is_named(group);
            if !*held && beside.is_partly(group) {
                in_part += PART_COVERAGE * self.idf[group];
            }
        }
        share(&is_held, self.idf, self.total) + in_part / self.total
    }

    /// A name agrees as far as it holds the query and the query holds it: the harmonic mean of both.
    fn agreement(&mut self, name: &str, language: Language, held_by_any: &mut [bool]) -> f32 {
        let mut is_held: OfEach<bool> = smallvec![false; self.matcher.query.groups.len()];
        let mut n_asked = 0usize;
        let n_words = self.matcher.each(name, language, |group, _, _| {
            is_held[group] = true;
            held_by_any[group] = true;
            n_asked += 1;
        });
        let covered = share(&is_held, self.idf, self.total);
        let exact = (n_asked as f32 / n_words.max(1) as f32).min(1.0);
        if covered > 0.0 {
            2.0 * covered * exact / (covered + exact)
        } else {
            0.0
        }
    }
}

/// Share of the words that are held, by rarity.
fn share(is_held: &[bool], idf: &[f32], total: f32) -> f32 {
    let held = idf.iter().zip(is_held).filter(|(_, held)| **held);
    held.map(|(idf, _)| idf).sum::<f32>() / total
}

/// How often a word may come before it counts as repeated: in a title and in the text.
const REPEATS_MIN: usize = 2;
/// A passage with this many other words says something, whatever it repeats.
const SAYING_WORDS: f32 = 20.0;

/// Share of a stub that merely repeats the words of the query, counted from a half: text that is
/// about something says more about it than its name.
fn stuffing(positions: &[(usize, u32)], n_words: u32, n_groups: usize) -> f32 {
    let mut counts: OfEach<usize> = smallvec![0; n_groups];
    positions.iter().for_each(|&(group, _)| counts[group] += 1);
    let n_repeated: usize = counts.iter().map(|n| n.saturating_sub(REPEATS_MIN)).sum();
    let n_others = n_words.saturating_sub(positions.len() as u32) as f32;
    let share = n_repeated as f32 / (n_repeated as f32 + n_others).max(1.0);
    (2.0 * share - 1.0).max(0.0) * (1.0 - n_others / SAYING_WORDS).max(0.0)
}

/// A passage with fewer other words than this says nothing about what was asked.
const BARE_WORDS: u32 = 8;
/// Share of such a passage that the words of the question make up.
const BARE_DENSITY: f32 = 0.25;
/// A passage with fewer other words than this may be stuffed with those of the question.
const STUFFED_WORDS: u32 = 60;
/// Share of such a passage that they make up: more than where people write about something.
const STUFFED_DENSITY: f32 = 0.5;

/// Whether a passage is little but the words of the query.
fn is_stub(n_asked: u32, n_words: u32) -> bool {
    let density = n_asked as f32 / n_words.max(1) as f32;
    let n_others = n_words.saturating_sub(n_asked);
    let is_bare = n_others < BARE_WORDS && density >= BARE_DENSITY;
    let is_stuffed = n_others < STUFFED_WORDS && density >= STUFFED_DENSITY;
    n_asked > 0 && (is_bare || is_stuffed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::signals::SignalId;
    use crate::words;
    use insta::assert_snapshot;

    fn positions(query: &Query, text: &str) -> Positions {
        let mut positions = Positions::default();
        for word in words::words(text) {
            let term = words::term_of(&word, Language::English);
            let mut groups = query.groups.iter();
            let group = groups.position(|group| group.terms.contains(&term));
            let found = group.map(|group| (group, positions.n_words));
            positions.found.extend(found);
            positions.n_words += 1;
        }
        positions
    }

    fn check(query: &str, name: &str, text: &str) -> String {
        let query = Query::parse(query, &[(Language::English, 1)]);
        let idf = vec![1.0; query.groups.len()];
        let names = Names {
            own: smallvec![name],
            anchor_texts: &[],
            tags: &[],
            n_neighbours: 0,
            language: Language::English,
        };
        let positions = positions(&query, text);
        let passage = Passage {
            positions: &positions,
            headings: &[],
            beside: Beside::default(),
            text: Some(text),
            repeated: Vec::new(),
        };
        let mut reader = FeatureReader::new(&query, &idf);
        let of_note = reader.names(&names);
        let found = reader.features(&passage, &names, &of_note, None);
        let of = |signal| found.signals.get(signal);
        format!(
            "coverage {:.2}, phrase {:.2}, proximity {:.2}, title {:.2}",
            found.coverage,
            of(SignalId::Phrase),
            of(SignalId::Proximity),
            of(SignalId::Title)
        )
    }

    #[test]
    fn features_by_worked_examples() {
        // All three words, two of two neighbouring pairs, all in one window; no name.
        assert_snapshot!(check("old red roof", "x", "The old red roof leaks."), @"coverage 1.00, phrase 1.00, proximity 1.00, title 0.00");
        // The order is another: no pair, but still together.
        assert_snapshot!(check("old red roof", "x", "A roof, red and old."), @"coverage 1.00, phrase 0.00, proximity 1.00, title 0.00");
        // Far apart: a window holds one of two words.
        let apart = format!("roof {} red", "and so on ".repeat(30));
        assert_snapshot!(check("red roof", "x", &apart), @"coverage 1.00, phrase 0.00, proximity 0.50, title 0.00");
        // The title holds one of two words (1/2) and is nothing else (1): 2 · ½ · 1 / 1½ = ⅔.
        assert_snapshot!(check("roof repair", "Roof", "text"), @"coverage 0.50, phrase 0.00, proximity 0.00, title 0.67");
        assert_snapshot!(check("", "Roof", "text"), @"coverage 0.00, phrase 0.00, proximity 0.00, title 0.00");
    }

    #[test]
    fn a_stub_of_keywords_does_not_gain_by_repeating_them() {
        let stub = check("roof repair", "x", "roof roof roof repair repair");
        assert_eq!(stub, check("roof repair", "x", "roof repair"));
    }

    #[test]
    fn stubs_by_worked_examples() {
        // Three of ten words and little beside them; three of thirty is how people write.
        assert!(is_stub(3, 10) && !is_stub(3, 30));
        // Twenty-eight of fifty words are too many, ten of thirty are what a law may say.
        assert!(is_stub(28, 50) && !is_stub(10, 30) && !is_stub(90, 170));
        assert!(!is_stub(0, 0) && !is_stub(0, 5));
    }

    #[test]
    fn stuffing_by_worked_examples() {
        let check = |text: &str| {
            let query = Query::parse("roof repair", &[(Language::English, 1)]);
            let positions = positions(&query, text);
            stuffing(&positions.found, positions.n_words, query.groups.len())
        };
        // Once in the title and once in the text is not repetition.
        assert_eq!(check("Roof repair. Roof repair."), 0.0);
        // Six repeat and two are others: (2 · ¾ − 1) · (1 − 2/20) = .45.
        let stub = format!("Keywords: {} and", "roof repair ".repeat(5));
        assert!((check(&stub) - 0.45).abs() < 1e-6, "{}", check(&stub));
        assert_eq!(check("roof roof roof roof"), 1.0);
        let long = format!("{} {}", "roof ".repeat(50), "it says more ".repeat(7));
        assert_eq!(check(&long), 0.0);
        assert_eq!(check(""), 0.0);
    }
}
