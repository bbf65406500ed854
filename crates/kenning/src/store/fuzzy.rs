//! Terms of the index that are spelled almost like one that is not in it.

use tantivy::SegmentReader;
use tantivy::schema::Field;

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

/// Collects the terms of a field that are within reach of `word`, with distance and frequency.
///
/// The first letter is taken to be right: almost all slips are further in, and it spares most of
/// the dictionary.
pub(super) fn collect(
    segment: &SegmentReader,
    field: Field,
    word: &str,
    found: &mut Vec<(usize, u32, String)>,
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
            found.push((distance, stream.value().doc_freq, term.to_owned()));
        }
    }
    Ok(())
}

/// Chooses the nearest spellings, the commonest first.
pub(super) fn choose(mut found: Vec<(usize, u32, String)>) -> Vec<String> {
    let nearest = found.iter().map(|(distance, ..)| *distance).min();
    found.retain(|(distance, ..)| Some(*distance) == nearest);
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.2.cmp(&b.2)));
    let mut spellings: Vec<String> = Vec::new();
    for (_, _, term) in found {
        if spellings.len() < SPELLINGS_MAX && !spellings.contains(&term) {
            spellings.push(term);
        }
    }
    spellings
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
