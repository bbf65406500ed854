//! The time that a question names: which notes are of it, and whether others are asked for at all.

use jiff::civil::Date;

use super::grammar::{Dates, Filter, Request, Time, Which, is_asking, time_in};
use super::query::Query;
use super::tuning::{BOUND_LIFT, PERIOD_LIFT};
use crate::error::Result;
use crate::note;
use crate::store::{NoteFacts, NoteId, NoteSet, Select, Store, Wanted, day_of_ns};
use crate::words;

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
    pub(super) fn is_met_by(&self, note: NoteId, passage: &str) -> bool {
        self.has(note) || self.time.is_named_in(passage)
    }

    /// Returns the same time for a search that only prefers its notes.
    pub(super) fn preferred(&self) -> Self {
        let mut time = self.time.clone();
        time.is_limit = false;
        Self {
            time,
            notes: self.notes.clone(),
            is_listing: false,
        }
    }

    /// Returns the share of the best score by which what is of the time is lifted.
    pub(super) fn lift_share(&self) -> f32 {
        match self.time.is_open() {
            true => BOUND_LIFT,
            false => PERIOD_LIFT,
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

/// The days a note is of.
pub(super) fn dates_of(facts: &NoteFacts) -> Dates {
    let day = |text: &Option<String>| text.as_deref().and_then(|day| day.parse().ok());
    let named = note::date_of_path(&facts.path);
    let says_none =
        facts.published.is_none() && facts.created.is_none() && facts.modified.is_none();
    let changed = match says_none && named.is_none() {
        // What git told is the note's own date then.
        true => day(&facts.date),
        false => day(&facts.committed).or_else(|| day_of_ns(facts.mtime_ns)),
    };
    Dates {
        created: day(&facts.created),
        modified: day(&facts.modified),
        published: day(&facts.published),
        named: day(&named),
        changed,
    }
}
