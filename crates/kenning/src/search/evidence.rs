//! How well the notes answer: one figure from the words that are there and from meaning, never from a
//! rank; the grade is read off it.

use super::demand::{Demand, Lack};
use super::event::{Event, Told};
use super::features::{FeatureReader, PART_COVERAGE, Passage};
use super::matcher::Matcher;
use super::maxsim::MaxSim;
use super::ranked::Ranked;
use super::rerank;
use super::retrieve::Strength;
use super::tuning::{self, CONFIDENCE_MODERATE, CONFIDENCE_STRONG, CONFIDENCE_WEAK, MEANING_WEAK};
use super::when::When;
use super::{Mode, Query, SearchContext};
use crate::chunk;
use crate::embed::Calibration;
use crate::error::Result;
use crate::store::{By, ChunkId, Positions};
use crate::words;

/// How well the notes answer the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// The notes do not say.
    None,
    /// Something near it.
    Weak,
    /// Much of what was asked for.
    Moderate,
    /// All of what was asked for, or the very note that was named.
    Strong,
}

impl Evidence {
    /// Returns the grade of a confidence: the same scale for every question, mode and interface.
    pub fn of(confidence: f32) -> Self {
        match confidence {
            CONFIDENCE_STRONG.. => Self::Strong,
            CONFIDENCE_MODERATE.. => Self::Moderate,
            CONFIDENCE_WEAK.. => Self::Weak,
            _ => Self::None,
        }
    }

    /// Returns the name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Weak => "weak",
            Self::Moderate => "moderate",
            Self::Strong => "strong",
        }
    }
}

/// Share of a question, by rarity, from which on its spelling was so much in doubt that the answer is.
const CORRECTED_SHARE: f32 = 0.34;

/// Confidence in such an answer above which it counts for little more.
const DOUBTED_FROM: f32 = 0.9 * CONFIDENCE_MODERATE;

/// What speaks for a passage, each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Judged {
    /// Share of the question's words, by rarity, that it holds.
    coverage: f32,
    /// Share of them that stand together.
    proximity: f32,
    /// Likeness of single words, by rarity; a word that it holds counts fully.
    words: f32,
    /// Likeness of the passage as a whole, above what an unrelated one has.
    meaning: f32,
    /// Whether it says the rarest word, by itself or by one like it.
    says_rarest: bool,
    /// Whether no note says the rarest word.
    is_rarest_unsaid: bool,
    /// Rarity of a word that no note says, which tells how many notes there are; no share.
    unsaid: f32,
    /// Whether much of the question was looked for in another spelling.
    is_corrected: bool,
    /// What it lacks of what was asked for.
    lack: Lack,
}

impl Judged {
    /// Returns how likely it is that a passage like this answers: a logistic regression over questions
    /// that a vault or collection answers and questions that it does not (docs/benchmarks.md).
    fn confidence(&self) -> f32 {
        let [coverage, proximity, words, meaning] = tuning::CONFIDENCE_WEIGHTS;
        let sum = coverage * self.coverage
            + proximity * self.proximity
            + words * self.words
            + meaning * self.meaning;
        let mut odds = sum - tuning::CONFIDENCE_BIAS - tuning::CONFIDENCE_BY_CHANCE * self.unsaid;
        if self.is_rarest_unsaid && !self.says_rarest {
            odds -= tuning::CONFIDENCE_UNHEARD_OF;
        }
        odds -= match self.lack {
            Lack::Nothing => 0.0,
            Lack::Word | Lack::Form => tuning::CONFIDENCE_LACKING,
        };
        let confidence = 1.0 / (1.0 + (-odds).exp());
        if self.is_corrected || self.lack == Lack::Form {
            return below(confidence, DOUBTED_FROM, CONFIDENCE_MODERATE);
        }
        if self.says_rarest || confidence < CONFIDENCE_MODERATE {
            return confidence;
        }
        below(confidence, CONFIDENCE_MODERATE, CONFIDENCE_STRONG)
    }
}

/// Brings what is above `from` below `most`; who is surer stays surer.
fn below(confidence: f32, from: f32, most: f32) -> f32 {
    let share = (confidence - from).max(0.0) / (1.0 - from);
    confidence.min(from + share * (most - from) * 0.99)
}

/// What the grade is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Signals {
    /// Of the passage that answers best: an answer stands in one place.
    best: f32,
    /// Share of the question's words, by rarity, in the passage that holds most of them.
    coverage: f32,
    /// Likeness of the nearest passage, above what an unrelated one has.
    meaning: f32,
    /// Whether any word of the question was found, in whatever spelling.
    is_touched: bool,
    /// Whether the model knows any word of the question, so that meaning tells something.
    is_known: bool,
}

impl Signals {
    /// Judges passages whose texts have been read.
    pub(super) fn of(
        cx: &SearchContext<'_>,
        ranked: &[&Ranked],
        query: &Query,
        strength: &Strength,
        mode: Mode,
        when: Option<&When>,
    ) -> Result<Self> {
        let judge = Judge::new(cx, query, strength);
        let timeless = when.map(|when| (when, judge.without(&when.told_in(query))));
        let mut signals = Self {
            is_known: judge.is_known(cx),
            meaning: strength.meaning,
            ..Self::default()
        };
        let chunks: Vec<ChunkId> = ranked.iter().map(|ranked| ranked.chunk.id).collect();
        let positions = cx.store.positions(&query.groups, &chunks)?;
        let likeness = judge.likeness(cx, &chunks, mode)?;
        let mut reader = FeatureReader::new(query, &judge.idf);
        let mut matcher = Matcher::new(query);
        for (index, ranked) in ranked.iter().enumerate() {
            let is_held = judge.held(ranked, &positions[index], &mut reader, &mut matcher);
            signals.is_touched |= is_held.iter().any(|held| *held != Held::Not);
            let like = likeness.get(index).map(Vec::as_slice);
            let judged = judge.judge(ranked, &positions[index], &is_held, like, &mut matcher);
            signals.coverage = signals.coverage.max(judged.coverage);
            signals.best = signals.best.max(judged.confidence());
            if let Some((when, timeless)) = &timeless
                && when.is_met_by(ranked.note.id, ranked.passage())
            {
                let judged =
                    timeless.judge(ranked, &positions[index], &is_held, like, &mut matcher);
                signals.coverage = signals.coverage.max(judged.coverage);
                signals.best = signals.best.max(judged.confidence());
            }
        }
        Ok(signals)
    }

    /// Returns one figure from 0 to 1.
    pub(super) fn confidence(&self) -> f32 {
        let is_near = self.is_known && self.meaning >= MEANING_WEAK;
        if self.is_touched || is_near {
            // Weak at least; who is surer stays surer.
            self.best.max(CONFIDENCE_WEAK * (1.0 + self.best))
        } else {
            self.best * CONFIDENCE_WEAK * 0.99
        }
    }

    /// Returns how good the best hit is, which relative scores do not tell.
    pub(super) fn certainty(&self) -> f32 {
        self.coverage.max(self.meaning)
    }
}

/// How a passage holds a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Not,
    /// In another spelling, past accents, or by the grammar of another language: it may be another word.
    Doubtfully,
    /// As part of a longer word.
    Partly,
    Surely,
}

/// A question to judge passages by.
struct Judge<'q> {
    query: &'q Query,
    demand: Demand,
    event: Option<Event>,
    calibration: Calibration,
    /// Rarity of each word; that of one that no note says is not that of what was looked for instead.
    idf: Vec<f32>,
    total: f32,
    is_corrected: Vec<bool>,
    /// Share of the words, by rarity, that were looked for in another spelling.
    corrected: f32,
    unsaid: f32,
}

impl<'q> Judge<'q> {
    fn new(cx: &SearchContext<'_>, query: &'q Query, strength: &Strength) -> Self {
        let mut idf = strength.idf.clone();
        idf.resize(query.groups.len(), 1.0);
        let mut is_corrected = vec![false; idf.len()];
        for correction in &strength.corrections {
            idf[correction.number] = strength.unsaid;
            is_corrected[correction.number] = true;
        }
        let calibration = cx.embedder.calibration();
        Self::weighing(query, calibration, idf, is_corrected, strength.unsaid)
    }

    fn weighing(
        query: &'q Query,
        calibration: Calibration,
        idf: Vec<f32>,
        is_corrected: Vec<bool>,
        unsaid: f32,
    ) -> Self {
        let total = idf.iter().sum::<f32>().max(f32::EPSILON);
        let corrected = (idf.iter().zip(&is_corrected)).filter(|(_, is_corrected)| **is_corrected);
        Self {
            corrected: corrected.map(|(idf, _)| idf).sum::<f32>() / total,
            total,
            demand: Demand::of(query),
            event: Event::of(query),
            query,
            calibration,
            idf,
            is_corrected,
            unsaid,
        }
    }

    /// Returns the same question without some of its words, for passages that need not say them.
    fn without(&self, is_met: &[bool]) -> Self {
        let left = self.idf.iter().zip(is_met);
        let left = left.map(|(idf, is_met)| if *is_met { 0.0 } else { *idf });
        Self::weighing(
            self.query,
            self.calibration,
            left.collect(),
            self.is_corrected.clone(),
            self.unsaid,
        )
    }

    /// Whether the model knows a word of the question; without one, meaning is made of letters.
    fn is_known(&self, cx: &SearchContext<'_>) -> bool {
        let mut words = self.query.words.iter();
        cx.embedder
            .token_vectors()
            .is_none_or(|model| words.any(|word| model.knows(word)))
    }

    /// Returns how like each passage is to each word; nothing where the model is not to be asked.
    fn likeness(
        &self,
        cx: &SearchContext<'_>,
        chunks: &[ChunkId],
        mode: Mode,
    ) -> Result<Vec<Vec<f32>>> {
        let Some(model) = cx
            .embedder
            .token_vectors()
            .filter(|_| mode != Mode::Lexical)
        else {
            return Ok(Vec::new());
        };
        let mut pieces = Vec::new();
        for chunk in cx.store.chunks(By::Ids(chunks))? {
            let mut own = Vec::new();
            chunk.pieces(&mut own);
            pieces.push(own);
        }
        let passages: Vec<&[u32]> = pieces.iter().map(Vec::as_slice).collect();
        let words = self.query.words.iter().map(String::as_str);
        Ok(MaxSim::new(model, words.zip(self.idf.iter().copied())).by_word(&passages))
    }

    /// Returns how a passage, what stands above it and what its note is called hold each word.
    fn held(
        &self,
        ranked: &Ranked,
        positions: &Positions,
        reader: &mut FeatureReader<'_>,
        matcher: &mut Matcher<'_>,
    ) -> Vec<Held> {
        let note = &ranked.note;
        let names = rerank::names(note);
        let beside = ranked.candidate().beside;
        let crumbs = chunk::breadcrumb(&note.title, &note.headings, ranked.chunk.heading);
        let of_note = reader.names(&names);
        let passage = Passage {
            positions,
            headings: &crumbs[1..],
            beside,
            text: None,
            repeated: Vec::new(),
        };
        let is_held = reader.held(&passage, &names, &of_note);
        let surely = self.said(ranked, &crumbs, matcher);
        let scattered = self.scattered(ranked, &crumbs);
        let of = |number: usize| match (is_held[number], surely[number]) {
            (true, _) if scattered.contains(&number) => Held::Doubtfully,
            (false, _) if beside.is_partly(number) => Held::Partly,
            (false, _) => Held::Not,
            _ if self.is_corrected[number] => Held::Doubtfully,
            (true, Some(false)) => Held::Doubtfully,
            (true, _) => Held::Surely,
        };
        (0..self.idf.len()).map(of).collect()
    }

    /// Returns the words of names of code that are not written as one: `select_related` is no selecting of
    /// what is related.
    fn scattered(&self, ranked: &Ranked, crumbs: &[&str]) -> Vec<usize> {
        let mut scattered = Vec::new();
        for (name, numbers) in &self.query.identifiers {
            let names = rerank::names(&ranked.note);
            let own = names.own.iter().copied().chain(crumbs.iter().copied());
            let others = names
                .anchor_texts
                .iter()
                .chain(names.tags)
                .map(String::as_str);
            let mut texts = own.chain(others).chain([ranked.passage()]);
            if !texts.any(|text| text.to_lowercase().contains(name)) {
                scattered.extend(numbers);
            }
        }
        scattered
    }

    /// Returns whether what is written is a form of each word that was asked for, `None` for a word that
    /// is not written by itself, but part of another or a property.
    fn said(
        &self,
        ranked: &Ranked,
        crumbs: &[&str],
        matcher: &mut Matcher<'_>,
    ) -> Vec<Option<bool>> {
        let note = &ranked.note;
        let names = rerank::names(note);
        let own = names.own.iter().copied().chain(crumbs.iter().copied());
        let others = names
            .anchor_texts
            .iter()
            .chain(names.tags)
            .map(String::as_str);
        let mut said = vec![None; self.idf.len()];
        for text in own.chain(others).chain([ranked.passage()]) {
            matcher.each(text, note.language, |number, start, end| {
                let asked = &self.query.words[number];
                let is_form = self.query.groups[number].is_prefix
                    || words::is_form_of(asked, &text[start..end], note.language);
                said[number] = Some(is_form || said[number] == Some(true));
            });
        }
        said
    }

    /// Returns what a passage lacks of what was asked for.
    fn lack(
        &self,
        ranked: &Ranked,
        worth: &dyn Fn(usize) -> f32,
        is_said: &dyn Fn(usize) -> bool,
        matcher: &mut Matcher<'_>,
    ) -> Lack {
        match self.demand.lack(ranked.passage(), is_said) {
            Lack::Nothing if !self.tells_event(ranked, worth, matcher) => Lack::Form,
            lack => lack,
        }
    }

    /// Whether a passage may tell who did what was asked about, or when it was.
    fn tells_event(
        &self,
        ranked: &Ranked,
        worth: &dyn Fn(usize) -> f32,
        matcher: &mut Matcher<'_>,
    ) -> bool {
        let Some(event) = self.event else {
            return true;
        };
        let note = &ranked.note;
        let mut above = rerank::names(note).own;
        above.extend(chunk::breadcrumb(
            &note.title,
            &note.headings,
            ranked.chunk.heading,
        ));
        above.extend(note.author.as_deref());
        let worth: Vec<f32> = (0..self.idf.len())
            .map(|n| self.idf[n] * worth(n))
            .collect();
        let told = Told {
            passage: ranked.passage(),
            above: &above,
            language: note.language,
            worth: &worth,
        };
        event.is_told_by(&told, matcher)
    }

    fn judge(
        &self,
        ranked: &Ranked,
        positions: &Positions,
        is_held: &[Held],
        like: Option<&[f32]>,
        matcher: &mut Matcher<'_>,
    ) -> Judged {
        let is_sure = |number: usize| is_held[number] == Held::Surely;
        let worth = |number: usize| match is_held[number] {
            Held::Surely => 1.0,
            Held::Partly => PART_COVERAGE,
            Held::Doubtfully | Held::Not => 0.0,
        };
        let is_scattered = |number: usize| {
            let mut names = self.query.identifiers.iter();
            !is_sure(number) && names.any(|(_, numbers)| numbers.contains(&number))
        };
        // Without vectors for tokens, the passage as a whole tells whether it says a word by another one.
        let unread = match ranked.candidate().cosine {
            Some(_) => self.calibration.token_likeness(ranked.candidate().meaning),
            None => self.calibration.token_unrelated,
        };
        let likeness = |number: usize| match like {
            // What stands in a name of code must not count by its letters either.
            Some(like) if is_scattered(number) => {
                like[number].clamp(0.0, self.calibration.token_unrelated)
            }
            Some(like) => like[number].clamp(0.0, 1.0).max(worth(number)),
            None if is_scattered(number) => self.calibration.token_unrelated,
            None => worth(number).max(unread),
        };
        let share = |of: &dyn Fn(usize) -> f32| {
            let sum: f32 = (0..self.idf.len()).map(|n| self.idf[n] * of(n)).sum();
            sum / self.total
        };
        let coverage = share(&worth);
        // What the note says of itself stands together, wherever that is.
        let beside = ranked.candidate().beside;
        let named = share(&|number| f32::from(is_sure(number) && beside.is_named(number)));
        let sure = positions
            .found
            .iter()
            .filter(|(number, _)| is_sure(*number));
        let sure: Vec<(usize, u32)> = sure.copied().collect();
        let candidate = ranked.candidate();
        let rarest = (0..self.idf.len()).max_by(|&a, &b| self.idf[a].total_cmp(&self.idf[b]));
        let is_unsaid = |number: usize| self.idf[number] >= self.unsaid;
        // A name of code is rarer than any word in it.
        let lacks_name = (self.query.identifiers.iter())
            .any(|(_, numbers)| !numbers.iter().all(|&number| is_sure(number)));
        let is_said = |number: usize| likeness(number) >= self.calibration.token_same;
        Judged {
            coverage,
            lack: self.lack(ranked, &worth, &is_said, matcher),
            proximity: super::signals::proximity(&sure, &self.idf, self.total).max(named),
            words: share(&likeness),
            meaning: match candidate.cosine {
                Some(_) => candidate.meaning,
                // What a passage with so many of the words has, as a rule.
                None => tuning::MEANING_OF_NONE + tuning::MEANING_OF_WORDS * coverage,
            },
            says_rarest: !lacks_name
                && rarest.is_some_and(|rarest| !self.is_corrected[rarest] && is_said(rarest)),
            is_rarest_unsaid: lacks_name || rarest.is_some_and(is_unsaid),
            unsaid: self.unsaid,
            is_corrected: self.corrected >= CORRECTED_SHARE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grade_is_read_off_the_confidence() {
        for (confidence, grade) in [
            (0.0, Evidence::None),
            (0.049, Evidence::None),
            (0.05, Evidence::Weak),
            (0.499, Evidence::Weak),
            (0.5, Evidence::Moderate),
            (0.849, Evidence::Moderate),
            (0.85, Evidence::Strong),
            (1.0, Evidence::Strong),
        ] {
            assert_eq!(Evidence::of(confidence), grade, "{confidence}");
        }
    }

    #[test]
    fn without_the_rarest_word_nothing_is_strong() {
        let all = Judged {
            coverage: 0.9,
            proximity: 0.9,
            words: 0.95,
            meaning: 0.8,
            says_rarest: true,
            unsaid: 7.0,
            is_rarest_unsaid: false,
            is_corrected: false,
            lack: Lack::Nothing,
        };
        assert_eq!(Evidence::of(all.confidence()), Evidence::Strong);
        let lacking = Judged {
            says_rarest: false,
            ..all
        };
        assert_eq!(Evidence::of(lacking.confidence()), Evidence::Moderate);
        let unheard_of = Judged {
            is_rarest_unsaid: true,
            ..lacking
        };
        assert!(unheard_of.confidence() < lacking.confidence());
        let corrected = Judged {
            is_corrected: true,
            ..all
        };
        assert_eq!(Evidence::of(corrected.confidence()), Evidence::Weak);
        let unsaid = Judged {
            lack: Lack::Word,
            ..all
        };
        let unlike = Judged {
            lack: Lack::Form,
            ..all
        };
        assert!(unsaid.confidence() < all.confidence());
        assert_eq!(Evidence::of(unlike.confidence()), Evidence::Weak);
    }

    #[test]
    fn more_of_anything_is_never_less_sure() {
        let half = Judged {
            coverage: 0.5,
            proximity: 0.5,
            words: 0.5,
            meaning: 0.5,
            says_rarest: true,
            unsaid: 7.0,
            is_rarest_unsaid: false,
            is_corrected: false,
            lack: Lack::Nothing,
        };
        for better in [
            Judged {
                coverage: 0.6,
                ..half
            },
            Judged {
                proximity: 0.6,
                ..half
            },
            Judged { words: 0.6, ..half },
            Judged {
                meaning: 0.6,
                ..half
            },
        ] {
            assert!(better.confidence() > half.confidence(), "{better:?}");
        }
        assert!(Judged::default().confidence() < CONFIDENCE_WEAK);
        let larger = Judged {
            unsaid: 9.0,
            ..half
        };
        assert!(larger.confidence() < half.confidence());
    }
}
