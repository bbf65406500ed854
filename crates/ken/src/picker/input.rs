//! The line that is typed, with the keys of a shell. Pure.

/// A line and where the cursor stands in it, in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Input {
    chars: Vec<char>,
    cursor: usize,
}

impl Input {
    pub(super) fn text(&self) -> String {
        self.chars.iter().collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    /// Returns what stands before the cursor.
    pub(super) fn before_cursor(&self) -> String {
        self.chars[..self.cursor].iter().collect()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.cursor == self.chars.len()
    }

    /// Types a text; what breaks a line is a blank.
    pub(super) fn insert(&mut self, text: &str) {
        for c in text.chars() {
            let c = if c.is_control() { ' ' } else { c };
            self.chars.insert(self.cursor, c);
            self.cursor += 1;
        }
    }

    /// Replaces the last `n` characters before the cursor.
    pub(super) fn replace_before(&mut self, n: usize, text: &str) {
        let from = self.cursor.saturating_sub(n);
        self.chars.drain(from..self.cursor);
        self.cursor = from;
        self.insert(text);
    }

    pub(super) fn left(&mut self) {
        self.cursor = self.cursor.saturating_sub(1);
    }

    pub(super) fn right(&mut self) {
        self.cursor = (self.cursor + 1).min(self.chars.len());
    }

    pub(super) fn start(&mut self) {
        self.cursor = 0;
    }

    pub(super) fn end(&mut self) {
        self.cursor = self.chars.len();
    }

    pub(super) fn word_left(&mut self) {
        self.cursor = self.word_start();
    }

    pub(super) fn word_right(&mut self) {
        let rest = &self.chars[self.cursor..];
        let blanks = rest.iter().take_while(|c| c.is_whitespace()).count();
        let word = rest[blanks..]
            .iter()
            .take_while(|c| !c.is_whitespace())
            .count();
        self.cursor += blanks + word;
    }

    pub(super) fn backspace(&mut self) {
        self.replace_before(1, "");
    }

    pub(super) fn delete(&mut self) {
        if !self.is_at_end() {
            self.chars.remove(self.cursor);
        }
    }

    pub(super) fn delete_word(&mut self) {
        let start = self.word_start();
        self.replace_before(self.cursor - start, "");
    }

    pub(super) fn delete_to_start(&mut self) {
        self.replace_before(self.cursor, "");
    }

    fn word_start(&self) -> usize {
        let before = self.chars[..self.cursor].iter().rev();
        let blanks = before.clone().take_while(|c| c.is_whitespace()).count();
        let word = before
            .skip(blanks)
            .take_while(|c| !c.is_whitespace())
            .count();
        self.cursor - blanks - word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_edited_as_in_a_shell() {
        let mut input = Input::default();
        input.insert("the big roof");
        input.word_left();
        input.insert("red\n");
        assert_eq!(input.text(), "the big red roof");
        input.delete_word();
        input.start();
        input.delete();
        input.word_right();
        input.backspace();
        assert_eq!(
            (input.text().as_str(), input.before_cursor().as_str()),
            ("h big roof", "h")
        );
        input.end();
        input.delete();
        input.delete_to_start();
        assert!(input.is_empty());
        input.left();
        input.right();
        input.backspace();
        assert!(input.is_empty() && input.is_at_end());
    }
}
