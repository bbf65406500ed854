//! Whether a passage bears out a claim that quotes nothing: the sentence that comes nearest, how much
//! of the claim it says, and what the claim says that the passage does not. Pure.
//!
//! Words decide, not meaning: a claim in words of its own is at best partly borne out. A number, a name
//! or a date that the passage lacks is never.

use rustc_hash::FxHashSet;

use crate::note::Layout;
use crate::question;
use crate::search::shown_sentences;
use crate::words::{self, Language};

/// How far a passage bears out a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Support {
    /// It says something else, or lacks a number, a name or a date.
    Unsupported,
    /// It says some of it.
    Partly,
    /// It says most of it in one sentence, and lacks nothing.
    Supported,
}

impl Support {
    /// Returns the name that interfaces use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unsupported => "unsupported",
            Self::Partly => "partly",
            Self::Supported => "supported",
        }
    }
}

/// A claim beside what it cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graded {
    /// How far it is borne out.
    pub support: Support,
    /// The sentence that comes nearest.
    pub sentence: Option<String>,
    /// Numbers, names and dates of the claim that are not in the passage.
    pub missing: Vec<String>,
}

/// What a claim is held against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage<'a> {
    pub(super) text: &'a str,
    /// Title and headings above it.
    pub(super) names: &'a [String],
    pub(super) layout: Layout,
    pub(super) language: Language,
}

/// Share of a claim's words that one sentence must have.
const SUPPORTED_SHARE: f32 = 0.6;
const PARTLY_SHARE: f32 = 0.3;

/// Grades a claim.
pub(super) fn grade(claim: &str, passage: &Passage<'_>) -> Graded {
    let language = passage.language;
    let wanted = terms(claim, language);
    let above: FxHashSet<String> = (passage.names.iter())
        .flat_map(|name| terms(name, language))
        .collect();
    let mut best: (f32, Option<String>) = (0.0, None);
    for (_, sentence, _) in shown_sentences(passage.text, passage.layout) {
        let own = terms(&sentence, language);
        let n_said = wanted.iter().filter(|term| own.contains(*term)).count();
        let n_above = wanted
            .iter()
            .filter(|term| !own.contains(*term) && above.contains(*term))
            .count();
        // What the note is about need not be said again, but a heading alone bears out nothing.
        let n = if n_said > 0 { n_said + n_above } else { 0 };
        let share = n as f32 / wanted.len().max(1) as f32;
        if share > best.0 {
            best = (share, Some(sentence));
        }
    }
    let (share, sentence) = best;
    let missing = missing(claim, passage);
    let is_denied = sentence
        .as_ref()
        .is_some_and(|sentence| denies(claim) != denies(sentence));
    let support = match () {
        () if !missing.is_empty() || share < PARTLY_SHARE => Support::Unsupported,
        () if share >= SUPPORTED_SHARE && !is_denied => Support::Supported,
        () => Support::Partly,
    };
    Graded {
        support,
        sentence,
        missing,
    }
}

/// The telling words of a text as terms, and its numbers.
fn terms(text: &str, language: Language) -> FxHashSet<String> {
    let mut lower = String::new();
    let mut terms = numbers(text, language);
    for word in words::words(text) {
        words::lower_into(word.text, &mut lower);
        let is_number = lower.starts_with(|c: char| c.is_ascii_digit());
        if !is_number && !words::is_stop_word(&lower, language) {
            terms.insert(words::term_of(&word, language));
        }
    }
    terms
}

/// Whether a text says that something is not so.
fn denies(text: &str) -> bool {
    #[rustfmt::skip]
    const NEGATIONS: &[&str] = &[
        "not", "no", "never", "none", "nobody", "nothing", "cannot", "without", "nicht", "kein", "keine",
        "keinen", "keiner", "nie", "niemals", "niemand", "nichts", "ohne", "pas", "jamais", "aucun", "nunca",
        "ningún", "ninguna", "nessun", "mai", "niet", "geen", "nooit", "inte", "aldrig", "ikke", "ingen",
        "не", "нет", "никогда", "değil", "nem", "ei",
    ];
    let lower = text.to_lowercase();
    let is_short = |word: &str| word.ends_with("n't") || word.ends_with("n’t");
    lower.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        NEGATIONS.contains(&word) || is_short(word)
    })
}

/// Returns the numbers, names and dates of a claim that the passage does not have.
fn missing(claim: &str, passage: &Passage<'_>) -> Vec<String> {
    let whole = passage
        .names
        .iter()
        .fold(passage.text.to_owned(), |all, name| all + "\n" + name);
    let numbers = numbers(&whole, passage.language);
    let said = terms(&whole, passage.language);
    let mut missing = Vec::new();
    let mut is_start = true;
    let mut was_name = false;
    for word in claim.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = bare.to_lowercase();
        let own = self::numbers(bare, passage.language);
        let lacks_number = !own.is_empty() && !own.iter().any(|number| numbers.contains(number));
        let is_name = bare.starts_with(char::is_uppercase) && !words::is_stop_word_anywhere(&lower);
        // Where nouns have capitals, only a name of two words looks like one.
        let is_told = passage.language != Language::German || was_name;
        let is_month = question::is_month(&lower) && is_name;
        let lacks_name =
            own.is_empty() && is_name && !is_start && is_told && !is_said(bare, &said, passage);
        let is_known_month =
            is_month && numbers.contains(&format!("month {}", question::month_number(&lower)));
        if (lacks_number || lacks_name) && !is_known_month {
            missing.push(bare.to_owned());
        }
        was_name = is_name && !is_start;
        is_start = word.ends_with(['.', '!', '?', ':']);
    }
    missing
}

fn is_said(word: &str, said: &FxHashSet<String>, passage: &Passage<'_>) -> bool {
    let mut own = words::words(word).map(|word| words::term_of(&word, passage.language));
    own.all(|term| said.contains(&term))
}

/// The numbers of a text, however they are written: "1,180" is "1180", "four" is "4", and a date in
/// digits has a day, a month and a year.
fn numbers(text: &str, language: Language) -> FxHashSet<String> {
    let mut numbers = FxHashSet::default();
    for word in text.split(|c: char| c.is_whitespace() || "()[]|/–—\"“”".contains(c)) {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = bare.to_lowercase();
        if let Some(value) = question::number_value(&lower, language) {
            numbers.insert(value.to_string());
        }
        if bare.starts_with(|c: char| c.is_ascii_digit()) {
            numbers.insert(plain_number(bare));
            let parts: Vec<&str> = bare.split(['-', '.']).collect();
            if question::is_date(bare) && parts.len() == 3 {
                numbers.extend(
                    parts
                        .iter()
                        .map(|part| part.trim_start_matches('0').to_owned()),
                );
                numbers.insert(format!("month {}", parts[1].trim_start_matches('0')));
            }
        }
    }
    numbers
}

/// A number without the marks between its thousands, and with a point for its decimals; what stands
/// behind it, as in "3rd" or "12kg", is left out.
fn plain_number(text: &str) -> String {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || ".,'".contains(c)))
        .unwrap_or(text.len());
    let digits = text[..end].trim_end_matches(['.', ',', '\'']);
    let groups: Vec<&str> = digits.split(['.', ',', '\'']).collect();
    let is_grouped = groups.len() > 1 && groups[1..].iter().all(|group| group.len() == 3);
    let plain = match is_grouped {
        true => groups.concat(),
        false => digits.replace(',', "."),
    };
    match plain.contains('.') {
        true => plain.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Esko Niemi repaired the north gutter on 2024-05-03. The bill was $1,180, and four tiles \
        were not replaced. The roof is from 1987.";

    fn graded(claim: &str) -> Graded {
        let passage = Passage {
            text: TEXT,
            names: &["Roof and Gutters".to_owned()],
            layout: Layout::Markdown,
            language: Language::English,
        };
        grade(claim, &passage)
    }

    #[track_caller]
    fn check(claim: &str, support: Support, nearest: &str) {
        let graded = graded(claim);
        assert_eq!(graded.support, support, "{graded:?}");
        let sentence = graded.sentence.unwrap_or_default();
        assert!(sentence.starts_with(nearest), "{sentence}");
    }

    #[test]
    fn what_a_sentence_says_is_borne_out() {
        use Support::{Partly, Supported};
        check(
            "The north gutter was repaired by Esko Niemi.",
            Supported,
            "Esko",
        );
        check("Esko repaired the gutter on 3 May 2024.", Supported, "Esko");
        check("4 tiles were not replaced.", Supported, "The bill");
        check("The bill came to 1180 dollars.", Partly, "The bill");
    }

    #[test]
    fn what_it_does_not_say_is_not() {
        use Support::{Partly, Unsupported};
        check("The bill was $1,280.", Unsupported, "The bill");
        check(
            "The north gutter was repaired by Anna Berg.",
            Unsupported,
            "Esko",
        );
        check("The kitchen has a new floor.", Unsupported, "");
        check(
            "Esko repaired the gutter on 3 June 2024.",
            Unsupported,
            "Esko",
        );
        check("Four tiles were replaced.", Partly, "The bill");
        assert_eq!(graded("The bill was $1,280.").missing, ["1,280"]);
        assert!(
            graded("Repaired by Anna Berg.")
                .missing
                .contains(&"Berg".to_owned())
        );
    }
}
