//! Finds the words of a query in texts. Pure.

use rustc_hash::FxHashMap;

use super::Query;
use crate::words::{self, Language, Word};

/// A query that is looked for in one text after the other. Which of its words a word stands for is
/// worked out once, however often the word comes.
pub(crate) struct Matcher<'q> {
    pub(super) query: &'q Query,
    beginnings: Beginnings,
    roots: Roots,
    known: Vec<(Language, Known)>,
}

/// Which word of the query each word seen so far stands for.
type Known = FxHashMap<Box<str>, Option<Meant>>;

/// A word of the query that was found.
#[derive(Clone, Copy)]
struct Meant {
    group: usize,
    /// Whether it is the word itself, not a longer one that it is part of.
    is_whole: bool,
}

impl<'q> Matcher<'q> {
    pub(crate) fn new(query: &'q Query) -> Self {
        Self {
            query,
            beginnings: Beginnings::of(query),
            roots: Roots::of(query),
            known: Vec::new(),
        }
    }

    /// Calls `found(group, start, end)` for each word of `text` that the query asks for; returns how
    /// many words there are.
    pub(crate) fn each(
        &mut self,
        text: &str,
        language: Language,
        found: impl FnMut(usize, usize, usize),
    ) -> usize {
        self.each_word(text, language, true, found)
    }

    /// The same, and for longer words that a word of the query is part of: what is shown of a note shows
    /// why it was found.
    pub(crate) fn each_or_part(
        &mut self,
        text: &str,
        language: Language,
        found: impl FnMut(usize, usize, usize),
    ) -> usize {
        self.each_word(text, language, !language.joins_words(), found)
    }

    fn each_word(
        &mut self,
        text: &str,
        language: Language,
        only_whole: bool,
        mut found: impl FnMut(usize, usize, usize),
    ) -> usize {
        let at = self.language(language);
        let (query, known) = (self.query, &mut self.known[at].1);
        let mut n_words = 0;
        // Dutch puts "ge" in front, so that "gewerkt" stands under "werk"; Finnish undoubles letters.
        let is_steady = !matches!(language, Language::Dutch | Language::Finnish);
        for word in words::words(text) {
            n_words += 1;
            let may_be_part = || !only_whole && self.roots.may_be_in(word.text);
            if is_steady && !self.beginnings.has(word.text) && !may_be_part() {
                continue;
            }
            let meant = match known.get(word.text) {
                Some(meant) => *meant,
                None => {
                    let meant = meant_by(&word, query, language);
                    known.insert(word.text.into(), meant);
                    meant
                }
            };
            if let Some(Meant { group, .. }) = meant.filter(|m| m.is_whole || !only_whole) {
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

/// The first letters of the terms of a query that may be part of longer words: most words hold none.
struct Roots(Vec<[u8; ROOT_BYTES]>);

const ROOT_BYTES: usize = 4;

impl Roots {
    fn of(query: &Query) -> Self {
        let terms = query.groups.iter().flat_map(|group| &group.terms);
        let roots = terms.filter_map(|term| term.as_bytes().first_chunk());
        Self(roots.copied().collect())
    }

    /// Whether a term may be in a word; accents and other scripts may stand for anything.
    fn may_be_in(&self, word: &str) -> bool {
        let mut places = word.as_bytes().windows(ROOT_BYTES);
        let is_root = |place: &[u8]| self.0.iter().any(|root| root.eq_ignore_ascii_case(place));
        word.len() > ROOT_BYTES && (!word.is_ascii() || places.any(is_root))
    }
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
fn meant_by(word: &Word<'_>, query: &Query, language: Language) -> Option<Meant> {
    let term = words::term_of(word, language);
    let groups = || query.groups.iter();
    let whole = groups().position(|group| {
        group.terms.iter().any(|spelling| {
            if group.is_prefix {
                term.starts_with(spelling.as_str())
            } else {
                term == *spelling
            }
        })
    });
    let part = || {
        if !language.joins_words() {
            return None;
        }
        let doer = words::doer(word, language);
        let is_part = |spelling: &String| {
            let mut longer = std::iter::once(&term).chain(&doer);
            longer.any(|longer| words::part_place(spelling, longer).is_some())
        };
        groups().position(|group| group.terms.iter().any(is_part))
    };
    let meant = |group, is_whole| Meant { group, is_whole };
    let whole = whole.map(|group| meant(group, true));
    whole.or_else(|| part().map(|group| meant(group, false)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    fn check(matcher: &mut Matcher<'_>, text: &str, language: Language) -> String {
        let mut found = String::new();
        let n_words = matcher.each(text, language, |group, start, end| {
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
            let n_words = Matcher::new(&query).each(&word, language, |_, _, _| n_found += 1);
            prop_assert!(n_found >= query.groups.len(), "{} of {n_words} in {word}", n_found);
        }
    }

    #[test]
    fn words_whose_beginning_changes_are_found() {
        let query = Query::parse("die sky", &[(Language::English, 1)]);
        let found = check(
            &mut Matcher::new(&query),
            "dying under skies",
            Language::English,
        );
        assert_snapshot!(found, @"0:dying 1:skies of 3");
        let query = Query::parse("Übung", &[(Language::German, 1)]);
        let found = check(&mut Matcher::new(&query), "Uebungen", Language::German);
        assert_snapshot!(found, @"0:Uebungen of 1");
        let query = Query::parse("werken", &[(Language::Dutch, 1)]);
        let found = check(&mut Matcher::new(&query), "Er is gewerkt.", Language::Dutch);
        assert_snapshot!(found, @"0:gewerkt of 3");
    }

    #[test]
    fn longer_words_are_found_by_their_parts_where_that_is_asked() {
        let query = Query::parse("Vertrag", &[(Language::German, 1)]);
        let mut matcher = Matcher::new(&query);
        let text = "Der Vertrag und die Mietverträge.";
        assert_snapshot!(check(&mut matcher, text, Language::German), @"0:Vertrag of 5");
        let mut found = Vec::new();
        matcher.each_or_part(text, Language::German, |_, start, end| {
            found.push(&text[start..end])
        });
        assert_eq!(found, ["Vertrag", "Mietverträge"]);
        let query = Query::parse("Feger", &[(Language::German, 1)]);
        let chimney = "Fegefeuer der Schornsteinfegerin";
        let mut doers = Vec::new();
        Matcher::new(&query).each_or_part(chimney, Language::German, |_, start, end| {
            doers.push(&chimney[start..end]);
        });
        assert_eq!(doers, ["Schornsteinfegerin"]);
        found.clear();
        matcher.each_or_part(text, Language::English, |_, start, end| {
            found.push(&text[start..end])
        });
        assert_eq!(found, ["Vertrag"]);
    }

    #[test]
    fn a_word_is_judged_by_its_language_each_time() {
        let query = Query::parse("old houses", &[(Language::English, 1)]);
        let mut matcher = Matcher::new(&query);
        assert_snapshot!(check(&mut matcher, "Houses, a HOUSE.", Language::English), @"1:Houses 1:HOUSE of 3");
        // Without grammar the plural is another word.
        assert_snapshot!(check(&mut matcher, "Houses, old.", Language::Unknown), @"0:old of 2");
        assert_snapshot!(check(&mut matcher, "Houses, old.", Language::English), @"1:Houses 0:old of 2");
    }
}
