//! Lines of a note around the words that were asked for, as grep shows them. Pure.

use kenning::search::Passage;

use crate::render::Line;
use crate::wire::Hit;

/// Returns the lines of a hit that have one of its marked words, and `n_around` lines before and behind
/// each; between lines that do not follow each other is a gap. `note` is the whole note.
pub(super) fn around(hit: &Hit, note: &Passage, n_around: usize) -> Vec<Line> {
    let (Some(start), Some(end)) = (hit.start_line, hit.end_line) else {
        return Vec::new();
    };
    let lines: Vec<&str> = note.text.lines().collect();
    let first = (start as usize - 1).min(lines.len());
    let passage = first..(end as usize).min(lines.len());
    let words = marked_words(hit);
    let has_word = |at: &usize| {
        let line = lines[*at].to_lowercase();
        words.iter().any(|word| line.contains(word.as_str()))
    };
    let mut told: Vec<usize> = passage.clone().filter(has_word).collect();
    if told.is_empty() {
        told.extend(nearest(hit, &lines, passage));
    }
    let mut shown: Vec<Line> = Vec::new();
    let mut next = 0;
    for &at in &told {
        let from = at.saturating_sub(n_around).max(next);
        let to = (at + n_around + 1).min(lines.len());
        for (at, text) in lines.iter().enumerate().take(to).skip(from) {
            shown.push(Line {
                number: at + 1,
                text: (*text).to_owned(),
                is_meant: told.contains(&at),
                is_after_gap: at != next && !shown.is_empty(),
            });
            next = at + 1;
        }
    }
    shown
}

/// Returns the words that are marked in the excerpt, in lower case.
pub(super) fn marked_words(hit: &Hit) -> Vec<String> {
    let chars: Vec<char> = hit.excerpt.chars().collect();
    let ranges = hit.highlights.iter();
    let words = ranges.filter_map(|&(start, end)| chars.get(start..end));
    let mut words: Vec<String> = words
        .map(|word| word.iter().collect::<String>().to_lowercase())
        .collect();
    words.sort();
    words.dedup();
    words
}

/// Returns the line of a passage that shares most words with its excerpt: it was found by meaning.
fn nearest(hit: &Hit, lines: &[&str], passage: std::ops::Range<usize>) -> Option<usize> {
    let excerpt: Vec<&str> = hit.excerpt.split_whitespace().collect();
    let n_shared = |at: &usize| {
        let words = lines[*at].split_whitespace();
        words.filter(|word| excerpt.contains(word)).count()
    };
    passage.rev().max_by_key(n_shared)
}
