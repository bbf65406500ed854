//! Who did something, and when it happened: a passage that tells it has a name or a day near the words of the
//! question. Pure.

use super::Query;
use super::matcher::Matcher;
use super::spelling;
use crate::question::{Question, Sought, places};
use crate::words::{self, Language};

/// Words between a name or day and what it is told of; two sentences have about as many.
const NEAR_WORDS: usize = 30;
/// Share of what a passage holds of the question that must stand near a name or day.
const NEAR_SHARE: f32 = 0.5;

/// Something that happened, asked about.
#[derive(Clone, Copy)]
pub(super) struct Event {
    sought: Sought,
}

/// A passage and what stands above it.
pub(super) struct Told<'t> {
    pub(super) passage: &'t str,
    /// Titles, other names and headings.
    pub(super) above: &'t [&'t str],
    pub(super) language: Language,
    /// What each word of the question is worth that the passage or its note holds; 0 for the others.
    pub(super) worth: &'t [f32],
}

impl Event {
    /// Returns what happened, if a question asks who did something or when it was.
    pub(super) fn of(query: &Query) -> Option<Self> {
        let Question {
            sought, is_past, ..
        } = Question::of(&query.text);
        let is_told = matches!(sought, Sought::Name | Sought::Day);
        (is_past && is_told).then_some(Self { sought })
    }

    /// Whether a passage may tell it.
    pub(super) fn is_told_by(self, told: &Told<'_>, matcher: &mut Matcher<'_>) -> bool {
        // Without capitals, nobody can tell a name.
        let is_cased = told.passage.contains(char::is_uppercase);
        if self.sought == Sought::Name && !is_cased {
            return true;
        }
        let mut is_above = vec![false; told.worth.len()];
        for text in told.above {
            let found = found(text, told.language, matcher);
            if self.is_named_in(text, &found, told.language) {
                return true;
            }
            found
                .iter()
                .for_each(|(number, _)| is_above[*number] = true);
        }
        let found = found(told.passage, told.language, matcher);
        let total: f32 = told.worth.iter().sum();
        let starts: Vec<usize> = words::words(told.passage).map(|word| word.start).collect();
        let word_at = |byte: usize| starts.partition_point(|start| *start < byte);
        let is_in_text = |number: usize| found.iter().any(|(own, _)| *own == number);
        self.places(told.passage, &found, told.language)
            .any(|place| {
                let at = word_at(place.start);
                let is_near = |number: usize| {
                    let mut own = found.iter().filter(|(own, _)| *own == number);
                    own.any(|(_, place)| word_at(place.start).abs_diff(at) <= NEAR_WORDS)
                };
                let is_there =
                    |number: usize| is_above[number] || !is_in_text(number) || is_near(number);
                let near: f32 = (told.worth.iter().enumerate())
                    .filter(|(number, _)| is_there(*number))
                    .map(|(_, worth)| worth)
                    .sum();
                near >= NEAR_SHARE * total
            })
    }

    /// Whether a title or heading has what is asked for. There, any word may be capitalised: a name is two
    /// words, the second of which is no common one.
    fn is_named_in(self, text: &str, found: &[Found], language: Language) -> bool {
        let is_own =
            |place: &places::Place| !spelling::is_english(&text[place.clone()].to_lowercase());
        let mut places = self.places(text, found, language);
        match self.sought {
            Sought::Name => places.any(|place| place.start > 0 && is_own(&place)),
            _ => places.next().is_some(),
        }
    }

    /// Where a text has what is asked for, and not in words of the question.
    fn places<'f>(
        self,
        text: &str,
        found: &'f [Found],
        language: Language,
    ) -> impl Iterator<Item = places::Place> + use<'f> {
        let all = match self.sought {
            Sought::Name => {
                let mut names = places::names(text, language);
                names.extend(opening_names(text, found, language));
                names
            }
            _ => places::days(text),
        };
        let is_new = |place: &places::Place| !found.iter().any(|(_, own)| own.start == place.start);
        all.into_iter().filter(is_new)
    }
}

/// Names at the beginning of sentences, where other words are capitalised, too: those that are no English words, and
/// whoever stands in front of what was asked about, "John repaired".
fn opening_names<'t>(
    text: &'t str,
    found: &'t [Found],
    language: Language,
) -> impl Iterator<Item = places::Place> + 't {
    let is_name = move |(place, next): &(places::Place, places::Place)| {
        let is_past = text[next.clone()].ends_with("ed");
        let is_asked = found.iter().any(|(_, own)| own.start == next.start);
        !spelling::is_english(&text[place.clone()].to_lowercase()) || is_past && is_asked
    };
    // Which of them is somebody in German, `names` tells: hardly a word there is an English one.
    let openers = match language {
        Language::German => Vec::new(),
        _ => places::openers(text, language),
    };
    let openers = openers.into_iter();
    openers.filter(is_name).map(|(place, _)| place)
}

/// A word of the question by its number, and where it stands.
type Found = (usize, places::Place);

fn found(text: &str, language: Language, matcher: &mut Matcher<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    matcher.each_or_part(text, language, |number, start, end| {
        found.push((number, start..end))
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a passage tells what a question asks about, as far as it holds words of it.
    fn check(question: &str, above: &[&str], passage: &str, language: Language) -> Option<bool> {
        let query = Query::parse(question, &[(language, 1)]);
        let mut matcher = Matcher::new(&query);
        let mut worth = vec![0.0; query.groups.len()];
        for text in above.iter().copied().chain([passage]) {
            let found = found(text, language, &mut matcher);
            found.iter().for_each(|(number, _)| worth[*number] = 1.0);
        }
        let told = Told {
            passage,
            above,
            language,
            worth: &worth,
        };
        Event::of(&query).map(|event| event.is_told_by(&told, &mut matcher))
    }

    fn english(question: &str, above: &str, passage: &str) -> Option<bool> {
        check(question, &[above], passage, Language::English)
    }

    fn german(question: &str, above: &str, passage: &str) -> Option<bool> {
        check(question, &[above], passage, Language::German)
    }

    #[test]
    fn who_did_something_is_told_by_a_name() {
        let logo = |passage| english("who designed the Firefox logo", "Images", passage);
        assert_eq!(
            logo("A large image, the Firefox logo. We resize it."),
            Some(false)
        );
        assert_eq!(
            logo("## The Firefox Logo Page\n\nThe logo is an image."),
            Some(false)
        );
        assert_eq!(
            logo("The Firefox logo:\n```\nnew Map, a Window of Chrome\n```\n"),
            Some(false)
        );
        assert_eq!(
            logo("The Firefox logo {{Sample(\"Tiling\", 3)}}"),
            Some(false)
        );
        assert_eq!(logo("The Firefox logo was drawn by Jon Hicks."), Some(true));
        assert_eq!(
            logo("Images used there: the Firefox logo. Designing it is fun."),
            Some(false)
        );
        let mended = |passage| english("who repaired the north gutter", "Roof", passage);
        assert_eq!(mended("Esko took the north gutter down."), Some(true));
        assert_eq!(mended("John repaired the north gutter."), Some(true));
        assert_eq!(mended("Somebody took the gutter down."), Some(false));
        assert_eq!(
            logo("The Firefox logo is from Hicks, says the page."),
            Some(true)
        );
        let gutter = |above| {
            english(
                "who fixed the gutter",
                above,
                "Took it down and hung a new gutter.",
            )
        };
        assert_eq!(gutter("Esko Niemi"), Some(true));
        assert_eq!(gutter("Kitchen Renovation"), Some(false));
        let built = |passage| german("Wer hat die Wohnung gebaut?", "Lübeck", passage);
        assert_eq!(
            built("Die Wohnung mit Aufzug hat vier Zimmer."),
            Some(false)
        );
        assert_eq!(built("Die Wohnung hat Karl Peters gebaut."), Some(true));
        let gutter = |passage| german("Wer hat die Dachrinne repariert?", "Dach", passage);
        assert_eq!(gutter("Karl reparierte die Dachrinne."), Some(true));
        assert_eq!(
            gutter("Die Dachrinne wurde von Esko repariert."),
            Some(true)
        );
        assert_eq!(
            gutter("Gestern wurde die Dachrinne repariert."),
            Some(false)
        );
        assert_eq!(
            gutter("Die Dachrinne wurde im Herbst repariert."),
            Some(false)
        );
    }

    #[test]
    fn when_it_was_is_told_by_a_day() {
        let map = |passage: &str| english("when was WeakMap introduced", "WeakMap", passage);
        assert_eq!(
            map("A map, introduced for keys. It may help in a march."),
            Some(false)
        );
        for told in [
            "in 2015",
            "with ES2015",
            "in May 2015",
            "ten years ago",
            "last Tuesday",
        ] {
            assert_eq!(
                map(&format!("It was introduced {told}.")),
                Some(true),
                "{told}"
            );
        }
        let far = format!(
            "Introduced with care. {}In 2015 it rained.",
            "And so on. ".repeat(20)
        );
        assert_eq!(
            english("when was the map introduced", "", &far),
            Some(false)
        );
        assert_eq!(
            english("when did we meet", "2026-03-05", "We meet at the pier."),
            Some(true)
        );
        let gutter = |passage| english("when was the gutter repaired", "Roof", passage);
        assert_eq!(gutter("Tuesday: repaired the gutter."), Some(true));
        assert_eq!(gutter("2024-03-02: repaired the gutter."), Some(true));
        assert_eq!(gutter("Esko repaired the gutter."), Some(false));
        let rinne = |passage| german("Wann wurde die Dachrinne repariert?", "Dach", passage);
        assert_eq!(
            rinne("Am Dienstag wurde die Dachrinne repariert."),
            Some(true)
        );
        assert_eq!(
            rinne("Im März 2024 reparierte Karl die Dachrinne."),
            Some(true)
        );
        assert_eq!(rinne("Karl reparierte die Dachrinne."), Some(false));
        assert_eq!(
            german(
                "Wann endete die Eiszeit?",
                "",
                "Die Eiszeit endete vor 10.000 Jahren."
            ),
            Some(true)
        );
    }

    #[test]
    fn what_goes_on_needs_neither() {
        for question in [
            "when does the event fire",
            "who supplies the tissue",
            "when is the payment due",
            "how was it made",
        ] {
            assert_eq!(english(question, "", "nothing of that"), None, "{question}");
        }
        for question in [
            "Wann ist der nächste Termin?",
            "Wer hat einen Schlüssel?",
            "Wann hat der Laden geöffnet?",
        ] {
            assert_eq!(german(question, "", "nichts davon"), None, "{question}");
        }
        assert_eq!(english("who built it", "", "彼が作った"), Some(true));
    }
}
