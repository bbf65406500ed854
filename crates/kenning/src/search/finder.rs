//! Finds the words of a query in texts. Pure.

use rustc_hash::FxHashMap;

use super::Query;
use crate::words::{self, Language, Word};

/// A query that is looked for in one text after the other. Which of its words a word stands for is
/// worked out once, however often the word comes.
pub(super) struct Finder<'q> {
    pub(super) query: &'q Query,
    /// ASCII letters and digits that terms of the query begin with, one bit each.
    initials: u128,
    known: Vec<(Language, Known)>,
}

/// Which word of the query each word seen so far stands for.
type Known = FxHashMap<Box<str>, Option<usize>>;

impl<'q> Finder<'q> {
    pub(super) fn new(query: &'q Query) -> Self {
        let terms = query.groups.iter().flat_map(|group| &group.terms);
        let firsts = terms.filter_map(|term| term.chars().next());
        Self {
            query,
            initials: firsts
                .filter(char::is_ascii)
                .fold(0, |bits, c| bits | 1 << (c as u32)),
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
        for word in words::words(text) {
            n_words += 1;
            // Stemming never changes how a word begins, so most words need not be stemmed at all.
            if !may_begin(word.text, self.initials) {
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

    /// Tells for each word of the query whether `text` holds it.
    pub(super) fn held(&mut self, text: &str, language: Language) -> Vec<bool> {
        let mut is_held = vec![false; self.query.groups.len()];
        self.each(text, language, |group, _, _| is_held[group] = true);
        is_held
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

fn may_begin(word: &str, initials: u128) -> bool {
    match word.as_bytes().first() {
        Some(byte) if byte.is_ascii() => initials >> byte.to_ascii_lowercase() & 1 == 1,
        _ => match word.chars().flat_map(char::to_lowercase).next() {
            Some(c) if c.is_ascii() => initials >> (c as u32) & 1 == 1,
            _ => true,
        },
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

    fn check(finder: &mut Finder<'_>, text: &str, language: Language) -> String {
        let mut found = String::new();
        let n_words = finder.each(text, language, |group, start, end| {
            found += &format!("{group}:{} ", &text[start..end]);
        });
        format!("{found}of {n_words}")
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
