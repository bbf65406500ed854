//! What leads to a time in a question, and what it makes of it: "after 2024", "until the end of May",
//! "from 2023 on". Pure.

use jiff::ToSpan;
use jiff::civil::Date;

use super::date::Period;
use super::tongue::{TONGUES, ends_with, place, says, starts_with};

/// How many words may stand between "since" and the time: "since the move in June 2023".
const REACH: usize = 5;

/// How a time bounds what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// From its first day on.
    Since,
    /// From the day after its last one on.
    After,
    /// Up to the day before its first one.
    Before,
    /// Up to its last day.
    Until,
    /// The same, if it is surely a time: "the poster by April" is not.
    By,
    /// Not at all.
    Within,
}

impl Kind {
    /// Whether there is no beginning or no end.
    pub(super) fn is_open(self) -> bool {
        self != Self::Within
    }

    /// Returns what some words end with, and in how many of them.
    fn of(words: &[&str]) -> Option<(Self, usize)> {
        let kinds = [
            (Self::Since, ends_with(words, |tongue| tongue.since)),
            (Self::After, ends_with(words, |tongue| tongue.after)),
            (Self::Before, ends_with(words, |tongue| tongue.before)),
            (Self::Until, ends_with(words, |tongue| tongue.until)),
            (Self::By, ends_with(words, |tongue| tongue.by)),
            (Self::Within, ends_with(words, |tongue| tongue.within)),
        ];
        // "No later than" is more than "later than".
        let found = kinds.into_iter().filter_map(|(kind, n)| Some((kind, n?)));
        found.max_by_key(|(_, n_words)| *n_words)
    }
}

/// What stands before a time.
pub(super) struct Lead {
    pub(super) kind: Option<Kind>,
    /// Whether nothing stands between.
    pub(super) is_direct: bool,
    /// The beginning, the middle or the end of it.
    third: Option<usize>,
    pub(super) start: usize,
}

impl Lead {
    pub(super) fn none(start: usize) -> Self {
        Self {
            kind: None,
            is_direct: false,
            third: None,
            start,
        }
    }

    /// Reads what leads to the time at a word.
    pub(super) fn before(words: &[&str], at: usize) -> Self {
        let mut start = at;
        let mut third = None;
        while start > 0 {
            let word = words[start - 1];
            let part = place(word, |tongue| &tongue.parts).filter(|_| third.is_none());
            // "Starting in" begins with a word like that.
            if part.is_none() && !says(word, |tongue| tongue.fillers) {
                break;
            }
            third = third.or(part);
            start -= 1;
        }
        let Some((kind, n_words)) = Kind::of(&words[..start]) else {
            return Self::none(at);
        };
        // "At the end of 2024" is in that year.
        if kind == Kind::Within && third.is_some() {
            return Self::none(at);
        }
        let start_of_lead = start - n_words;
        Self {
            kind: Some(match kind {
                Kind::Within => reached(&words[..start_of_lead]).unwrap_or(kind),
                kind => kind,
            }),
            is_direct: start == at || third.is_some(),
            third,
            start: start_of_lead,
        }
    }

    /// Returns the first day that counts and the first that does not any more.
    pub(super) fn bounds(&self, period: Period) -> (Option<Date>, Option<Date>) {
        const BEGINNING: usize = 0;
        const END: usize = 2;
        let (kind, third) = match (self.kind, self.third) {
            (Some(Kind::Before), Some(END)) => (Some(Kind::Until), None),
            (Some(Kind::After), Some(BEGINNING)) => (Some(Kind::Since), None),
            other => other,
        };
        let Period { first, end } = match third {
            Some(third) => third_of(period, third),
            None => period,
        };
        match kind {
            Some(Kind::Since) => (Some(first), None),
            Some(Kind::After) => (Some(end), None),
            Some(Kind::Before) => (None, Some(first)),
            Some(Kind::Until | Kind::By) => (None, Some(end)),
            Some(Kind::Within) | None => (Some(first), Some(end)),
        }
    }
}

/// What lies since "the move in June" lies since June, and what lies before it may lie in June.
fn reached(words: &[&str]) -> Option<Kind> {
    let first = words.len().saturating_sub(REACH);
    let place = (first..words.len()).rfind(|&at| says(words[at], |tongue| tongue.reaching))?;
    let is_known = words
        .get(place + 1)
        .is_some_and(|word| says(word, |tongue| tongue.known));
    // "Who looked after the dog in June" asks for June.
    let is_looked = place > 0 && words[place - 1].starts_with("look");
    match Kind::of(&words[..=place])?.0 {
        Kind::Since => Some(Kind::Since),
        Kind::Until => Some(Kind::Until),
        Kind::After if is_known && !is_looked => Some(Kind::Since),
        Kind::Before if is_known => Some(Kind::Until),
        _ => None,
    }
}

/// Returns what the words behind a time make of it, and how many they are: "2023 or later", "from 2023
/// on".
pub(super) fn kind_behind(words: &[&str], lead: &Lead, end: usize) -> Option<(Kind, usize)> {
    if lead.kind.is_some_and(Kind::is_open) {
        return None;
    }
    let behind = words.get(end..)?;
    if let Some(n_words) = starts_with(behind, |tongue| tongue.onward) {
        return Some((Kind::Since, n_words));
    }
    if let Some(n_words) = starts_with(behind, |tongue| tongue.backward) {
        return Some((Kind::Until, n_words));
    }
    // "A letter from 2023 on taxes" is of that year.
    let is_apart = lead.start == 0 || behind.len() == 1;
    let mut pairs = TONGUES.iter().flat_map(|tongue| tongue.from_on);
    let is_on = pairs.any(|(from, on)| {
        words.get(lead.start) == Some(from) && behind.first() == Some(on) && is_apart
    });
    is_on.then_some((Kind::Since, 1))
}

/// The beginning, the middle or the end of a time, each a third of it: of months where it has that many.
fn third_of(period: Period, third: usize) -> Period {
    let Period { first, end } = period;
    let n_days = i64::from(first.until(end).map_or(0, |span| span.get_days()));
    let n = i64::try_from(third).unwrap_or_default();
    let n_months = i64::from(end.year() - first.year()) * 12 + i64::from(end.month())
        - i64::from(first.month());
    let at = |n: i64| match n_months >= 3 {
        true => first.checked_add((n * n_months / 3).months()),
        false => first.checked_add((n * n_days / 3).days()),
    };
    match (at(n), at(n + 1)) {
        (Ok(first), Ok(cut)) if n < 2 => Period { first, end: cut },
        (Ok(first), _) => Period { first, end },
        _ => period,
    }
}
