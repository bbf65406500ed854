//! The short span of a sentence that is the answer: every run of words is a candidate, and what
//! stands in it, beside it and around it tells how likely it is to be one. Pure.

use super::tokens::{Kind, Token};
use super::weights;
use crate::question::Sought;
use crate::words::Language;

/// Most words of an answer.
const WORDS_MAX: usize = 12;
/// Most characters of one in a script without blanks.
const UNSPACED_MAX: usize = 16;

/// Signals of every span, in groups: how long it is, what it begins and ends with, what stands before and
/// behind it, how it is written, how near the words asked for are, and what else there is.
#[rustfmt::skip]
pub(super) const COMMON: [&str; 48] = [
    "1 word", "2 words", "3 words", "4 words", "5 words", "6 to 8 words", "9 or more",
    "begins with a function word", "ends with a function word", "begins with a word asked for",
    "ends with a word asked for", "share asked for", "all asked for",
    "at the beginning", "behind a mark", "behind a function word", "behind a word asked for",
    "behind a capital", "behind a number",
    "at the end", "before a mark", "before a function word", "before a word asked for",
    "before a capital", "before a number",
    "has a comma", "in quotation marks", "in brackets", "capitals", "capitals of nouns",
    "all of a run of capitals", "has a number", "all of a run of numbers",
    "near words asked for", "near on the left", "near on the right", "near what sort",
    "has what sort", "like what sort", "like the question", "share of function words", "telling words",
    "all of a clause", "words asked for in its clause", "behind an opening bracket",
    "before an opening bracket", "behind a small word asked for", "score of its sentence",
];
/// Signals that count by what is sought.
#[rustfmt::skip]
pub(super) const BY_KIND: [&str; 12] = [
    "capitals", "all of a run of capitals", "has a number", "has a date", "only numbers, signs and units",
    "long", "1 word", "behind a function word", "near what sort", "begins with a function word",
    "2 or 3 capitals", "quoted",
];
/// All signals of a span.
pub(super) const N_SIGNALS: usize = COMMON.len() + BY_KIND.len() * Sought::ALL.len();

/// What is known of a sentence before its spans are looked at.
pub(super) struct Around<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) sought: Sought,
    pub(super) language: Language,
    /// Rarity of each word of the question.
    pub(super) idf: &'a [f32],
    /// The words of the question that say what sort of thing is asked for.
    pub(super) focus: &'a [usize],
    /// Likeness of each token to what sort of thing is asked for, and to the question.
    pub(super) like_focus: &'a [f32],
    pub(super) like_question: &'a [f32],
    /// Score of the sentence.
    pub(super) sentence: f32,
}

/// A run of tokens, first and last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) score: f32,
}

/// Returns the span that is most likely the answer.
pub(super) fn best(around: &Around<'_>) -> Option<Span> {
    let mut best: Option<Span> = None;
    each(around, |first, last, signals| {
        let score = weights::score(signals, &weights::SPAN);
        if best.is_none_or(|best| score > best.score) {
            best = Some(Span { first, last, score });
        }
    });
    best
}

/// Calls `found` for every candidate with its signals.
pub(super) fn each(around: &Around<'_>, mut found: impl FnMut(usize, usize, &[f32])) {
    let tokens = around.tokens;
    let lay = Lay::of(around);
    let mut signals = vec![0.0; N_SIGNALS];
    for first in 0..tokens.len() {
        if !begins(tokens, first) {
            continue;
        }
        let (mut n_words, mut n_open, mut n_quotes) = (0, 0i32, 0);
        for (last, token) in tokens.iter().enumerate().skip(first) {
            match token.kind {
                Kind::Stop => break,
                Kind::Open => n_open += 1,
                Kind::Close => n_open -= 1,
                Kind::Quote => n_quotes += 1,
                Kind::Word | Kind::Number => n_words += 1,
                _ => {}
            }
            let n_max = if token.is_unspaced {
                UNSPACED_MAX
            } else {
                WORDS_MAX
            };
            if n_words > n_max || n_open < 0 {
                break;
            }
            if n_open == 0 && n_quotes % 2 == 0 && n_words > 0 && ends(token) {
                lay.fill(first, last, &mut signals);
                found(first, last, &signals);
            }
        }
    }
}

/// Whether an answer may begin with a token.
fn begins(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    token.is_word()
        || token.kind == Kind::Sign
            && tokens
                .get(at + 1)
                .is_some_and(|next| next.kind == Kind::Number)
}

/// Whether an answer may end with a token.
fn ends(token: &Token) -> bool {
    token.is_word() || token.kind == Kind::Sign
}

/// How the words of the question lie in a sentence.
struct Lay<'a, 'b> {
    around: &'b Around<'a>,
    /// For each token, how many words stand before it.
    n_before: Vec<f32>,
    /// Places of each word of the question.
    places: Vec<Vec<f32>>,
    total: f32,
    /// For each token, the number of its clause, and what part of the question each clause says.
    clauses: Vec<usize>,
    said: Vec<f32>,
}

impl<'a, 'b> Lay<'a, 'b> {
    fn of(around: &'b Around<'a>) -> Self {
        let tokens = around.tokens;
        let mut n_before = Vec::with_capacity(tokens.len());
        let mut n_words = 0.0;
        let mut places = vec![Vec::new(); around.idf.len()];
        let mut clauses = Vec::with_capacity(tokens.len());
        let mut clause = 0;
        for token in tokens {
            n_before.push(n_words);
            clauses.push(clause);
            if let Some(number) = token.asked {
                places[number].push(n_words);
            }
            n_words +=
                f32::from(u8::from(token.is_word())) * if token.is_unspaced { 0.5 } else { 1.0 };
            clause += usize::from(matches!(
                token.kind,
                Kind::Comma | Kind::Stop | Kind::Open | Kind::Close
            ));
        }
        let total = around.idf.iter().sum::<f32>().max(f32::EPSILON);
        let mut said = vec![0.0; clause + 1];
        for (clause, said) in said.iter_mut().enumerate() {
            let own = (0..tokens.len()).filter(|&at| clauses[at] == clause);
            let mut groups: Vec<usize> = own.filter_map(|at| tokens[at].asked).collect();
            groups.sort_unstable();
            groups.dedup();
            *said = groups.iter().map(|&group| around.idf[group]).sum::<f32>() / total;
        }
        Self {
            around,
            n_before,
            places,
            total,
            clauses,
            said,
        }
    }

    /// Fills in the signals of a span.
    fn fill(&self, first: usize, last: usize, out: &mut [f32]) {
        let tokens = self.around.tokens;
        let seen = Seen {
            own: &tokens[first..=last],
            before: first.checked_sub(1).map(|at| &tokens[at]),
            after: tokens.get(last + 1),
            words: tokens[first..=last]
                .iter()
                .filter(|token| token.is_word())
                .collect(),
        };
        let form = self.form(&seen);
        let near = self.near(first, last);
        let mut common = Vec::with_capacity(COMMON.len());
        common.extend(seen.lengths());
        common.extend(seen.edges());
        common.extend(beside(seen.before));
        common.extend(beside(seen.after));
        common.extend(form);
        common.extend(near);
        common.extend(self.rest(&seen, first, last));
        debug_assert_eq!(common.len(), COMMON.len());
        out.fill(0.0);
        out[..COMMON.len()].copy_from_slice(&common);
        let kind = COMMON.len() + BY_KIND.len() * self.around.sought as usize;
        let by_kind = seen.by_kind(&form, near[3]);
        out[kind..kind + BY_KIND.len()].copy_from_slice(&by_kind);
    }

    /// How a span is written.
    fn form(&self, seen: &Seen<'_>) -> [f32; 8] {
        let is_between = |before: Kind, after: Kind| {
            seen.before.is_some_and(|token| token.kind == before)
                && seen.after.is_some_and(|token| token.kind == after)
        };
        let capitals = seen.capitals();
        let has_nouns = self.around.language == Language::German;
        let has_number = seen.has(|token| token.is_number);
        [
            flag(seen.own.iter().any(|token| token.kind == Kind::Comma)),
            flag(is_between(Kind::Quote, Kind::Quote)),
            flag(is_between(Kind::Open, Kind::Close)),
            capitals * flag(!has_nouns),
            capitals * flag(has_nouns),
            flag(capitals == 1.0 && seen.is_run(is_name)),
            has_number,
            has_number * flag(seen.is_run(is_amount)),
        ]
    }

    /// How near the words asked for are: on either side, on the left, on the right, and those that say
    /// what sort of thing is asked for.
    fn near(&self, first: usize, last: usize) -> [f32; 4] {
        let (start, end) = (self.n_before[first], self.n_before[last]);
        let mut near = [0.0; 4];
        for (group, places) in self.places.iter().enumerate() {
            let share = self.around.idf[group] / self.total;
            let left = places.iter().filter(|place| **place < start);
            let left = left
                .map(|place| nearness(start - place - 1.0))
                .fold(0.0, f32::max);
            let right = places.iter().filter(|place| **place > end);
            let right = right
                .map(|place| nearness(place - end - 1.0))
                .fold(0.0, f32::max);
            near[0] += share * left.max(right);
            near[1] += share * left;
            near[2] += share * right;
            if self.around.focus.contains(&group) {
                near[3] = f32::max(near[3], left.max(right));
            }
        }
        near
    }

    fn rest(&self, seen: &Seen<'_>, first: usize, last: usize) -> [f32; 11] {
        let tokens = self.around.tokens;
        let is_focus = |token: &Token| {
            let asked = token.asked;
            asked.is_some_and(|group| self.around.focus.contains(&group))
        };
        let most = |like: &[f32]| {
            let telling = (first..=last).filter(|&at| tokens[at].is_telling());
            telling.map(|at| like[at]).fold(0.0, f32::max)
        };
        let is_edge = |token: Option<&Token>| {
            token.is_none_or(|token| !token.is_word() && token.kind != Kind::Sign)
        };
        let n_telling = seen.words.iter().filter(|token| token.is_telling()).count();
        let said = |at: usize| self.said[self.clauses[at]];
        let is_open = |token: Option<&Token>| token.is_some_and(|token| token.kind == Kind::Open);
        let is_small = |token: &Token| token.asked.is_some() && !token.is_capital;
        [
            seen.has(is_focus),
            most(self.around.like_focus),
            most(self.around.like_question),
            seen.share(|token| token.is_stop),
            (1.0 + n_telling as f32).ln(),
            flag(is_edge(seen.before) && is_edge(seen.after)),
            said(first).max(said(last)),
            flag(is_open(seen.before)),
            flag(is_open(seen.after)),
            flag(seen.before.is_some_and(is_small)),
            self.around.sentence,
        ]
    }
}

/// A span and what stands beside it.
struct Seen<'a> {
    own: &'a [Token],
    words: Vec<&'a Token>,
    before: Option<&'a Token>,
    after: Option<&'a Token>,
}

impl Seen<'_> {
    fn share(&self, is: impl Fn(&Token) -> bool) -> f32 {
        let n = self.words.iter().filter(|token| is(token)).count();
        n as f32 / self.words.len().max(1) as f32
    }

    fn has(&self, is: impl Fn(&Token) -> bool) -> f32 {
        flag(self.words.iter().any(|token| is(token)))
    }

    /// Words, two letters counting for one where there are no blanks.
    fn n_words(&self) -> usize {
        match self.words.first() {
            Some(word) if word.is_unspaced => self.words.len().div_ceil(2),
            _ => self.words.len(),
        }
    }

    /// Whether it is all of a run of such tokens.
    fn is_run(&self, is: impl Fn(&Token) -> bool) -> bool {
        let ends = self.own.first().is_some_and(&is) && self.own.last().is_some_and(&is);
        ends && !self.before.is_some_and(&is) && !self.after.is_some_and(&is)
    }

    /// Share of capitals among all but function words.
    fn capitals(&self) -> f32 {
        let n_telling = self.words.iter().filter(|token| !token.is_stop).count();
        let n_capitals = self.words.iter().filter(|token| is_name(token)).count();
        n_capitals as f32 / n_telling.max(1) as f32
    }

    fn lengths(&self) -> [f32; 7] {
        let mut lengths = [0.0; 7];
        let n_words = self.n_words();
        lengths[match n_words {
            0..=5 => n_words.max(1) - 1,
            6..=8 => 5,
            _ => 6,
        }] = 1.0;
        lengths
    }

    fn edges(&self) -> [f32; 6] {
        let (head, tail) = (self.own.first(), self.own.last());
        let is = |token: Option<&Token>, is: fn(&Token) -> bool| flag(token.is_some_and(is));
        [
            is(head, |token| token.is_stop),
            is(tail, |token| token.is_stop),
            is(head, |token| token.asked.is_some()),
            is(tail, |token| token.asked.is_some()),
            self.share(|token| token.asked.is_some()),
            flag(
                self.words
                    .iter()
                    .all(|token| token.asked.is_some() || token.is_stop),
            ),
        ]
    }

    fn by_kind(&self, form: &[f32; 8], near_focus: f32) -> [f32; 12] {
        let n_words = self.n_words();
        let is_plain = |token: &Token| is_amount(token) || token.is_date || token.is_stop;
        let (run, has_number, quoted) = (form[5], form[6], form[1]);
        [
            self.capitals(),
            run,
            has_number,
            self.has(|token| token.is_date),
            has_number * flag(self.own.iter().all(is_plain)),
            (n_words.max(1) as f32).ln(),
            flag(n_words == 1),
            flag(self.before.is_some_and(|token| token.is_stop)),
            near_focus,
            flag(self.own.first().is_some_and(|token| token.is_stop)),
            run * flag((2..=3).contains(&n_words)),
            quoted,
        ]
    }
}

/// What stands beside a span: nothing, a mark, a function word, a word asked for, a capital, a number.
fn beside(token: Option<&Token>) -> [f32; 6] {
    let mut beside = [0.0; 6];
    let place = match token {
        None => Some(0),
        Some(token) if !token.is_word() && token.kind != Kind::Sign => Some(1),
        Some(token) if token.asked.is_some() => Some(3),
        Some(token) if token.is_stop => Some(2),
        Some(token) if token.is_number || token.kind == Kind::Sign => Some(5),
        Some(token) => token.is_capital.then_some(4),
    };
    if let Some(place) = place {
        beside[place] = 1.0;
    }
    beside
}

fn is_name(token: &Token) -> bool {
    token.is_capital && !token.is_stop
}

fn is_amount(token: &Token) -> bool {
    token.is_number || token.kind == Kind::Sign || token.is_unit
}

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

/// How near a place is, 1 beside it.
fn nearness(distance: f32) -> f32 {
    1.0 / (1.0 + distance.max(0.0) / 3.0)
}
