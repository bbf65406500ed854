//! Whether a word may be a slip. Pure.

use super::intent;
use crate::embed::{self, TokenVectors};
use crate::store::Typed;
use crate::words;

/// Returns the words of a query as they were typed, those that are spelled right left empty: what the
/// notes do not say of them, they do not say. `n_said` tells how often each of them was typed.
///
/// Right is what the vocabulary of the model in the binary has as one piece, and what is a function word
/// of any language.
pub(super) fn typed(words: &[String], n_said: &[u32]) -> Vec<Typed> {
    let words = words.iter().zip(n_said);
    words
        .map(|(word, &n_said)| Typed { n_said, ..of(word) })
        .collect()
}

fn of(word: &str) -> Typed {
    let mut lowered = String::new();
    words::lower_into(word, &mut lowered);
    if is_right(&lowered) || is_abbreviation(word) {
        lowered.clear();
    }
    Typed {
        is_name: intent::is_camel(word),
        n_said: 1,
        word: lowered,
    }
}

/// Abbreviations mean exactly what they say.
fn is_abbreviation(word: &str) -> bool {
    let has_capitals = word.chars().skip(1).any(char::is_uppercase);
    word.chars().count() <= ABBREVIATION_CHARS_MAX && has_capitals
}

/// Longer words in capitals are shouted.
const ABBREVIATION_CHARS_MAX: usize = 5;

fn is_right(lowered: &str) -> bool {
    words::is_stop_word_anywhere(lowered) || is_english(lowered)
}

/// Whether a word is one of English, in lower case: its vocabulary is the one in the binary.
pub(super) fn is_english(lowered: &str) -> bool {
    let knows = |word: &str| embed::embedded().knows(word);
    knows(lowered) || lowered.strip_suffix('s').is_some_and(knows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_spelled_right_is_no_slip() {
        for word in [
            "blood", "deed", "Garage", "brake", "brakes", "graag", "Wann", "waarom",
        ] {
            let is_slip = !of(word).word.is_empty();
            assert_eq!(is_slip, word == "graag", "{word}");
        }
        assert!(
            of("PPAR").word.is_empty()
                && of("dLNs").word.is_empty()
                && !of("PENLATY").word.is_empty()
        );
        for word in [
            "intersction",
            "querySelectorAl",
            "peanlty",
            "atttic",
            "seitan",
        ] {
            assert_eq!(of(word).word, word.to_lowercase());
        }
        assert!(of("querySelectorAl").is_name && !of("penalty").is_name);
    }
}
