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
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Start,
    Thinking,
    Answering,
}

impl Thoughts {
    /// Takes a piece of what the model writes and hands on what is known to be a thought or an answer.
    pub(super) fn take(&mut self, piece: &str, said: &mut dyn FnMut(Said, &str)) {
        if self.state == State::Answering {
            return said(Said::Text, piece);
        }
        self.held.push_str(piece);
        if self.state == State::Start {
            self.start(said);
        }
        if self.state == State::Thinking {
            self.think(said);
        }
    }

    /// Hands on what was held back: there will be no tag.
    pub(super) fn end(&mut self, said: &mut dyn FnMut(Said, &str)) {
        let kind = match self.state {
            State::Thinking => Said::Thought,
            _ => Said::Text,
        };
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() {
            said(kind, &held);
        }
    }

    fn start(&mut self, said: &mut dyn FnMut(Said, &str)) {
        let begun = self.held.trim_start();
        if let Some(thought) = begun.strip_prefix(OPEN) {
            self.state = State::Thinking;
            self.held = thought.trim_start().to_owned();
        } else if !OPEN.starts_with(begun) {
            self.state = State::Answering;
            self.end(said);
        }
    }

    fn think(&mut self, said: &mut dyn FnMut(Said, &str)) {
        if let Some((thought, answer)) = self.held.split_once(CLOSE) {
            said(Said::Thought, thought);
            self.state = State::Answering;
            let answer = answer.trim_start().to_owned();
            self.held.clear();
            return said(Said::Text, &answer);
        }
        let is_begun = |at: &usize| CLOSE.starts_with(&self.held[*at..]);
        let ends = self.held.char_indices().map(|(at, _)| at);
        let end = ends.clone().find(is_begun).unwrap_or(self.held.len());
        let held = self.held.split_off(end);
        said(Said::Thought, &std::mem::replace(&mut self.held, held));
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
