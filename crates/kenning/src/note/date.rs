//! Dates as people write them, in properties and in file names.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

/// Years that a number in a file name may mean.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2199;
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Reads the date that a property's text starts with: `2026-03-05`, with or without a time,
/// `2026/3/5`, `20260305`, `5.3.2026`, `March 5th, 2026`, `5 March 2026`, `2026-03`, `2026`.
pub(super) fn parse(text: &str) -> Option<Date> {
    let text = text.trim().trim_matches(['"', '\'', '[', ']']);
    leading(text)
        .or_else(|| dotted(text))
        .or_else(|| with_month_name(text))
        .or_else(|| year_and_month(text))
        .or_else(|| since_1970(text))
}

/// Whether the text is a date and a time of day.
pub(super) fn has_time(text: &str) -> bool {
    let rest = text.trim().get(10..).unwrap_or_default();
    let rest = rest.trim_start_matches(['T', 't', ' ']);
    leading(text.trim()).is_some()
        && rest.len() >= 4
        && rest.starts_with(|c: char| c.is_ascii_digit())
        && rest.contains(':')
}

/// Returns the day that a path names: a daily note, a dated file name, a week, `2026/03/05.md`.
pub(super) fn of_path(path: &str) -> Option<Date> {
    let stem = super::file_stem(path);
    leading(stem)
        .or_else(|| anywhere(stem))
        .or_else(|| week(stem))
        .or_else(|| of_folders(path, stem))
        .filter(|date| YEARS.contains(&date.year()))
}

/// `2026-03-05…`, with `-`, `/`, `.` or `_` between the numbers, or none at all.
fn leading(text: &str) -> Option<Date> {
    let (year, rest) = number(text, 4)?;
    let separator = rest.chars().next()?;
    if separator.is_ascii_digit() {
        let (month, rest) = number(rest, 2)?;
        let (day, rest) = number(rest, 2)?;
        // A stamp such as 202603051230 goes on with the time; anything else is another number.
        let n_more = rest.bytes().take_while(u8::is_ascii_digit).count();
        return matches!(n_more, 0 | 4 | 6).then(|| date(year, month, day))?;
    }
    if !matches!(separator, '-' | '/' | '.' | '_') {
        return None;
    }
    let (month, rest) = up_to_two(&rest[1..])?;
    let (day, rest) = up_to_two(rest.strip_prefix(separator)?)?;
    (!rest.starts_with(|c: char| c.is_ascii_digit())).then(|| date(year, month, day))?
}

/// `Meeting 2026-03-05`: a whole date behind a word.
fn anywhere(stem: &str) -> Option<Date> {
    stem.match_indices(|c: char| c.is_ascii_digit())
        .filter(|(at, _)| !stem[..*at].ends_with(|c: char| c.is_alphanumeric()))
        .filter(|(at, _)| stem.as_bytes().get(at + 4) == Some(&b'-'))
        .find_map(|(at, _)| leading(&stem[at..]))
}

/// `2026-W10`: the week's Monday.
fn week(stem: &str) -> Option<Date> {
    let (year, rest) = number(stem, 4)?;
    let rest = rest.trim_start_matches('-').strip_prefix(['W', 'w'])?;
    let (week, _) = number(rest, 2)?;
    let first = date(year, 1, 4)?;
    let monday = first
        .checked_sub((i64::from(first.weekday().to_monday_zero_offset())).days())
        .ok()?;
    let found = monday
        .checked_add((i64::from(week) - 1).checked_mul(7)?.days())
        .ok()?;
    debug_assert_eq!(found.weekday(), Weekday::Monday);
    (1..=53).contains(&week).then_some(found)
}

/// `2026/03/05.md` and `2026/03-March/05.md`.
fn of_folders(path: &str, stem: &str) -> Option<Date> {
    let (day, rest) = number(stem, 2)?;
    let mut folders = path.rsplit('/').skip(1);
    let (month, _) = number(folders.next()?, 2)?;
    let (year, behind) = number(folders.next()?, 4)?;
    (rest.is_empty() && behind.is_empty()).then(|| date(year, month, day))?
}

/// `5.3.2026`, as written in German.
fn dotted(text: &str) -> Option<Date> {
    let (day, rest) = up_to_two(text)?;
    let (month, rest) = up_to_two(rest.strip_prefix('.')?)?;
    let (year, rest) = number(rest.strip_prefix('.')?, 4)?;
    (!rest.starts_with(|c: char| c.is_ascii_digit())).then(|| date(year, month, day))?
}

/// `March 5th, 2026`, `5 March 2026` and `Thu, 05 Mar 2026`.
fn with_month_name(text: &str) -> Option<Date> {
    let is_weekday = |word: &&str| {
        let is_word = word.chars().all(char::is_alphabetic);
        is_word && month_number(word).is_none()
    };
    let mut words = text
        .split([' ', ',', '.'])
        .filter(|word| !word.is_empty())
        .skip_while(is_weekday)
        .take(3);
    let (first, second, third) = (words.next()?, words.next()?, words.next()?);
    let (name, day) = match first.starts_with(|c: char| c.is_ascii_digit()) {
        true => (second, first),
        false => (first, second),
    };
    let day = day.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (day, rest) = up_to_two(day)?;
    let (year, behind) = number(third, 4)?;
    (rest.is_empty() && behind.is_empty()).then(|| date(year, month_number(name)?, day))?
}

fn year_and_month(text: &str) -> Option<Date> {
    let (year, rest) = number(text, 4)?;
    if rest.is_empty() {
        return date(year, 1, 1);
    }
    let (month, rest) = up_to_two(rest.strip_prefix(['-', '/'])?)?;
    rest.is_empty().then(|| date(year, month, 1))?
}

/// Seconds or milliseconds since 1970, as programs write them.
fn since_1970(text: &str) -> Option<Date> {
    let number: i64 = text.parse().ok()?;
    let seconds = match text.len() {
        10 => number,
        13 => number / 1_000,
        _ => return None,
    };
    let time = jiff::Timestamp::from_second(seconds).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).date())
}

fn month_number(name: &str) -> Option<i16> {
    let head: String = name.chars().take(3).flat_map(char::to_lowercase).collect();
    let head = match head.as_str() {
        "mär" => "mar",
        "mai" => "may",
        "okt" => "oct",
        "dez" => "dec",
        head => head,
    };
    let at = MONTHS.iter().position(|month| *month == head)?;
    i16::try_from(at + 1).ok()
}

/// Exactly `n` digits.
fn number(text: &str, n: usize) -> Option<(i16, &str)> {
    let head = text.get(..n)?;
    let is_number = head.bytes().all(|byte| byte.is_ascii_digit());
    Some((is_number.then(|| head.parse().ok())??, &text[n..]))
}

fn up_to_two(text: &str) -> Option<(i16, &str)> {
    number(text, 2).or_else(|| number(text, 1))
}

fn date(year: i16, month: i16, day: i16) -> Option<Date> {
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(read: impl Fn(&str) -> Option<Date>, cases: &[(&str, &str)]) {
        for (text, expected) in cases {
            let found = read(text).map_or(String::new(), |date| date.to_string());
            assert_eq!(found, *expected, "{text}");
        }
    }

    #[test]
    fn properties_hold_dates_in_many_forms() {
        check(
            parse,
            &[
                ("2026-03-05", "2026-03-05"),
                ("2026-03-05T10:20:00+02:00", "2026-03-05"),
                ("2026/3/5", "2026-03-05"),
                ("20260305", "2026-03-05"),
                ("5.3.2026", "2026-03-05"),
                ("March 5th, 2026", "2026-03-05"),
                ("5 Mar 2026 at noon", "2026-03-05"),
                ("2026-03", "2026-03-01"),
                ("2026", "2026-01-01"),
                ("[[2026-03-05]]", "2026-03-05"),
                ("Thu, 05 Mar 2026 10:20:00 GMT", "2026-03-05"),
                ("5. März 2026", "2026-03-05"),
                ("Donnerstag, 5. Oktober 2023", "2023-10-05"),
                ("1772668800", "2026-03-05"),
                ("1772668800000", "2026-03-05"),
                ("2026-02-30", ""),
                ("soon", ""),
                ("12345678901", ""),
                ("", ""),
            ],
        );
        assert!(has_time("2026-03-05 10:20") && !has_time("2026-03-05"));
    }

    #[test]
    fn file_names_hold_dates_in_many_forms() {
        check(
            of_path,
            &[
                ("Daily/2026-03-05.md", "2026-03-05"),
                ("journals/2026_03_05.md", "2026-03-05"),
                ("2026-03-05 Meeting.md", "2026-03-05"),
                ("Meeting 2026-03-05.md", "2026-03-05"),
                ("202603051230 Zettel.md", "2026-03-05"),
                ("2026-W10.md", "2026-03-02"),
                ("2026/03-March/05.md", "2026-03-05"),
                ("Invoice 20260305123.md", ""),
                ("v2026.3.5.md", ""),
                ("2026.md", ""),
                ("Chapter 12.md", ""),
                ("99990101.md", ""),
                ("日記.md", ""),
            ],
        );
    }
}
