//! What a question asks for: a name, a day, an amount, a place, steps. Pure.
//!
//! `interrogatives` has the words questions are asked with, `kinds` tells what in a text is a date or
//! an amount, `places` where it may say who or when. Search shows a passage that has what is sought; `ask` looks for the answer itself.

mod interrogatives;
mod kinds;
pub(crate) mod places;

pub(crate) use interrogatives::says_what;
pub(crate) use kinds::{
    is_date, is_money, is_month, is_number_word, is_sum_sign, is_unit, is_weekday, month_number,
    number_value,
};

use crate::words::{self, Language};
use interrogatives as asked;

/// What a question asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sought {
    /// Who.
    Name,
    /// When.
    Day,
    /// How much, how many.
    Amount,
    /// Where.
    Place,
    /// How something is done.
    Steps,
    /// Which command, file or key.
    Code,
    /// Why.
    Reason,
    /// What something is.
    Definition,
    /// Whether something is so.
    YesNo,
    /// What, which, and anything else.
    #[default]
    Thing,
}

impl Sought {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 10] = [
        Self::Name,
        Self::Day,
        Self::Amount,
        Self::Place,
        Self::Steps,
        Self::Code,
        Self::Reason,
        Self::Definition,
        Self::YesNo,
        Self::Thing,
    ];

    /// Returns the name that interfaces use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Day => "date",
            Self::Amount => "amount",
            Self::Place => "place",
            Self::Steps => "steps",
            Self::Code => "code",
            Self::Reason => "reason",
            Self::Definition => "definition",
            Self::YesNo => "yes_no",
            Self::Thing => "thing",
        }
    }

    /// Whether code may be the answer.
    pub(crate) fn may_be_code(self) -> bool {
        matches!(self, Self::Code | Self::Steps)
    }

    /// Whether such a thing can be told by how it is written.
    pub(crate) fn is_told_by_form(self) -> bool {
        matches!(self, Self::Name | Self::Day | Self::Amount)
    }

    /// Whether a passage has such a thing, as far as that can be told.
    pub(crate) fn is_in(self, passage: &str, language: Language) -> bool {
        match self {
            Self::Name => kinds::has_name(passage, language),
            Self::Day => kinds::has_day(passage),
            Self::Amount => kinds::has_amount(passage),
            _ => false,
        }
    }
}

/// A question, as far as its words tell what would be an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Question {
    /// What it asks for.
    pub sought: Sought,
    /// The words that say what sort of thing: "which *city*", "how many *guests*".
    pub focus: Vec<String>,
    /// Whether it is about something that happened: "who *invented*", "when *was*". Told for English and German.
    pub is_past: bool,
    /// Whether the amount it asks for is a price.
    pub is_price: bool,
}

/// Most words that are taken for what sort of thing is asked for.
const FOCUS_WORDS_MAX: usize = 2;
/// Most telling words of a question for what something is: with more, it asks for something about it.
const DEFINED_WORDS_MAX: usize = 3;

impl Question {
    /// Reads a question.
    pub fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let all: Vec<&str> = words::words(&lower).map(|word| word.text).collect();
        let languages = languages(&all);
        let Some((place, mark)) = asked::find(&all, &lower, &languages) else {
            let is_yes_no = all.first().is_some_and(|first| asked::is_auxiliary(first));
            let sought = match is_yes_no && all.len() > 2 {
                true => Sought::YesNo,
                false => Sought::Thing,
            };
            return Self {
                sought: if asked::asks_price(&all) {
                    Sought::Amount
                } else {
                    sought
                },
                focus: Vec::new(),
                is_past: false,
                is_price: asked::asks_price(&all),
            };
        };
        let mut rest = all.get(place + 1..).unwrap_or_default();
        let is_measure = rest.first().is_some_and(|next| asked::is_measure(next));
        if matches!(mark, asked::Mark::How) && is_measure {
            rest = &rest[1..];
        }
        let is_telling = |word: &&&str| !languages.iter().any(|l| words::is_stop_word(word, *l));
        let focus: Vec<&str> = rest
            .iter()
            .take(FOCUS_WORDS_MAX + 1)
            .filter(is_telling)
            .copied()
            .collect();
        let n_telling = all.iter().filter(is_telling).count();
        let next = rest.first().copied().unwrap_or_default();
        let sought = match mark {
            asked::Mark::How if is_measure => Sought::Amount,
            asked::Mark::How => Sought::Steps,
            asked::Mark::What if asked::asks_price(&all) => Sought::Amount,
            asked::Mark::What if asked::asks_what_to_do(rest) => Sought::Steps,
            asked::Mark::What if asked::is_copula(next) => {
                of_noun(&rest[1..], n_telling, &languages, |word| {
                    !is_telling(&&word)
                })
            }
            asked::Mark::What => of_focus(&focus, &languages).unwrap_or_default(),
            asked::Mark::Is(sought) => sought,
        };
        let has_focus = matches!(mark, asked::Mark::What) && sought != Sought::Steps
            || sought == Sought::Amount;
        let focus = focus
            .into_iter()
            .take(FOCUS_WORDS_MAX)
            .filter(|_| has_focus && !asked::is_copula(next));
        Self {
            sought,
            focus: focus.map(str::to_owned).collect(),
            is_past: asked::is_past(rest, &languages),
            is_price: asked::asks_price(&all),
        }
    }
}

/// What "what is" asks for: with one noun what that is, with "the size of" what the last word before "of" says.
fn of_noun(
    rest: &[&str],
    n_telling: usize,
    languages: &[Language],
    is_stop: impl Fn(&str) -> bool,
) -> Sought {
    let begun = rest.iter().position(|word| !is_stop(word));
    let group = &rest[begun.unwrap_or(rest.len())..];
    let n_words = group.iter().position(|word| is_stop(word));
    let (noun, more) = group.split_at(n_words.unwrap_or(group.len()));
    let is_of_something = more.iter().any(|word| !is_stop(word));
    let kind = noun.last().and_then(|last| asked::kind_of(last, languages));
    match kind {
        // "The part number of" is no amount.
        Some(Sought::Amount) if noun.len() > 1 && noun.ends_with(&["number"]) => Sought::Thing,
        Some(kind) if is_of_something || noun.len() == 1 => kind,
        _ if is_of_something || n_telling > DEFINED_WORDS_MAX => Sought::Thing,
        _ => Sought::Definition,
    }
}

/// What the word behind "which" makes of a question.
fn of_focus(focus: &[&str], languages: &[Language]) -> Option<Sought> {
    focus
        .iter()
        .find_map(|word| asked::kind_of(word, languages))
}

/// The languages a question may be in, by its function words; English where it has none.
fn languages(all: &[&str]) -> Vec<Language> {
    let all: Vec<String> = all.iter().map(|word| (*word).to_owned()).collect();
    let languages = words::languages_by_stop_words(&all);
    match languages.is_empty() {
        true => vec![Language::English],
        false => languages,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let question = Question::of(text);
        let told = format!("{} {}", question.sought.name(), question.focus.join("+"));
        assert_eq!(told.trim(), expected, "{text}");
    }

    #[test]
    fn a_price_is_asked_for_in_several_ways() {
        for text in [
            "how much is the new roof",
            "what did the gutter cost",
            "how much did we pay for it",
            "what did Marlys charge",
            "wie viel war das Dach",
        ] {
            assert!(Question::of(text).is_price, "{text}");
        }
        for text in ["how much water is in the tank", "charge the battery"] {
            assert!(!Question::of(text).is_price, "{text}");
        }
    }

    #[test]
    fn questions_tell_what_they_ask_for() {
        check("who repaired the roof", "name");
        check("and who was it?", "name");
        check("when is the payment due", "date");
        check("in what year did we move", "date year");
        check("how much is the new roof", "amount");
        check("what did the gutter cost", "amount gutter");
        check("How many guests came?", "amount guests+came");
        check("How long is the river?", "amount");
        check("where is the spare key", "place");
        check("how do I reset the router", "steps");
        check("which command lists the branches", "code command+lists");
        check("why did the pump fail", "reason");
        check("what is a race condition", "definition");
        check(
            "what is the best way to descale the kettle at home",
            "thing",
        );
        check("Which city did Anna move to?", "place city+anna");
        check("is the warranty still valid", "yes_no");
        check("roof repair", "thing");
        check("what is the command palette", "definition");
        check("what does idempotent mean", "definition");
        check("what is the maximum file size on Sync Plus", "amount");
        check("what is the part number of the cartridge", "thing");
        check("what is the name of the folder", "thing");
        check("what do I do when the boiler stops", "steps");
        check("Was tun, wenn die Heizung ausfällt?", "steps");
        check("Was ist die Dateigröße bei Sync?", "amount");
    }

    #[test]
    fn questions_tell_whether_it_happened() {
        for text in [
            "who invented JavaScript",
            "who first wrote it",
            "when was it built",
            "when did we move",
            "who led it",
            "in which year was the law passed",
            "Wer erfand das Rad?",
            "Wann wurde es gebaut?",
            "Wann ist Anna umgezogen?",
            "In welchem Jahr endete der Krieg?",
            "Wer hat das Haus gebaut?",
        ] {
            assert!(Question::of(text).is_past, "{text}");
        }
        for text in [
            "who supplies the tissue",
            "who needs it",
            "when is it due",
            "when should I use a map",
            "who is there",
            "Wer möchte mit?",
            "Wer hat einen Schlüssel?",
            "Wann hat der Laden geöffnet?",
            "Wann ist Ostern?",
            "roof",
        ] {
            assert!(!Question::of(text).is_past, "{text}");
        }
    }

    #[test]
    fn other_sentences_ask_for_nothing_in_particular() {
        for text in ["", "the man we met when it rained", "roof repair notes"] {
            assert_eq!(Question::of(text), Question::default(), "{text}");
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

    #[test]
    fn questions_in_other_languages_do_too() {
        check("Wer hat einen Schlüssel zur Wohnung?", "name");
        check("Wann wurde das Knie operiert?", "date");
        check("In welchem Jahr sind wir umgezogen?", "date jahr");
        check("Wie viele Gäste kamen?", "amount gäste+kamen");
        check("Wie hoch ist die Miete?", "amount");
        check("Wo liegt der Ersatzschlüssel?", "place");
        check("Wie entkalke ich den Kessel?", "steps");
        check("Was ist ein Mietvertrag?", "definition");
        check("Warum fiel die Pumpe aus?", "reason");
        check("Mit welchem Befehl zeigt man Zweige?", "code befehl+zeigt");
        check("An welchem Tag war das?", "date tag");
        check("Ist die Garantie noch gültig?", "yes_no");
        check("Qui a réparé le toit ?", "name");
        check("Combien de personnes sont venues ?", "amount personnes");
        check("¿Cuándo se pagó la factura?", "date");
        check("Dove si trova la chiave?", "place");
        check("Wie heeft het dak gerepareerd?", "name");
        check("Hoeveel kost het dak?", "amount kost+dak");
        check("Где находится ключ?", "place");
        check("Çatıyı kim onardı?", "name");
        check("谁修了屋顶？", "name");
        check("屋根を直したのは誰ですか", "name");
        check("Hvornår blev taget repareret?", "date");
    }
}
