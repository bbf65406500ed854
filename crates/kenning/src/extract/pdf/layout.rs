//! Letters with places into lines of text, in the order they were drawn.
//!
//! Drawing order is reading order in nearly every PDF made by a program; it keeps columns apart
//! where sorting by place would mix them.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

/// Gap, in parts of the letter size, that is a space between words.
const WORD_GAP: f64 = 0.16;

/// Gap that separates columns.
const COLUMN_GAP: f64 = 1.5;

/// Distance from the line, for letters set higher or lower, that still belongs to it.
const BASELINE_SHIFT: f64 = 0.55;

/// Distance between lines that ends a paragraph.
const PARAGRAPH_GAP: f64 = 1.75;

/// One letter, or a few drawn as one, where it was drawn.
#[derive(Clone, Debug)]
pub(super) struct Letter {
    /// What it says.
    pub(super) text: String,
    /// Left end of its baseline.
    pub(super) start: (f64, f64),
    /// Direction of writing, of length 1.
    pub(super) direction: (f64, f64),
    /// Length along the baseline.
    pub(super) width: f64,
    /// Size of the font.
    pub(super) size: f64,
}

/// The letters of one page.
#[derive(Default)]
pub(super) struct Page {
    lines: Vec<Line>,
    seen: HashSet<(String, i64, i64)>,
}

struct Line {
    letters: Vec<Placed>,
    /// Baseline start of the line's first letter.
    start: (f64, f64),
    last: Letter,
    size: f64,
}

struct Placed {
    text: String,
    gap: Gap,
    /// Position along the line.
    along: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    None,
    Word,
    Column,
}

impl Page {
    /// Takes the next letter; one drawn again at the same place is dropped.
    pub(super) fn push(&mut self, letter: Letter, is_outline: bool) {
        let is_sane = |number: f64| number.is_finite() && number.abs() < 1e9;
        if !is_sane(letter.start.0) || !is_sane(letter.start.1) || !is_sane(letter.size) {
            return;
        }
        let cell = |number: f64| (number * 2.0).round() as i64;
        let key = (
            letter.text.clone(),
            cell(letter.start.0),
            cell(letter.start.1),
        );
        let is_new = self.seen.insert(key);
        if !is_new && (is_outline || !letter.text.trim().is_empty()) {
            return;
        }
        match self.lines.last_mut() {
            Some(line) if line.accepts(&letter) => line.push(letter),
            _ => self.lines.push(Line::new(letter)),
        }
    }

    /// Returns the text of the page.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        let mut before: Option<&Line> = None;
        for line in &self.lines {
            let written = line.text();
            let written = written.trim();
            if written.is_empty() {
                continue;
            }
            match before {
                Some(before) if line.starts_paragraph(before) => text.push_str("\n\n"),
                Some(_) if ends_in_hyphen(&text) && starts_lower(written) => {
                    text.truncate(text.len() - text.chars().next_back().map_or(0, char::len_utf8));
                }
                Some(_) => text.push('\n'),
                None => {}
            }
            text.push_str(written);
            before = Some(line);
        }
        text
    }
}

impl Line {
    fn new(letter: Letter) -> Self {
        let mut line = Self {
            letters: Vec::new(),
            start: letter.start,
            size: letter.size,
            last: letter.clone(),
        };
        line.push(letter);
        line
    }

    /// Distance of a letter from the end of the line: along the writing, and across it.
    fn distance(&self, letter: &Letter) -> (f64, f64) {
        let (dx, dy) = self.last.direction;
        let end = (
            self.last.start.0 + dx * self.last.width,
            self.last.start.1 + dy * self.last.width,
        );
        let (x, y) = (letter.start.0 - end.0, letter.start.1 - end.1);
        (x * dx + y * dy, x * dy - y * dx)
    }

    fn accepts(&self, letter: &Letter) -> bool {
        let (dx, dy) = self.last.direction;
        let is_parallel = dx * letter.direction.0 + dy * letter.direction.1 > 0.95;
        let size = self.last.size.max(letter.size).max(0.1);
        let (along, across) = self.distance(letter);
        // Right-to-left text may be drawn letter by letter towards the left.
        let is_leftward =
            is_right_to_left(&letter.text) && (along + self.last.width + letter.width).abs() < size;
        is_parallel && across.abs() < BASELINE_SHIFT * size && (along > -0.6 * size || is_leftward)
    }

    fn push(&mut self, letter: Letter) {
        let (along, _) = self.distance(&letter);
        let size = letter.size.max(0.1);
        let gap = match () {
            () if self.letters.is_empty() => Gap::None,
            () if along > COLUMN_GAP * size => Gap::Column,
            () if along > WORD_GAP * size
                || along < -(self.last.width + letter.width + WORD_GAP * size) =>
            {
                Gap::Word
            }
            () => Gap::None,
        };
        let (dx, dy) = letter.direction;
        self.letters.push(Placed {
            text: letter.text.clone(),
            gap,
            along: letter.start.0 * dx + letter.start.1 * dy,
        });
        if letter.size > self.size {
            self.size = letter.size;
        }
        self.last = letter;
    }

    fn starts_paragraph(&self, before: &Self) -> bool {
        let (dx, dy) = before.last.direction;
        let (x, y) = (self.start.0 - before.start.0, self.start.1 - before.start.1);
        let down = (x * dy - y * dx).abs();
        let size = before.size.max(0.1);
        let is_resized = (self.size / size - 1.0).abs() > 0.2;
        down > PARAGRAPH_GAP * size.max(self.size) || is_resized
    }

    fn text(&self) -> String {
        if !self
            .letters
            .iter()
            .any(|letter| is_right_to_left(&letter.text))
        {
            return joined(self.letters.iter().map(|letter| (letter, letter.gap)));
        }
        joined(self.logical_order().into_iter())
    }

    /// Turns letters drawn from left to right into the order they are read in.
    fn logical_order(&self) -> Vec<(&Placed, Gap)> {
        let rtl: Vec<&Placed> = self
            .letters
            .iter()
            .filter(|letter| is_right_to_left(&letter.text))
            .collect();
        let n_rightward = rtl
            .windows(2)
            .filter(|pair| pair[1].along > pair[0].along)
            .count();
        if n_rightward * 2 < rtl.len().saturating_sub(1) {
            return self
                .letters
                .iter()
                .map(|letter| (letter, letter.gap))
                .collect();
        }
        // Backwards as a whole, then every stretch of numbers and Western words forwards again.
        let n_letters = self.letters.len();
        let gap_after = |position: usize| {
            self.letters
                .get(position + 1)
                .map_or(Gap::None, |next| next.gap)
        };
        let mut ordered: Vec<(&Placed, Gap)> = (0..n_letters)
            .rev()
            .map(|position| (&self.letters[position], gap_after(position)))
            .collect();
        let is_western = |placed: &Placed| placed.text.chars().any(|c| c.is_ascii_alphanumeric());
        let mut start = 0;
        while start < ordered.len() {
            let mut end = start;
            while end < ordered.len() && !is_right_to_left(&ordered[end].0.text) {
                end += 1;
            }
            while end > start && !is_western(ordered[end - 1].0) {
                end -= 1;
            }
            if let Some(first) = ordered[start..end]
                .iter()
                .position(|(placed, _)| is_western(placed))
            {
                turn(&mut ordered[start + first..end]);
            }
            start = end.max(start) + 1;
        }
        ordered
    }
}

/// Reverses a stretch; the gaps stay between the letters they stood between.
fn turn(stretch: &mut [(&Placed, Gap)]) {
    let gaps: Vec<Gap> = stretch.iter().map(|(_, gap)| *gap).collect();
    stretch.reverse();
    let n_letters = stretch.len();
    for (position, (_, gap)) in stretch.iter_mut().enumerate() {
        *gap = if position == 0 {
            gaps[0]
        } else {
            gaps[n_letters - position]
        };
    }
}

fn joined<'p>(letters: impl Iterator<Item = (&'p Placed, Gap)>) -> String {
    let mut text = String::new();
    for (letter, gap) in letters {
        let has_space = text.is_empty() || text.ends_with(char::is_whitespace);
        match gap {
            Gap::Column if !has_space => text.push('\t'),
            Gap::Word if !has_space => text.push(' '),
            _ => {}
        }
        push_clean(&letter.text, &mut text);
    }
    text
}

/// Ligatures and presentation forms become the letters they stand for.
fn push_clean(letter: &str, text: &mut String) {
    for character in letter.chars() {
        match character {
            '\u{fb00}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' => {
                text.extend([character].into_iter().nfkc())
            }
            _ if character.is_whitespace() => {
                if !text.ends_with(char::is_whitespace) {
                    text.push(' ');
                }
            }
            '\u{ad}' => text.push('-'),
            '\u{e000}'..='\u{f8ff}' | '\u{fffd}' => {}
            _ if character.is_control() => {}
            _ => text.push(character),
        }
    }
}

fn ends_in_hyphen(text: &str) -> bool {
    let mut characters = text.chars().rev();
    matches!(characters.next(), Some('-' | '\u{2010}'))
        && characters.next().is_some_and(char::is_alphabetic)
}

fn starts_lower(text: &str) -> bool {
    text.chars().next().is_some_and(char::is_lowercase)
}

fn is_right_to_left(text: &str) -> bool {
    text.chars().any(|c| {
        matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
            && c.is_alphabetic()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(words: &[(&str, f64, f64)]) -> String {
        let mut page = Page::default();
        for (word, x, y) in words {
            for (position, character) in word.chars().enumerate() {
                let start = (x + position as f64 * 6.0, *y);
                let letter = Letter {
                    text: character.to_string(),
                    start,
                    direction: (1.0, 0.0),
                    width: 6.0,
                    size: 10.0,
                };
                page.push(letter, false);
            }
        }
        page.text()
    }

    #[test]
    fn gaps_become_spaces_columns_lines_and_paragraphs() {
        let words = [
            ("ab", 0.0, 0.0),
            ("cd", 15.0, 0.0),
            ("ef", 60.0, 0.0),
            ("gh", 0.0, 12.0),
            ("ij", 0.0, 40.0),
        ];
        assert_eq!(letters(&words), "ab cd\tef\ngh\n\nij");
    }

    #[test]
    fn words_cut_at_the_line_end_are_joined_and_doubles_dropped() {
        let words = [
            ("hyphen-", 0.0, 0.0),
            ("ated", 0.0, 12.0),
            ("ated", 0.0, 12.0),
        ];
        assert_eq!(letters(&words), "hyphenated");
        assert_eq!(letters(&[("oﬃce", 0.0, 0.0)]), "office");
    }

    #[test]
    fn right_to_left_letters_drawn_left_to_right_are_turned() {
        // Drawn from the left: "12 םולש" is read "שלום 12".
        assert_eq!(letters(&[("12", 0.0, 0.0), ("םולש", 15.0, 0.0)]), "שלום 12");
    }
}
