//! Terms of the index that are spelled almost like one that is not in it.

use tantivy::schema::Field;
use tantivy::{SegmentReader, Term};

/// Letters from which one slip is forgiven, and from which two are.
const ONE_SLIP_LETTERS: usize = 4;
const TWO_SLIPS_LETTERS: usize = 8;
/// Most spellings that are tried instead.
const SPELLINGS_MAX: usize = 3;

/// Returns how many slips in a word are forgiven.
pub(super) fn slips_forgiven(word: &str) -> usize {
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

/// A term that is within reach of a word.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Near {
    distance: usize,
    text: String,
    field: Field,
}

/// Collects the terms of a field that are within reach of `word`.
///
/// The first letter is taken to be right: almost all slips are further in, and it spares most of
/// the dictionary.
pub(super) fn collect(
    segment: &SegmentReader,
    field: Field,
    word: &str,
    found: &mut Vec<Near>,
) -> tantivy::Result<()> {
    let most = slips_forgiven(word);
    let Some(first) = word.chars().next().filter(|_| most > 0) else {
        return Ok(());
    };
    let wanted: Vec<char> = word.chars().collect();
    let mut buffer = [0; 4];
    let prefix = first.encode_utf8(&mut buffer).as_bytes();
    let index = segment.inverted_index(field)?;
    let mut stream = index.terms().range().ge(prefix).into_stream()?;
    while stream.advance() && stream.key().starts_with(prefix) {
        let Ok(term) = std::str::from_utf8(stream.key()) else {
            continue;
        };
        if term.len().abs_diff(word.len()) > most * 4 {
            continue;
        }
        let distance = distance(&wanted, term, most);
        if distance <= most {
            found.push(Near {
                distance,
                text: term.to_owned(),
                field,
            });
        }
    }
    Ok(())
}

/// Chooses the nearest spellings, the commonest first. `n_living` counts the entries that hold a term
/// and were not deleted: what only notes that are gone say is no spelling.
pub(super) fn choose(
    mut found: Vec<Near>,
    n_living: impl Fn(&Term) -> tantivy::Result<u32>,
) -> tantivy::Result<Vec<String>> {
    // The same term may come from several segments.
    found.sort_unstable();
    found.dedup();
    for nearest in found.chunk_by(|a, b| a.distance == b.distance) {
        let mut spellings: Vec<(u32, &str)> = Vec::new();
        for same in nearest.chunk_by(|a, b| a.text == b.text) {
            let mut commonest = 0;
            for Near { text, field, .. } in same {
                commonest = commonest.max(n_living(&Term::from_field_text(*field, text))?);
            }
            if commonest > 0 {
                spellings.push((commonest, &same[0].text));
            }
        }
        if !spellings.is_empty() {
            spellings.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
            spellings.truncate(SPELLINGS_MAX);
            return Ok(spellings
                .iter()
                .map(|(_, text)| (*text).to_owned())
                .collect());
        }
    }
    Ok(Vec::new())
}

/// Counts the letters to add, drop, change or swap with their neighbour; stops above `most`.
fn distance(wanted: &[char], term: &str, most: usize) -> usize {
    let term: Vec<char> = term.chars().collect();
    if term.len().abs_diff(wanted.len()) > most {
        return most + 1;
    }
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
        if row.iter().all(|&cost| cost > most) {
            return most + 1;
        }
        before = std::mem::replace(&mut last, row);
    }
    last[term.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(distance(&letters, term, 2), expected, "{wanted} {term}");
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
