//! The passage that answers: who asks for a name, a day or an amount is shown a passage that has one,
//! beside the one that says most of the words.

use std::sync::Arc;

use super::maxsim::MaxSim;
use super::promise;
use super::rank::{Promise, Ranked, Rows};
use super::retrieve::Strength;
use super::{Candidate, Query, SearchContext, list};
use crate::error::Result;
use crate::store::{By, ChunkId, ChunkRow, NoteId};
use crate::words::{self, Language};

/// Notes that are searched for the passage that answers.
const NOTES_MAX: usize = 3;
/// Passages of a note that are read for it.
const PASSAGES_MAX: usize = 40;
/// Words at the beginning of a question that tell what it asks for.
const FIRST_WORDS: usize = 2;

/// What a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    /// Who.
    Name,
    /// When.
    Day,
    /// How much, how many.
    Amount,
}

const WHO: &[&str] = &[
    "who", "whom", "whose", "wer", "wen", "wem", "wessen", "qui", "quién", "chi",
];
const WHEN: &[&str] = &["when", "wann", "quand", "cuándo", "quando"];
const WHICH: &[&str] = &["what", "which", "welchem", "welchen", "welches"];
const DAYS: &[&str] = &[
    "day", "date", "year", "month", "tag", "datum", "jahr", "monat",
];
const HOW: &[&str] = &["how", "wie"];
const MUCH: &[&str] = &["much", "many", "viel", "viele", "hoch", "teuer"];
const HOW_MUCH: &[&str] = &[
    "wieviel", "wieviele", "combien", "cuánto", "cuánta", "cuántos", "quanto",
];
const COST: &[&str] = &["cost", "costs", "kostet", "kostete", "gekostet"];

impl Sought {
    /// Tells what a question asks for, if it is one of these.
    pub(super) fn of(text: &str) -> Option<Self> {
        let lower = text.to_lowercase();
        let words: Vec<&str> = words::words(&lower).map(|word| word.text).collect();
        let first = &words[..words.len().min(FIRST_WORDS)];
        let has = |all: &[&str]| first.iter().any(|word| all.contains(word));
        let has_pair = |one: &[&str], next: &[&str]| {
            let mut pairs = words.windows(2).take(FIRST_WORDS);
            pairs.any(|pair| one.contains(&pair[0]) && next.contains(&pair[1]))
        };
        let costs = words.iter().any(|word| COST.contains(word));
        match () {
            () if costs || has(HOW_MUCH) || has_pair(HOW, MUCH) => Some(Self::Amount),
            () if has(WHO) => Some(Self::Name),
            () if has(WHEN) || has_pair(WHICH, DAYS) => Some(Self::Day),
            () => None,
        }
    }

    /// Whether a passage has such a thing.
    fn is_in(self, passage: &str, language: Language) -> bool {
        match self {
            Self::Name => has_name(passage, language),
            Self::Day => has_day(passage),
            Self::Amount => has_amount(passage),
        }
    }
}

/// Two words in a row that are written as names are.
fn has_name(passage: &str, language: Language) -> bool {
    let mut last_end = None;
    words::words(passage).any(|word| {
        let is_name = is_capitalised(word.text) && !is_function_word(word.text, language);
        let follows = last_end.is_some_and(|end: usize| &passage[end..word.start] == " ");
        last_end = is_name.then_some(word.start + word.text.len());
        is_name && follows
    })
}

fn is_capitalised(word: &str) -> bool {
    let mut chars = word.chars();
    let is_upper = chars.next().is_some_and(char::is_uppercase);
    is_upper && chars.next().is_some() && chars.all(char::is_lowercase)
}

fn is_function_word(word: &str, language: Language) -> bool {
    let lower = word.to_lowercase();
    words::is_stop_word(&lower, language) || MONTHS.contains(&lower.as_str())
}

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "januar",
    "februar",
    "märz",
    "mai",
    "juni",
    "juli",
    "oktober",
    "dezember",
    "janvier",
    "février",
    "mars",
    "avril",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

/// The name of a month beside a number, a year, or a date in digits.
fn has_day(passage: &str) -> bool {
    let mut was_month = false;
    let mut was_number = false;
    passage.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        let is_month = MONTHS.contains(&word.to_lowercase().as_str());
        let found = is_date(word) || is_number && was_month || is_month && was_number;
        (was_month, was_number) = (is_month, is_number);
        found
    })
}

/// A year of our times, or digits as dates are written.
fn is_date(word: &str) -> bool {
    let is_year = |part: &str| {
        part.len() == 4
            && part.bytes().all(|b| b.is_ascii_digit())
            && ("1500".."2200").contains(&part)
    };
    let parts: Vec<&str> = word.split(['-', '.', '/']).collect();
    let is_digits = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    match parts[..] {
        [year] => is_year(year),
        [_, _, _] => parts.iter().all(is_digits),
        _ => false,
    }
}

/// A number that is not merely a date.
fn has_amount(passage: &str) -> bool {
    passage.split_whitespace().any(|word| {
        let number = word.trim_matches(|c: char| !c.is_alphanumeric());
        number.starts_with(|c: char| c.is_ascii_digit()) && !is_date(number)
    })
}

/// Lets the second passage of each of the first notes be one that has what the question asks for,
/// if there is one.
pub(super) fn keep_answers(
    cx: &SearchContext<'_>,
    query: &Query,
    strength: &Strength,
    looked: &mut Vec<Ranked>,
) -> Result<()> {
    let Some(sought) = Sought::of(&query.text) else {
        return Ok(());
    };
    for note in first_notes(looked) {
        let usual = list::usual(looked);
        let places: Vec<usize> = (usual.into_iter())
            .filter(|&place| looked[place].note.id == note)
            .collect();
        let rows = Rows::new(cx.store);
        for &place in &places {
            rows.read_text(&mut looked[place])?;
        }
        let has = |place: usize| {
            let ranked = &looked[place];
            sought.is_in(ranked.passage(), ranked.note.language)
        };
        // Where to: in the place of the second passage; without one, only the best note gets one.
        let place = match places[..] {
            [_, second] if !has(second) => second,
            [first] if !has(first) && first == 0 => first + 1,
            _ => continue,
        };
        if let Some(answer) = answering(cx, query, strength, sought, looked, places[0])? {
            promise::promote(looked, answer, Some(place), Promise::Answer);
        }
    }
    Ok(())
}

/// The first notes that hold a telling word of the question, or were called by name.
fn first_notes(looked: &[Ranked]) -> Vec<NoteId> {
    let mut notes = Vec::new();
    for ranked in looked.iter().take(list::USUAL_LENGTH) {
        let is_telling = (ranked.candidate.look).is_none_or(|look| look.is_telling);
        if is_telling && notes.len() < NOTES_MAX && !notes.contains(&ranked.note.id) {
            notes.push(ranked.note.id);
        }
    }
    notes
}

/// The passage of a note that has what is sought, and is the most like the question. It is taken out
/// of the order if it is there.
fn answering(
    cx: &SearchContext<'_>,
    query: &Query,
    strength: &Strength,
    sought: Sought,
    looked: &mut Vec<Ranked>,
    first: usize,
) -> Result<Option<Ranked>> {
    let Ranked { note, chunk, .. } = &looked[first];
    let (language, shown) = (note.language, chunk.id);
    let mut ids: Vec<ChunkId> = Vec::new();
    let chunks = cx.store.chunks(By::Note(note.id))?;
    for chunk in chunks.iter().take(PASSAGES_MAX) {
        if chunk.id != shown && sought.is_in(&cx.store.passage(chunk)?, language) {
            ids.push(chunk.id);
        }
    }
    let chunks = cx.store.chunks(By::Ids(&ids))?;
    let Some(best) = most_like(cx, query, strength, &chunks) else {
        return Ok(None);
    };
    let chunk = Arc::clone(&chunks[best]);
    if let Some(place) = looked.iter().position(|ranked| ranked.chunk.id == chunk.id) {
        return Ok(Some(looked.remove(place)));
    }
    let candidate = Candidate::new(chunk.id, chunk.note);
    Rows::new(cx.store).ranked(candidate, chunk).map(Some)
}

/// Returns which passage is the most like the question, word by word; the first among equals.
fn most_like(
    cx: &SearchContext<'_>,
    query: &Query,
    strength: &Strength,
    chunks: &[Arc<ChunkRow>],
) -> Option<usize> {
    let Some(model) = cx.embedder.token_vectors() else {
        return (!chunks.is_empty()).then_some(0);
    };
    let words = query.words.iter().map(String::as_str);
    let similar = MaxSim::new(model, words.zip(strength.idf.iter().copied()));
    let pieces: Vec<Vec<u32>> = chunks
        .iter()
        .map(|chunk| {
            let mut pieces = Vec::new();
            chunk.pieces(&mut pieces);
            pieces
        })
        .collect();
    let passages: Vec<&[u32]> = pieces.iter().map(Vec::as_slice).collect();
    let scores = similar.scores(&passages);
    let tokens_near = cx.embedder.calibration().tokens_near;
    (0..chunks.len())
        .filter(|&place| scores[place] >= tokens_near)
        .max_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_tell_what_they_ask_for() {
        let cases = [
            ("who repaired the roof", Some(Sought::Name)),
            ("and who was it?", Some(Sought::Name)),
            ("Wer hat einen Schlüssel zur Wohnung?", Some(Sought::Name)),
            ("when is the payment due", Some(Sought::Day)),
            ("in what year did we move", Some(Sought::Day)),
            ("Wann wurde das Knie operiert?", Some(Sought::Day)),
            ("how much is the new roof", Some(Sought::Amount)),
            ("what did the gutter cost", Some(Sought::Amount)),
            ("Wie viel kostet das Dach?", Some(Sought::Amount)),
            ("how to repair a roof", None),
            ("the man we met when it rained", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Sought::of(text), expected, "{text}");
        }
    }

    #[test]
    fn passages_tell_what_they_have() {
        let has = |sought: Sought, text: &str| sought.is_in(text, Language::English);
        assert!(has(Sought::Name, "In the end Esko Niemi did it."));
        assert!(has(Sought::Name, "asked [[Anna Berg]]"));
        assert!(!has(
            Sought::Name,
            "The roof. Then March April rain, says the DIY page."
        ));
        assert!(has(Sought::Day, "on 21 October") && has(Sought::Day, "since 2019"));
        assert!(has(Sought::Day, "2024-05-01") && has(Sought::Day, "am 3.4.2021"));
        assert!(!has(Sought::Day, "in October, at 9 meters, 12.5 of them"));
        assert!(has(Sought::Amount, "it was $1,180 in all") && has(Sought::Amount, "9 meters"));
        assert!(!has(Sought::Amount, "in 2024, and on 2024-05-01"));
    }
}
