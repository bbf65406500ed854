//! What a question asks for of somebody or something: a telephone number, a birthday, the warranty. A passage
//! that says all the other words and lacks this is a near miss. Pure.

use super::Query;
use crate::words::{self, Word};

/// Words that may name together what is asked for: "opening hours" of.
const HEAD_WORDS_MAX: usize = 3;
/// Telling words of a question that is about one thing of another: in a longer one, such as a claim of
/// science, "size" or "age" is one word among many.
const ASKED_WORDS_MAX: usize = 6;
/// "The phone number of", "die Telefonnummer von".
const OF: &[&str] = &["of", "von"];

/// What is asked for by these words.
struct Attribute {
    asked: &'static [&'static str],
    /// Whether a passage has it, told by how it is written.
    is_in: fn(&str) -> bool,
    /// Whether it is always written like that, so that saying the word is not enough.
    is_form: bool,
}

const ATTRIBUTES: &[Attribute] = &[
    Attribute {
        asked: &["phone", "telephone", "telefonnummer", "handynummer"],
        is_in: has_telephone,
        is_form: true,
    },
    Attribute {
        asked: &["email", "mail", "mailadresse"],
        is_in: |text| text.contains('@'),
        is_form: true,
    },
    Attribute {
        asked: &["hours", "öffnungszeiten"],
        is_in: has_clock,
        is_form: true,
    },
    Attribute {
        asked: &["birthday", "birthdate", "geburtstag"],
        is_in: |text| says(text, &["born", "birth", "geboren"]),
        is_form: false,
    },
    Attribute {
        asked: &["address", "adresse"],
        is_in: |text| says(text, &["street", "avenue", "road", "lane", "straße"]),
        is_form: false,
    },
    Attribute {
        asked: &[
            "price", "fee", "salary", "wage", "income", "preis", "gehalt", "lohn",
        ],
        is_in: has_price,
        is_form: false,
    },
    Attribute {
        asked: &["deadline", "frist"],
        is_in: |text| says(text, &["due", "until", "fällig", "spätestens"]),
        is_form: false,
    },
    Attribute {
        asked: &[
            "appointment",
            "schedule",
            "timetable",
            "termin",
            "zahnarzttermin",
        ],
        is_in: |_| false,
        is_form: false,
    },
    Attribute {
        asked: &[
            "password",
            "passcode",
            "recipe",
            "ingredient",
            "warranty",
            "guarantee",
            "symptom",
            "diagnosis",
            "dose",
            "dosage",
            "size",
            "height",
            "weight",
            "age",
            "capital",
            "population",
            "owner",
            "inventor",
            "founder",
            "passwort",
            "rezept",
            "zutaten",
            "garantie",
            "symptome",
            "größe",
            "gewicht",
            "besitzer",
            "erfinder",
            "gründer",
        ],
        is_in: |_| false,
        is_form: false,
    },
];

/// What an answer must have.
#[derive(Default)]
pub(super) struct Demand {
    asked: Vec<(usize, &'static Attribute)>,
}

/// What a passage lacks of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Lack {
    #[default]
    Nothing,
    /// It neither says the word, or one like it, nor has what it stands for.
    Word,
    /// It has nothing that is written as what was asked for.
    Form,
}

impl Demand {
    pub(super) fn of(query: &Query) -> Self {
        let lower = query.text.to_lowercase();
        let heads = heads(&lower);
        let mut asked = Vec::new();
        for (number, word) in query.words.iter().enumerate() {
            let word = word.to_lowercase();
            let names = |attribute: &&Attribute| {
                let singular = word.strip_suffix('s').unwrap_or(&word);
                attribute.asked.contains(&word.as_str()) || attribute.asked.contains(&singular)
            };
            let attribute = ATTRIBUTES.iter().find(names);
            let is_head = heads.contains(&word.as_str());
            let is_short = query.words.len() <= ASKED_WORDS_MAX;
            let is_meant = |found: &&Attribute| is_head || !found.is_form && is_short;
            asked.extend(attribute.filter(is_meant).map(|found| (number, found)));
        }
        Self { asked }
    }

    /// Returns what a passage lacks. `is_said` tells whether it says a word of the query, or one like it.
    pub(super) fn lack(&self, passage: &str, is_said: impl Fn(usize) -> bool) -> Lack {
        let lacks = |&&(number, attribute): &&(usize, &Attribute)| {
            !(attribute.is_in)(passage) && (attribute.is_form || !is_said(number))
        };
        let lacking: Vec<bool> = (self.asked.iter().filter(lacks))
            .map(|(_, attribute)| attribute.is_form)
            .collect();
        match lacking[..] {
            [] => Lack::Nothing,
            _ if lacking.contains(&true) => Lack::Form,
            _ => Lack::Word,
        }
    }
}

/// Returns what is asked for of something: the words before "of", or behind "Dale's".
fn heads(lower: &str) -> Vec<&str> {
    let all: Vec<Word<'_>> = words::words(lower).collect();
    let is_head = |word: &&Word<'_>| !words::is_stop_word_anywhere(word.text);
    let text = |word: &Word<'_>| &lower[word.start..word.start + word.text.len()];
    if let Some(of) = all.iter().position(|word| OF.contains(&word.text)) {
        let heads = all[..of].iter().rev().take_while(is_head);
        return heads.take(HEAD_WORDS_MAX).map(text).collect();
    }
    let is_owner = |word: &Word<'_>| {
        let behind = &lower[word.start + word.text.len()..];
        behind.starts_with("'s ") || behind.starts_with("’s ")
    };
    let Some(owner) = all.iter().position(is_owner) else {
        return Vec::new();
    };
    let behind = all[owner + 1..].iter().skip_while(|word| word.text == "s");
    let heads = behind.take_while(is_head);
    heads.take(HEAD_WORDS_MAX).map(text).collect()
}

fn says(text: &str, any: &[&str]) -> bool {
    words::words(text).any(|word| any.contains(&word.text.to_lowercase().as_str()))
}

/// Six digits or more in one run that begins as telephone numbers do, or in three groups.
fn has_telephone(text: &str) -> bool {
    let is_inside = |c: char| c.is_ascii_digit() || " -/().+".contains(c);
    text.split(|c| !is_inside(c)).any(|run| {
        let groups = run.split(|c: char| !c.is_ascii_digit());
        let groups: Vec<&str> = groups.filter(|group| !group.is_empty()).collect();
        let n_digits: usize = groups.iter().map(|group| group.len()).sum();
        let is_year = |group: &&str| group.len() == 4 && ("1500".."2200").contains(group);
        let begins = run.trim_start().starts_with(['+', '0', '(']);
        let is_long = (6..=15).contains(&n_digits) && (begins || groups.len() >= 3);
        is_long && !groups.iter().any(is_year)
    })
}

/// A sum of money: a sign beside a number, or its name.
fn has_price(text: &str) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut signs = text.match_indices(['$', '€', '£']);
    let is_sum = signs.any(|(at, sign)| {
        let behind = text[at + sign.len()..].trim_start().chars().next();
        is_digit(behind) || is_digit(text[..at].trim_end().chars().next_back())
    });
    is_sum
        || says(
            text,
            &[
                "euro", "euros", "eur", "dollar", "dollars", "usd", "percent", "prozent",
            ],
        )
}

/// A time of day, "4:15", "9 am" or "20 Uhr", or hours by name.
fn has_clock(text: &str) -> bool {
    let lower = text.to_lowercase();
    let words: Vec<&str> = (lower.split_whitespace())
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let is_clock = |word: &str| {
        let digits = word.trim_end_matches("am").trim_end_matches("pm");
        let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "00"));
        let is_marked = digits.len() < word.len() || digits.contains(':');
        is_marked && is_number(hours) && is_number(minutes)
    };
    let is_pair = |pair: &[&str]| is_number(pair[0]) && ["am", "pm", "uhr"].contains(&pair[1]);
    words.iter().any(|word| is_clock(word) || *word == "hours") || words.windows(2).any(is_pair)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Language;

    /// What a passage lacks that says every word of the question but the given one.
    fn check(question: &str, unsaid: &str, passage: &str) -> Lack {
        let query = Query::parse(question, &[(Language::English, 3), (Language::German, 1)]);
        Demand::of(&query).lack(passage, |number| query.words[number] != unsaid)
    }

    #[test]
    fn some_things_are_told_by_how_they_are_written() {
        let phone = |passage| check("phone number of the plumber", "", passage);
        assert_eq!(phone("Her phone is off; $17,000 on 2024-05-01"), Lack::Form);
        for passage in ["218-555-0143", "+49 451 12345", "(0451) 123456"] {
            assert_eq!(phone(passage), Lack::Nothing, "{passage}");
        }
        let mail = |passage| check("what is Ada's email address", "", passage);
        assert_eq!(mail("send her an email"), Lack::Form);
        assert_eq!(mail("ada@example.org"), Lack::Nothing);
        let hours = |passage| check("opening hours of the store", "", passage);
        assert_eq!(hours("the store is above a bar"), Lack::Form);
        for passage in ["from 9 am", "until 4:15", "ab 20 Uhr", "9am", "its hours"] {
            assert_eq!(hours(passage), Lack::Nothing, "{passage}");
        }
    }

    #[test]
    fn others_must_be_said() {
        assert_eq!(check("Dale’s birthday", "birthday", "Dale, 58"), Lack::Word);
        assert_eq!(
            check("Dale’s birthday", "birthday", "Dale, born in May"),
            Lack::Nothing
        );
        assert_eq!(check("Dale's birthday", "", "Dale had cake"), Lack::Nothing);
        assert_eq!(
            check("price of a class", "price", "a class a week"),
            Lack::Word
        );
        assert_eq!(
            check("price of a class", "price", "a class, $12"),
            Lack::Nothing
        );
        assert_eq!(
            check("price of a battery", "price", "a battery at 40%, $HOME"),
            Lack::Word
        );
        assert_eq!(
            check(
                "deadline of the abstract",
                "deadline",
                "Abstract due in May"
            ),
            Lack::Nothing
        );
        assert_eq!(
            check("symptoms of flu", "symptoms", "flu in May"),
            Lack::Word
        );
        assert_eq!(
            check("who fixed the roof", "fixed", "the roof"),
            Lack::Nothing
        );
    }

    #[test]
    fn a_thing_by_itself_is_not_asked_for_of_something() {
        assert_eq!(
            check("validate a phone number", "", "a number"),
            Lack::Nothing
        );
        assert_eq!(
            check("send it to my phone", "phone", "send it"),
            Lack::Nothing
        );
        assert_eq!(check("", "", ""), Lack::Nothing);
    }
}
