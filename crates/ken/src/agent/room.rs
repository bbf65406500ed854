//! How much a model can be told: what it sees at once, divided among passages, what was said before, and its
//! answer.

use kenning::conversation::{BUDGET_CHARS, Exchange, recent};

use crate::llm::{Abilities, Message};

/// Most characters of passages.
const PASSAGE_CHARS_MAX: usize = 24_000;
/// Tokens of rules, tools and what stands around passages.
const FRAME_TOKENS: usize = 1_200;
/// Fewer characters than most languages have for a token: what does not fit is refused, or worse, cut.
const CHARS_PER_TOKEN: usize = 3;
/// Where nothing is left, a little is tried anyway.
const CHARS_MIN: usize = 2_000;

/// What there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    pub(super) passage_chars: usize,
    pub(super) history_chars: usize,
    pub(super) answer_tokens: u32,
}

impl Room {
    pub(super) fn of(abilities: &Abilities, tokens_max: u32) -> Self {
        let seen = abilities.context_tokens;
        let answer_tokens = tokens_max.min(seen / 4).max(64);
        let left = (seen - answer_tokens.min(seen)) as usize;
        let chars = (left.saturating_sub(FRAME_TOKENS) * CHARS_PER_TOKEN).max(CHARS_MIN);
        let passage_chars = (chars / 10 * 6).min(PASSAGE_CHARS_MAX);
        Self {
            passage_chars,
            history_chars: (chars - passage_chars).min(BUDGET_CHARS),
            answer_tokens,
        }
    }

    /// Leaves half of it; tells whether that is worth another try.
    pub(super) fn halve(&mut self) -> bool {
        self.passage_chars /= 2;
        self.history_chars /= 2;
        self.passage_chars >= CHARS_MIN / 2
    }

    /// Returns the end of a conversation that there is room for, as turns of it.
    pub(super) fn told(&self, history: &[Exchange]) -> Vec<Message> {
        let (kept, _) = recent(history, self.history_chars);
        kept.iter().flat_map(messages).flatten().collect()
    }
}

/// A question without an answer is told alone; the next one may refer to it.
fn messages(said: &Exchange) -> [Option<Message>; 2] {
    let answer = Message::Assistant {
        text: said.answer.clone(),
        tool_calls: Vec::new(),
        carried: None,
    };
    let is_answered = !said.answer.trim().is_empty();
    [
        Some(Message::user(&said.question)),
        is_answered.then_some(answer),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(n_chars: usize) -> Exchange {
        Exchange {
            question: "q".repeat(n_chars / 2),
            answer: "a".repeat(n_chars - n_chars / 2),
        }
    }

    #[test]
    fn what_fits_is_told_and_the_oldest_goes_first() {
        let room = Room {
            passage_chars: 0,
            history_chars: 100,
            answer_tokens: 1,
        };
        assert_eq!(room.told(&[said(60), said(50), said(50)]).len(), 4);
        assert_eq!(room.told(&[said(10), said(101)]).len(), 0);
    }

    #[test]
    fn a_model_is_never_told_more_than_it_sees() {
        for context_tokens in [256, 2_048, 8_192, 200_000] {
            let abilities = Abilities {
                tools: true,
                pictures: false,
                context_tokens,
            };
            let room = Room::of(&abilities, 1_500);
            let chars = room.passage_chars + room.history_chars;
            let tokens = chars / CHARS_PER_TOKEN + room.answer_tokens as usize;
            assert!(
                context_tokens < 2_048 || tokens <= context_tokens as usize,
                "{room:?}"
            );
            assert!(room.history_chars <= BUDGET_CHARS);
        }
    }
}
