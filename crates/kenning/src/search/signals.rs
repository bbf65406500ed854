//! The signals that reranking adds to the score of both retrievers: one row of [`SIGNALS`] each. The row
//! is all there is to a signal: scoring, the most there is to gain, explanations, settings and
//! `ken eval --tune` go by this list. Pure.

use smallvec::{SmallVec, smallvec};

use super::Query;
use crate::store::Positions;
use crate::words;

/// One thing that can be said for a passage, from 0 to 1.
pub struct Signal {
    /// Name in settings and explanations.
    pub name: &'static str,
    /// What it adds to a score from 0 to 1 at most, unless the settings say otherwise.
    pub weight: f32,
    /// What it tells, for the settings file.
    pub about: &'static str,
    /// Weights that are tried when they are fitted to a vault; none for what is left alone.
    pub tried: &'static [f32],
    /// Whether it has no scale of its own, and counts from the least to the most of the reranked.
    pub is_relative: bool,
    compute: fn(&Seen<'_>) -> f32,
}

/// The rows of [`SIGNALS`], by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalId {
    /// Words that follow each other as asked.
    Phrase,
    /// Words that stand together.
    Proximity,
    /// Title, file name and aliases.
    Title,
    /// What other notes call it when they link to it.
    LinkText,
    /// Headings above it.
    Heading,
    /// Notes that its note is linked with.
    Linked,
    /// Words that are part of each other.
    Compound,
    /// Words of like meaning.
    Similarity,
}

/// How many there are.
const N_SIGNALS: usize = SIGNALS.len();

/// Every signal. The weights were chosen on ten collections, each left out in turn: every one of them
/// gained by weights that were fitted to the others (docs/benchmarks.md).
pub const SIGNALS: [Signal; 8] = [
    Signal {
        name: "phrase",
        weight: 0.15,
        about: "words that follow each other as asked",
        tried: &[0.0, 0.08, 0.15, 0.3],
        is_relative: false,
        compute: |seen| phrase(&seen.positions.found, seen.idf),
    },
    Signal {
        name: "proximity",
        weight: 0.2,
        about: "words that stand together",
        tried: &[0.0, 0.1, 0.2, 0.4],
        is_relative: false,
        compute: |seen| proximity(&seen.positions.found, seen.idf, seen.total),
    },
    Signal {
        name: "title",
        weight: 0.4,
        about: "a title or alias that says what was asked for, and nothing else",
        tried: &[0.0, 0.1, 0.2, 0.3, 0.4, 0.6],
        is_relative: false,
        compute: |seen| seen.title,
    },
    Signal {
        name: "link_text",
        weight: 0.3,
        about: "the same of what other notes call it when they link to it",
        tried: &[0.0, 0.15, 0.3, 0.5],
        is_relative: false,
        compute: |seen| seen.anchor_text,
    },
    Signal {
        name: "heading",
        weight: 0.1,
        about: "the same of the headings above a passage",
        tried: &[0.0, 0.1, 0.2, 0.3],
        is_relative: false,
        compute: |seen| seen.heading,
    },
    Signal {
        name: "linked",
        weight: 0.05,
        about: "being linked with many notes",
        tried: &[],
        is_relative: false,
        compute: |seen| linked(seen.n_neighbours),
    },
    Signal {
        name: "compound",
        weight: 0.3,
        about: "words that are part of each other (German and its like)",
        tried: &[],
        is_relative: false,
        compute: compound,
    },
    Signal {
        name: "similarity",
        weight: 0.15,
        about: "words of like meaning",
        tried: &[0.0, 0.08, 0.15, 0.25, 0.35, 0.5],
        is_relative: true,
        compute: |seen| seen.cosine,
    },
];

/// What the signals add at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignalWeights([f32; N_SIGNALS]);

impl Default for SignalWeights {
    fn default() -> Self {
        Self(SIGNALS.map(|signal| signal.weight))
    }
}

impl SignalWeights {
    /// Returns the weight of a signal.
    pub fn get(&self, signal: SignalId) -> f32 {
        self.0[signal as usize]
    }

    /// Sets the weight of a signal.
    pub fn set(&mut self, signal: SignalId, weight: f32) {
        self.0[signal as usize] = weight;
    }

    /// Returns the weight of the signal of this name.
    pub fn named(&mut self, name: &str) -> Option<&mut f32> {
        let place = SIGNALS.iter().position(|signal| signal.name == name)?;
        self.0.get_mut(place)
    }

    /// Returns the most that all signals together can add.
    pub fn most(&self) -> f32 {
        self.0.iter().sum()
    }

    /// Returns what the signals of a passage add.
    pub(super) fn weighted(&self, values: &SignalValues) -> f32 {
        self.0
            .iter()
            .zip(values.0)
            .map(|(weight, value)| weight * value)
            .sum()
    }
}

/// What each signal says of a passage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SignalValues([f32; N_SIGNALS]);

impl SignalValues {
    /// Works out every signal.
    pub(super) fn of(seen: &Seen<'_>) -> Self {
        Self(SIGNALS.map(|signal| (signal.compute)(seen)))
    }

    /// Returns what a signal says.
    pub(super) fn get(&self, signal: SignalId) -> f32 {
        self.0[signal as usize]
    }

    /// Returns the signals by name.
    pub(super) fn named(&self) -> impl Iterator<Item = (&'static str, f32)> {
        SIGNALS.iter().map(|signal| signal.name).zip(self.0)
    }
}

/// Measures the signals that have no scale of their own from the least to the most of the reranked.
pub(super) fn scale(all: &mut [&mut SignalValues]) {
    for (place, _) in SIGNALS
        .iter()
        .enumerate()
        .filter(|(_, signal)| signal.is_relative)
    {
        let values = || all.iter().map(|values| values.0[place]);
        let (least, most) = (values().fold(1f32, f32::min), values().fold(0f32, f32::max));
        let span = most - least;
        for values in all.iter_mut() {
            let value = &mut values.0[place];
            *value = if span > 0.0 {
                (*value - least) / span
            } else {
                0.0
            };
        }
    }
}

/// Something of each word of the query: few words need no memory of their own.
pub(super) type OfEach<T> = SmallVec<[T; 16]>;

/// What there is to see of a passage.
pub(super) struct Seen<'a> {
    pub(super) query: &'a Query,
    /// Rarity of each word of the query, and all together.
    pub(super) idf: &'a [f32],
    pub(super) total: f32,
    /// Which words it holds, by itself or by what stands above it.
    pub(super) is_held: &'a [bool],
    pub(super) positions: &'a Positions,
    pub(super) headings: &'a [&'a str],
    /// How far one of the headings is what was asked for.
    pub(super) heading: f32,
    /// What its note calls itself.
    pub(super) names: &'a [&'a str],
    /// How far one of these names is what was asked for.
    pub(super) title: f32,
    /// How far one of the names is that other notes give it.
    pub(super) anchor_text: f32,
    /// Notes that its note is linked with.
    pub(super) n_neighbours: u32,
    /// Its text, where parts of words count.
    pub(super) text: Option<&'a str>,
    /// Best cosine of each word of the query with a word of the passage, by rarity.
    pub(super) cosine: f32,
}

/// Words within which words count as standing together: a sentence or two.
const WINDOW_WORDS: u32 = 26;
/// How far neighbours of the query may stand from each other: with one word between them.
const STEP_WORDS_MAX: u32 = 2;

/// Pairs of neighbouring query words that stand side by side, by the rarity of the rarer one.
fn phrase(positions: &[(usize, u32)], idf: &[f32]) -> f32 {
    let weight = |pair: usize| idf[pair].max(idf[pair + 1]);
    let n_pairs = idf.len().saturating_sub(1);
    let total: f32 = (0..n_pairs).map(weight).sum();
    let mut is_found: OfEach<bool> = smallvec![false; n_pairs];
    for pair in positions.windows(2) {
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

/// The best window: how much of the query it holds.
pub(super) fn proximity(positions: &[(usize, u32)], idf: &[f32], total: f32) -> f32 {
    let mut counts: OfEach<usize> = smallvec![0; idf.len()];
    let (mut first, mut sum, mut best) = (0, 0f32, 0f32);
    for &(group, at) in positions {
        counts[group] += 1;
        if counts[group] == 1 {
            sum += idf[group];
        }
        while positions[first].1 + WINDOW_WORDS < at {
            let (left, _) = positions[first];
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

/// Grows with the logarithm of the number of neighbours; 53 are as good as any more.
fn linked(n_neighbours: u32) -> f32 {
    ((1.0 + n_neighbours as f32).ln() / 4.0).min(1.0)
}

/// Share of the query's words, by rarity, that the passage holds, or a word that they are part of or that
/// is part of them: "contract" in "contractor", "Vertrag" in "Mietvertrag".
fn compound(seen: &Seen<'_>) -> f32 {
    let Some(text) = seen.text else {
        return 0.0;
    };
    let above = seen.headings.iter().copied();
    let names = seen.names.iter().copied();
    let texts = std::iter::once(text).chain(above).chain(names);
    overlap(texts, seen.query, seen.is_held, seen.idf) / seen.total
}

/// Letters that two words must share to count as parts of each other.
const SHARED_CHARS_MIN: usize = 5;

/// Adds up the words that are held, and a share of those of which only parts are.
fn overlap<'t>(
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
                    .any(|t| t.len() >= SHARED_CHARS_MIN)
        })
        .collect();
    if !wanted.is_empty() {
        let mut lowered = String::new();
        for word in texts.flat_map(words::words) {
            if word.text.len() < SHARED_CHARS_MIN {
                continue;
            }
            words::lower_into(word.text, &mut lowered);
            for &group in &wanted {
                for term in &query.groups[group].terms {
                    best[group] = best[group].max(shared_share(term, &lowered));
                }
            }
        }
    }
    best.iter().zip(idf).map(|(best, idf)| best * idf).sum()
}

/// Share of the longer of two words that both have, 0 where that is little.
fn shared_share(asked: &str, word: &str) -> f32 {
    let (short, long) = if asked.len() <= word.len() {
        (asked, word)
    } else {
        (word, asked)
    };
    let shared = if short.len() >= SHARED_CHARS_MIN && long.contains(short) {
        short.len()
    } else {
        short
            .bytes()
            .zip(long.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    if shared >= SHARED_CHARS_MIN {
        shared as f32 / long.len() as f32
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_rows_are_in_one_order() {
        let named = [
            (SignalId::Phrase, "phrase"),
            (SignalId::Proximity, "proximity"),
            (SignalId::Title, "title"),
            (SignalId::LinkText, "link_text"),
            (SignalId::Heading, "heading"),
            (SignalId::Linked, "linked"),
            (SignalId::Compound, "compound"),
            (SignalId::Similarity, "similarity"),
        ];
        for (id, name) in named {
            assert_eq!(SIGNALS[id as usize].name, name);
        }
        assert_eq!(named.len(), N_SIGNALS);
    }

    #[test]
    fn what_has_no_scale_counts_from_the_least_to_the_most() {
        let mut values = [0.2, 0.5, 0.8].map(|cosine| {
            let mut values = SignalValues::default();
            values.0[SignalId::Similarity as usize] = cosine;
            values
        });
        scale(&mut values.iter_mut().collect::<Vec<_>>());
        let scaled = values.map(|values| values.get(SignalId::Similarity));
        assert!((scaled[1] - 0.5).abs() < 1e-6 && scaled[0] == 0.0 && scaled[2] == 1.0);
    }

    #[test]
    fn parts_of_words_by_worked_examples() {
        // "vertrag" is 7 of the 11 letters of "mietvertrag", either way round.
        assert!((shared_share("vertrag", "mietvertrag") - 7.0 / 11.0).abs() < 1e-6);
        assert!((shared_share("mietvertrag", "vertrag") - 7.0 / 11.0).abs() < 1e-6);
        // "kundig" begins "kundigung": 6 of 9. Two letters are too few.
        assert!((shared_share("kundig", "kundigung") - 6.0 / 9.0).abs() < 1e-6);
        assert_eq!(shared_share("haus", "hauswart"), 0.0);
        assert_eq!(shared_share("garten", "gast"), 0.0);
    }

    #[test]
    fn links_by_worked_examples() {
        assert_eq!(linked(0), 0.0);
        // ln 8 ÷ 4.
        assert!((linked(7) - 0.5199).abs() < 1e-4);
        assert_eq!(linked(54), 1.0);
    }
}
