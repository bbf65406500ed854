//! Terms of the index that are spelled almost like a word that is not in it.

mod automaton;

use super::{Postings, WordField};
pub(super) use automaton::NearWords;

/// Letters from which one slip is forgiven, and from which two are.
const ONE_SLIP_LETTERS: usize = 4;
const TWO_SLIPS_LETTERS: usize = 8;
/// An ending is at most one in so many letters of a word.
const ENDING_SHARE: usize = 3;

/// Returns how many slips in a word are forgiven.
pub(in crate::store) fn slips_forgiven(word: &str) -> usize {
    // Numbers and names with digits mean exactly what they say.
    if word.contains(|c: char| c.is_ascii_digit() || c == '_') {
        return 0;
    }
    match word.chars().count() {
        ..ONE_SLIP_LETTERS => 0,
        ONE_SLIP_LETTERS..TWO_SLIPS_LETTERS => 1,
        _ => 2,
    }
}

/// Returns how many slips lead from what was typed to `word`, if so many are forgiven.
pub(in crate::store) fn slips(typed: &str, word: &str) -> Option<usize> {
    let most = slips_forgiven(typed);
    if word.len().abs_diff(typed.len()) > most * 4 {
        return None;
    }
    let letters: Vec<char> = typed.chars().collect();
    let n_slips = distance(&letters, word, most, 0);
    (n_slips <= most).then_some(n_slips)
}

/// Whether what was typed has the letters of a word, but for some that are missing, too many, or have
/// changed places.
pub(in crate::store) fn keeps_letters(typed: &str, word: &str) -> bool {
    let sorted = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    let is_within = |short: &str, long: &str| {
        let mut rest = long.chars();
        short.chars().all(|letter| rest.any(|own| own == letter))
    };
    is_within(typed, word) || is_within(word, typed) || sorted(typed) == sorted(word)
}

/// Adds the terms of a field that are within reach of `word`, one of the forms of what was typed.
///
/// The first letter is taken to be right, or to have changed places with the second: almost all slips
/// are further in, and it spares most of the dictionary. Terms are stems: what was typed may go on, by an
/// ending that is misspelled so that no grammar knows it.
pub(in crate::store) fn collect<P: Postings>(
    postings: &P,
    (part, field): (usize, WordField),
    word: &str,
    most: usize,
    found: &mut Vec<(usize, String)>,
) -> Result<(), P::Error> {
    let letters: Vec<char> = word.chars().collect();
    let n_ending = letters.len() / ENDING_SHARE;
    postings.near(part, field, (&letters, most, n_ending), |term| {
        if term.len().abs_diff(word.len()) <= most * 4 + n_ending {
            let distance = distance(&letters, term, most, n_ending);
            found.extend((distance <= most).then(|| (distance, term.to_owned())));
        }
    })
}

/// The letters that a term may begin with.
pub(super) fn firsts(letters: &[char]) -> &[char] {
    &letters[..letters.len().min(2)]
}

/// Counts the letters to add, drop, change or swap with their neighbour; stops above `most`. Up to
/// `n_ending` letters at the end of what is wanted may go for nothing.
fn distance(wanted: &[char], term: &str, most: usize, n_ending: usize) -> usize {
    let term: Vec<char> = term.chars().collect();
    if term.len() > wanted.len() + most || term.len() + most + n_ending < wanted.len() {
        return most + 1;
    }
    let mut least = most + 1;
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=term.len()).collect();
    for (i, x) in wanted.iter().enumerate() {
        let mut row = vec![i + 1; term.len() + 1];
        for (j, y) in term.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *x == term[j - 1] && wanted[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row[j + 1] = best;
        }
        if i + 1 + n_ending >= wanted.len() {
            least = least.min(row[term.len()]);
        }
        if row.iter().all(|&cost| cost > most) {
            break;
        }
        before = std::mem::replace(&mut last, row);
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tantivy_fst::Automaton;

    proptest! {
        /// Going through the dictionary letter by letter finds what comparing every term finds.
        #[test]
        fn nothing_near_is_left_out(
            wanted in "[a-dé]{1,12}",
            term in "[a-dé漢]{1,14}",
            most in 0usize..3,
            n_ending in 0usize..5,
        ) {
            let letters: Vec<char> = wanted.chars().collect();
            let near = NearWords::new(&letters, most, n_ending).unwrap();
            let mut state = near.start();
            for &byte in term.as_bytes() {
                state = match near.can_match(&state) {
                    true => near.accept(&state, byte),
                    false => state,
                };
            }
            let is_begun = term.starts_with(|first| firsts(&letters).contains(&first));
            let is_near = is_begun && distance(&letters, &term, most, n_ending) <= most;
            prop_assert_eq!(near.can_match(&state) && near.is_match(&state), is_near);
        }
    }

    #[test]
    fn slips_are_counted_as_people_make_them() {
        for (wanted, term, expected) in [
            ("roof", "roof", 0),
            ("rooff", "roof", 1),
            ("orof", "roof", 1),
            ("rof", "roof", 1),
            ("raff", "roof", 2),
            ("kitchne", "kitchen", 1),
            ("größe", "grosse", 3),
        ] {
            let letters: Vec<char> = wanted.chars().collect();
            assert_eq!(distance(&letters, term, 2, 0), expected, "{wanted} {term}");
        }
    }

    #[test]
    fn a_stem_is_reached_from_a_misspelled_ending() {
        for (wanted, n_ending, expected) in [
            ("intersction", 3, 1),
            ("intersectoin", 4, 0),
            ("intersectoin", 0, 3),
        ] {
            let letters: Vec<char> = wanted.chars().collect();
            assert_eq!(
                distance(&letters, "intersect", 2, n_ending),
                expected,
                "{wanted}"
            );
        }
    }

    #[test]
    fn as_many_slips_are_forgiven_as_a_person_would() {
        for (typed, word, expected) in [
            ("orof", "roof", Some(1)),
            ("rood", "roof", Some(1)),
            ("cta", "cat", None),
            ("atttic", "attic", Some(1)),
            ("gutetrs", "gutters", Some(1)),
            ("gutetr", "gutters", None),
            ("intersction", "intersection", Some(1)),
            ("renovtion", "renovations", Some(2)),
            ("seitan", "set", None),
            // An accent that is written is meant.
            ("döner", "done", None),
            ("2026.4.1", "2026.4.10", None),
        ] {
            assert_eq!(slips(typed, word), expected, "{typed} {word}");
        }
    }

    #[test]
    fn short_words_and_numbers_are_taken_at_their_word() {
        assert_eq!(slips_forgiven("cat"), 0);
        assert_eq!(slips_forgiven("roof"), 1);
        assert_eq!(slips_forgiven("kitchens"), 2);
        assert_eq!(slips_forgiven("2026.4.10"), 0);
    }
}
