//! The sentences of what was found, and how likely each is to hold the answer.

use std::ops::Range;

use super::span::{self, Around, Span};
use super::tokens::{self, Kind, Token};
use super::{Reach, steps, weights};
use crate::cite;
use crate::embed::TokenVectors;
use crate::note::Format;
use crate::question::{Question, Sought};
use crate::search::{Matcher, MaxSim, Query, shown_sentences};
use crate::words::Language;

/// Fewest characters that can be quoted.
const QUOTED_CHARS_MIN: usize = cite::QUOTE_CHARS_MIN + 3;
/// Sentences whose spans are looked at.
const LOOKED_MAX: usize = 12;

/// Signals of a sentence.
pub(super) const SIGNALS: [&str; 18] = [
    "words asked for",
    "further ones before it",
    "further ones behind it",
    "further ones in its passage",
    "further ones in headings",
    "first passage",
    "rank of the passage",
    "score of the passage",
    "words of like meaning",
    "has what is sought",
    "may have what is sought",
    "telling words",
    "length",
    "first of its passage",
    "asks itself",
    "answers a question",
    "item of a list",
    "code",
];
/// How many there are.
pub(super) const N_SENTENCE: usize = SIGNALS.len();

/// A sentence that may hold the answer.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    /// Which of the passages it is from.
    pub(super) passage: usize,
    /// Its place among the sentences of its passage.
    pub(super) place: usize,
    /// Its bytes in the passage.
    pub(super) raw: Range<usize>,
    /// What is quoted, on one line.
    pub(super) text: String,
    pub(super) is_code: bool,
    pub(super) signals: [f32; N_SENTENCE],
    pub(super) score: f32,
    pub(super) span: Option<Range<usize>>,
    pub(super) tokens: Vec<Token>,
}

/// What sentences are judged by.
pub(super) struct Judge<'a> {
    pub(super) query: &'a Query,
    pub(super) idf: Vec<f32>,
    pub(super) question: &'a Question,
    /// The words of the query that say what sort of thing is asked for.
    pub(super) focus: Vec<usize>,
    pub(super) model: Option<&'a dyn TokenVectors>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        query: &'a Query,
        idf: &[f32],
        question: &'a Question,
        model: Option<&'a dyn TokenVectors>,
    ) -> Self {
        let mut idf = idf.to_vec();
        idf.resize(query.groups.len(), 1.0);
        let is_focus = |word: &str| {
            question
                .focus
                .iter()
                .any(|focus| *focus == word.to_lowercase())
        };
        let focus = (0..query.words.len()).filter(|&number| is_focus(&query.words[number]));
        Self {
            focus: focus.collect(),
            query,
            idf,
            question,
            model,
        }
    }

    /// Returns the best sentences of all passages, the likeliest first, each with its likeliest span.
    pub(super) fn ranked(&self, passages: &[Reach]) -> Vec<Sentence> {
        self.marked(self.best(passages, &weights::SENTENCE), passages)
    }

    /// Returns the steps of the list that the best sentences lead to, or else the best sentences.
    pub(super) fn steps(&self, passages: &[Reach], n_max: usize) -> Vec<Sentence> {
        let all = self.scored(passages, &weights::SENTENCE);
        let best = all.iter().take(LOOKED_MAX).cloned().collect();
        let ranked = self.marked(best, passages);
        steps::listed(&ranked, &all, passages, n_max).unwrap_or(ranked)
    }

    /// Marks the likeliest span of each sentence, and lets it count.
    fn marked(&self, mut best: Vec<Sentence>, passages: &[Reach]) -> Vec<Sentence> {
        for sentence in &mut best {
            let language = passages[sentence.passage].note.language;
            if let Some(span) = self.with_around(sentence, language, span::best) {
                sentence.score += weights::SPAN_SHARE * span.score;
                sentence.mark(span);
            }
            match self.question.sought {
                // Yes and no are hardly ever written down.
                Sought::YesNo => sentence.span = None,
                Sought::Code if sentence.is_code => sentence.span = Some(0..sentence.text.len()),
                _ => {}
            }
        }
        best.sort_by(by_score);
        best
    }

    /// Returns the best sentences by their own signals.
    pub(super) fn best(&self, passages: &[Reach], weights: &[f32]) -> Vec<Sentence> {
        let mut best = self.scored(passages, weights);
        best.truncate(LOOKED_MAX);
        best
    }

    fn scored(&self, passages: &[Reach], weights: &[f32]) -> Vec<Sentence> {
        let mut all = self.all(passages);
        for sentence in &mut all {
            sentence.score = weights::score(&sentence.signals, weights);
        }
        all.sort_by(by_score);
        all
    }

    /// Returns every sentence of the passages.
    pub(super) fn all(&self, passages: &[Reach]) -> Vec<Sentence> {
        let mut matcher = Matcher::new(self.query);
        let mut all = Vec::new();
        for (number, passage) in passages.iter().enumerate() {
            self.read(number, passage, &mut matcher, &mut all);
        }
        self.compare(&mut all);
        all
    }

    /// Hands on what a sentence's spans are judged by.
    pub(super) fn with_around<T>(
        &self,
        sentence: &Sentence,
        language: Language,
        run: impl FnOnce(&Around<'_>) -> T,
    ) -> T {
        let (like_focus, like_question) = self.likeness(sentence);
        run(&Around {
            tokens: &sentence.tokens,
            sought: self.question.sought,
            language,
            idf: &self.idf,
            focus: &self.focus,
            like_focus: &like_focus,
            like_question: &like_question,
            sentence: sentence.score,
        })
    }

    /// Reads the sentences of a passage.
    fn read(
        &self,
        number: usize,
        passage: &Reach,
        matcher: &mut Matcher<'_>,
        all: &mut Vec<Sentence>,
    ) {
        let first = all.len();
        let n_groups = self.idf.len();
        let language = passage.note.language;
        let mut held: Vec<Vec<bool>> = Vec::new();
        for (raw, text, is_code) in quotable(passage, self.question.sought) {
            let mut tokens = tokens::tokens(&text, language);
            let mut own = vec![false; n_groups];
            matcher.each_or_part(&text, language, |group, start, end| {
                own[group] = true;
                for token in tokens.iter_mut() {
                    if token.bytes.start < end && token.bytes.end > start {
                        token.asked = Some(group);
                    }
                }
            });
            held.push(own);
            all.push(Sentence {
                passage: number,
                place: all.len() - first,
                raw,
                text,
                is_code,
                signals: [0.0; N_SENTENCE],
                score: 0.0,
                span: None,
                tokens,
            });
        }
        let mut above = vec![false; n_groups];
        for crumb in &passage.breadcrumb {
            matcher.each_or_part(crumb, language, |group, _, _| above[group] = true);
        }
        let was_question: Vec<bool> = all[first..]
            .iter()
            .map(|s| s.text.ends_with(['?', '？', '؟']))
            .collect();
        for place in 0..held.len() {
            let sentence = &mut all[first + place];
            self.judge(sentence, passage, &held, &above);
            let is_after = place > 0 && was_question[place - 1];
            sentence.signals[14] = f32::from(u8::from(was_question[place]));
            sentence.signals[15] = match is_after {
                true => self.share(&held[place - 1]),
                false => 0.0,
            };
        }
    }

    /// The share of the question's words, by rarity, that is held.
    fn share(&self, held: &[bool]) -> f32 {
        let total = self.idf.iter().sum::<f32>().max(f32::EPSILON);
        let held = self.idf.iter().zip(held).filter(|(_, held)| **held);
        held.map(|(idf, _)| idf).sum::<f32>() / total
    }

    /// Fills in what a sentence tells by its words and its place.
    fn judge(&self, sentence: &mut Sentence, passage: &Reach, held: &[Vec<bool>], above: &[bool]) {
        let place = sentence.place;
        let own = &held[place];
        let further = |others: &dyn Fn(usize) -> bool| {
            let new: Vec<bool> = (0..own.len())
                .map(|group| !own[group] && others(group))
                .collect();
            self.share(&new)
        };
        let flag = |is: bool| f32::from(u8::from(is));
        let at = |place: Option<usize>, group: usize| {
            place
                .and_then(|place| held.get(place))
                .is_some_and(|held| held[group])
        };
        let n_telling = sentence
            .tokens
            .iter()
            .filter(|token| token.is_telling())
            .count();
        let (has, may_have) = has_sought(
            self.question.sought,
            &sentence.tokens,
            passage.note.language,
        );
        sentence.signals = [
            self.share(own),
            further(&|group| at(place.checked_sub(1), group)),
            further(&|group| at(Some(place + 1), group)),
            further(&|group| held.iter().any(|held| held[group])),
            further(&|group| above[group]),
            flag(sentence.passage == 0),
            1.0 / (1.0 + sentence.passage as f32),
            passage.score,
            0.0,
            flag(has),
            flag(may_have),
            (1.0 + n_telling as f32).ln(),
            (1.0 + sentence.text.len() as f32).ln(),
            flag(place == 0),
            0.0,
            0.0,
            flag(is_item(&passage.text[sentence.raw.clone()])),
            flag(sentence.is_code),
        ];
    }

    /// Fills in how like each sentence is to the question, word by word.
    fn compare(&self, all: &mut [Sentence]) {
        let Some(model) = self.model else {
            return;
        };
        let words = self.query.words.iter().map(String::as_str);
        let similar = MaxSim::new(model, words.zip(self.idf.iter().copied()));
        let pieces: Vec<Vec<u32>> = all
            .iter()
            .map(|sentence| {
                let mut pieces = Vec::new();
                model.tokens(&sentence.text, &mut pieces);
                pieces
            })
            .collect();
        let pieces: Vec<&[u32]> = pieces.iter().map(Vec::as_slice).collect();
        for (sentence, like) in all.iter_mut().zip(similar.scores(&pieces)) {
            sentence.signals[8] = like;
        }
    }

    /// How like each token is to what sort of thing is asked for, and to the question.
    fn likeness(&self, sentence: &Sentence) -> (Vec<f32>, Vec<f32>) {
        let nothing = || vec![0.0; sentence.tokens.len()];
        let Some(model) = self.model else {
            return (nothing(), nothing());
        };
        let row = |text: &str| model.direction(text);
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let question = row(&self.query.text);
        let focus = self.question.focus.join(" ");
        let focus = (!focus.is_empty()).then(|| row(&focus));
        let mut likeness = (nothing(), nothing());
        for (at, token) in sentence.tokens.iter().enumerate() {
            if !token.is_telling() || token.kind == Kind::Number {
                continue;
            }
            let own = row(&sentence.text[token.bytes.clone()]);
            likeness.0[at] = focus.as_ref().map_or(0.0, |focus| product(&own, focus));
            likeness.1[at] = product(&own, &question);
        }
        likeness
    }
}

impl Sentence {
    fn mark(&mut self, span: Span) {
        let start = self.tokens[span.first].bytes.start;
        self.span = Some(start..self.tokens[span.last].bytes.end);
    }
}

fn by_score(a: &Sentence, b: &Sentence) -> std::cmp::Ordering {
    let place = |sentence: &Sentence| (sentence.passage, sentence.place);
    b.score.total_cmp(&a.score).then(place(a).cmp(&place(b)))
}

/// Whether a sentence has what is sought, and whether it may have, by how its words are written.
fn has_sought(sought: Sought, tokens: &[Token], language: Language) -> (bool, bool) {
    let any = |is: &dyn Fn(&Token) -> bool| {
        tokens
            .iter()
            .any(|token| token.asked.is_none() && is(token))
    };
    let is_name = |token: &Token| token.is_capital && !token.is_stop && token.kind == Kind::Word;
    let pairs = || {
        tokens.windows(2).any(|pair| {
            pair.iter()
                .all(|token| is_name(token) && token.asked.is_none())
        })
    };
    match sought {
        Sought::Day => (any(&|token| token.is_date), any(&|token| token.is_number)),
        Sought::Amount => (
            any(&|token| token.is_number && !token.is_date),
            any(&|token| token.is_number),
        ),
        Sought::Name | Sought::Place => {
            let inner = tokens
                .iter()
                .skip(1)
                .any(|token| is_name(token) && token.asked.is_none());
            (pairs(), inner && language != Language::German)
        }
        Sought::Code => (any(&|token| token.kind == Kind::Quote), false),
        _ => (false, false),
    }
}

/// Whether a line is an item of a list.
pub(super) fn is_item(raw: &str) -> bool {
    let rest = raw.trim_start_matches(|c: char| c.is_ascii_digit());
    raw.starts_with(['-', '*', '+']) || rest.len() < raw.len() && rest.starts_with(". ")
}

/// The sentences of a passage as they can be quoted: as a reader sees them where that stands in the
/// text word for word, otherwise as they are written.
fn quotable(passage: &Reach, sought: Sought) -> Vec<(Range<usize>, String, bool)> {
    let layout = Format::of(&passage.note.path)
        .unwrap_or(Format::Markdown)
        .layout();
    let mut sentences: Vec<(Range<usize>, String, bool)> = Vec::new();
    for (raw, plain, is_code) in shown_sentences(&passage.text, layout) {
        let own = &passage.text[raw.clone()];
        // Backticks tell a command from the words around it.
        let is_told_by_marks = sought == Sought::Code && own.contains('`');
        let text = match !is_told_by_marks && cite::stands_in(&plain, own) {
            true => plain,
            false => one_line(own),
        };
        match sentences.last_mut() {
            Some(last) if is_short(&last.1) || is_short(&text) => {
                last.0.end = raw.end;
                last.1 = one_line(&passage.text[last.0.clone()]);
                last.2 &= is_code;
            }
            _ => sentences.push((raw, text, is_code)),
        }
    }
    sentences.retain(|(_, text, _)| !is_short(text));
    sentences
}

fn is_short(text: &str) -> bool {
    text.chars().count() < QUOTED_CHARS_MIN
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
