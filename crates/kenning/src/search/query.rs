//! What a person typed into what the retrievers are asked. Pure; anything typed is valid.

use rustc_hash::FxHashMap;

use super::spelling;
use crate::store::TermGroup;
use crate::words::{self, Language, Word, WordKind};

/// Languages with a smaller share of the notes do not add spellings of their own.
const LANGUAGE_SHARE_MIN: f64 = 0.01;
/// Most languages whose spellings are tried.
const LANGUAGES_MAX: usize = 4;
/// A function word is dropped if it is one in a language with at least this share of the notes.
const STOP_SHARE_MIN: f64 = 0.2;

/// A question, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// As typed, blanks trimmed.
    pub text: String,
    /// One group per word that counts.
    pub groups: Vec<TermGroup>,
    /// The words the groups stand for, as typed.
    pub words: Vec<String>,
    /// How often each of them was said.
    pub n_said: Vec<u32>,
    /// The text as a name (see [`words::name_key`]).
    pub name_key: String,
    /// The name that is left of a question without its function words ("what is a race condition"), as it
    /// is written and by its stems.
    pub asked_names: Vec<String>,
    /// Names of code such as `select_related`, in lower case, each with the groups of its words.
    pub identifiers: Vec<(String, Vec<usize>)>,
    /// The language it is asked in, if no note is written in that.
    pub foreign: Option<Language>,
}

impl Query {
    /// Understands `text` for notes in the given languages, commonest first.
    pub fn parse(text: &str, languages: &[(Language, u64)]) -> Self {
        let text = text.trim();
        let spelled = spelled_by(languages);
        let all: Vec<Word<'_>> = words::words(text)
            .filter(|word| !is_run_tail(text, word))
            .collect();
        let (is_stop, foreign) = stops(&all, &languages_above(languages, STOP_SHARE_MIN));
        let has_known = (languages.iter()).any(|(language, _)| *language != Language::Unknown);
        let is_spoken = |language: &Language| languages.iter().any(|(one, _)| one == language);
        let mut kept: Vec<&Word<'_>> = all
            .iter()
            .zip(&is_stop)
            .filter(|(_, is_stop)| !**is_stop)
            .map(|(word, _)| word)
            .collect();
        if kept.is_empty() {
            // "to be or not to be" is all function words, and still a question.
            kept = all.iter().collect();
        }
        let mut groups: Vec<TermGroup> = Vec::new();
        let mut numbers: FxHashMap<TermGroup, usize> = FxHashMap::default();
        let mut typed = Vec::new();
        let mut n_said: Vec<u32> = Vec::new();
        for word in kept {
            let group = TermGroup {
                terms: words::term_variants(word, &spelled),
                is_prefix: word.kind == WordKind::Gram && word.text.chars().count() == 1,
            };
            match numbers.get(&group) {
                Some(&number) => n_said[number] += 1,
                None => {
                    numbers.insert(group.clone(), groups.len());
                    groups.push(group);
                    typed.push(word.text.to_owned());
                    n_said.push(1);
                }
            }
        }
        let name = text.strip_suffix(".md").unwrap_or(text);
        let identifiers = identifiers(text, &typed);
        Self {
            identifiers,
            foreign: foreign.filter(|language| has_known && !is_spoken(language)),
            text: text.to_owned(),
            groups,
            words: typed,
            n_said,
            name_key: words::name_key(name.trim_matches('"')),
            asked_names: match asked_name(text, &all, &is_stop) {
                Some(name) => name_keys(name, &spelled),
                None => Vec::new(),
            },
        }
    }
}

impl Query {
    /// Returns the same question with other terms in place of those of some words, by their numbers.
    pub(super) fn corrected<'g>(
        &self,
        corrections: impl Iterator<Item = (usize, &'g TermGroup)>,
    ) -> Self {
        let mut corrected = self.clone();
        for (number, group) in corrections {
            corrected.groups[number] = group.clone();
        }
        corrected
    }

    /// Adds how notes in rarer languages of the vault spell words that no note says otherwise. `says` tells
    /// whether a note in a language has a term.
    pub(super) fn widen<E>(
        &mut self,
        languages: &[(Language, u64)],
        is_said: impl Fn(&[String]) -> Result<bool, E>,
        says: impl Fn(&str, Language) -> Result<bool, E>,
    ) -> Result<(), E> {
        let spelled = spelled_by(languages);
        let rarer: Vec<Language> = (languages.iter().map(|(language, _)| *language))
            .filter(|language| !spelled.contains(language) && *language != Language::Unknown)
            .collect();
        for (group, word) in self.groups.iter_mut().zip(&self.words) {
            if rarer.is_empty() || group.is_prefix || is_said(&group.terms)? {
                continue;
            }
            let Some(word) = words::words(word).next() else {
                continue;
            };
            for &language in &rarer {
                let term = words::term_of(&word, language);
                if !group.terms.contains(&term) && says(&term, language)? {
                    group.terms.push(term);
                }
            }
        }
        Ok(())
    }
}

/// Parts that a long word is cut into at most.
const PARTS_MAX: usize = 4;

impl Query {
    /// Cuts words that no note says into parts that notes say: a "Mietvertragskündigung" is asked for as a
    /// "Mietvertrag" and a "Kündigung". Only for notes in languages that join words.
    pub(super) fn cut<E>(
        &mut self,
        languages: &[(Language, u64)],
        is_said: impl Fn(&[String]) -> Result<bool, E>,
    ) -> Result<(), E> {
        let spelled = spelled_by(languages);
        let joins = |language: &&Language| language.joins_words();
        // Names of code know their words by number.
        let Some(&language) = spelled
            .iter()
            .find(joins)
            .filter(|_| self.identifiers.is_empty())
        else {
            return Ok(());
        };
        let parts = Parts {
            language,
            spelled: &spelled,
            is_said: &is_said,
        };
        let mut number = 0;
        while let Some(group) = self.groups.get(number) {
            let mut found = Vec::new();
            if !group.is_prefix && !is_said(&group.terms)? {
                found = parts.of(&self.words[number].to_lowercase(), PARTS_MAX)?;
            }
            let n_parts = found.len();
            if n_parts > 0 {
                let (words, groups): (Vec<_>, Vec<_>) = found.into_iter().unzip();
                let n_said = self.n_said[number];
                self.words.splice(number..=number, words);
                self.groups.splice(number..=number, groups);
                self.n_said
                    .splice(number..=number, std::iter::repeat_n(n_said, n_parts));
            }
            number += n_parts.max(1);
        }
        Ok(())
    }
}

/// Looks for words inside of longer ones.
struct Parts<'p, F> {
    language: Language,
    spelled: &'p [Language],
    is_said: &'p F,
}

/// A part of a word, and what it is looked for by.
type PartOfWord = (String, TermGroup);

impl<F, E> Parts<'_, F>
where
    F: Fn(&[String]) -> Result<bool, E>,
{
    /// Returns the parts of a word, all of which notes say; none if there is no such way to cut it.
    fn of(&self, word: &str, most: usize) -> Result<Vec<PartOfWord>, E> {
        let cuts = words::cuts(word, self.language);
        for (front, back) in &cuts {
            if let Some(back) = self.said(back)?
                && let Some(front) = self.said(front)?
            {
                return Ok(vec![front, back]);
            }
        }
        // What stands in front may be several words itself.
        for (front, back) in cuts.into_iter().filter(|_| most > 2) {
            if let Some(back) = self.said(back)? {
                let mut parts = self.of(front, most - 1)?;
                if !parts.is_empty() {
                    parts.push(back);
                    return Ok(parts);
                }
            }
        }
        Ok(Vec::new())
    }

    fn said(&self, part: &str) -> Result<Option<PartOfWord>, E> {
        let word = words::words(part).next();
        let Some(word) = word.filter(|_| !words::is_stop_word(part, self.language)) else {
            return Ok(None);
        };
        let terms = words::term_variants(&word, self.spelled);
        let is_said = (self.is_said)(&terms)?;
        let is_prefix = false;
        Ok(is_said.then(|| (part.to_owned(), TermGroup { terms, is_prefix })))
    }
}

/// The languages whose spellings are always tried: the commonest.
fn spelled_by(languages: &[(Language, u64)]) -> Vec<Language> {
    let spoken = languages_above(languages, LANGUAGE_SHARE_MIN);
    let known = spoken
        .iter()
        .filter(|language| **language != Language::Unknown);
    let mut spelled: Vec<Language> = known.copied().take(LANGUAGES_MAX).collect();
    // Where no stemmer applies, words stay as they are written.
    spelled.extend((spoken.contains(&Language::Unknown)).then_some(Language::Unknown));
    spelled
}

fn languages_above(languages: &[(Language, u64)], share_min: f64) -> Vec<Language> {
    let n_notes: u64 = languages.iter().map(|(_, n)| n).sum();
    let least = (n_notes as f64 * share_min).max(1.0);
    languages
        .iter()
        .filter(|(_, n)| *n as f64 >= least)
        .map(|(language, _)| *language)
        .collect()
}

/// Tells which words of a question are function words: of its own language, where they show which one
/// that is, and of the languages that many notes are written in, where they do not or where it is another.
/// A German "die" must not find what an English note says of dying, nor an English "war" be lost because
/// German notes say it all the time. The language of a question that is asked in none of these is told, too.
fn stops(all: &[Word<'_>], dominant: &[Language]) -> (Vec<bool>, Option<Language>) {
    let lowered: Vec<String> = all.iter().map(lowered).collect();
    let asked = words::languages_by_stop_words(&lowered);
    let spoken: Vec<Language> = (dominant.iter().copied())
        .filter(|language| asked.contains(language))
        .collect();
    let is_foreign = spoken.is_empty() && is_foreign(&lowered, &asked, dominant);
    let is_stop = |word: &String| match spoken.is_empty() {
        false => is_of_any(word, &spoken),
        true => is_foreign && is_of_all(word, &asked) || is_of_any(word, dominant),
    };
    let is_sure = is_foreign && n_own(&lowered, &asked, dominant) >= FOREIGN_WORDS_MIN;
    let foreign = asked.first().filter(|_| is_sure && asked.len() == 1);
    (lowered.iter().map(is_stop).collect(), foreign.copied())
}

/// Function words of another language that a question must have to be told to be in it.
const FOREIGN_WORDS_MIN: usize = 2;

/// Returns how many function words of these languages, and of no others, a question has.
fn n_own(lowered: &[String], asked: &[Language], dominant: &[Language]) -> usize {
    let is_own = |word: &&String| is_of_any(word, asked) && !is_of_any(word, dominant);
    lowered.iter().filter(is_own).count()
}

/// Whether a question is asked in none of the languages of the notes. One function word of another may be
/// a word like any other ("die hard", "war in Ukraine"): it takes two, or that nothing beside it is English.
fn is_foreign(lowered: &[String], asked: &[Language], dominant: &[Language]) -> bool {
    let (own, others): (Vec<&String>, Vec<&String>) = (lowered.iter())
        .filter(|word| !is_of_any(word, dominant))
        .partition(|word| is_of_any(word, asked));
    let is_english = |word: &&String| spelling::is_english(word);
    own.len() >= 2 || !others.is_empty() && !others.iter().any(is_english)
}

fn is_of_any(word: &str, languages: &[Language]) -> bool {
    let mut languages = languages.iter();
    languages.any(|&language| words::is_stop_word(word, language))
}

fn is_of_all(word: &str, languages: &[Language]) -> bool {
    let mut languages = languages.iter();
    languages.all(|&language| words::is_stop_word(word, language))
}

fn lowered(word: &Word<'_>) -> String {
    let mut lowered = String::new();
    words::lower_into(word.text, &mut lowered);
    lowered
}

/// Returns what is left where only function words stand in front of it, if they ask for it or are but an
/// article.
fn asked_name<'t>(text: &'t str, all: &[Word<'_>], is_stop: &[bool]) -> Option<&'t str> {
    let first = is_stop.iter().position(|is_stop| !is_stop)?;
    let asks = words::is_question_word(&lowered(all.first()?));
    let last = all.last()?;
    if first == 0 || is_stop.last() == Some(&true) || !(asks || first == 1) {
        return None;
    }
    let end = last.start + last.text.len();
    Some(&text[all[first].start..end])
}

fn name_keys(name: &str, languages: &[Language]) -> Vec<String> {
    let mut keys = vec![words::name_key(name)];
    for &language in languages {
        let stems = words::name_stems(name, language);
        if !keys.contains(&stems) {
            keys.push(stems);
        }
    }
    keys
}

/// Returns the names in a text that are made of several words, by their numbers in `typed`.
fn identifiers(text: &str, typed: &[String]) -> Vec<(String, Vec<usize>)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let tokens = text
        .split(|c| !is_part(c))
        .map(|token| token.trim_matches('_'));
    tokens
        .filter(|token| token.contains('_'))
        .filter_map(|token| {
            let parts = words::words(token);
            let numbers = parts.map(|part| typed.iter().position(|word| word == part.text));
            let numbers: Vec<usize> = numbers.flatten().collect();
            (numbers.len() > 1).then(|| (token.to_lowercase(), numbers))
        })
        .collect()
}

/// The last character of an unspaced run stands alone in the index; a longer run does not need it.
fn is_run_tail(text: &str, word: &Word<'_>) -> bool {
    word.kind == WordKind::Gram
        && word.text.chars().count() == 1
        && text[..word.start]
            .chars()
            .next_back()
            .is_some_and(words::is_unspaced)
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn check(text: &str) -> String {
        let languages = [(Language::English, 80), (Language::German, 20)];
        let query = Query::parse(text, &languages);
        let groups: Vec<String> = query
            .groups
            .iter()
            .map(|group| group.terms.join("|") + if group.is_prefix { "*" } else { "" })
            .collect();
        format!("{} [{}]", groups.join(" "), query.name_key)
    }

    #[test]
    fn function_words_go_unless_nothing_else_is_there() {
        assert_snapshot!(check("How do I repair the roofs?"), @"repair roof [how do i repair the roofs?]");
        assert_snapshot!(check("to be or not to be"), @"to be or not [to be or not to be]");
    }

    #[test]
    fn function_words_are_those_of_the_question() {
        // German notes say "war" all the time; here it is what is asked for.
        assert_snapshot!(check("what started the war"), @"start|started war [what started the war]");
        assert_snapshot!(check("wann war die Reise"), @"reis [wann war die reise]");
        let english = |text| {
            let query = Query::parse(text, &[(Language::English, 100)]);
            query.words.join(" ")
        };
        assert_snapshot!(english("was war der Grund für die Reise"), @"Grund Reise");
        assert_snapshot!(english("Was kostet die Miete?"), @"kostet Miete");
        assert_snapshot!(english("pourquoi est-ce que le chat est sur la table"), @"chat table");
        assert_snapshot!(english("die hard"), @"die hard");
        assert_snapshot!(english("die Wohnung"), @"Wohnung");
        assert_snapshot!(english("Kündigung der Wohnung"), @"Kündigung Wohnung");
        assert_snapshot!(english("fiets van oma"), @"fiets oma");
        assert_snapshot!(english("war in Ukraine"), @"war Ukraine");
        assert_snapshot!(english("war crimes"), @"war crimes");
        assert_snapshot!(english("die"), @"die");
        assert_snapshot!(english("the war in the east"), @"war east");
        let german = |text| {
            let query = Query::parse(text, &[(Language::German, 100)]);
            query.words.join(" ")
        };
        assert_snapshot!(german("what is the cause of the war"), @"cause");
        assert_snapshot!(german("how do I bake bread"), @"bake bread");
    }

    #[test]
    fn long_words_that_no_note_says_are_cut_into_words_that_notes_say() {
        let said = [
            "vertrag",
            "freiheit",
            "mietvertrag",
            "kundig",
            "frist",
            "nicht",
        ];
        let cut = |text: &str, notes: &[(Language, u64)]| {
            let mut query = Query::parse(text, notes);
            let is_said = |terms: &[String]| {
                Ok::<_, ()>(terms.iter().any(|term| said.contains(&term.as_str())))
            };
            query.cut(notes, is_said).unwrap();
            assert_eq!(query.words.len(), query.groups.len());
            query.words.join(" ")
        };
        let german = [(Language::German, 100)];
        assert_snapshot!(cut("Vertragsfreiheit im Mietvertrag", &german), @"vertrags freiheit Mietvertrag");
        assert_snapshot!(cut("Mietvertragskündigungsfrist", &german), @"mietvertrags kündigungs frist");
        assert_snapshot!(cut("Nichtfreiheit Regenschirm", &german), @"Nichtfreiheit Regenschirm");
        assert_snapshot!(cut("Vertragsfreiheit", &[(Language::English, 100)]), @"Vertragsfreiheit");
    }

    #[test]
    fn a_question_in_another_language_than_the_notes_is_told() {
        let foreign = |text: &str, notes: &[(Language, u64)]| Query::parse(text, notes).foreign;
        let english = [(Language::English, 100)];
        let german = "wer hat die Heizung und den Kessel repariert";
        assert_eq!(foreign(german, &english), Some(Language::German));
        assert_eq!(foreign("war in Ukraine", &english), None);
        assert_eq!(foreign("who repaired the boiler", &english), None);
        let both = [(Language::English, 999), (Language::German, 1)];
        assert_eq!(foreign(german, &both), None);
        assert_eq!(foreign(german, &[(Language::Unknown, 5)]), None);
        assert_eq!(foreign(german, &[]), None);
    }

    #[test]
    fn a_question_may_ask_for_a_name() {
        let asked = |text| {
            let query = Query::parse(text, &[(Language::English, 80), (Language::German, 20)]);
            query.asked_names.first().cloned().unwrap_or_default()
        };
        assert_eq!(asked("what is a race condition"), "race condition");
        assert_eq!(asked("What's the Race-Condition?"), "race condition");
        assert_eq!(asked("Wo ist der Reisepass?"), "reisepass");
        assert_eq!(
            asked("who wrote The Lord of the Rings"),
            "wrote the lord of the rings"
        );
        assert_eq!(asked("the roof"), "roof");
        assert_eq!(asked("race condition"), "");
        assert_eq!(asked("can you test this"), "");
        assert_eq!(asked("should we go"), "");
    }

    #[test]
    fn each_language_of_the_vault_adds_its_spelling() {
        assert_snapshot!(check("Häuser"), @"hauser|haus [häuser]");
    }

    #[test]
    fn unspaced_scripts_are_asked_for_in_pairs() {
        assert_snapshot!(check("编程语言"), @"编程 程语 语言 [编程语言]");
        assert_snapshot!(check("言"), @"言* [言]");
    }

    #[test]
    fn a_word_that_is_said_again_is_counted() {
        let query = Query::parse("roof, roofs and the gutter", &[(Language::English, 1)]);
        assert_eq!((query.groups.len(), &query.n_said[..]), (2, &[2, 1][..]));
    }

    #[test]
    fn nothing_typed_is_an_empty_query() {
        assert_snapshot!(check("  ?!  "), @" [?!]");
    }
}
