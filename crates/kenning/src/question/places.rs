//! Where in a text names and days stand, read generously: a text that has none of these does not say who or
//! when. Pure.

use super::kinds::{is_capitalised, is_date, is_function_word, is_month, is_weekday, is_year};
use crate::words::{self, Language};

/// Where something stands, in bytes.
pub(crate) type Place = std::ops::Range<usize>;

/// Returns where a text may name somebody. Headings and code write other words like names, too.
pub(crate) fn names(text: &str, language: Language) -> Vec<Place> {
    let of_line = |(start, line): (usize, _)| {
        let own = names_in(line, language);
        own.map(move |at| start + at.start..start + at.end)
    };
    prose(text).flat_map(of_line).collect()
}

/// Returns where sentences begin with a word that is no function word, and the word behind it. Any word is
/// capitalised there: whether it is a name, others must tell.
pub(crate) fn openers(text: &str, language: Language) -> Vec<(Place, Place)> {
    let mut openers = Vec::new();
    for (start, line) in prose(text) {
        let place =
            |word: &words::Word<'_>| start + word.start..start + word.start + word.text.len();
        let all: Vec<words::Word<'_>> = words::words(line).collect();
        for pair in all.windows(2) {
            let is_name = is_capitalised(pair[0].text) && !is_function_word(pair[0].text, language);
            if is_name && begins_sentence(&line[..pair[0].start]) {
                openers.push((place(&pair[0]), place(&pair[1])));
            }
        }
    }
    openers
}

/// The lines of a text that are neither headings nor code, and where they start.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut next, mut is_code) = (0, false);
    text.split_inclusive('\n').filter_map(move |line| {
        let start = next;
        next += line.len();
        let trimmed = line.trim_start();
        let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        is_code ^= is_fence;
        (!is_code && !is_fence && !trimmed.starts_with('#')).then_some((start, line))
    })
}

/// Returns where one line may name somebody. German writes every noun as a name is written: there it takes
/// two in a row, or a place where somebody stands who does something.
fn names_in(line: &str, language: Language) -> impl Iterator<Item = Place> {
    let mut last: Option<usize> = None;
    words::words(line).filter_map(move |word| {
        let place = word.start..word.start + word.text.len();
        let last_end = last.take();
        if !is_capitalised(word.text) || is_function_word(word.text, language) {
            return None;
        }
        last = Some(place.end);
        let follows = last_end.is_some_and(|end| &line[end..place.start] == " ");
        let before = &line[..place.start];
        let is_alone = match language {
            Language::German => is_german_doer(before) && !is_german_adverb(word.text),
            _ => is_inside_sentence(before),
        };
        (follows || is_alone).then_some(place)
    })
}

/// Whether what comes next is in the middle of a sentence, where only names are capitalised.
fn is_inside_sentence(before: &str) -> bool {
    // A quote may begin there; what follows a word at once is an argument in code.
    let before = before.trim_end_matches(|c: char| "\"“„«([*_'".contains(c));
    let sentence = before.trim_end();
    let is_after_word = |c: char| c.is_alphanumeric() || ",;)]".contains(c);
    let is_title = ["Dr.", "Mr.", "Ms.", "Mrs."]
        .iter()
        .any(|title| sentence.ends_with(title));
    sentence.len() < before.len() && (sentence.ends_with(is_after_word) || is_title)
}

/// Whether a sentence begins with what comes next.
fn begins_sentence(before: &str) -> bool {
    let before = before.trim_end();
    before.is_empty() || before.ends_with(['.', '!', '?', ':', '-', '*', '>'])
}

/// Whether what comes next stands where German tells who did something: "Anna baute", "von Anna", "obwohl Anna".
fn is_german_doer(before: &str) -> bool {
    const BEFORE: &[&str] = &[
        "von", "durch", "obwohl", "dass", "weil", "als", "noch", "herr", "frau", "dr",
    ];
    let sentence = before.trim_end();
    let is_first = begins_sentence(before);
    let last = sentence
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    let last = last
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    is_first || BEFORE.contains(&last.as_str())
}

/// Whether a word that begins a German sentence tells when or how, and not who: "Gestern wurde".
fn is_german_adverb(word: &str) -> bool {
    const ADVERBS: &[&str] = &[
        "abends",
        "anschließend",
        "bald",
        "bisher",
        "damals",
        "danach",
        "dann",
        "endlich",
        "früher",
        "gestern",
        "heute",
        "immer",
        "inzwischen",
        "jemand",
        "jetzt",
        "leider",
        "manchmal",
        "mittags",
        "morgen",
        "morgens",
        "nachher",
        "niemand",
        "oft",
        "schließlich",
        "später",
        "vorgestern",
        "vorher",
        "wieder",
        "zuerst",
        "zuletzt",
    ];
    ADVERBS.contains(&word.to_lowercase().as_str())
}

/// Returns where a text may say when something happened: a date, a year, a month, a weekday, how long ago.
pub(crate) fn days(text: &str) -> Vec<Place> {
    let mut places = Vec::new();
    let mut was_number = false;
    for word in words::words(text) {
        let lower = word.text.to_lowercase();
        let is_number = word.text.starts_with(|c: char| c.is_ascii_digit());
        let is_age = was_number && YEARS.contains(&lower.as_str());
        let is_named = is_weekday(&lower) || TIMES.iter().any(|time| lower.starts_with(time));
        // "may" and "march" are other words as well.
        let is_month = is_month(&lower) && (word.text != lower && lower != "may" || was_number);
        let is_era = ERAS.contains(&lower.as_str());
        let is_told = is_date(word.text) || has_year(word.text) || is_month;
        let is_day = is_told || is_named || is_age || is_era;
        places.extend(is_day.then(|| word.start..word.start + word.text.len()));
        was_number = is_number;
    }
    places
}

/// "1960er", "2015s", "ES2015".
fn has_year(word: &str) -> bool {
    let mut runs = word.split(|c: char| !c.is_ascii_digit());
    runs.any(|run| is_year(run) || run.len() == 4 && ("1000".."1500").contains(&run))
}

/// What is counted in years may be long ago: "vor 10.000 Jahren".
const ERAS: &[&str] = &["bc", "bce", "ad", "bp", "chr"];
const YEARS: &[&str] = &[
    "years", "year", "jahre", "jahren", "months", "monaten", "weeks", "wochen",
];
const TIMES: &[&str] = &[
    "century",
    "centuries",
    "jahrhundert",
    "decade",
    "jahrzehnt",
    "ago",
    "vorgestern",
];
