//! A closer look at the best candidates: what one score per passage cannot see. Pure.

use super::Query;
use super::excerpt::each_match;
use super::tuning::LookWeights;
use crate::words::{self, Language};

/// Bytes within which words count as standing together: a sentence or two.
const WINDOW_BYTES: usize = 160;
/// Words that may stand between two neighbours of the query.
const GAP_WORDS_MAX: usize = 2;

/// What the closer look found, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Features {
    /// Share of the query's words, by rarity, in the passage, above it, or in links to its note.
    pub coverage: f32,
    /// Share of neighbouring words of the query that are neighbours in the passage.
    pub phrase: f32,
    /// Share of the query's words, by rarity, that stand together.
    pub proximity: f32,
    /// How much the title or an alias is what was asked for, and nothing else.
    pub title: f32,
    /// The same of what other notes call this one when they link to it.
    pub called: f32,
    /// Share of the query's words, by rarity, that the passage holds, or a word that they are part of
    /// or that is part of them: "contract" in "contractor", "Vertrag" in "Mietvertrag".
    pub kin: f32,
    /// Best cosine of each word of the query with a word of the passage, by rarity; measured from
    /// the worst to the best of those looked at.
    pub similarity: f32,
    /// The same before it is measured against the others.
    pub cosine: f32,
}

impl Features {
    /// Returns what the closer look adds to the score.
    pub fn weighted(&self, weights: &LookWeights) -> f32 {
        weights.phrase * self.phrase
            + weights.proximity * self.proximity
            + weights.title * self.title
            + weights.called * self.called
            + weights.kin * self.kin
            + weights.similarity * self.similarity
    }
}

/// What is looked at.
pub(super) struct Passage<'a> {
    pub(super) text: &'a str,
    /// Title and aliases.
    pub(super) names: Vec<&'a str>,
    /// What other notes call its note.
    pub(super) called: &'a [String],
    pub(super) headings: &'a [String],
    pub(super) tags: &'a [String],
    pub(super) language: Language,
    /// Whether parts of words count.
    pub(super) joins_words: bool,
}

/// Looks at the words of a passage. `idf` is the rarity of each word of the query.
pub(super) fn features(passage: &Passage<'_>, query: &Query, idf: &[f32]) -> Features {
    let total: f32 = idf.iter().sum();
    if query.groups.is_empty() || total <= 0.0 {
        return Features::default();
    }
    let language = passage.language;
    let mut places: Vec<(usize, usize)> = Vec::new();
    each_match(passage.text, query, language, |group, start, _| {
        places.push((group, start));
    });
    let mut is_held = vec![false; idf.len()];
    places.iter().for_each(|&(group, _)| is_held[group] = true);
    let above = passage
        .headings
        .iter()
        .chain(passage.tags)
        .chain(passage.called);
    let above = above
        .map(String::as_str)
        .chain(passage.names.iter().copied());
    for text in above {
        each_match(text, query, language, |group, _, _| is_held[group] = true);
    }
    let agrees = |name: &str| agreement(name, query, language, idf, total);
    let called = passage.called.iter().map(|name| agrees(name));
    Features {
        coverage: share(&is_held, idf, total),
        phrase: phrase(&places, passage.text, idf),
        proximity: proximity(&places, idf, total),
        title: passage
            .names
            .iter()
            .map(|name| agrees(name))
            .fold(0.0, f32::max),
        called: called.fold(0.0, f32::max),
        kin: match passage.joins_words {
            true => kin(passage, query, &is_held, idf) / total,
            false => 0.0,
        },
        similarity: 0.0,
        cosine: 0.0,
    }
}

/// Share of the words that are held, by rarity.
fn share(is_held: &[bool], idf: &[f32], total: f32) -> f32 {
    let held = idf.iter().zip(is_held).filter(|(_, held)| **held);
    held.map(|(idf, _)| idf).sum::<f32>() / total
}

/// A name agrees as far as it holds the query and the query holds it: the harmonic mean of both.
fn agreement(name: &str, query: &Query, language: Language, idf: &[f32], total: f32) -> f32 {
    let mut is_held = vec![false; idf.len()];
    let mut n_asked = 0usize;
    each_match(name, query, language, |group, _, _| {
        is_held[group] = true;
        n_asked += 1;
    });
    let covered = share(&is_held, idf, total);
    let exact = (n_asked as f32 / words::words(name).count().max(1) as f32).min(1.0);
    if covered > 0.0 {
        2.0 * covered * exact / (covered + exact)
    } else {
        0.0
    }
}

/// Pairs of neighbouring query words that stand side by side, by the rarity of the rarer one.
fn phrase(places: &[(usize, usize)], text: &str, idf: &[f32]) -> f32 {
    let weight = |pair: usize| idf[pair].max(idf[pair + 1]);
    let n_pairs = idf.len().saturating_sub(1);
    let total: f32 = (0..n_pairs).map(weight).sum();
    let mut is_found = vec![false; n_pairs];
    for pair in places.windows(2) {
        let ((first, at), (second, next)) = (pair[0], pair[1]);
        if second != first + 1 || is_found[first] {
            continue;
        }
        let gap = text.get(at..next).unwrap_or_default();
        is_found[first] = words::words(gap).take(GAP_WORDS_MAX + 1).count() <= GAP_WORDS_MAX;
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
fn kin(passage: &Passage<'_>, query: &Query, is_held: &[bool], idf: &[f32]) -> f32 {
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
        let texts = std::iter::once(passage.text)
            .chain(passage.headings.iter().map(String::as_str))
            .chain(passage.names.iter().copied());
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
fn proximity(places: &[(usize, usize)], idf: &[f32], total: f32) -> f32 {
    let mut counts = vec![0usize; idf.len()];
    let (mut first, mut sum, mut best) = (0, 0f32, 0f32);
    for &(group, at) in places {
        counts[group] += 1;
        if counts[group] == 1 {
            sum += idf[group];
        }
        while places[first].1 + WINDOW_BYTES < at {
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

    fn check(query: &str, name: &str, text: &str) -> String {
        let query = Query::parse(query, &[(Language::English, 1)]);
        let idf = vec![1.0; query.groups.len()];
        let passage = Passage {
            text,
            names: vec![name],
            called: &[],
            headings: &[],
            tags: &[],
            language: Language::English,
            joins_words: true,
        };
        let found = features(&passage, &query, &idf);
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
}
