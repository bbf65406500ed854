//! What differs from run to run without meaning anything: times, durations, addresses, temporary
//! files, colours. Blanked, so that the same work reads the same.

const TIME: &str = "<time>";
const DURATION: &str = "<t>";
const TEMPORARY: &str = "<tmp>";
const ADDRESS: &str = "0x…";
const DURATION_UNITS: [&str; 14] = [
    "ns", "us", "µs", "ms", "s", "m", "h", "sec", "secs", "second", "seconds", "min", "mins",
    "minutes",
];
/// Punctuation around a word that does not belong to it.
const AROUND: &[char] = &[
    '(', ')', '[', ']', '{', '}', ',', ';', '"', '\'', '`', '<', '>',
];

/// Returns a line without what is different each time.
pub(super) fn settled(line: &str) -> String {
    let line = without_colours(line);
    // A progress bar writes over itself: only its last state was ever seen.
    let line = line.trim_end_matches('\r');
    let line = line.rsplit('\r').next().unwrap_or(line);
    let mut out = String::with_capacity(line.len());
    let mut is_after_time = false;
    for piece in line.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let blank = &piece[word.len()..];
        let settled = settled_word(word);
        let is_time = settled.trim_matches(AROUND) == TIME.trim_matches(AROUND);
        // Date and time of one moment are one.
        if is_time && is_after_time && !word.is_empty() {
            continue;
        }
        let is_unit = DURATION_UNITS.contains(&word.trim_matches(AROUND).trim_end_matches('.'));
        if is_unit && blank_number_before(&mut out) {
            out.push_str(blank);
            continue;
        }
        is_after_time = is_time || (is_after_time && word.is_empty());
        out.push_str(&settled);
        out.push_str(blank);
    }
    out.truncate(out.trim_end().len());
    out
}

fn settled_word(word: &str) -> String {
    // Digits and slashes are in everything that is blanked.
    if !word.contains(|c: char| c.is_ascii_digit() || c == '/' || c == '\\') {
        return word.to_owned();
    }
    let start = word.len() - word.trim_start_matches(AROUND).len();
    let core = word[start..].trim_end_matches(AROUND);
    let (before, after) = (&word[..start], &word[start + core.len()..]);
    let (name, value) = match core.rsplit_once('=') {
        Some((name, value)) => (&core[..=name.len()], value),
        None => ("", core),
    };
    let value = match () {
        () if is_time(value) => TIME.to_owned(),
        () if is_duration(value) => DURATION.to_owned(),
        () => without_addresses(&without_temporary(value)),
    };
    format!("{before}{name}{value}{after}")
}

/// `out` ends in a number that the unit just read makes a duration.
fn blank_number_before(out: &mut String) -> bool {
    let trimmed = out.trim_end();
    // Not by position: a blank may be several bytes long.
    let last = trimmed
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or(trimmed);
    let number = last.trim_start_matches(AROUND);
    let is_number = !number.is_empty() && number.contains('.') && number.parse::<f64>().is_ok();
    if is_number {
        out.truncate(trimmed.len() - number.len());
        out.push_str(DURATION);
    }
    is_number
}

/// `2026-02-10`, `2026-02-10T09:15:00.123Z`, `09:15:00,123`, `1739178000.123`.
fn is_time(value: &str) -> bool {
    let value = value.trim_end_matches(['Z', ':']);
    let (date, time) = match value.split_once(['T', '_']) {
        Some((date, time)) => (Some(date), Some(time)),
        None if value.contains(':') => (None, Some(value)),
        None => (Some(value), None),
    };
    date.is_none_or(is_date) && time.is_none_or(is_clock)
}

fn is_date(date: &str) -> bool {
    let parts: Vec<&str> = date.split(['-', '/']).collect();
    let is_digits =
        |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() == 3
        && parts.iter().all(is_digits)
        && parts.iter().any(|part| part.len() == 4)
        && parts.iter().all(|part| matches!(part.len(), 1 | 2 | 4))
}

fn is_clock(time: &str) -> bool {
    let time = time.split(['+', 'Z']).next().unwrap_or(time);
    let parts: Vec<&str> = time.split(':').collect();
    let is_two = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    let Some((last, first)) = parts.split_last().filter(|_| parts.len() == 3) else {
        return false;
    };
    let seconds = last.split(['.', ',']).next().unwrap_or(last);
    let rest = &last[seconds.len()..];
    first.iter().all(|part| is_two(part))
        && is_two(seconds)
        && rest.chars().all(|c| c.is_ascii_digit() || ".,".contains(c))
}

/// `12ms`, `0.34s`, `1m30s`, `2.1µs`.
fn is_duration(value: &str) -> bool {
    let mut rest = value.trim_end_matches('.');
    let mut has_unit = false;
    while !rest.is_empty() {
        let unit = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        if unit.len() == rest.len() {
            return false;
        }
        let after = unit.trim_start_matches(|c: char| c.is_alphabetic());
        if !DURATION_UNITS.contains(&&unit[..unit.len() - after.len()]) {
            return false;
        }
        has_unit = true;
        rest = after;
    }
    has_unit
}

/// Memory addresses are as long as memory is large; short hexadecimal numbers mean something.
fn without_addresses(value: &str) -> String {
    const HEX_DIGITS_MIN: usize = 6;
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find("0x") {
        let digits = &rest[at + 2..];
        let n = digits.bytes().take_while(u8::is_ascii_hexdigit).count();
        out.push_str(&rest[..at]);
        if n >= HEX_DIGITS_MIN {
            out.push_str(ADDRESS);
        } else {
            out.push_str(&rest[at..at + 2 + n]);
        }
        rest = &digits[n..];
    }
    out + rest
}

/// The folder made for one run goes, what lies in it stays.
fn without_temporary(value: &str) -> String {
    for root in [
        "/private/tmp/",
        "/tmp/",
        "/var/folders/",
        "/var/tmp/",
        "\\Temp\\",
    ] {
        if let Some(at) = value.find(root) {
            let inside = &value[at + root.len()..];
            let rest = inside
                .find(['/', '\\', ':'])
                .map_or("", |end| &inside[end..]);
            let start = if root.starts_with('/') { at } else { 0 };
            return format!("{}{TEMPORARY}{rest}", &value[..start]);
        }
    }
    value.to_owned()
}

/// Leaves out what only tells a terminal how to draw.
fn without_colours(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('[') => {
                chars.by_ref().find(|c| ('\u{40}'..='\u{7e}').contains(c));
            }
            Some(']') => {
                let mut last = ' ';
                chars.by_ref().find(|&c| {
                    let is_end = c == '\u{7}' || (last == '\u{1b}' && c == '\\');
                    last = c;
                    is_end
                });
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(settled(line), expected);
    }

    #[test]
    fn what_differs_each_time_is_blanked() {
        check(
            "2026-02-10 09:15:00.123 INFO started",
            "<time> INFO started",
        );
        check("[2026-02-10T09:15:00Z] started", "[<time>] started");
        check(
            "finished in 0.34s (1m30s, 12ms)",
            "finished in <t> (<t>, <t>)",
        );
        check("took 1.25 seconds to build", "took <t> to build");
        check("at 0x7f3a2b1c9d00 in main", "at 0x… in main");
        check("time=12ms code=0x1f", "time=<t> code=0x1f");
        check("read /tmp/tmp.Xy12/a/b.rs:3:4", "read <tmp>/a/b.rs:3:4");
        check("\u{1b}[31merror\u{1b}[0m: no", "error: no");
        check("10%\r20%\rdone", "done");
    }

    #[test]
    fn a_blank_of_several_bytes_is_a_blank() {
        check(
            "took\u{200a}1.5 s\u{2003}of 3",
            "took\u{200a}<t>\u{2003}of 3",
        );
        check("x\u{200a}m", "x\u{200a}m");
    }

    #[test]
    fn what_means_something_stays() {
        for line in [
            "src/main.rs:12:5: error[E0308]: mismatched types",
            "version 1.2.3 of 5 crates",
            "5 m of rope and 3 s",
            "expected 42, found 0x2a",
            "  indented: 10:30",
        ] {
            check(line, line);
        }
    }
}
