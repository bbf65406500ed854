//! How often extraction shows the answer: in the marked span, in the first sentence, in what is shown.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use unicode_normalization::UnicodeNormalization;

use super::collection::{field, lines};
use crate::ask::{self, AskOptions};
use crate::error::{Error, Result};
use crate::search::SearchContext;
use crate::words;

/// A question and the answers that count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answerable {
    /// Its id.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// Texts that answer it.
    pub answers: Vec<String>,
}

/// Reads the questions of a collection that `answers.jsonl` in another folder has answers to.
pub fn answerable(collection: &Path, answers: &Path) -> Result<Vec<Answerable>> {
    let file = answers.join("answers.jsonl");
    let mut known: HashMap<String, Vec<String>> = HashMap::new();
    for line in lines(&file)? {
        let all = line["answers"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let texts = all
            .iter()
            .filter_map(|answer| answer.as_str())
            .map(str::to_owned);
        known.insert(field(&line, "_id", &file)?, texts.collect());
    }
    let queries = collection.join("queries.jsonl");
    let mut questions = Vec::new();
    for line in lines(&queries)? {
        let id = field(&line, "_id", &queries)?;
        if let Some(answers) = known.remove(&id).filter(|answers| !answers.is_empty()) {
            let text = field(&line, "text", &queries)?;
            questions.push(Answerable { id, text, answers });
        }
    }
    match questions.is_empty() {
        true => Err(Error::BadCollection {
            path: file,
            reason: "it answers no question of the collection".to_owned(),
        }),
        false => Ok(questions),
    }
}

/// How one question, or the mean of several, was answered: shares from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AnswerFigures {
    /// The answer stands in the marked span.
    pub span: f64,
    /// In the first sentence.
    pub first: f64,
    /// In what is shown.
    pub shown: f64,
    /// Words that the marked span and the answer have in common, as F1.
    pub f1: f64,
    /// Something is shown.
    pub answered: f64,
}

impl AnswerFigures {
    /// Returns the mean.
    pub fn mean<'a>(all: impl Iterator<Item = &'a Self>) -> Self {
        let mut mean = Self::default();
        let mut n = 0.0;
        for one in all {
            n += 1.0;
            mean.span += one.span;
            mean.first += one.first;
            mean.shown += one.shown;
            mean.f1 += one.f1;
            mean.answered += one.answered;
        }
        let n = f64::max(n, 1.0);
        Self {
            span: mean.span / n,
            first: mean.first / n,
            shown: mean.shown / n,
            f1: mean.f1 / n,
            answered: mean.answered / n,
        }
    }
}

/// What came of asking.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerOutcome {
    /// Each question's figures, in order.
    pub by_question: Vec<AnswerFigures>,
    /// What was marked and what was shown, in order.
    pub given: Vec<Given>,
    /// Median time of a question.
    pub median: Duration,
}

/// What was given as an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// The marked span.
    pub span: String,
    /// The sentences.
    pub sentences: Vec<String>,
}

impl AnswerOutcome {
    /// Returns the mean over every other question, from the given one on: weights are fitted on one
    /// half of the questions and tested on the other.
    pub fn half(&self, first: usize) -> AnswerFigures {
        AnswerFigures::mean(self.by_question.iter().skip(first).step_by(2))
    }

    /// Returns the mean over all questions.
    pub fn all(&self) -> AnswerFigures {
        AnswerFigures::mean(self.by_question.iter())
    }
}

/// Asks every question.
pub fn answers(cx: &SearchContext<'_>, questions: &[Answerable]) -> Result<AnswerOutcome> {
    let options = AskOptions::at(super::JUDGED_AT);
    let mut times = Vec::new();
    let (mut by_question, mut given) = (Vec::new(), Vec::new());
    for question in questions {
        let started = Instant::now();
        let extracted = ask::extract(cx, &question.text, &options)?;
        times.push(started.elapsed());
        let span = extracted.sentences.first().and_then(|first| {
            let (from, to) = first.answer?;
            Some(first.text.chars().skip(from).take(to - from).collect())
        });
        let one = Given {
            span: span.unwrap_or_default(),
            sentences: extracted
                .sentences
                .into_iter()
                .map(|quoted| quoted.text)
                .collect(),
        };
        by_question.push(judge(&one, &question.answers));
        given.push(one);
    }
    times.sort_unstable();
    Ok(AnswerOutcome {
        by_question,
        given,
        median: times.get(times.len() / 2).copied().unwrap_or_default(),
    })
}

fn judge(given: &Given, answers: &[String]) -> AnswerFigures {
    let share = |is: bool| f64::from(u8::from(is));
    let has = |text: &str| share(answers.iter().any(|answer| holds(text, answer)));
    let f1s = answers.iter().map(|answer| f1(&given.span, answer));
    AnswerFigures {
        span: has(&given.span),
        first: has(given.sentences.first().map_or("", String::as_str)),
        shown: has(&given.sentences.join(" ")),
        f1: f1s.fold(0.0, f64::max),
        answered: share(!given.sentences.is_empty()),
    }
}

/// Whether an answer stands in a text, whatever its case and punctuation.
pub fn holds(text: &str, answer: &str) -> bool {
    let answer = tokens(answer);
    let text = tokens(text);
    !answer.is_empty() && text.windows(answer.len()).any(|own| own == answer)
}

/// How far two texts have the same words: the harmonic mean of both shares.
pub fn f1(given: &str, answer: &str) -> f64 {
    let (given, mut answer) = (tokens(given), tokens(answer));
    let n_all = given.len() + answer.len();
    let mut n_common = 0;
    for token in &given {
        if let Some(place) = answer.iter().position(|own| own == token) {
            answer.swap_remove(place);
            n_common += 1;
        }
    }
    match n_common {
        0 => 0.0,
        n_common => 2.0 * f64::from(n_common) / n_all as f64,
    }
}

/// Words in lower case, punctuation taken out, as SQuAD counts them but for articles, which are
/// others in each language; in scripts without blanks every letter counts.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let mut is_open = false;
        for c in word.nfkc().flat_map(char::to_lowercase) {
            if words::is_unspaced(c) {
                tokens.push(c.to_string());
                is_open = false;
            } else if c.is_alphanumeric() {
                match tokens.last_mut().filter(|_| is_open) {
                    Some(last) => last.push(c),
                    None => tokens.push(c.to_string()),
                }
                is_open = true;
            }
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_compared_by_their_words() {
        assert!(holds("He came on 3 May, 2021.", "3 may 2021"));
        assert!(!holds("in 2014", "4") && !holds("anything", ""));
        assert!(holds("我喜欢编程语言", "编程"));
        assert_eq!(f1("the Denver Broncos", "Denver Broncos"), 0.8);
        assert_eq!(f1("", "x"), 0.0);
        assert_eq!(f1("a a b", "a"), 0.5);
    }
}
