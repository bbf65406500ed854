//! Dates as people type them into a query, in English and German. Pure; today is handed in.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

use super::fold::fold;

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

    fn spanning(first: Date, length: Span) -> Option<Self> {
        let end = first.checked_add(length).ok()?;
        Some(Self { first, end })
    }
}

const MONTHS: [(&str, i8); 36] = [
    ("january", 1),
    ("jan", 1),
    ("januar", 1),
    ("janner", 1),
    ("february", 2),
    ("feb", 2),
    ("februar", 2),
    ("march", 3),
    ("mar", 3),
    ("marz", 3),
    ("maerz", 3),
    ("april", 4),
    ("apr", 4),
    ("may", 5),
    ("mai", 5),
    ("june", 6),
    ("jun", 6),
    ("juni", 6),
    ("july", 7),
    ("jul", 7),
    ("juli", 7),
    ("august", 8),
    ("aug", 8),
    ("september", 9),
    ("sep", 9),
    ("sept", 9),
    ("october", 10),
    ("oct", 10),
    ("oktober", 10),
    ("okt", 10),
    ("november", 11),
    ("nov", 11),
    ("december", 12),
    ("dec", 12),
    ("dezember", 12),
    ("dez", 12),
];

const WEEKDAYS: [(&str, Weekday); 15] = [
    ("monday", Weekday::Monday),
    ("montag", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("dienstag", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("mittwoch", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("donnerstag", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("freitag", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("samstag", Weekday::Saturday),
    ("sonnabend", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
    ("sonntag", Weekday::Sunday),
];

/// The units that are counted in "3 days ago".
#[derive(Clone, Copy)]
enum Unit {
    Day,
    Week,
    Month,
    Year,
}

/// Reads a whole text as a date; `None` if it is none.
pub(super) fn parse_period(text: &str, today: Date) -> Option<Period> {
    let folded = fold(text.trim());
    let words: Vec<&str> = folded.split(' ').collect();
    match words[..] {
        [word] => numeric(word)
            .or_else(|| named_day(word, today))
            .or_else(|| short_ago(word, today))
            .or_else(|| weekday(word, today))
            .or_else(|| month(word, today)),
        [first, second] => relative(first, second, today).or_else(|| month_of_year(first, second)),
        [n, noun, "ago"] | ["vor", n, noun] => ago(count(n)?, unit(noun)?, today),
        _ => None,
    }
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

fn named_day(word: &str, today: Date) -> Option<Period> {
    let n_days = match word {
        "today" | "heute" => 0,
        "yesterday" | "gestern" => -1,
        "vorgestern" => -2,
        "tomorrow" | "morgen" => 1,
        _ => return None,
    };
    Period::day(today.checked_add(n_days.days()).ok()?)
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
    let (_, weekday) = WEEKDAYS.iter().find(|(name, _)| *name == word)?;
    Period::day(today.nth_weekday(-1, *weekday).ok()?)
}

/// The last such month that has begun.
fn month(word: &str, today: Date) -> Option<Period> {
    let month = month_number(word)?;
    let year = if month > today.month() {
        today.year() - 1
    } else {
        today.year()
    };
    Period::spanning(Date::new(year, month, 1).ok()?, 1.month())
}

fn month_of_year(first: &str, second: &str) -> Option<Period> {
    if second.len() != 4 || !second.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let first = Date::new(second.parse().ok()?, month_number(first)?, 1).ok()?;
    Period::spanning(first, 1.month())
}

/// "last week", "this month", "letztes Jahr", "last monday".
fn relative(first: &str, second: &str, today: Date) -> Option<Period> {
    let n_back = match first {
        "this" | "diese" | "diesen" | "dieser" | "dieses" => 0,
        "last" | "previous" | "letzte" | "letzten" | "letzter" | "letztes" | "vorige"
        | "vorigen" | "voriges" => 1,
        _ => return None,
    };
    if n_back == 1
        && let Some(day) = weekday(second, today)
    {
        return Some(day);
    }
    let (start, length) = match unit(second)? {
        Unit::Day => return None,
        Unit::Week => {
            let since_monday = i64::from(today.weekday().to_monday_zero_offset());
            (today.checked_sub(since_monday.days()).ok()?, 1.week())
        }
        Unit::Month => (today.first_of_month(), 1.month()),
        Unit::Year => (today.first_of_year(), 1.year()),
    };
    let back = if n_back == 1 { length } else { 0.days() };
    Period::spanning(start.checked_sub(back).ok()?, length)
}

fn ago(n: i32, unit: Unit, today: Date) -> Option<Period> {
    let zero = Span::new();
    let back = match unit {
        Unit::Day => zero.try_days(n),
        Unit::Week => zero.try_weeks(n),
        Unit::Month => zero.try_months(n),
        Unit::Year => zero.try_years(n),
    };
    Period::day(today.checked_sub(back.ok()?).ok()?)
}

fn count(word: &str) -> Option<i32> {
    match word {
        "a" | "an" | "one" | "einem" | "einer" => Some(1),
        "two" | "zwei" => Some(2),
        "three" | "drei" => Some(3),
        _ => word.parse().ok().filter(|n| *n >= 0),
    }
}

fn unit(word: &str) -> Option<Unit> {
    Some(match word {
        "day" | "days" | "tag" | "tagen" => Unit::Day,
        "week" | "weeks" | "woche" | "wochen" => Unit::Week,
        "month" | "months" | "monat" | "monaten" => Unit::Month,
        "year" | "years" | "jahr" | "jahren" => Unit::Year,
        _ => return None,
    })
}

fn month_number(word: &str) -> Option<i8> {
    let (_, number) = MONTHS.iter().find(|(name, _)| *name == word)?;
    Some(*number)
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
        assert_snapshot!(check("march 25"), @"-");
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
