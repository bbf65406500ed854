//! The time that a question names: which notes are of it, and whether others are asked for at all.

use std::rc::Rc;

use jiff::civil::Date;

use super::evidence::Evidence;
use super::fuse::Candidate;
use super::grammar::{Filter, Request, Time, Which, is_asking, time_in};
use super::query::Query;
use super::rank::Ranked;
use super::select::dates_of;
use super::tuning::{BOUND_LIFT, PERIOD_LIFT};
use super::{Found, SearchContext, SearchOptions, find_in, understand};
use crate::error::Result;
use crate::store::{NoteFacts, NoteId, NoteSet, Select, Store, Wanted};
use crate::words;

/// Finds what was asked for: among the notes of the time that the question names if they answer it,
/// otherwise among all.
pub(super) fn find<'a>(
    cx: &SearchContext<'a>,
    text: &str,
    options: &SearchOptions,
) -> Result<Found<'a>> {
    let today = day_of(options.now);
    let (mut request, intent) = understand(cx.store, text, today)?;
    let is_quoted = text.contains(['"', '“', '„']);
    let when = match options.reads_dates && !request.is_name && !is_quoted {
        true => When::of(cx.store, &request, today)?,
        false => None,
    };
    let Some(when) = when else {
        return find_in(cx, (request, intent), None, options);
    };
    let shown = when.time.shown();
    let is_limit = when.time.is_limit;
    let preferred = when.preferred();
    // No note says "last month" of itself, neither those of it nor others. Where no note is of a time,
    // what was typed may be what notes tell of.
    let is_left = |words: &String| !words.is_empty() && (is_limit || !when.notes.is_empty());
    let rest = when.words().filter(is_left);
    let mut limited = None;
    if when.is_limit() && !when.notes.is_empty() {
        let mut found = find_in(cx, (request.clone(), intent), Some(Rc::new(when)), options)?;
        let verdict = found.judge(cx)?;
        found
            .request
            .notices
            .push(format!("only notes from {shown}; {SWITCH}"));
        if verdict.evidence >= Evidence::Moderate {
            return Ok(found);
        }
        limited = Some((found, verdict)).filter(|(_, verdict)| verdict.evidence > Evidence::None);
    }
    if let Some(rest) = rest {
        request.words = rest;
    }
    let preferred = Some(Rc::new(preferred));
    let mut found = find_in(cx, (request, intent), preferred, options)?;
    if let Some((limited, verdict)) = limited
        && verdict.confidence >= AS_GOOD * found.judge(cx)?.confidence
    {
        return Ok(limited);
    }
    let is_lifted = |ranked: &Ranked| ranked.candidate.period > 0.0;
    if is_limit {
        let notice = format!("no note from {shown} answers this, so all were searched; {SWITCH}");
        found.request.notices.push(notice);
    } else if found.ranking.looked.iter().any(is_lifted) {
        let notice = format!("notes from {shown} are preferred; {SWITCH}");
        found.request.notices.push(notice);
    }
    Ok(found)
}

/// How much of what all notes say to a question those of a time must say, to be the answer alone: where
/// a word is in most notes, or in none, nothing is ever said surely, but the time is.
const AS_GOOD: f32 = 0.9;

/// How to have it otherwise, wherever the question was asked.
const SWITCH: &str = "`dates = false` (`--no-dates`) switches this off";

/// A time and the notes of it.
pub(super) struct When {
    pub(super) time: Time,
    /// Notes that are dated in it, or whose name is.
    pub(super) notes: NoteSet,
    /// Whether nothing but the time was asked for: "what happened last week".
    pub(super) is_listing: bool,
}

impl When {
    /// Understands the time in a question; `None` if it names none, or asks for dates by operators.
    pub(super) fn of(store: &Store, request: &Request, today: Date) -> Result<Option<Self>> {
        let is_dated = request.filter.as_ref().is_some_and(Filter::reads_dates);
        if request.as_of.is_some() || is_dated {
            return Ok(None);
        }
        let Some(time) = time_in(&request.words, today) else {
            return Ok(None);
        };
        let rest = Query::parse(&time.rest, &store.meta()?.languages);
        let is_telling = rest
            .words
            .iter()
            .any(|word| word.chars().any(char::is_alphanumeric) && !is_asking(word));
        let has_other = request.filter.is_some() || !request.tags.is_empty();
        Ok(Some(Self {
            notes: notes_of(store, &time)?,
            is_listing: !is_telling && !has_other,
            time,
        }))
    }

    /// Whether a note is of the time, as far as its dates and names tell.
    pub(super) fn has(&self, note: NoteId) -> bool {
        self.notes.contains(note)
    }

    /// Whether other notes are not asked for.
    pub(super) fn is_limit(&self) -> bool {
        self.time.is_limit || self.is_listing
    }

    /// Returns what ranks among the notes of the time, if not all that was typed. Notes do not say
    /// "last week" of themselves; who asks for nothing else gets all of them.
    pub(super) fn words(&self) -> Option<String> {
        let words = match self.is_listing {
            true => String::new(),
            false => self.time.rest.clone(),
        };
        // What is asked for "before 2024" is anything but 2024.
        let is_left_out = self.time.is_limit || self.time.is_open();
        is_left_out.then_some(words)
    }

    /// Returns which words of a question only tell the time.
    pub(super) fn told_in(&self, query: &Query) -> Vec<bool> {
        let told = self.time.told.to_lowercase();
        let told: Vec<&str> = words::words(&told).map(|word| word.text).collect();
        let is_told = |word: &String| told.contains(&word.to_lowercase().as_str());
        query.words.iter().map(is_told).collect()
    }

    /// Whether a passage is of the time, by its note or by what it says.
    pub(super) fn is_met_by(&self, ranked: &Ranked) -> bool {
        self.has(ranked.note.id) || self.time.is_named_in(ranked.passage())
    }

    /// Returns the same time for a search that only prefers its notes.
    fn preferred(&self) -> Self {
        let mut time = self.time.clone();
        time.is_limit = false;
        Self {
            time,
            notes: self.notes.clone(),
            is_listing: false,
        }
    }

    /// Lifts the candidates of the time.
    pub(super) fn lift(&self, candidates: &mut [Candidate]) {
        // Words, meaning and ranks each have a scale of their own.
        let scores = candidates.iter().map(|candidate| candidate.score);
        let share = match self.time.is_open() {
            true => BOUND_LIFT,
            false => PERIOD_LIFT,
        };
        let lift = share * scores.fold(0.0, f32::max);
        for candidate in candidates {
            if self.has(candidate.note) {
                candidate.score += lift;
                candidate.period = lift;
            }
        }
    }
}

/// The day that a time lies in, in UTC.
pub(super) fn day_of(now: i64) -> Date {
    let time = jiff::Timestamp::from_second(now).unwrap_or_default();
    time.to_zoned(jiff::tz::TimeZone::UTC).date()
}

fn notes_of(store: &Store, time: &Time) -> Result<NoteSet> {
    let facts = store.select(Select::Every, Wanted::NAMES)?;
    let is_of_it = |facts: &&NoteFacts| {
        let mut days = dates_of(facts).of(Which::Any);
        days.any(|day| time.has(day)) || time.is_named_in(&facts.title)
    };
    Ok(facts
        .iter()
        .filter(is_of_it)
        .map(|facts| facts.id)
        .collect())
}
