//! What a person typed into what the retrievers are asked. Pure; anything typed is valid.

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
}

impl Query {
    /// Understands `text` for notes in the given languages, commonest first.
    pub fn parse(text: &str, languages: &[(Language, u64)]) -> Self {
        let text = text.trim();
        let spoken = languages_above(languages, LANGUAGE_SHARE_MIN);
        let spelled: Vec<Language> = spoken.iter().copied().take(LANGUAGES_MAX).collect();
        let dominant = languages_above(languages, STOP_SHARE_MIN);
        let all: Vec<Word<'_>> = words::words(text)
            .filter(|word| !is_run_tail(text, word))
            .collect();
        let mut kept: Vec<&Word<'_>> = all
            .iter()
            .filter(|word| !is_stop(word, &dominant))
            .collect();
        if kept.is_empty() {
            // "to be or not to be" is all function words, and still a question.
            kept = all.iter().collect();
        }
        let mut groups: Vec<TermGroup> = Vec::new();
        let mut typed = Vec::new();
        let mut n_said: Vec<u32> = Vec::new();
        for word in kept {
            let group = TermGroup {
                terms: words::term_variants(word, &spelled),
                is_prefix: word.kind == WordKind::Gram && word.text.chars().count() == 1,
            };
            match groups.iter().position(|known| *known == group) {
                Some(number) => n_said[number] += 1,
                None => {
                    groups.push(group);
                    typed.push(word.text.to_owned());
                    n_said.push(1);
                }
            }
        }
        let name = text.strip_suffix(".md").unwrap_or(text);
        Self {
            text: text.to_owned(),
            groups,
            words: typed,
            n_said,
            name_key: words::name_key(name.trim_matches('"')),
        }
    }
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

fn is_stop(word: &Word<'_>, languages: &[Language]) -> bool {
    let mut lowered = String::new();
    words::lower_into(word.text, &mut lowered);
    languages
        .iter()
        .any(|&language| words::is_stop_word(&lowered, language))
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
