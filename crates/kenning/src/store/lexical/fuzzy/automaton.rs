//! Walks the dictionary letter by letter, and leaves what can no longer become a near word.
//!
//! The state is a column of the table that `fuzzy::distance` fills: for each beginning of the word, how
//! many slips lead from it to the letters read so far. It says yes to the same terms.

use tantivy_fst::Automaton;

/// Longer words are compared one by one: they are rare, and the state has to be copied often.
const LETTERS_MAX: usize = 47;

type Column = [u8; LETTERS_MAX + 1];

/// Finds the terms within reach of a word.
pub(in crate::store::lexical) struct NearWords<'w> {
    letters: &'w [char],
    most: u8,
    n_ending: usize,
}

/// What is known after some bytes of a term.
#[derive(Clone)]
pub(in crate::store::lexical) struct State {
    now: Column,
    /// The column before: two letters may have changed places.
    before: Column,
    n_letters: usize,
    last: char,
    /// The letter that is being read, and how many bytes of it are to come.
    partial: u32,
    n_bytes_left: u8,
    is_lost: bool,
}

impl<'w> NearWords<'w> {
    /// Returns `None` where the word is too long for it.
    pub(in crate::store::lexical) fn new(
        letters: &'w [char],
        most: usize,
        n_ending: usize,
    ) -> Option<Self> {
        (letters.len() <= LETTERS_MAX).then_some(Self {
            letters,
            most: most as u8,
            n_ending,
        })
    }

    fn least(&self, slips: &[u8]) -> u8 {
        slips.iter().copied().min().unwrap_or(u8::MAX)
    }

    /// Adds a letter.
    fn read(&self, state: &mut State, letter: char) {
        if state.n_letters == 0 && !super::firsts(self.letters).contains(&letter) {
            state.is_lost = true;
            return;
        }
        let State { now, before, .. } = state;
        let mut next = [u8::MAX; LETTERS_MAX + 1];
        next[0] = now[0].saturating_add(1);
        for (i, &own) in self.letters.iter().enumerate() {
            let mut slips = (now[i] + u8::from(own != letter))
                .min(now[i + 1] + 1)
                .min(next[i] + 1);
            let is_swapped =
                i > 0 && state.n_letters > 0 && own == state.last && self.letters[i - 1] == letter;
            if is_swapped {
                slips = slips.min(before[i - 1] + 1);
            }
            // More than too many is the same.
            next[i + 1] = slips.min(self.most + 1);
        }
        next[0] = next[0].min(self.most + 1);
        state.before = std::mem::replace(now, next);
        state.n_letters += 1;
        state.last = letter;
    }
}

impl Automaton for NearWords<'_> {
    type State = State;

    fn start(&self) -> State {
        let mut now = [u8::MAX; LETTERS_MAX + 1];
        for (n, slips) in now.iter_mut().take(self.letters.len() + 1).enumerate() {
            *slips = (n as u8).min(self.most + 1);
        }
        State {
            now,
            before: now,
            n_letters: 0,
            last: '\0',
            partial: 0,
            n_bytes_left: 0,
            is_lost: false,
        }
    }

    fn is_match(&self, state: &State) -> bool {
        let n = self.letters.len();
        let first = n.saturating_sub(self.n_ending).max(1);
        !state.is_lost
            && state.n_bytes_left == 0
            && state.n_letters > 0
            && first <= n
            && self.least(&state.now[first..=n]) <= self.most
    }

    fn can_match(&self, state: &State) -> bool {
        !state.is_lost && self.least(&state.now[..=self.letters.len()]) <= self.most
    }

    fn accept(&self, state: &State, byte: u8) -> State {
        let mut state = state.clone();
        let (n_bytes_left, partial) = match (state.n_bytes_left, byte) {
            (0, 0..0x80) => (0, u32::from(byte)),
            (0, 0xC0..0xE0) => (1, u32::from(byte & 0x1F)),
            (0, 0xE0..0xF0) => (2, u32::from(byte & 0x0F)),
            (0, 0xF0..0xF8) => (3, u32::from(byte & 0x07)),
            (left @ 1.., 0x80..0xC0) => (left - 1, state.partial << 6 | u32::from(byte & 0x3F)),
            _ => {
                state.is_lost = true;
                return state;
            }
        };
        (state.n_bytes_left, state.partial) = (n_bytes_left, partial);
        if n_bytes_left == 0 {
            match char::from_u32(partial) {
                Some(letter) => self.read(&mut state, letter),
                None => state.is_lost = true,
            }
        }
        state
    }
}
