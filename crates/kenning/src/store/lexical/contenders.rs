//! Which notes may be among the best, by what the words that they hold add at most.
//!
//! What a word really adds is known once it is counted, so that notes drop out word by word, the rarest first.
//!
//! A chunk is scored as `s · N / best N + (1 − s) · C / best C`: its note's sum and its own, each beside the
//! highest there is. A word adds its rarity at most to either sum. So notes that hold the most are counted first; what the
//! last of the best so many of them reached is a bar, and a note whose words together cannot reach it is
//! never looked at. Which of two is ahead depends on the two highest sums, and those may still grow: how a note compares
//! is a straight line in that, so who is behind at both ends is behind anywhere between them.

use super::asked::Asked;
use super::entries::Entries;
use super::scores::Part;
use crate::store::{LexicalQuery, NoteSet};

/// Words with fewer entries than that are counted as quickly in all notes, where what frequent ones are worth is kept.
const ENTRIES_MIN: usize = if cfg!(test) { 1_000 } else { 100_000 };
/// One note in so many is the most that is counted first.
const LEADERS_EACH: usize = 4;
/// Each is rounded up to a step.
const WORDS_MAX: usize = 5_000;
/// Steps between nothing and what all words add together, and how many of them are told apart when leaders are chosen.
const STEPS: f32 = 60_000.0;
const LEVEL_BITS: u32 = 7;
const N_LEVELS: usize = (u16::MAX >> LEVEL_BITS) as usize + 1;
/// Sums are rounded: who is so near is not behind.
const SLACK: f32 = 1.0001;

/// What the notes can reach.
pub(super) struct Race<'q> {
    query: &'q LexicalQuery<'q>,
    /// The notes that are asked about.
    of: &'q NoteSet,
    entries: &'q Entries,
    /// What the words of each note add at most, by its number, in steps.
    most: Vec<u16>,
    /// How much a step is.
    step: f32,
}

/// The notes that are counted first.
pub(super) struct Leaders {
    pub(super) notes: Vec<u32>,
    /// What no other note can reach.
    above: f32,
}

/// What came of the leaders: what a note must be able to reach to be among the best.
pub(super) struct Bars {
    /// The highest sums so far, of a note and of a chunk.
    highest: (f32, f32),
    /// At both ends of what may become of these: what a point of either sum counts for, and what must be beaten.
    ends: [((f32, f32), f32); 2],
}

impl Bars {
    /// Whether a note cannot have a highest sum any more, if it and its best chunk add up to so much at most.
    fn is_below_highest(&self, most: (f32, f32)) -> bool {
        most.0 * SLACK < self.highest.0 && most.1 * SLACK < self.highest.1
    }

    /// Whether it cannot be among the best any more.
    fn is_behind(&self, most: (f32, f32)) -> bool {
        (self.ends.iter()).all(|(prices, bar)| priced(*prices, most) * SLACK < *bar)
    }
}

fn priced(prices: (f32, f32), sums: (f32, f32)) -> f32 {
    prices.0 * sums.0 + prices.1 * sums.1
}

impl<'q> Race<'q> {
    /// Looks what words can do; nothing where counting them in all notes is as quick.
    pub(super) fn new(
        words: &[Asked],
        query: &'q LexicalQuery<'q>,
        of: &'q NoteSet,
        entries: &'q Entries,
    ) -> Option<Self> {
        let n_entries: usize = words.iter().map(|word| word.held.n_entries).sum();
        let is_short = n_entries < ENTRIES_MIN || words.len() > WORDS_MAX;
        let step = words.iter().map(Asked::most).sum::<f32>() / STEPS;
        if is_short || step <= 0.0 || query.limit > entries.notes.len() / LEADERS_EACH {
            return None;
        }
        let mut most = vec![0u16; entries.notes.len()];
        for word in words {
            let steps = steps_of(word, step);
            word.held.notes.each(|number| most[number] += steps);
        }
        Some(Self {
            query,
            of,
            entries,
            most,
            step,
        })
    }

    /// Returns the notes that can reach the most, as many as are wanted and those that are no worse; nothing where these
    /// are so many that all may as well be counted.
    pub(super) fn leaders(&self) -> Option<Leaders> {
        let mut n_at = [0u32; N_LEVELS];
        match self.of.is_every() {
            true => (self.most.iter()).for_each(|most| n_at[usize::from(most >> LEVEL_BITS)] += 1),
            false => (0..).zip(&self.most).for_each(|(number, most)| {
                n_at[usize::from(most >> LEVEL_BITS)] += u32::from(self.is_asked(number));
            }),
        }
        let mut n = 0;
        // Those without any word are in the lowest level.
        let level = (1..N_LEVELS).rev().find(|level| {
            n += n_at[*level] as usize;
            n >= self.query.limit
        })?;
        let lowest = (level as u16) << LEVEL_BITS;
        let notes = self.from(lowest).collect::<Vec<u32>>();
        let above = f32::from(lowest) * self.step;
        (notes.len() <= self.most.len() / LEADERS_EACH).then_some(Leaders { notes, above })
    }

    /// Returns what the leaders reached.
    pub(super) fn bars(&self, leaders: &Leaders, counted: &Part) -> Bars {
        let share = self.query.options.note_share;
        let prices = |note: f32, chunk: f32| (share / note, (1.0 - share) / chunk);
        let notes = counted.tally.notes.iter();
        let highest = notes.fold((0f32, 0f32), |highest, note| {
            (highest.0.max(note.score), highest.1.max(note.best))
        });
        let (note, chunk) = highest;
        let grown = (note.max(leaders.above), chunk.max(leaders.above));
        let ends = [prices(grown.0, chunk), prices(note, grown.1)];
        // A note without a chunk is no hit.
        let asked = (leaders.notes.iter().zip(&counted.tally.notes))
            .filter(|(number, note)| note.best >= 0.0 && self.is_asked(**number));
        let mut sums: Vec<_> = asked.map(|(_, note)| (note.score, note.best)).collect();
        let n = self.query.limit;
        if note <= 0.0 || chunk <= 0.0 || sums.len() < n || n == 0 {
            return Bars {
                highest,
                ends: ends.map(|prices| (prices, 0.0)),
            };
        }
        let middle = prices(note, chunk);
        sums.select_nth_unstable_by(n - 1, |a, b| {
            priced(middle, *b).total_cmp(&priced(middle, *a))
        });
        let lowest = |prices| {
            let best = sums[..n].iter().map(|sums| priced(prices, *sums));
            (prices, best.fold(f32::MAX, f32::min))
        };
        Bars {
            highest,
            ends: ends.map(lowest),
        }
    }

    /// Returns which notes beside the leaders may be among the best, or have a highest sum.
    pub(super) fn others(&self, leaders: &Leaders, bars: &Bars) -> Vec<u32> {
        let reach = |steps: u16| (f32::from(steps) * self.step, f32::from(steps) * self.step);
        // The fewest steps with which one is not out, whoever is asked about.
        let is_out =
            |steps: u16| bars.is_behind(reach(steps)) && bars.is_below_highest(reach(steps));
        let (mut lowest, mut end) = (1, u16::MAX);
        while lowest < end {
            let middle = lowest + (end - lowest) / 2;
            match is_out(middle) {
                true => lowest = middle + 1,
                false => end = middle,
            }
        }
        let mut leaders = leaders.notes.iter().peekable();
        let others = self.from(lowest).filter(|&number| {
            while leaders.next_if(|leader| **leader < number).is_some() {}
            let is_leader = leaders.peek() == Some(&&number);
            let is_low = || bars.is_below_highest(reach(self.most[number as usize]));
            !is_leader && (self.is_asked(number) || !is_low())
        });
        others.collect()
    }

    /// Takes note that a word was counted in some notes, and returns the places of those that are still not out.
    pub(super) fn left(&mut self, word: &Asked, counted: &Part, bars: &Bars) -> Vec<usize> {
        let steps = steps_of(word, self.step);
        let Part { within, tally } = counted;
        let mut left = Vec::with_capacity(within.notes.len());
        for (place, &number) in within.notes.iter().enumerate() {
            let rest = &mut self.most[number as usize];
            if word.held.notes.has(number as usize) {
                *rest -= steps;
            }
            let rest = f32::from(*rest) * self.step;
            let most = (
                tally.notes[place].score + rest,
                tally.best_of(within, place) + rest,
            );
            let is_out =
                bars.is_below_highest(most) && (bars.is_behind(most) || !self.is_asked(number));
            if !is_out {
                left.push(place);
            }
        }
        left
    }

    /// Returns the notes that have so many steps, in order.
    fn from(&self, lowest: u16) -> impl Iterator<Item = u32> {
        const AT_ONCE: usize = 32;
        let some = (0..).step_by(AT_ONCE).zip(self.most.chunks(AT_ONCE));
        let some = some.filter(move |(_, most)| {
            most.iter().fold(0, |highest, most| (*most).max(highest)) >= lowest
        });
        some.flat_map(move |(first, most)| {
            let of_some = (first..)
                .zip(most)
                .filter(move |(_, most)| **most >= lowest);
            of_some.map(|(number, _)| number)
        })
    }

    fn is_asked(&self, number: u32) -> bool {
        self.of.is_every() || self.of.contains(self.entries.notes[number as usize].id())
    }
}

/// Returns how many steps a word adds at most.
fn steps_of(word: &Asked, step: f32) -> u16 {
    (word.most() / step).ceil() as u16
}
