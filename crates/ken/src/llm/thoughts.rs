//! Thoughts that a model writes into its answer, between `<think>` and `</think>`, told apart from the answer.
//!
//! Most servers do this themselves. Those that do not would otherwise show a person what was not meant for
//! them. Only the beginning of an answer is looked at: later on, the tag is something that is talked about.

use super::wire::Said;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// What was heard so far.
#[derive(Default)]
pub(super) struct Thoughts {
    state: State,
    /// What may be the beginning of a tag.
    held: String,
    /// Whether a tag was the last thing that was heard: the blanks behind it belong to it.
    is_behind_tag: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Start,
    Thinking,
    Answering,
}

/// Hears what is a thought and what the answer.
type Told<'a> = &'a mut dyn FnMut(Said, &str);

impl Thoughts {
    /// Takes a piece of what the model writes and hands on what is known to be a thought or an answer.
    pub(super) fn take(&mut self, piece: &str, told: Told<'_>) {
        self.held.push_str(piece);
        if self.state == State::Start {
            self.start();
        }
        if self.state == State::Thinking {
            self.think(told);
        }
        if self.state == State::Answering {
            self.end(told);
        }
    }

    /// Hands on what was held back: there will be no tag.
    pub(super) fn end(&mut self, told: Told<'_>) {
        let said = match self.state {
            State::Thinking => Said::Thought,
            State::Start | State::Answering => Said::Text,
        };
        let held = std::mem::take(&mut self.held);
        self.tell(said, &held, told);
    }

    fn start(&mut self) {
        let begun = self.held.trim_start();
        if let Some(thought) = begun.strip_prefix(OPEN) {
            self.held = thought.to_owned();
            (self.state, self.is_behind_tag) = (State::Thinking, true);
        } else if !OPEN.starts_with(begun) {
            self.state = State::Answering;
        }
    }

    fn think(&mut self, told: Told<'_>) {
        if let Some((thought, answer)) = self.held.split_once(CLOSE) {
            let (thought, answer) = (thought.to_owned(), answer.to_owned());
            self.tell(Said::Thought, &thought, told);
            self.held = answer;
            (self.state, self.is_behind_tag) = (State::Answering, true);
            return;
        }
        let mut ends = self.held.char_indices().map(|(at, _)| at);
        let begun = ends.find(|at| CLOSE.starts_with(&self.held[*at..]));
        let held = self.held.split_off(begun.unwrap_or(self.held.len()));
        let thought = std::mem::replace(&mut self.held, held);
        self.tell(Said::Thought, &thought, told);
    }

    fn tell(&mut self, said: Said, text: &str, told: Told<'_>) {
        let text = if self.is_behind_tag {
            text.trim_start()
        } else {
            text
        };
        if !text.is_empty() {
            self.is_behind_tag = false;
            told(said, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_told_apart_wherever_the_pieces_end() {
        let check = |text: &str, thought: &str, answer: &str| {
            for size in 1..=text.len() {
                let (mut thoughts, mut heard) =
                    (Thoughts::default(), [String::new(), String::new()]);
                let mut said =
                    |kind: Said, text: &str| heard[usize::from(kind == Said::Text)] += text;
                let chars: Vec<char> = text.chars().collect();
                for piece in chars.chunks(size) {
                    thoughts.take(&piece.iter().collect::<String>(), &mut said);
                }
                thoughts.end(&mut said);
                assert_eq!(heard, [thought, answer], "{text} {size}");
            }
        };
        check(
            "<think>\nHm.</think>\n\nIt is 21 °C.",
            "Hm.",
            "It is 21 °C.",
        );
        check("\n<think>a < b </thin </think>c", "a < b </thin ", "c");
        check(
            "It is <think>here</think>.",
            "",
            "It is <think>here</think>.",
        );
        check("<thin", "", "<thin");
        check("<think>cut o", "cut o", "");
        check("<think></think>yes", "", "yes");
    }
}
