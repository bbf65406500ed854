//! Conversations as the engine knows them: questions and answers, and how much of them a model is told
//! again. Pure; the store keeps them.

/// Most characters of earlier questions and answers that are told again with a new question.
pub const BUDGET_CHARS: usize = 48_000;

/// A conversation without its turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// Short id, made of hexadecimal digits.
    pub id: String,
    /// The client that began it; empty for the person at this machine.
    pub owner: String,
    /// What somebody called it, or how its first question begins.
    pub title: String,
    /// Names of the domains that it asks.
    pub domains: Vec<String>,
    /// What it is limited to beside that, as the interface wrote it down.
    pub scope: Option<String>,
    /// Seconds since 1970.
    pub begun_at: i64,
    /// Seconds since 1970 of the last question, answer or change.
    pub changed_at: i64,
    /// The last turn of what is shown.
    pub head: Option<TurnId>,
    /// Turns of every branch.
    pub n_turns: usize,
}

/// Identifies a turn within one database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TurnId(pub i64);

/// A question and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its id.
    pub id: TurnId,
    /// The turn before it.
    pub parent: Option<TurnId>,
    /// What was asked.
    pub question: String,
    /// What was answered, as far as it came; empty if nothing did.
    pub answer: String,
    /// How far the answer came.
    pub state: TurnState,
    /// What the answer rests on, as the interface wrote it down.
    pub sources: Option<String>,
    /// What wrote the answer.
    pub model: Option<String>,
    /// Seconds since 1970.
    pub asked_at: i64,
    /// Other turns in the same place, this one among them, oldest first; one alone is not a choice.
    pub alternatives: Vec<TurnId>,
}

impl Turn {
    /// Returns how much of the budget it takes.
    pub fn n_chars(&self) -> usize {
        self.question.chars().count() + self.answer.chars().count()
    }
}

/// What was asked and answered, whether it is kept or not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// What was asked.
    pub question: String,
    /// What was answered; empty if nothing was.
    pub answer: String,
}

impl From<Turn> for Exchange {
    fn from(turn: Turn) -> Self {
        Self {
            question: turn.question,
            answer: turn.answer,
        }
    }
}

/// How far an answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnState {
    /// Asked and not answered: the program ended before.
    Asked,
    /// Answered to the end.
    Answered,
    /// Stopped in the middle.
    Stopped,
}

impl TurnState {
    /// All of them; the store keeps them by their place.
    pub const ALL: [Self; 3] = [Self::Asked, Self::Answered, Self::Stopped];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Answered => "answered",
            Self::Stopped => "stopped",
        }
    }
}

/// How full the budget of a conversation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Characters that are told again.
    pub used: usize,
    /// Characters that may be.
    pub budget: usize,
    /// Turns that are told again.
    pub n_kept: usize,
    /// Earlier turns that are not, for want of room.
    pub n_dropped: usize,
}

/// Returns how many of the oldest turns are left out so that the rest fits the budget. A turn is told whole
/// or not at all, and nothing is told without what came after it.
pub fn window(n_chars: &[usize], budget: usize) -> Usage {
    let mut used = 0;
    let mut n_kept = 0;
    for &turn in n_chars.iter().rev() {
        if turn > budget - used {
            break;
        }
        used += turn;
        n_kept += 1;
    }
    Usage {
        used,
        budget,
        n_kept,
        n_dropped: n_chars.len() - n_kept,
    }
}

/// Returns the end of a conversation that fits the budget, and how full that is.
pub fn recent(all: &[Exchange], budget: usize) -> (&[Exchange], Usage) {
    let n_chars = |one: &Exchange| one.question.chars().count() + one.answer.chars().count();
    let n_chars: Vec<usize> = all.iter().map(n_chars).collect();
    let usage = window(&n_chars, budget);
    (&all[usage.n_dropped..], usage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_oldest_turn_goes_first_and_whole() {
        let check = |n_chars: &[usize], kept: usize, used: usize| {
            let usage = window(n_chars, 10);
            assert_eq!((usage.n_kept, usage.used), (kept, used), "{n_chars:?}");
        };
        check(&[], 0, 0);
        check(&[4, 3, 3], 3, 10);
        check(&[4, 3, 4], 2, 7);
        check(&[1, 20, 3], 1, 3);
        check(&[1, 2, 11], 0, 0);
    }

    #[test]
    fn an_exchange_counts_in_characters() {
        let said = |question: &str, answer: &str| Exchange {
            question: question.to_owned(),
            answer: answer.to_owned(),
        };
        let all = [said("wann?", "früh"), said("wo?", ""), said("さよ", "なら")];
        let (kept, usage) = recent(&all, 7);
        assert_eq!((kept, usage.used, usage.n_dropped), (&all[1..], 7, 1));
    }

    proptest! {
        /// What is told fits, is the end of the conversation, and could not be longer.
        #[test]
        fn a_window_is_the_longest_end_that_fits(
            n_chars in prop::collection::vec(0usize..500, 0..40),
            budget in 0usize..3_000,
        ) {
            let usage = window(&n_chars, budget);
            let kept = &n_chars[usage.n_dropped..];
            prop_assert_eq!(usage.n_kept + usage.n_dropped, n_chars.len());
            prop_assert_eq!(kept.iter().sum::<usize>(), usage.used);
            prop_assert!(usage.used <= budget);
            if let Some(before) = usage.n_dropped.checked_sub(1) {
                prop_assert!(usage.used + n_chars[before] > budget);
            }
        }
    }
}
