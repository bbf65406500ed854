//! Time inside a question: "last week", "in March", "since the move in June 2023". Pure.
//!
//! What is told from today ("yesterday") is about when notes were written, and limits them. What
//! the calendar tells ("2024") is as often what notes are about, and only prefers them.

use jiff::ToSpan;
use jiff::civil::Date;

use super::date::{Manner, Period, Read, around, read};
use super::fold::fold;
use super::lead::{Kind, Lead, kind_behind};
use super::tongue::{TONGUES, says};

/// Years that are taken for one though nothing says so.
const YEARS_BEHIND: i16 = 40;
/// Years that may be meant where something says so.
const YEARS: std::ops::RangeInclusive<i16> = 1800..=2199;

/// A time that a question names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time {
    /// The first day; `None` is any before.
    pub from: Option<Date>,
    /// The day after the last one; `None` is any after.
    pub to: Option<Date>,
    /// Whether other notes are not asked for.
    pub is_limit: bool,
    /// A month that was named without a year: a note that names it in any year may be meant.
    month: Option<i8>,
    /// The words that tell it.
    pub told: String,
    /// The question without the time.
    pub rest: String,
}

/// Finds the time in a question that is asked on the day `today`.
pub fn find(text: &str, today: Date) -> Option<Time> {
    let words = words(text);
    let folded: Vec<&str> = words.iter().map(|word| word.folded.as_str()).collect();
    (0..folded.len()).find_map(|at| {
        let found = range(&folded, at, today)
            .or_else(|| unopened(&folded, at, today))
            .or_else(|| bounded(&folded, at, today))?;
        let (start, end) = (words[found.start].start, words[found.end - 1].end);
        let rest = format!("{} {}", text[..start].trim_end(), text[end..].trim_start());
        Some(Time {
            told: text[start..end].to_owned(),
            rest: rest.trim().to_owned(),
            ..found.time
        })
    })
}

/// Whether a word only asks about a time, whatever happened in it: "notes", "happened".
pub(crate) fn is_asking(word: &str) -> bool {
    let word = fold(word);
    says(&word, |tongue| tongue.asking)
}

impl Time {
    /// Whether a day lies in it.
    pub fn has(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.to.is_none_or(|to| day < to)
    }

    /// Whether it has no beginning or no end: "since May", "before 2024".
    pub fn is_open(&self) -> bool {
        self.from.is_none() || self.to.is_none()
    }

    /// Whether a text names a day, month or year that lies in it. Most texts name some day before or
    /// after another, so that this tells nothing of a time without a beginning or an end.
    pub(crate) fn is_named_in(&self, text: &str) -> bool {
        // Most names and many texts hold no date at all.
        if self.is_open() || !text.bytes().any(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let words = words(text);
        let folded: Vec<&str> = words.iter().map(|word| word.folded.as_str()).collect();
        (0..folded.len()).any(|at| {
            let is_date = folded[at].starts_with(|c: char| c.is_ascii_alphanumeric());
            is_date && self.is_named_by(&folded[at..])
        })
    }

    fn is_named_by(&self, words: &[&str]) -> bool {
        // What a text tells from its own today is not known.
        let Some(found) = read(words, Date::MIN) else {
            return false;
        };
        let Period { first, end } = found.period;
        match found.manner {
            Manner::Calendar | Manner::Year if self.month.is_some() => {
                end <= first.saturating_add(1.month()) && self.month == Some(first.month())
            }
            Manner::Calendar | Manner::Year => {
                self.has(first) && end.yesterday().is_ok_and(|last| self.has(last))
            }
            _ => false,
        }
    }

    /// Returns the days in words.
    pub fn shown(&self) -> String {
        match (self.from, self.to) {
            (Some(from), Some(to)) => shown_period(from, to),
            (Some(from), None) => format!("{} or later", shown_day(from)),
            (None, Some(to)) => format!("before {}", shown_day(to)),
            (None, None) => "any time".to_owned(),
        }
    }
}

/// A word of a text, and where it stands.
struct Word {
    folded: String,
    start: usize,
    end: usize,
}

/// Cuts a text at blanks; marks around words do not count.
fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut at = 0;
    for piece in text.split(char::is_whitespace) {
        let is_mark = |c: char| !c.is_alphanumeric();
        let word = piece.trim_matches(is_mark);
        let start = at + piece.find(word).unwrap_or(0);
        let end = start + word.len();
        // "5." is the fifth.
        let is_ordinal = word.bytes().all(|byte| byte.is_ascii_digit())
            && word.len() <= 2
            && text[end..].starts_with('.');
        if !word.is_empty() {
            let dot = if is_ordinal { "." } else { "" };
            found.push(Word {
                folded: fold(word) + dot,
                start,
                end,
            });
        }
        at += piece.len()
            + text[at + piece.len()..]
                .chars()
                .next()
                .map_or(0, char::len_utf8);
    }
    found
}

/// A time and the words that tell it.
struct Found {
    time: Time,
    start: usize,
    end: usize,
}

/// "between March and June 2024", "von Mai bis Juli 2025".
fn range(words: &[&str], at: usize, today: Date) -> Option<Found> {
    let mut signs = TONGUES.iter().flat_map(|tongue| tongue.ranges);
    signs.find_map(|(opening, joining)| {
        if words[at] != *opening {
            return None;
        }
        let first_at = past_fillers(words, at + 1);
        let first = read(words.get(first_at..)?, today)?;
        let is_joint = |word: &str| word == *joining;
        let (second, end) = joined_by(words, first_at + first.n_words, is_joint, today)?;
        from_to(first, second, at, end)
    })
}

/// "2022 to 2024", "March to June 2024", "2022-2024".
fn unopened(words: &[&str], at: usize, today: Date) -> Option<Found> {
    if let Some((from, to)) = words[at].split_once(['-', '–', '—']) {
        let whole = |word: &str| {
            let found = read(&[word], today)?;
            (found.manner == Manner::Year && is_meant(&found, &Lead::none(at), today))
                .then_some(found)
        };
        return from_to(whole(from)?, whole(to)?, at, at + 1);
    }
    let first = read(&words[at..], today)?;
    let is_joint = |word: &str| says(word, |tongue| tongue.to);
    let (second, end) = joined_by(words, at + first.n_words, is_joint, today)?;
    let is_dated = |read: &Read| matches!(read.manner, Manner::Calendar | Manner::Year);
    let is_sure = is_dated(&second) && is_meant(&second, &Lead::none(at), today);
    let goes_with = match first.manner {
        Manner::Month => second.manner == Manner::Calendar,
        _ => is_dated(&first) && is_meant(&first, &Lead::none(at), today),
    };
    // "Since 2022 until 2024" begins with the same.
    let lead = Lead::before(words, at);
    let start = match lead.kind {
        None => at,
        Some(Kind::Since | Kind::Within) => lead.start,
        Some(_) => return None,
    };
    (is_sure && goes_with).then(|| from_to(first, second, start, end))?
}

/// Reads "and June 2024", and where it ends.
fn joined_by(
    words: &[&str],
    joint: usize,
    is_joint: impl Fn(&str) -> bool,
    today: Date,
) -> Option<(Read, usize)> {
    if !is_joint(words.get(joint)?) {
        return None;
    }
    let at = past_fillers(words, joint + 1);
    let found = read(words.get(at..)?, today)?;
    Some((found, at + found.n_words))
}

fn from_to(first: Read, second: Read, start: usize, end: usize) -> Option<Found> {
    let is_relative = |read: &Read| read.manner == Manner::Relative;
    let period = joined(first, second)?;
    Some(Found {
        time: Time {
            from: Some(period.first),
            to: Some(period.end),
            is_limit: [first, second].iter().all(is_relative),
            month: None,
            told: String::new(),
            rest: String::new(),
        },
        start,
        end,
    })
}

/// From one time to another; a month takes the year of what it is told with.
fn joined(first: Read, second: Read) -> Option<Period> {
    let mut from = first.period.first;
    let end = second.period.end;
    if first.manner == Manner::Month {
        let year = end.yesterday().ok()?.year();
        from = Date::new(year, from.month(), from.day()).ok()?;
        if from >= end {
            from = Date::new(year - 1, from.month(), from.day()).ok()?;
        }
    }
    (from < end).then_some(Period { first: from, end })
}

/// A time that stands by itself, or the end of it behind its beginning: "after 2020 and before 2024".
fn bounded(words: &[&str], at: usize, today: Date) -> Option<Found> {
    let mut found = single(words, at, today)?;
    if found.time.to.is_none() {
        let nearest = found.end + 1..words.len().min(found.end + END_REACH);
        let end = nearest.filter_map(|at| single(words, at, today)).next();
        let is_end = |end: &Found| {
            let is_next = (found.end..=found.end + 1).contains(&end.start);
            is_next && end.time.from.is_none() && end.time.to > found.time.from
        };
        if let Some(end) = end.filter(is_end) {
            found.time.to = end.time.to;
            found.time.is_limit &= end.time.is_limit;
            found.end = end.end;
        }
    }
    // What reaches until today leaves nothing out.
    let is_all = found.time.from.is_none() && found.time.to.is_none_or(|to| to > today);
    (!is_all).then_some(found)
}

/// How many words may stand between a beginning and the end that goes with it.
const END_REACH: usize = 6;

fn single(words: &[&str], at: usize, today: Date) -> Option<Found> {
    let found = read(&words[at..], today)?;
    let mut lead = Lead::before(words, at);
    // "Over 2000 people" is no time, and "over the past year" is one.
    let is_count = found.manner != Manner::Relative && OVER.contains(&words[lead.start]);
    if !is_meant(&found, &lead, today) || is_as_of(words, at) || is_count {
        return None;
    }
    let mut period = found.period;
    // "two weeks ago" is that week.
    let told = &words[at..at + found.n_words];
    if found.n_words == 3 && matches!(found.manner, Manner::Relative | Manner::Loose) {
        let noun = told.iter().find_map(|word| around(period.first, word));
        let is_day = period.first.tomorrow().ok() == Some(period.end);
        period = noun.filter(|_| is_day).unwrap_or(period);
    }
    let mut end = at + found.n_words;
    if let Some((kind, n_words)) = kind_behind(words, &lead, end) {
        lead.kind = Some(kind);
        end += n_words;
    }
    let is_open = lead.kind.is_some_and(Kind::is_open);
    let (from, to) = lead.bounds(period);
    Some(Found {
        time: Time {
            from,
            to,
            is_limit: found.manner == Manner::Relative,
            month: (found.manner == Manner::Month && !is_open).then(|| period.first.month()),
            told: String::new(),
            rest: String::new(),
        },
        start: lead.start,
        end,
    })
}

/// Stands before how long something took, and before how many there are.
const OVER: &[&str] = &["over", "uber"];

/// Whether a time is meant at all: "may" is a verb, "April" a person and 1999 a number, unless
/// something says so.
fn is_meant(found: &Read, lead: &Lead, today: Date) -> bool {
    let year = found.period.first.year();
    let is_near = (today.year() - YEARS_BEHIND..=today.year() + 1).contains(&year);
    match found.manner {
        Manner::Month | Manner::Weekday | Manner::Quarter if lead.kind == Some(Kind::By) => false,
        Manner::Year if lead.kind == Some(Kind::By) => is_near,
        Manner::Relative | Manner::Calendar => YEARS.contains(&year),
        // Notes are not written tomorrow, which in German is also the morning.
        Manner::Loose => found.period.first <= today,
        // "in the march" is not a month.
        Manner::Month | Manner::Weekday => lead.kind.is_some() && lead.is_direct,
        Manner::Quarter => lead.kind.is_some(),
        Manner::Year if lead.kind.is_some() => YEARS.contains(&year),
        Manner::Year => is_near,
    }
}

/// "as of June 2024" says how old an answer may be, not when its note was written.
fn is_as_of(words: &[&str], at: usize) -> bool {
    let mut before = words[at.saturating_sub(4)..at].windows(2);
    before.any(|pair| pair == ["as", "of"])
}

fn past_fillers(words: &[&str], mut at: usize) -> usize {
    while (words.get(at)).is_some_and(|word| says(word, |tongue| tongue.fillers)) {
        at += 1;
    }
    at
}

/// "2024", "March 2024", "5 March 2024", "9 to 15 November 2026".
fn shown_period(from: Date, to: Date) -> String {
    let Ok(last) = to.yesterday() else {
        return shown_day(from);
    };
    if from == last {
        return shown_day(from);
    }
    let is_months = from.day() == 1 && to.day() == 1;
    if is_months && from.month() == 1 && to.month() == 1 {
        return match last.year() == from.year() {
            true => from.year().to_string(),
            false => format!("{} to {}", from.year(), last.year()),
        };
    }
    let is_year = from.year() == last.year();
    let is_month = is_year && from.month() == last.month();
    match (is_months, is_month, is_year) {
        (true, true, _) => from.strftime("%B %Y").to_string(),
        (true, _, true) => format!("{} to {}", from.strftime("%B"), last.strftime("%B %Y")),
        (true, ..) => format!("{} to {}", from.strftime("%B %Y"), last.strftime("%B %Y")),
        (_, true, _) => format!("{} to {}", from.day(), shown_day(last)),
        (_, _, true) => format!("{} to {}", from.strftime("%-d %B"), shown_day(last)),
        _ => format!("{} to {}", shown_day(from), shown_day(last)),
    }
}

fn shown_day(day: Date) -> String {
    day.strftime("%-d %B %Y").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use jiff::civil::date;

    /// Today is Tuesday, 17 November 2026.
    fn check(text: &str) -> String {
        find(text, date(2026, 11, 17)).map_or("-".to_owned(), |time| {
            let limit = if time.is_limit { "only " } else { "" };
            format!("{limit}{} | {}", time.shown(), time.rest)
        })
    }

    #[test]
    fn what_is_told_from_today_limits() {
        assert_snapshot!(check("what did I decide last week"), @"only 9 to 15 November 2026 | what did I decide");
        assert_snapshot!(check("Was habe ich gestern notiert?"), @"only 16 November 2026 | Was habe ich notiert?");
        assert_snapshot!(check("roof vor zwei Wochen"), @"only 2 to 8 November 2026 | roof");
        assert_snapshot!(check("two months ago the boiler broke"), @"only September 2026 | the boiler broke");
        assert_snapshot!(check("letzten Monat ausgegeben"), @"only October 2026 | ausgegeben");
        assert_snapshot!(check("in the last three days"), @"only 14 to 17 November 2026 | ");
        assert_snapshot!(check("roof over the past week"), @"only 10 to 17 November 2026 | roof");
        assert_snapshot!(check("over 2024 people"), @"-");
        assert_snapshot!(check("roof in the past year"), @"only 17 November 2025 to 17 November 2026 | roof");
        assert_snapshot!(check("roof since last month"), @"only 1 October 2026 or later | roof");
        assert_snapshot!(check("the garden last summer"), @"only June to August 2026 | the garden");
        assert_snapshot!(check("meeting last friday"), @"only 13 November 2026 | meeting");
        assert_snapshot!(check("notes of this month"), @"only November 2026 | notes of");
    }

    #[test]
    fn what_the_calendar_tells_prefers() {
        assert_snapshot!(check("2024 budget"), @"2024 | budget");
        assert_snapshot!(check("what happened in March"), @"March 2026 | what happened");
        assert_snapshot!(check("im März 2024 geplant"), @"March 2024 | geplant");
        assert_snapshot!(check("revenue Q3 2024"), @"July to September 2024 | revenue");
        assert_snapshot!(check("costs since the move in June 2023"), @"1 June 2023 or later | costs since the move");
        assert_snapshot!(check("seit dem Umzug im Juni 2023"), @"1 June 2023 or later | seit dem Umzug");
        assert_snapshot!(check("notes before 2020"), @"before 1 January 2020 | notes");
        assert_snapshot!(check("Gewann Polonia vor 2000 etwas?"), @"before 1 January 2000 | Gewann Polonia etwas?");
        assert_snapshot!(check("trips between March and June 2024"), @"March to June 2024 | trips");
        assert_snapshot!(check("zwischen November und Februar 2024"), @"November 2023 to February 2024 | ");
        assert_snapshot!(check("von 2019 bis 2021 gewohnt"), @"2019 to 2021 | gewohnt");
        assert_snapshot!(check("What did Gina find on 1 February, 2023?"), @"1 February 2023 | What did Gina find ?");
        assert_snapshot!(check("Urteil vom 2. April 2013"), @"2 April 2013 | Urteil");
        assert_snapshot!(check("im Jahr 1901 katholisch"), @"1901 | katholisch");
        assert_snapshot!(check("moved 4 years ago"), @"2022 | moved");
    }

    #[test]
    fn times_begin_and_end() {
        assert_snapshot!(check("ferry trip after 2024"), @"1 January 2025 or later | ferry trip");
        assert_snapshot!(check("ferry trip later than May 2024"), @"1 June 2024 or later | ferry trip");
        assert_snapshot!(check("ferry trip until 2024"), @"before 1 January 2025 | ferry trip");
        assert_snapshot!(check("ferry trip till March 2024"), @"before 1 April 2024 | ferry trip");
        assert_snapshot!(check("up to 2023 ferry trips"), @"before 1 January 2024 | ferry trips");
        assert_snapshot!(check("ferry trip no later than 2024"), @"before 1 January 2025 | ferry trip");
        assert_snapshot!(check("ferry trip by 2024"), @"before 1 January 2025 | ferry trip");
        assert_snapshot!(check("what had we paid by the end of May 2024"), @"before 1 June 2024 | what had we paid");
        assert_snapshot!(check("ferry trip prior to June 2024"), @"before 1 June 2024 | ferry trip");
        assert_snapshot!(check("notes older than 2024"), @"before 1 January 2024 | notes");
        assert_snapshot!(check("ferry trip from 2023 on"), @"1 January 2023 or later | ferry trip");
        assert_snapshot!(check("from 2023 on, who paid"), @"1 January 2023 or later | , who paid");
        assert_snapshot!(check("ferry from May 2023 onwards"), @"1 May 2023 or later | ferry");
        assert_snapshot!(check("trips 2023 or later"), @"1 January 2023 or later | trips");
        assert_snapshot!(check("trips in 2023 and before"), @"before 1 January 2024 | trips");
        assert_snapshot!(check("letter from 2023 on taxes"), @"2023 | letter on taxes");
        assert_snapshot!(check("Fähre bis 2024"), @"before 1 January 2025 | Fähre");
        assert_snapshot!(check("Fähre bis zum 5. März 2024"), @"before 6 March 2024 | Fähre");
        assert_snapshot!(check("Fähre nach 2024"), @"1 January 2025 or later | Fähre");
        assert_snapshot!(check("Fähre nach dem Mai 2024"), @"1 June 2024 or later | Fähre");
        assert_snapshot!(check("Fähre ab 2024"), @"1 January 2024 or later | Fähre");
        assert_snapshot!(check("Fähre später als 2024"), @"1 January 2025 or later | Fähre");
        assert_snapshot!(check("Fähre von 2023 an"), @"1 January 2023 or later | Fähre");
        assert_snapshot!(check("Fähre 2023 oder früher"), @"before 1 January 2024 | Fähre");
        assert_snapshot!(check("after last week"), @"only 16 November 2026 or later | ");
    }

    #[test]
    fn beginnings_and_ends_of_times() {
        assert_snapshot!(check("until the end of 2024"), @"before 1 January 2025 | ");
        assert_snapshot!(check("bis Ende Mai"), @"before 1 June 2026 | ");
        assert_snapshot!(check("before the end of 2024"), @"before 1 January 2025 | ");
        assert_snapshot!(check("since the beginning of 2023"), @"1 January 2023 or later | ");
        assert_snapshot!(check("seit Ende 2023"), @"1 September 2023 or later | ");
        assert_snapshot!(check("seit Mitte 2023"), @"1 May 2023 or later | ");
        assert_snapshot!(check("before the middle of May 2023"), @"before 11 May 2023 | ");
    }

    #[test]
    fn what_happened_then_is_a_bound() {
        assert_snapshot!(check("costs until the move in June 2023"), @"before 1 July 2023 | costs until the move");
        assert_snapshot!(check("costs after the move in June 2023"), @"1 June 2023 or later | costs after the move");
        assert_snapshot!(check("costs before our move in June 2023"), @"before 1 July 2023 | costs before our move");
        assert_snapshot!(check("who looked after the dog in June 2023"), @"June 2023 | who looked after the dog");
        assert_snapshot!(check("walks after dinner in June 2023"), @"June 2023 | walks after dinner");
        assert_snapshot!(check("Reise nach Berlin im Juni 2023"), @"June 2023 | Reise nach Berlin");
    }

    #[test]
    fn from_one_time_to_another() {
        assert_snapshot!(check("trips between 2022 and 2024"), @"2022 to 2024 | trips");
        assert_snapshot!(check("trips from 2022 through 2024"), @"2022 to 2024 | trips");
        assert_snapshot!(check("trips 2022 to 2024"), @"2022 to 2024 | trips");
        assert_snapshot!(check("trips 2022-2024"), @"2022 to 2024 | trips");
        assert_snapshot!(check("Reisen März bis Juni 2024"), @"March to June 2024 | Reisen");
        assert_snapshot!(check("trips after 2020 and before 2024"), @"2021 to 2023 | trips");
        assert_snapshot!(check("trips since May 2022 until March 2023"), @"May 2022 to March 2023 | trips");
        assert_snapshot!(check("seit 2022 bis Ende 2023"), @"2022 to 2023 | ");
    }

    #[test]
    fn words_that_only_look_like_time() {
        for text in [
            "may I treat private clients' things",
            "how may this march on",
            "April Jane",
            "letter from the march",
            "protest march route",
            "RFC 9110 section 8.3",
            "1500 words",
            "paint code 7114",
            "as of June 2024 the regions",
            "guten morgen",
            "2014–15 season",
            "week 12",
            "the second day",
            "vor dem Haus",
            "von Hand",
            "from here to there",
            "after the march",
            "the poster by April",
            "divide by 1900",
            "payment due by 2030",
            "nach Hause",
            "bis zum Haus",
            "what did we try until today",
            "",
        ] {
            assert_eq!(check(text), "-", "{text}");
        }
    }

    #[test]
    fn texts_name_times() {
        let check = |question: &str, text: &str| {
            let time = find(question, date(2026, 11, 17)).unwrap();
            time.is_named_in(text)
        };
        assert!(check("in March 2024", "The plan of 5 March 2024."));
        assert!(check("in March 2024", "# 2024-03-05\ntalked"));
        assert!(check("in March 2024", "Budget (March 2024)"));
        assert!(!check("in March 2024", "all of 2024"));
        assert!(!check("in March 2024", "we march in 2024, 5.4.2024"));
        assert!(check("2024 budget", "Budget for 2024"));
        assert!(check("in March", "Trip, 8 March 2019"));
        assert!(!check("in March", "Trip, 8 May 2019"));
        assert!(check("yesterday", "done on 16.11.2026"));
        assert!(!check("yesterday", "yesterday we slept"));
        assert!(!check("since June 2023", "seen 2025-01-01"));
        assert!(!check("before 2024", "Budget 2019"));
        assert!(check("between 2018 and 2020", "Budget 2019"));
    }
}
