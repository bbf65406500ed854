//! What the reader sees of a sentence: numbers for each token that say how it is written and how near it is to
//! the words asked for, and hardly ever which word it is, so that it reads languages it was not fitted to. Pure.

use super::tokens::{Kind, Token};
use crate::question::Sought;
use crate::words::Language;

/// Numbers of a token.
pub(super) const N_INPUTS: usize = 34;

/// A sentence and what is known of it before it is read.
pub(super) struct Around<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) sought: Sought,
    pub(super) language: Language,
    /// Rarity of each word of the question.
    pub(super) idf: &'a [f32],
    /// The words of the question that say what sort of thing is asked for.
    pub(super) focus: &'a [String],
    /// Likeness of each token to what sort of thing is asked for, and to the question.
    pub(super) like_focus: &'a [f32],
    pub(super) like_question: &'a [f32],
}

/// Returns the inputs of each token.
pub(super) fn inputs(around: &Around<'_>) -> Vec<[f32; N_INPUTS]> {
    let lay = Lay::of(around);
    let mut marks = Marks::default();
    let all = around.tokens.iter().enumerate();
    all.map(|(at, token)| {
        marks.pass(token.kind);
        let mut out = [0.0; N_INPUTS];
        out[token.kind as usize] = 1.0;
        out[9..15].copy_from_slice(&form(token, around.language));
        out[15..20].copy_from_slice(&asked(around, &lay, at));
        out[20..24].copy_from_slice(&size(&around.text[token.bytes.clone()]));
        out[24] = flag(at == 0);
        out[25] = flag(marks.is_quoted);
        out[26] = flag(marks.n_open > 0);
        out[27] = flag(token.is_capital && around.language == Language::German);
        out[28] = flag(around.text[token.bytes.clone()].contains('-'));
        out[29..32].copy_from_slice(&lay.near(at));
        out[32] = lay.said[lay.clauses[at]];
        out[33] = lay.all_said.min(1.0);
        out
    })
    .collect()
}

/// How a token is written.
fn form(token: &Token, language: Language) -> [f32; 6] {
    [
        // German writes every noun with a capital.
        flag(token.is_capital && language != Language::German),
        flag(token.is_stop),
        flag(token.is_number),
        flag(token.is_date),
        flag(token.is_unit),
        flag(token.is_unspaced),
    ]
}

/// What a token has to do with the question.
fn asked(around: &Around<'_>, lay: &Lay, at: usize) -> [f32; 5] {
    let token = &around.tokens[at];
    let lower = around.text[token.bytes.clone()].to_lowercase();
    let begins_as = |focus: &String| {
        let n_chars = focus.chars().count().saturating_sub(2).max(4);
        let stem: String = focus.chars().take(n_chars).collect();
        lower.starts_with(&stem)
    };
    let share = token.asked.map_or(0.0, |group| lay.shares[group]);
    let is_focus = token.asked.is_some() && around.focus.iter().any(begins_as);
    [
        flag(token.asked.is_some()),
        share,
        flag(is_focus),
        around.like_focus[at],
        around.like_question[at],
    ]
}

/// How long a word is, and whether it is in capitals.
fn size(word: &str) -> [f32; 4] {
    let n_chars = word.chars().count();
    let mut cased = word
        .chars()
        .filter(|c| c.is_uppercase() || c.is_lowercase())
        .peekable();
    let is_upper = n_chars > 1 && cased.peek().is_some() && cased.all(char::is_uppercase);
    [
        flag(n_chars <= 3),
        flag((4..=6).contains(&n_chars)),
        flag(n_chars >= 10),
        flag(is_upper),
    ]
}

/// Which marks are open.
#[derive(Default)]
struct Marks {
    is_quoted: bool,
    n_open: usize,
}

impl Marks {
    fn pass(&mut self, kind: Kind) {
        match kind {
            Kind::Quote => self.is_quoted = !self.is_quoted,
            Kind::Open => self.n_open += 1,
            Kind::Close => self.n_open = self.n_open.saturating_sub(1),
            _ => {}
        }
    }
}

/// How the words of the question lie in a sentence.
struct Lay {
    /// What part of the question each of its words is.
    shares: Vec<f32>,
    /// For each token, how many words stand before it.
    n_before: Vec<f32>,
    /// Places of each word of the question.
    places: Vec<Vec<f32>>,
    /// For each token, the number of its clause, and what part of the question each clause says.
    clauses: Vec<usize>,
    said: Vec<f32>,
    all_said: f32,
}

impl Lay {
    fn of(around: &Around<'_>) -> Self {
        let total = around.idf.iter().sum::<f32>().max(f32::EPSILON);
        let shares: Vec<f32> = around.idf.iter().map(|idf| idf / total).collect();
        let mut lay = Self {
            n_before: Vec::with_capacity(around.tokens.len()),
            clauses: Vec::with_capacity(around.tokens.len()),
            places: vec![Vec::new(); shares.len()],
            said: Vec::new(),
            all_said: 0.0,
            shares,
        };
        let (mut n_words, mut clause) = (0.0, 0);
        for token in around.tokens {
            lay.n_before.push(n_words);
            lay.clauses.push(clause);
            if let Some(group) = token.asked {
                lay.places[group].push(n_words);
            }
            if token.is_word() {
                n_words += if token.is_unspaced { 0.5 } else { 1.0 };
            }
            let ends = matches!(
                token.kind,
                Kind::Comma | Kind::Stop | Kind::Open | Kind::Close
            );
            clause += usize::from(ends);
        }
        let said = |is_own: &dyn Fn(usize) -> bool| {
            let own = (0..around.tokens.len()).filter(|&at| is_own(at));
            let mut groups: Vec<usize> = own.filter_map(|at| around.tokens[at].asked).collect();
            groups.sort_unstable();
            groups.dedup();
            groups
                .into_iter()
                .map(|group| lay.shares[group])
                .sum::<f32>()
        };
        let by_clause = (0..=clause).map(|clause| said(&|at| lay.clauses[at] == clause));
        (lay.said, lay.all_said) = (by_clause.collect(), said(&|_| true));
        lay
    }

    /// How near the words asked for are on the left, on the right and on the nearer side.
    fn near(&self, at: usize) -> [f32; 3] {
        let place = self.n_before[at];
        let mut near = [0.0; 3];
        for (share, places) in self.shares.iter().zip(&self.places) {
            let nearest = |distance: &dyn Fn(f32) -> f32| {
                let distances = places.iter().map(|other| distance(*other));
                let nearness = distances
                    .filter(|n| *n > 0.0)
                    .map(|n| 1.0 / (1.0 + n / 3.0));
                nearness.fold(0.0, f32::max)
            };
            let left = nearest(&|other| place - other);
            let right = nearest(&|other| other - place);
            near[0] += share * left;
            near[1] += share * right;
            near[2] += share * left.max(right);
        }
        near
    }
}

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}
