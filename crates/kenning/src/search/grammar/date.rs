//! Dates as people type them, in every language of `tongue`. Pure; today is handed in.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::fold::fold;
use super::tongue::{TONGUES, place, says};

/// Some days in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Period {
    /// The first day.
    pub(super) first: Date,
    /// The day after the last one.
    pub(super) end: Date,
}

impl Period {
    /// Returns the last day that is not in the future, as far as the period reaches back.
    pub(super) fn last_day(self, today: Date) -> Date {
        if self.first <= today && today < self.end {
            return today;
        }
        self.end.yesterday().unwrap_or(self.first)
    }

    fn day(first: Date) -> Option<Self> {
        let end = first.tomorrow().ok()?;
        Some(Self { first, end })
    }

    fn spanning(first: Date, length: jiff::Span) -> Option<Self> {
        let end = first.checked_add(length).ok()?;
        Some(Self { first, end })
    }
}

/// Months that are verbs, too.
const VERBS: [&str; 2] = ["may", "march"];

/// The units that are counted in "3 days ago".
#[derive(Clone, Copy)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

/// What was recognised at the beginning of some words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Read {
    /// The days.
    pub(super) period: Period,
    /// How many words tell them.
    pub(super) n_words: usize,
    /// How they are told.
    pub(super) manner: Manner,
}

/// How a time is told, which decides how sure it is that one is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// From today: "last week", "3 days ago".
    Relative,
    /// "today", which may also mean these times, and "three years ago", which tells of life rather
    /// than of notes.
    Loose,
    /// With day and month, month and year, or the like: "March 2024", "Q3 2024".
    Calendar,
    /// A month alone, which may be a word or a person.
    Month,
    /// A quarter alone.
    Quarter,
    /// A year alone, which may be any number.
    Year,
    /// A weekday alone.
    Weekday,
}

/// Reads a whole text as a date; `None` if it is not one. Hyphens may stand for blanks.
pub(super) fn parse_period(text: &str, today: Date) -> Option<Period> {
    let whole = |folded: &str| {
        let words: Vec<&str> = folded.split(' ').collect();
        let read = read(&words, today)?;
        (read.n_words == words.len()).then_some(read.period)
    };
    let folded = fold(text.trim());
    whole(&folded).or_else(|| match folded.as_str() {
        word if !word.contains(' ') => {
            short_ago(word, today).or_else(|| whole(&word.replace(['-', '_'], " ")))
        }
        _ => None,
    })
}

/// Days from one to another, either of which may be open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    /// The first day.
    pub(super) from: Option<Date>,
    /// The day after the last one.
    pub(super) to: Option<Date>,
}

/// Reads a date, what is before or after one, or from one to another: `2024`, `>2023-05`,
/// `<=2024-06`, `2023..2024-06`.
pub(super) fn parse_span(text: &str, today: Date) -> Option<Span> {
    let period = |text: &str| parse_period(text.trim().trim_matches('"'), today);
    if let Some((from, to)) = text.split_once("..").filter(|_| text.trim() != "..") {
        return Some(Span {
            from: match from.trim() {
                "" => None,
                from => Some(period(from)?.first),
            },
            to: match to.trim() {
                "" => None,
                to => Some(period(to)?.end),
            },
        });
    }
    let (sign, rest) = text.split_at(text.len() - text.trim_start_matches(['<', '>', '=']).len());
    let Period { first, end } = period(rest)?;
    let (from, to) = match sign {
        "" | "=" => (Some(first), Some(end)),
        ">" => (Some(end), None),
        ">=" => (Some(first), None),
        "<" => (None, Some(first)),
        "<=" => (None, Some(end)),
        _ => return None,
    };
    Some(Span { from, to })
}

/// Reads the date that some words begin with, the longest that there is.
pub(super) fn read(words: &[&str], today: Date) -> Option<Read> {
    let found = |period: Option<Period>, n_words: usize, manner: Manner| {
        period.map(|period| Read {
            period,
            n_words,
            manner,
        })
    };
    let three = || {
        let [a, b, c, ..] = words[..] else {
            return None;
        };
        found(full_date(a, b, c), 3, Manner::Calendar)
            .or_else(|| last_so_many(a, b, c, today))
            .or_else(|| so_long_ago(a, b, c, today))
    };
    let two = || {
        let [a, b, ..] = words[..] else {
            return None;
        };
        found(part_of_year(a, year(b)?), 2, Manner::Calendar)
            .or_else(|| found(day_of_month(a, b, today), 2, Manner::Calendar))
    };
    let near = || {
        let [a, b, ..] = words[..] else {
            return None;
        };
        found(relative(a, b, today), 2, Manner::Relative)
            .or_else(|| found(day_of_month(a, b, today), 2, Manner::Calendar))
    };
    let one = || {
        let word = *words.first()?;
        let manner = match word.len() {
            4 => Manner::Year,
            _ => Manner::Calendar,
        };
        found(numeric(word), 1, manner)
            .or_else(|| named_day(word, today))
            .or_else(|| found(weekday(word, today), 1, Manner::Weekday))
            .or_else(|| found(month(word, today), 1, Manner::Month))
            .or_else(|| found(latest_quarter(word, today), 1, Manner::Quarter))
    };
    three().or_else(two).or_else(near).or_else(one)
}

/// `2026`, `2026-03`, `2026-03-05`, `2026/03/05`, `5.3.2026`.
fn numeric(word: &str) -> Option<Period> {
    let mut parts: Vec<&str> = match word.chars().find(|c| !c.is_ascii_digit()) {
        None => vec![word],
        Some(separator @ ('-' | '/' | '.')) => word.split(separator).collect(),
        Some(_) => return None,
    };
    if word.contains('.') {
        parts.reverse();
        // `3.2026` could be anything.
        if parts.len() != 3 {
            return None;
        }
    }
    let number = |part: &str, n_digits: std::ops::RangeInclusive<usize>| -> Option<i16> {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        (is_number && n_digits.contains(&part.len())).then(|| part.parse().ok())?
    };
    let small = |part: &str| -> Option<i8> { number(part, 1..=2)?.try_into().ok() };
    let year = number(parts[0], 4..=4)?;
    match parts[1..] {
        [] => Period::spanning(Date::new(year, 1, 1).ok()?, 1.year()),
        [month] => Period::spanning(Date::new(year, small(month)?, 1).ok()?, 1.month()),
        [month, day] => Period::day(Date::new(year, small(month)?, small(day)?).ok()?),
        _ => None,
    }
}

fn named_day(word: &str, today: Date) -> Option<Read> {
    let mut all = TONGUES.iter().flat_map(|tongue| tongue.days);
    let (_, n_days) = all.find(|(name, _)| *name == word)?;
    Some(Read {
        period: Period::day(today.checked_add(n_days.days()).ok()?)?,
        n_words: 1,
        manner: match n_days {
            ..0 => Manner::Relative,
            _ => Manner::Loose,
        },
    })
}

/// `30d`, `6w`, `3m`, `1y`: that long ago.
fn short_ago(word: &str, today: Date) -> Option<Period> {
    let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match &word[digits.len()..] {
        "d" => Unit::Day,
        "w" => Unit::Week,
        "m" => Unit::Month,
        "y" => Unit::Year,
        _ => return None,
    };
    ago(digits.parse().ok()?, unit, today)
}

/// The last one before today: whoever means today says so.
fn weekday(word: &str, today: Date) -> Option<Period> {
    let offset = i8::try_from(place(word, |tongue| &tongue.weekdays)?).ok()?;
    let weekday = Weekday::from_monday_zero_offset(offset).ok()?;
    Period::day(today.nth_weekday(-1, weekday).ok()?)
}

/// The last such month that has begun.
fn month(word: &str, today: Date) -> Option<Period> {
    latest(word, today, |word, year| {
        let first = Date::new(year, month_number(word)?, 1).ok()?;
        Period::spanning(first, 1.month())
    })
}

fn latest_quarter(word: &str, today: Date) -> Option<Period> {
    latest(word, today, quarter)
}

/// The last one of a part of the year that has begun.
fn latest(
    word: &str,
    today: Date,
    of_year: impl Fn(&str, i16) -> Option<Period>,
) -> Option<Period> {
    let this = of_year(word, today.year())?;
    match this.first <= today {
        true => Some(this),
        false => of_year(word, today.year() - 1),
    }
}

/// "Q3" of a year.
fn quarter(word: &str, year: i16) -> Option<Period> {
    let number: i8 = word.strip_prefix('q')?.parse().ok()?;
    let month = (1..=4).contains(&number).then_some(3 * number - 2)?;
    Period::spanning(Date::new(year, month, 1).ok()?, 3.months())
}

/// Three months each, as meteorologists count; a winter is of the year it ends in.
fn season(word: &str, year: i16) -> Option<Period> {
    let n = i8::try_from(place(word, |tongue| &tongue.seasons)?).ok()?;
    let first = match n {
        0 => Date::new(year - 1, 12, 1),
        n => Date::new(year, 3 * n, 1),
    };
    Period::spanning(first.ok()?, 3.months())
}

/// A month, quarter or season of a year.
fn part_of_year(word: &str, year: i16) -> Option<Period> {
    let month = || {
        let first = Date::new(year, month_number(word)?, 1).ok()?;
        Period::spanning(first, 1.month())
    };
    month()
        .or_else(|| quarter(word, year))
        .or_else(|| season(word, year))
}

/// "5 March 2026", "March 5th, 2026", "5. März 2026".
fn full_date(a: &str, b: &str, c: &str) -> Option<Period> {
    let year = year(c)?;
    let (day, month) = match month_number(a) {
        Some(month) => (day_number(b)?, month),
        None => (day_number(a)?, month_number(b)?),
    };
    Period::day(Date::new(year, month, day).ok()?)
}

/// "5th March", "March 5", "5. März": the last one that has come.
fn day_of_month(a: &str, b: &str, today: Date) -> Option<Period> {
    let (day, month) = match month_number(a) {
        Some(month) => (day_number(b)?, month),
        // "5 may" goes on with a verb as often as not.
        None if a.bytes().all(|byte| byte.is_ascii_digit()) => return None,
        None => (day_number(a)?, month_number(b)?),
    };
    let of_year = |year: i16| Period::day(Date::new(year, month, day).ok()?);
    of_year(today.year())
        .filter(|period| period.first <= today)
        .or_else(|| of_year(today.year() - 1))
}

/// "this week", "letztes Jahr", "past month", "last monday", "last summer", "last march".
fn relative(first: &str, second: &str, today: Date) -> Option<Period> {
    let is_last = says(first, |tongue| tongue.last);
    if !is_last && !says(first, |tongue| tongue.this) {
        return None;
    }
    if let Some(unit) = unit(second) {
        return match says(first, |tongue| tongue.past) {
            true => up_to_today(1, unit, today),
            false => whole_unit(unit, is_last, today),
        };
    }
    if is_last && let Some(day) = weekday(second, today) {
        return Some(day);
    }
    // "This may help" does not name a month.
    if !is_last && VERBS.contains(&second) {
        return None;
    }
    let part = |word: &str, year| season(word, year).or_else(|| part_of_year(word, year));
    match is_last {
        // The last summer is over.
        true => (0..=1)
            .filter_map(|n| part(second, today.year() - n))
            .find(|period| period.end <= today),
        false => part(second, today.year()),
    }
}

/// The week, month or year of today, or the one before.
fn whole_unit(unit: Unit, is_last: bool, today: Date) -> Option<Period> {
    let (start, length) = match unit {
        Unit::Day => return None,
        Unit::Week => {
            let since_monday = i64::from(today.weekday().to_monday_zero_offset());
            (today.checked_sub(since_monday.days()).ok()?, 1.week())
        }
        Unit::Month => (today.first_of_month(), 1.month()),
        Unit::Year => (today.first_of_year(), 1.year()),
    };
    let back = if is_last { length } else { 0.days() };
    Period::spanning(start.checked_sub(back).ok()?, length)
}

/// "the last 3 days", "letzten zwei Wochen": up to today.
fn last_so_many(first: &str, n: &str, noun: &str, today: Date) -> Option<Read> {
    if !says(first, |tongue| tongue.last) {
        return None;
    }
    Some(Read {
        period: up_to_today(count(n)?, unit(noun)?, today)?,
        n_words: 3,
        manner: Manner::Relative,
    })
}

/// So many days, weeks, months or years, the last of which ends today.
fn up_to_today(n: i32, unit: Unit, today: Date) -> Option<Period> {
    let Period { first, .. } = ago(n, unit, today)?;
    let end = today.tomorrow().ok()?;
    Some(Period { first, end })
}

/// "3 days ago", "vor einem Jahr".
fn so_long_ago(a: &str, b: &str, c: &str, today: Date) -> Option<Read> {
    let (n, noun) = if says(c, |tongue| tongue.ago_behind) {
        (a, b)
    } else if says(a, |tongue| tongue.ago_before) {
        (b, c)
    } else {
        return None;
    };
    let unit = unit(noun)?;
    Some(Read {
        period: ago(count(n)?, unit, today)?,
        n_words: 3,
        manner: match unit {
            Unit::Year => Manner::Loose,
            _ => Manner::Relative,
        },
    })
}

fn ago(n: i32, unit: Unit, today: Date) -> Option<Period> {
    let zero = jiff::Span::new();
    let back = match unit {
        Unit::Day => zero.try_days(n),
        Unit::Week => zero.try_weeks(n),
        Unit::Month => zero.try_months(n),
        Unit::Year => zero.try_years(n),
    };
    Period::day(today.checked_sub(back.ok()?).ok()?)
}

/// The week, month or year that a day is in: who says "two weeks ago" does not mean a day of it.
pub(super) fn around(day: Date, noun: &str) -> Option<Period> {
    match unit(noun)? {
        Unit::Day => Period::day(day),
        unit => whole_unit(unit, false, day),
    }
}

fn count(word: &str) -> Option<i32> {
    match place(word, |tongue| &tongue.numbers) {
        Some(n) => i32::try_from(n + 1).ok(),
        None => word.parse().ok().filter(|n| *n >= 0),
    }
}

fn unit(word: &str) -> Option<Unit> {
    const UNITS: [Unit; 4] = [Unit::Day, Unit::Week, Unit::Month, Unit::Year];
    place(word, |tongue| &tongue.units).map(|n| UNITS[n])
}

fn month_number(word: &str) -> Option<i8> {
    let word = word.trim_end_matches('.');
    i8::try_from(place(word, |tongue| &tongue.months)? + 1).ok()
}

/// "5", "5.", "5th".
fn day_number(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(['.', ',']);
    let digits = ["st", "nd", "rd", "th"]
        .iter()
        .find_map(|ending| digits.strip_suffix(ending))
        .unwrap_or(digits);
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let day: i8 = digits.parse().ok().filter(|_| is_number)?;
    (1..=31).contains(&day).then_some(day)
}

/// Four digits that may be a year.
fn year(word: &str) -> Option<i16> {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| is_year)
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use jiff::civil::date;

    /// Today is Thursday, 5 March 2026.
    fn check(text: &str) -> String {
        parse_period(text, date(2026, 3, 5)).map_or("-".to_owned(), |period| {
            format!("{}..{}", period.first, period.end)
        })
    }

    #[test]
    fn numbers() {
        assert_snapshot!(check("2026"), @"2026-01-01..2027-01-01");
        assert_snapshot!(check("2026-03"), @"2026-03-01..2026-04-01");
        assert_snapshot!(check("2026-03-05"), @"2026-03-05..2026-03-06");
        assert_snapshot!(check("2026/3/5"), @"2026-03-05..2026-03-06");
        assert_snapshot!(check("5.3.2026"), @"2026-03-05..2026-03-06");
        assert_snapshot!(check("2024-02-30"), @"-");
        assert_snapshot!(check("2026-03/05"), @"-");
        assert_snapshot!(check("26"), @"-");
        assert_snapshot!(check("12.2026"), @"-");
        assert_snapshot!(check("2026-"), @"-");
        assert_snapshot!(check("2026-+3"), @"-");
    }

    #[test]
    fn days_in_words() {
        assert_snapshot!(check("Today"), @"2026-03-05..2026-03-06");
        assert_snapshot!(check("gestern"), @"2026-03-04..2026-03-05");
        assert_snapshot!(check("vorgestern"), @"2026-03-03..2026-03-04");
        assert_snapshot!(check("monday"), @"2026-03-02..2026-03-03");
        assert_snapshot!(check("Donnerstag"), @"2026-02-26..2026-02-27");
        assert_snapshot!(check("last friday"), @"2026-02-27..2026-02-28");
    }

    #[test]
    fn weeks_months_and_years() {
        assert_snapshot!(check("last week"), @"2026-02-23..2026-03-02");
        assert_snapshot!(check("this week"), @"2026-03-02..2026-03-09");
        assert_snapshot!(check("letzte Woche"), @"2026-02-23..2026-03-02");
        assert_snapshot!(check("last month"), @"2026-02-01..2026-03-01");
        assert_snapshot!(check("letzten Monat"), @"2026-02-01..2026-03-01");
        assert_snapshot!(check("this month"), @"2026-03-01..2026-04-01");
        assert_snapshot!(check("last year"), @"2025-01-01..2026-01-01");
        assert_snapshot!(check("letztes  Jahr"), @"2025-01-01..2026-01-01");
        assert_snapshot!(check("dieses Jahr"), @"2026-01-01..2027-01-01");
    }

    #[test]
    fn months_by_name() {
        assert_snapshot!(check("march"), @"2026-03-01..2026-04-01");
        assert_snapshot!(check("April"), @"2025-04-01..2025-05-01");
        assert_snapshot!(check("März 2025"), @"2025-03-01..2025-04-01");
        assert_snapshot!(check("march 25"), @"2025-03-25..2025-03-26");
    }

    #[test]
    fn parts_of_a_year() {
        assert_snapshot!(check("Q3 2024"), @"2024-07-01..2024-10-01");
        assert_snapshot!(check("q2"), @"2025-04-01..2025-07-01");
        assert_snapshot!(check("Q5 2024"), @"-");
        assert_snapshot!(check("summer 2024"), @"2024-06-01..2024-09-01");
        assert_snapshot!(check("last summer"), @"2025-06-01..2025-09-01");
        assert_snapshot!(check("letzten Winter"), @"2025-12-01..2026-03-01");
        assert_snapshot!(check("last march"), @"2025-03-01..2025-04-01");
        assert_snapshot!(check("5 March 2024"), @"2024-03-05..2024-03-06");
        assert_snapshot!(check("March 5th 2024"), @"2024-03-05..2024-03-06");
        assert_snapshot!(check("5. März 2024"), @"2024-03-05..2024-03-06");
        assert_snapshot!(check("5. April"), @"2025-04-05..2025-04-06");
        assert_snapshot!(check("30 February 2024"), @"-");
        assert_snapshot!(check("last 3 days"), @"2026-03-02..2026-03-06");
        assert_snapshot!(check("letzten zwei Wochen"), @"2026-02-19..2026-03-06");
        assert_snapshot!(check("last-week"), @"2026-02-23..2026-03-02");
    }

    #[test]
    fn before_after_and_from_to() {
        let check = |text: &str| {
            let shown = |day: Option<Date>| day.map_or(String::new(), |day| day.to_string());
            parse_span(text, date(2026, 3, 5)).map_or("-".to_owned(), |span| {
                format!("{}..{}", shown(span.from), shown(span.to))
            })
        };
        assert_snapshot!(check("2024"), @"2024-01-01..2025-01-01");
        assert_snapshot!(check(">2023-05"), @"2023-06-01..");
        assert_snapshot!(check(">=2023-05"), @"2023-05-01..");
        assert_snapshot!(check("<2023-05"), @"..2023-05-01");
        assert_snapshot!(check("<=2023-05"), @"..2023-06-01");
        assert_snapshot!(check("2023..2024-06"), @"2023-01-01..2024-07-01");
        assert_snapshot!(check("2023.."), @"2023-01-01..");
        assert_snapshot!(check(">last-week"), @"2026-03-02..");
        assert_snapshot!(check("<>2023"), @"-");
        assert_snapshot!(check(">soon"), @"-");
    }

    #[test]
    fn so_long_ago() {
        assert_snapshot!(check("30d"), @"2026-02-03..2026-02-04");
        assert_snapshot!(check("6w"), @"2026-01-22..2026-01-23");
        assert_snapshot!(check("1m"), @"2026-02-05..2026-02-06");
        assert_snapshot!(check("1y"), @"2025-03-05..2025-03-06");
        assert_snapshot!(check("3 days ago"), @"2026-03-02..2026-03-03");
        assert_snapshot!(check("a week ago"), @"2026-02-26..2026-02-27");
        assert_snapshot!(check("vor 3 Tagen"), @"2026-03-02..2026-03-03");
        assert_snapshot!(check("vor einem Jahr"), @"2025-03-05..2025-03-06");
        assert_snapshot!(check("99999999y"), @"-");
        assert_snapshot!(check("-3 days ago"), @"-");
    }
}
