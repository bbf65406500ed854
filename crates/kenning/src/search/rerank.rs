//! A closer look at the best candidates: what one score per passage cannot see. Pure.

use smallvec::{SmallVec, smallvec};

use super::Query;
use super::finder::Finder;
use super::tuning::{LookWeights, REPEATED_LOSS, STUFFED_MIN, TELLING_SHARE};
use crate::store::{Beside, Places};
use crate::words::{self, Language};

/// Words within which words count as standing together: a sentence or two.
const WINDOW_WORDS: u32 = 26;
/// How far neighbours of the query may stand from each other: with one word between them.
const STEP_WORDS_MAX: u32 = 2;

/// What a word that only stands in a longer one counts for as being there.
pub(super) const PART_COVERAGE: f32 = 0.6;

/// Something of each word of the query: few words need no memory of their own.
type OfEach<T> = SmallVec<[T; 16]>;

/// What the closer look found, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Features {
    /// Share of the query's words, by rarity, in the passage, above it, in links to its note, or in
    /// anything else that is seen of it.
    pub coverage: f32,
    /// Share of neighbouring words of the query that are neighbours in the passage.
    pub phrase: f32,
    /// Share of the query's words, by rarity, that stand together.
    pub proximity: f32,
    /// How much the title or an alias is what was asked for, and nothing else.
    pub title: f32,
    /// The same of what other notes call this one when they link to it.
    pub called: f32,
    /// The same of the headings that the passage stands under.
    pub heading: f32,
    /// How many notes its note is linked with.
    pub linked: f32,
    /// Share of the query's words, by rarity, that the passage holds, or a word that they are part of
    /// or that is part of them: "contract" in "contractor", "Vertrag" in "Mietvertrag".
    pub kin: f32,
    /// Best cosine of each word of the query with a word of the passage, by rarity; measured from
    /// the worst to the best of those looked at.
    pub similarity: f32,
    /// The same before it is measured against the others.
    pub cosine: f32,
    /// How far the passage repeats the query's words instead of saying anything about them.
    pub stuffing: f32,
    /// Whether it is a stub: little but the words of the query.
    pub is_stub: bool,
    /// Words of it that were not asked for.
    pub n_others: u32,
    /// Share of the query's words that it holds, by rarity, that only text has which many notes repeat.
    pub repeated: f32,
    /// Whether it, or what it is called, holds one of the query's rarer words.
    pub is_telling: bool,
}

impl Features {
    /// Returns what the closer look adds to the score.
    pub fn weighted(&self, weights: &LookWeights) -> f32 {
        weights.phrase * self.phrase
            + weights.proximity * self.proximity
            + weights.title * self.title
            + weights.called * self.called
            + weights.heading * self.heading
            + weights.linked * self.linked
            + weights.kin * self.kin
            + weights.similarity * self.similarity
    }

    /// Returns what is kept of a score where words are merely repeated.
    pub fn kept(&self) -> f32 {
        (1.0 - self.stuffing).max(STUFFED_MIN) * (1.0 - REPEATED_LOSS * self.repeated)
    }
}

/// What is looked at of a note, whichever of its passages it is.
pub(super) struct Names<'a> {
    /// Title, file name and aliases.
    pub(super) own: SmallVec<[&'a str; 4]>,
    /// What other notes call it.
    pub(super) called: &'a [String],
    pub(super) tags: &'a [String],
    /// Notes it is linked with.
    pub(super) n_neighbours: u32,
    pub(super) language: Language,
}

/// What is looked at of a passage.
pub(super) struct Passage<'a> {
    /// Where words of the query stand in it.
    pub(super) places: &'a Places,
    pub(super) headings: &'a [&'a str],
    /// Words it has beside those of its text.
    pub(super) beside: Beside,
    /// Its text, where parts of words count.
    pub(super) joined: Option<&'a str>,
    /// Paragraphs of it that many notes have.
    pub(super) repeated: Vec<&'a str>,
}

/// What the names of a note tell.
pub(super) struct NamesLook {
    is_held: OfEach<bool>,
    title: f32,
    called: f32,
}

/// Looks at one passage after the other.
pub(super) struct Lens<'q> {
    finder: Finder<'q>,
    /// Rarity of each word of the query.
    idf: &'q [f32],
    total: f32,
}

impl<'q> Lens<'q> {
    /// Looks for `query`; `idf` is the rarity of each of its words.
    pub(super) fn new(query: &'q Query, idf: &'q [f32]) -> Self {
        Self {
            finder: Finder::new(query),
            idf,
            total: idf.iter().sum(),
        }
    }

    /// Looks at the names of a note.
    pub(super) fn names(&mut self, names: &Names<'_>) -> NamesLook {
        let mut is_held: OfEach<bool> = smallvec![false; self.finder.query.groups.len()];
        for tag in names.tags {
            (self.finder).each(tag, names.language, |group, _, _| is_held[group] = true);
        }
        let mut best = |texts: &mut dyn Iterator<Item = &str>| {
            texts
                .map(|name| self.agreement(name, names.language, &mut is_held))
                .fold(0.0, f32::max)
        };
        let title = best(&mut names.own.iter().copied());
        let called = best(&mut names.called.iter().map(String::as_str));
        NamesLook {
            is_held,
            title,
            called,
        }
    }

    /// Looks at the words of a passage.
    pub(super) fn features(
        &mut self,
        passage: &Passage<'_>,
        names: &Names<'_>,
        look: &NamesLook,
    ) -> Features {
        if self.idf.is_empty() || self.total <= 0.0 {
            return Features::default();
        }
        let Places { found, n_words } = passage.places;
        let mut is_held = look.is_held.clone();
        found.iter().for_each(|&(group, _)| is_held[group] = true);
        let headings = passage.headings.iter();
        let heading = headings
            .map(|heading| self.agreement(heading, names.language, &mut is_held))
            .fold(0.0, f32::max);
        let query = self.finder.query;
        Features {
            coverage: self.covered(is_held.clone(), passage.beside),
            phrase: phrase(found, self.idf),
            proximity: proximity(found, self.idf, self.total),
            title: look.title,
            called: look.called,
            heading,
            linked: linked(names.n_neighbours),
            kin: match passage.joined {
                Some(text) => {
                    let above = passage.headings.iter().copied();
                    let texts = std::iter::once(text)
                        .chain(above)
                        .chain(names.own.iter().copied());
                    kin(texts, query, &is_held, self.idf) / self.total
                }
                None => 0.0,
            },
            similarity: 0.0,
            cosine: 0.0,
            stuffing: stuffing(found, *n_words, self.idf.len()),
            is_stub: is_stub(found.len() as u32, *n_words),
            n_others: n_words.saturating_sub(found.len() as u32),
            repeated: self.repeated(passage, names.language, look),
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
    fn repeated(&mut self, passage: &Passage<'_>, language: Language, look: &NamesLook) -> f32 {
        if passage.repeated.is_empty() {
            return 0.0;
        }
        let mut n_own: OfEach<i32> = smallvec![0; self.idf.len()];
        let mut is_held: OfEach<bool> = smallvec![false; self.idf.len()];
        for &(group, _) in &passage.places.found {
            n_own[group] += 1;
            is_held[group] = true;
        }
        for paragraph in &passage.repeated {
            (self.finder).each(paragraph, language, |group, _, _| n_own[group] -= 1);
        }
        let held = share(&is_held, self.idf, 1.0);
        for group in 0..is_held.len() {
            is_held[group] &= n_own[group] <= 0 && !look.is_held[group];
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
        look: &NamesLook,
    ) -> OfEach<bool> {
        let mut is_held = look.is_held.clone();
        (passage.places.found.iter()).for_each(|&(group, _)| is_held[group] = true);
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
        let mut is_held: OfEach<bool> = smallvec![false; self.finder.query.groups.len()];
        let mut n_asked = 0usize;
        let n_words = self.finder.each(name, language, |group, _, _| {
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

/// Grows with the logarithm of the number of neighbours; 53 are as good as any more.
fn linked(n_neighbours: u32) -> f32 {
    ((1.0 + n_neighbours as f32).ln() / 4.0).min(1.0)
}

/// How often a word may come before it counts as repeated: in a title and in the text.
const REPEATS_MIN: usize = 2;
/// A passage with this many other words says something, whatever it repeats.
const SAYING_WORDS: f32 = 20.0;

/// Share of a stub that merely repeats the words of the query, counted from a half: text that is
/// about something says more about it than its name.
fn stuffing(places: &[(usize, u32)], n_words: u32, n_groups: usize) -> f32 {
    let mut counts: OfEach<usize> = smallvec![0; n_groups];
    places.iter().for_each(|&(group, _)| counts[group] += 1);
    let n_repeated: usize = counts.iter().map(|n| n.saturating_sub(REPEATS_MIN)).sum();
    let n_others = n_words.saturating_sub(places.len() as u32) as f32;
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

/// Pairs of neighbouring query words that stand side by side, by the rarity of the rarer one.
fn phrase(places: &[(usize, u32)], idf: &[f32]) -> f32 {
    let weight = |pair: usize| idf[pair].max(idf[pair + 1]);
    let n_pairs = idf.len().saturating_sub(1);
    let total: f32 = (0..n_pairs).map(weight).sum();
    let mut is_found: OfEach<bool> = smallvec![false; n_pairs];
    for pair in places.windows(2) {
        let ((first, at), (second, next)) = (pair[0], pair[1]);
        if second == first + 1 && next - at <= STEP_WORDS_MAX {
            is_found[first] = true;
        }
    }
    let sum = (0..n_pairs)
        .filter(|&pair| is_found[pair])
        .map(weight)
        .fold(0f32, |sum, weight| sum + weight);
    if total > 0.0 { sum / total } else { 0.0 }
}

/// Letters that two words must share to be kin.
const KIN_CHARS_MIN: usize = 5;

/// Adds up the words that are held, and a share of those of which only kin are.
fn kin<'t>(
    texts: impl Iterator<Item = &'t str>,
    query: &Query,
    is_held: &[bool],
    idf: &[f32],
) -> f32 {
    let mut best: Vec<f32> = is_held.iter().map(|held| f32::from(*held)).collect();
    let wanted: Vec<usize> = (0..best.len())
        .filter(|&group| {
            !is_held[group]
                && query.groups[group]
                    .terms
                    .iter()
                    .any(|t| t.len() >= KIN_CHARS_MIN)
        })
        .collect();
    if !wanted.is_empty() {
        let mut lowered = String::new();
        for word in texts.flat_map(words::words) {
            if word.text.len() < KIN_CHARS_MIN {
                continue;
            }
            words::lower_into(word.text, &mut lowered);
            for &group in &wanted {
                for term in &query.groups[group].terms {
                    best[group] = best[group].max(kinship(term, &lowered));
                }
            }
        }
    }
    best.iter().zip(idf).map(|(best, idf)| best * idf).sum()
}

/// Share of the longer of two words that both have, 0 where that is little.
fn kinship(asked: &str, word: &str) -> f32 {
    let (short, long) = if asked.len() <= word.len() {
        (asked, word)
    } else {
        (word, asked)
    };
    let shared = if short.len() >= KIN_CHARS_MIN && long.contains(short) {
        short.len()
    } else {
        short
            .bytes()
            .zip(long.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    if shared >= KIN_CHARS_MIN {
        shared as f32 / long.len() as f32
    } else {
        0.0
    }
}

/// The best window: how much of the query it holds.
pub(super) fn proximity(places: &[(usize, u32)], idf: &[f32], total: f32) -> f32 {
    let mut counts: OfEach<usize> = smallvec![0; idf.len()];
    let (mut first, mut sum, mut best) = (0, 0f32, 0f32);
    for &(group, at) in places {
        counts[group] += 1;
        if counts[group] == 1 {
            sum += idf[group];
        }
        while places[first].1 + WINDOW_WORDS < at {
            let (left, _) = places[first];
            counts[left] -= 1;
            if counts[left] == 0 {
                sum -= idf[left];
            }
            first += 1;
        }
        best = best.max(sum);
    }
    best / total
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn places(query: &Query, text: &str) -> Places {
        let mut places = Places::default();
        for word in words::words(text) {
            let term = words::term_of(&word, Language::English);
            let mut groups = query.groups.iter();
            let group = groups.position(|group| group.terms.contains(&term));
            let found = group.map(|group| (group, places.n_words));
            places.found.extend(found);
            places.n_words += 1;
        }
        places
    }

    fn check(query: &str, name: &str, text: &str) -> String {
        let query = Query::parse(query, &[(Language::English, 1)]);
        let idf = vec![1.0; query.groups.len()];
        let names = Names {
            own: smallvec![name],
            called: &[],
            tags: &[],
            n_neighbours: 0,
            language: Language::English,
        };
        let places = places(&query, text);
        let passage = Passage {
            places: &places,
            headings: &[],
            beside: Beside::default(),
            joined: Some(text),
            repeated: Vec::new(),
        };
        let mut lens = Lens::new(&query, &idf);
        let look = lens.names(&names);
        let found = lens.features(&passage, &names, &look);
        format!(
            "coverage {:.2}, phrase {:.2}, proximity {:.2}, title {:.2}",
            found.coverage, found.phrase, found.proximity, found.title
        )
    }

    #[test]
    fn the_closer_look_by_worked_examples() {
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
    fn kin_by_worked_examples() {
        // "vertrag" is 7 of the 11 letters of "mietvertrag", either way round.
        assert!((kinship("vertrag", "mietvertrag") - 7.0 / 11.0).abs() < 1e-6);
        assert!((kinship("mietvertrag", "vertrag") - 7.0 / 11.0).abs() < 1e-6);
        // "kundig" begins "kundigung": 6 of 9. Two letters are no kinship.
        assert!((kinship("kundig", "kundigung") - 6.0 / 9.0).abs() < 1e-6);
        assert_eq!(kinship("haus", "hauswart"), 0.0);
        assert_eq!(kinship("garten", "gast"), 0.0);
    }

    #[test]
    fn a_stub_of_keywords_does_not_gain_by_repeating_them() {
        let stub = check("roof repair", "x", "roof roof roof repair repair");
        assert_eq!(stub, check("roof repair", "x", "roof repair"));
    }

    #[test]
    fn links_by_worked_examples() {
        assert_eq!(linked(0), 0.0);
        // ln 8 ÷ 4.
        assert!((linked(7) - 0.5199).abs() < 1e-4);
        assert_eq!(linked(54), 1.0);
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
            let places = places(&query, text);
            stuffing(&places.found, places.n_words, query.groups.len())
        };
        // In the title and in the text is no repetition.
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
