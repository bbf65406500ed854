//! The sentences of what was found, and how likely each is to hold the answer.

use std::ops::Range;

use super::inputs::Around;
use super::quotable::{Code, Quotable, is_item, quotable};
use super::span;
use super::tokens::{self, Kind, Token};
use super::{Reach, antecedent, define, mark, steps, table, weights};
use crate::embed::TokenVectors;
use crate::question::{self, Question, Sought};
use crate::search::{Matcher, MaxSim, Query};
use crate::words::Language;

/// Sentences whose spans are looked at.
const LOOKED_MAX: usize = 4;

/// What a cell in a row and a column asked for counts for, as a share of the question.
const CELL_WORTH: f32 = 1.2;

/// Signals of a sentence.
pub(super) const SIGNALS: [&str; 22] = [
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
    "says what it is",
    "opens the note of that name",
    "led to by further ones",
    "further ones in its header",
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
    /// What of `text` is code.
    pub(super) code: Vec<Code>,
    /// Bytes of the cell that the header of a table says is asked for.
    pub(super) cell: Option<Range<usize>>,
    /// Bytes of what it says that something is.
    pub(super) defined: Option<Range<usize>>,
    /// Whether it is the first of the note that is called by the words asked for.
    pub(super) opens_note: bool,
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
    /// The words of the query that say what something is asked of.
    named: Vec<usize>,
    /// The words of the query in lower case.
    typed: Vec<String>,
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
        let is_named = |number: &usize| {
            let word = query.words.get(*number);
            word.is_none_or(|word| !question::says_what(&word.to_lowercase()))
        };
        Self {
            named: (0..query.groups.len()).filter(is_named).collect(),
            typed: query.words.iter().map(|word| word.to_lowercase()).collect(),
            query,
            idf,
            question,
            model,
        }
    }

    /// Returns the best sentences of all passages, the likeliest first, each with its likeliest span.
    pub(super) fn ranked(&self, passages: &[Reach]) -> Vec<Sentence> {
        let all = self.scored(passages);
        let best = all.iter().take(LOOKED_MAX).cloned().collect();
        let mut ranked = self.marked(best, passages);
        self.completed(&mut ranked, &all, passages);
        ranked
    }

    /// Returns the steps of the list that the best sentences lead to, or else the best sentences.
    pub(super) fn steps(&self, passages: &[Reach], n_max: usize) -> Vec<Sentence> {
        let all = self.scored(passages);
        let best = all.iter().take(LOOKED_MAX).cloned().collect();
        let ranked = self.marked(best, passages);
        steps::listed(&ranked, &all, passages, n_max).unwrap_or(ranked)
    }

    /// Marks the likeliest span of each sentence, and lets it count.
    fn marked(&self, mut best: Vec<Sentence>, passages: &[Reach]) -> Vec<Sentence> {
        for sentence in &mut best {
            let language = passages[sentence.passage].note.language;
            let taken = self.with_around(sentence, language, span::best);
            if let Some(taken) = taken {
                sentence.score += weights::SPAN_SHARE * taken.mass;
                sentence.span = mark::marked(sentence, self.question, &self.typed, taken.span);
            }
        }
        best.sort_by(by_score);
        best
    }

    /// Puts the name or the date before a sentence that has none, if the one before it has: "she" and "then" are
    /// no answers.
    fn completed(&self, ranked: &mut [Sentence], all: &[Sentence], passages: &[Reach]) {
        for sentence in ranked {
            let passage = &passages[sentence.passage];
            let language = passage.note.language;
            let (has, may_have) = self.has_sought(sentence, language);
            if has || may_have || !antecedent::is_wanted(self.question.sought, language) {
                continue;
            }
            let own = all.iter().filter(|other| other.passage == sentence.passage);
            let before = own.filter(|other| {
                other.raw.end <= sentence.raw.start
                    && sentence.place - other.place <= antecedent::BACK_MAX
            });
            let mut before: Vec<&Sentence> = before.collect();
            before.sort_by_key(|other| std::cmp::Reverse(other.place));
            antecedent::complete(sentence, &before, &passage.text, self.question.sought);
        }
    }

    /// Returns the sentences whose spans are looked at.
    pub(super) fn looked(&self, passages: &[Reach]) -> Vec<Sentence> {
        let mut all = self.scored(passages);
        all.truncate(LOOKED_MAX);
        all
    }

    /// Returns every sentence, the best by its own signals first.
    fn scored(&self, passages: &[Reach]) -> Vec<Sentence> {
        let mut all = self.all(passages);
        for sentence in &mut all {
            sentence.score = weights::score(&sentence.signals, &weights::SENTENCE);
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
            text: &sentence.text,
            tokens: &sentence.tokens,
            sought: self.question.sought,
            language,
            idf: &self.idf,
            focus: &self.question.focus,
            like_focus: &like_focus,
            like_question: &like_question,
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
        for one in quotable(passage, self.question.sought) {
            let mut tokens = tokens::tokens(&one.text, language);
            let mut own = vec![false; n_groups];
            matcher.each_or_part(&one.text, language, |group, start, end| {
                own[group] = true;
                for token in tokens.iter_mut() {
                    if token.bytes.start < end && token.bytes.end > start {
                        token.asked = Some(group);
                    }
                }
            });
            held.push(own);
            all.push(Sentence::new(number, all.len() - first, one, tokens));
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
        self.note_structure(passage, &held, matcher, &mut all[first..]);
    }

    /// Fills in what headers, what leads to code and the place in the note tell of the sentences of a passage.
    fn note_structure(
        &self,
        passage: &Reach,
        held: &[Vec<bool>],
        matcher: &mut Matcher<'_>,
        own: &mut [Sentence],
    ) {
        let language = passage.note.language;
        let n_groups = self.idf.len();
        let held_by = |matcher: &mut Matcher<'_>, text: &str| {
            let mut held = vec![false; n_groups];
            matcher.each_or_part(text, language, |group, _, _| held[group] = true);
            held
        };
        let further = |others: &[bool], own: &[bool]| -> Vec<bool> {
            let pairs = others.iter().zip(own);
            pairs.map(|(other, own)| *other && !own).collect()
        };
        if self.question.sought == Sought::Definition {
            let title = held_by(matcher, &passage.note.title);
            let n_titled = self.named.iter().filter(|&&group| title[group]).count();
            let opens = define::opens_note(passage, n_titled, self.named.len());
            for sentence in own.iter_mut() {
                let said = define::said(&sentence.tokens, &sentence.text, self.named.len());
                sentence.signals[18] = said.as_ref().map_or(0.0, |said| said.likelihood);
                sentence.defined = said.map(|said| said.bytes);
                sentence.opens_note = opens && sentence.place == 0;
                sentence.signals[19] = f32::from(u8::from(sentence.opens_note));
            }
        }
        let mut lead = vec![false; n_groups];
        for (place, sentence) in own.iter_mut().enumerate() {
            let is_comment = sentence.text.starts_with(['#', '/']);
            if self.question.sought.may_be_code() && sentence.is_code {
                sentence.signals[20] = self.share(&further(&lead, &held[place]));
            }
            if !sentence.is_code || is_comment {
                lead.clone_from(&held[place]);
            }
            let Some(header) = table::header(&passage.text, &sentence.raw) else {
                continue;
            };
            let new = further(&held_by(matcher, header), &held[place]);
            sentence.signals[21] = self.share(&new);
            let columns = table::cells(header);
            let cells = table::cells(&sentence.text);
            if columns.len() == cells.len() {
                let shares = columns.iter().map(|column| {
                    let own = held_by(matcher, &header[column.clone()]);
                    self.share(&further(&own, &held[place]))
                });
                let best = shares.zip(cells).filter(|(_, cell)| !cell.is_empty());
                let best = best.max_by(|a, b| a.0.total_cmp(&b.0));
                sentence.cell = best.filter(|best| best.0 > 0.0).map(|(_, cell)| cell);
                // A row that is asked for and a column that is asked for meet in the answer.
                let is_row_asked = held[place].iter().any(|held| *held);
                if sentence.cell.is_some() && is_row_asked {
                    sentence.signals[21] += CELL_WORTH;
                }
            }
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
        let (has, may_have) = self.has_sought(sentence, passage.note.language);
        // Code defines nothing, and is what was asked for where a command is.
        let code = match self.question.sought {
            Sought::Definition => 3.0,
            sought if sought.may_be_code() => 0.0,
            _ => 1.0,
        };
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
            code * flag(sentence.is_code),
            0.0,
            0.0,
            0.0,
            0.0,
        ];
    }

    /// Whether a sentence has what is sought, and whether it may have, by how its words are written.
    fn has_sought(&self, sentence: &Sentence, language: Language) -> (bool, bool) {
        let question = self.question;
        let tokens = &sentence.tokens;
        let any = |is: &dyn Fn(&Token) -> bool| {
            tokens
                .iter()
                .any(|token| token.asked.is_none() && is(token))
        };
        let is_name =
            |token: &Token| token.is_capital && !token.is_stop && token.kind == Kind::Word;
        let pairs = || {
            tokens.windows(2).any(|pair| {
                pair.iter()
                    .all(|token| is_name(token) && token.asked.is_none())
            })
        };
        match question.sought {
            Sought::Day => {
                let is_plain = |at: usize| mark::may_be_time(&sentence.text, tokens, at);
                (any(&|token| token.is_date), (0..tokens.len()).any(is_plain))
            }
            Sought::Amount if question.is_price => {
                let is_price = any(&|token| token.kind == Kind::Sign || token.is_money);
                (is_price && any(&|token| token.is_number), false)
            }
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
            Sought::Code | Sought::Steps => (mark::code(sentence, &self.typed).is_some(), false),
            _ => (false, false),
        }
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
    fn new(passage: usize, place: usize, one: Quotable, tokens: Vec<Token>) -> Self {
        Self {
            passage,
            place,
            raw: one.raw,
            text: one.text,
            is_code: one.is_code,
            code: one.code,
            cell: None,
            defined: None,
            opens_note: false,
            signals: [0.0; N_SENTENCE],
            score: 0.0,
            span: None,
            tokens,
        }
    }
}

fn by_score(a: &Sentence, b: &Sentence) -> std::cmp::Ordering {
    let place = |sentence: &Sentence| (sentence.passage, sentence.place);
    b.score.total_cmp(&a.score).then(place(a).cmp(&place(b)))
}
