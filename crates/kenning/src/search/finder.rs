//! Finds the words of a query in texts. Pure.

use rustc_hash::FxHashMap;

use super::Query;
use crate::words::{self, Language, Word};

/// A query that is looked for in one text after the other. Which of its words a word stands for is
/// worked out once, however often the word comes.
pub(super) struct Finder<'q> {
    pub(super) query: &'q Query,
    beginnings: Beginnings,
    known: Vec<(Language, Known)>,
}

/// Which word of the query each word seen so far stands for.
type Known = FxHashMap<Box<str>, Option<usize>>;

impl<'q> Finder<'q> {
    pub(super) fn new(query: &'q Query) -> Self {
        Self {
            query,
            beginnings: Beginnings::of(query),
            known: Vec::new(),
        }
    }

    /// Calls `found(group, start, end)` for each word of `text` that the query asks for; returns how
    /// many words there are.
    pub(super) fn each(
        &mut self,
        text: &str,
        language: Language,
        mut found: impl FnMut(usize, usize, usize),
    ) -> usize {
        let at = self.language(language);
        let (query, known) = (self.query, &mut self.known[at].1);
        let mut n_words = 0;
        // Dutch puts "ge" in front, so that "gewerkt" stands under "werk"; Finnish undoubles letters.
        let is_steady = !matches!(language, Language::Dutch | Language::Finnish);
        for word in words::words(text) {
            n_words += 1;
            if is_steady && !self.beginnings.has(word.text) {
                continue;
            }
            let group = match known.get(word.text) {
                Some(group) => *group,
                None => {
                    let group = group_of(&word, query, language);
                    known.insert(word.text.into(), group);
                    group
                }
            };
            if let Some(group) = group {
                found(group, word.start, word.start + word.text.len());
            }
        }
        n_words
    }

    /// Returns where the words of a language are remembered; texts have few languages.
    fn language(&mut self, language: Language) -> usize {
        let known = self.known.iter().position(|(known, _)| *known == language);
        known.unwrap_or_else(|| {
            self.known.push((language, Known::default()));
            self.known.len() - 1
        })
    }
}

/// What the terms of a query begin with. In most languages, stemming hardly changes how a word begins,
/// so most words need not be stemmed at all.
struct Beginnings {
    /// For each first letter, the second ones, one bit each.
    seconds: [u32; LETTERS],
}

/// Letters and digits that are told apart, whatever their case; some digits pass for letters.
const LETTERS: usize = 32;

impl Beginnings {
    fn of(query: &Query) -> Self {
        let mut seconds = [0; LETTERS];
        for group in &query.groups {
            for term in &group.terms {
                match *term.as_bytes() {
                    // A prefix goes on with anything, and the end of a stem may have changed.
                    [first] | [first, _] => seconds[letter(first)] = u32::MAX,
                    [first, second, ..] => seconds[letter(first)] |= 1 << letter(second),
                    [] => {}
                }
            }
        }
        Self { seconds }
    }

    /// Whether a term may begin as a word does; accents and other scripts may stand for anything.
    #[inline]
    fn has(&self, word: &str) -> bool {
        match *word.as_bytes() {
            // An umlaut that is spelled out: "ueber" stands under "uber".
            [b'A' | b'a' | b'O' | b'o' | b'U' | b'u', b'E' | b'e', ..] => true,
            [first, second, ..] if first.is_ascii() && second.is_ascii() => {
                self.seconds[letter(first)] >> letter(second) & 1 == 1
            }
            [first] => self.seconds[letter(first)] != 0,
            _ => true,
        }
    }
}

/// Returns the number of a letter; "dying" is a form of "die".
#[inline]
fn letter(byte: u8) -> usize {
    match byte & 31 {
        25 => 9,
        letter => usize::from(letter),
    }
}

/// Returns the word of the query that a word stands for.
fn group_of(word: &Word<'_>, query: &Query, language: Language) -> Option<usize> {
    let term = words::term_of(word, language);
    query.groups.iter().position(|group| {
        group.terms.iter().any(|spelling| {
            if group.is_prefix {
                term.starts_with(spelling.as_str())
            } else {
                term == *spelling
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    fn check(finder: &mut Finder<'_>, text: &str, language: Language) -> String {
        let mut found = String::new();
        let n_words = finder.each(text, language, |group, start, end| {
            found += &format!("{group}:{} ", &text[start..end]);
        });
        format!("{found}of {n_words}")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Looking at how words begin must never hide one.
        #[test]
        fn every_word_is_found_by_its_own_term(
            word in "[a-zA-Z]{1,10}|[a-zß-ö_0-9]{1,6}",
            language in prop::sample::select(vec![
                "ar", "da", "nl", "en", "fi", "fr", "de", "el", "hu", "it", "no", "pt", "ro", "ru", "es",
                "sv", "ta", "tr", "und",
            ]),
        ) {
            let language = Language::from_code(language);
            let query = Query::parse(&word, &[(language, 1)]);
            let mut n_found = 0;
            let n_words = Finder::new(&query).each(&word, language, |_, _, _| n_found += 1);
            prop_assert!(n_found >= query.groups.len(), "{} of {n_words} in {word}", n_found);
        }
    }

    #[test]
    fn words_whose_beginning_changes_are_found() {
        let query = Query::parse("die sky", &[(Language::English, 1)]);
        let found = check(
            &mut Finder::new(&query),
            "dying under skies",
            Language::English,
        );
        assert_snapshot!(found, @"0:dying 1:skies of 3");
        let query = Query::parse("Übung", &[(Language::German, 1)]);
        let found = check(&mut Finder::new(&query), "Uebungen", Language::German);
        assert_snapshot!(found, @"0:Uebungen of 1");
        let query = Query::parse("werken", &[(Language::Dutch, 1)]);
        let found = check(&mut Finder::new(&query), "Er is gewerkt.", Language::Dutch);
        assert_snapshot!(found, @"0:gewerkt of 3");
    }

    #[test]
    fn a_word_is_judged_by_its_language_each_time() {
        let query = Query::parse("old houses", &[(Language::English, 1)]);
        let mut finder = Finder::new(&query);
        assert_snapshot!(check(&mut finder, "Houses, a HOUSE.", Language::English), @"1:Houses 1:HOUSE of 3");
        // Without grammar the plural is another word.
        assert_snapshot!(check(&mut finder, "Houses, old.", Language::Unknown), @"0:old of 2");
        assert_snapshot!(check(&mut finder, "Houses, old.", Language::English), @"1:Houses 0:old of 2");
    }
}
