//! Judges a value: is it a credential, or does it only stand for one?
//!
//! Notes are full of `password: "changeme"`, `apiKey: process.env.KEY` and `token=<your token>`. Masking those would
//! cost more than it saves, so a value must look chosen or generated, not written by someone explaining something.

use super::shape::{ALPHA, ANY_HEX, DIGIT, HEX, LOWER, UPPER, WORD, entropy, is};
use super::sound::{is_speakable, is_unspeakable};

/// Says whether the value of a field called password may be a real one.
pub(super) fn is_password(value: &[u8]) -> bool {
    let is_number = value.len() <= 10 && value.starts_with(b"0x");
    let counts = Counts::of(value);
    let length_min = if counts.digits > 0 && counts.letters() > 0 {
        5
    } else {
        6
    };
    if !(length_min..=200).contains(&value.len()) || is_number {
        return false;
    }
    if counts.other > 0 || is_stand_in(value) || is_expression(value) {
        return false;
    }
    if counts.digits == value.len() {
        return !has_digit_row(value);
    }
    if counts.digits > 0 && counts.letters() > 0 {
        // `password2` and `field_3` are names; `hunter22` and `s3cret` are passwords.
        let stem = value.trim_ascii_end();
        let n_trailing = stem
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        return n_trailing < counts.digits
            || n_trailing > 1
            || counts.marks > 0
            || counts.is_dense()
            || !NUMBERED
                .iter()
                .any(|name| stem[..stem.len() - n_trailing].eq_ignore_ascii_case(name));
    }
    // `SecretStr` is a type; a capital after a capital, or at the end, does not occur in names.
    let is_name = !value
        .windows(2)
        .any(|pair| is(pair[0], UPPER) && is(pair[1], UPPER))
        && value.last().is_some_and(|&last| !is(last, UPPER));
    has_sign(value) && counts.upper > 0 && counts.lower > 0
        || value.len() >= 8 && !is_name && is_scrambled(value, &counts)
}

/// Says whether a value would be taken for a password even in the middle of a sentence.
pub(super) fn is_strong(value: &[u8]) -> bool {
    let counts = Counts::of(value);
    is_password(value)
        && counts.digits > 0
        && counts.letters() > 0
        && (has_sign(value)
            || counts.upper > 0 && counts.lower > 0
            || counts.is_dense()
            || value.len() >= 8)
        && !is_wordy(value)
}

/// Says whether the value is a password beyond doubt: letters of both cases, digits and a sign.
pub(super) fn is_shouting(value: &[u8]) -> bool {
    let counts = Counts::of(value);
    let has_sign = value.iter().any(|byte| b"!#$%&*@^~?".contains(byte));
    value.len() >= 8 && has_sign && counts.upper > 0 && counts.lower > 0 && is_strong(value)
}

/// Says whether the value is words and numbers with signs between them, such as `128-bit`, a date or a version.
pub(super) fn is_wordy(value: &[u8]) -> bool {
    let is_joint = |byte: &u8| b"-_./:,'()+%".contains(byte);
    let is_plain = |piece: &[u8]| {
        let n_digits = piece.iter().filter(|byte| byte.is_ascii_digit()).count();
        n_digits == 0 && !has_sign(piece)
            || n_digits == piece.len()
            || n_digits > 0 && piece.len() < 4
    };
    value.iter().any(is_joint) && value.split(is_joint).all(is_plain)
}

/// Says whether the value is random, judged by the alphabet it is made of.
///
/// This is for values that nothing but a telling word nearby speaks for: identifiers, words and numbers must fail.
pub(super) fn is_random(value: &[u8], length_min: usize) -> bool {
    // What begins randomly goes on so.
    let body = &value[..value.len().min(JUDGED_BYTES_MAX)];
    let n_pad = body.iter().rev().take_while(|&&byte| byte == b'=').count();
    let body = &body[..body.len() - n_pad];
    if body.len() < length_min || is_stand_in(value) || is_alphabet(body) || is_expression(body) {
        return false;
    }
    let counts = Counts::of(body);
    let is_noise = is_unspeakable(body);
    if counts.other > 0
        || counts.letters() == 0
        || counts.digits == 0 && !(is_noise && body.len() >= 20)
    {
        return false;
    }
    let variety = entropy(body);
    if is_hex(&body.to_ascii_lowercase()) && (counts.upper == 0 || counts.lower == 0) {
        return counts.digits * 8 >= body.len()
            && variety >= if body.len() < 32 { 2.5 } else { 3.0 };
    }
    let is_turning = counts.is_dense()
        || body.len() >= 32 && counts.digits >= 4 && counts.turns * 8 >= body.len();
    (is_noise || is_turning && !is_speakable(body))
        && counts.marks * 6 < body.len()
        && variety >= 3.0
        && !is_wordy(body)
        && !is_path(body)
}

/// No more of a value is looked at to judge it.
const JUDGED_BYTES_MAX: usize = 256;

/// Says whether words stand between slashes.
fn is_path(value: &[u8]) -> bool {
    let is_word = |piece: &[u8]| piece.len() > 2 && piece.iter().all(|&byte| is(byte, LOWER));
    value
        .split(|&byte| byte == b'/')
        .filter(|piece| is_word(piece))
        .count()
        > 1
}

/// Says whether most of the value walks through the alphabet.
fn is_alphabet(value: &[u8]) -> bool {
    longest(value.windows(2), |pair| {
        pair[0].checked_add(1) == Some(pair[1])
    }) * 2
        > value.len()
}

/// Names that are numbered, so that one digit behind them makes no password.
#[rustfmt::skip]
const NUMBERED: &[&[u8]] = &[
    b"password", b"passwd", b"pass", b"field", b"user", b"test", b"value", b"key", b"token", b"secret", b"name", b"input",
    b"string", b"item", b"label", b"text", b"account", b"admin", b"option", b"column", b"sha", b"version", b"example",
];

/// Says whether the value holds a sign that words and names do not have.
fn has_sign(value: &[u8]) -> bool {
    value.iter().any(|byte| b"!#$%&*+=@^~".contains(byte))
}

/// Words that name the slot or the default, not a password.
#[rustfmt::skip]
const SLOTS: &[&[u8]] = &[
    b"password", b"passwd", b"mypass", b"secret", b"token", b"apikey", b"key", b"guest", b"root", b"admin", b"postgres",
    b"test", b"x-oauth-basic", b"x-token-auth", b"none", b"null", b"string", b"required", b"optional", b"true", b"false",
    b"text", b"varchar", b"unknown", b"default", b"hidden", b"same",
];

/// Says whether a password written in a URL or after `-u` may be a real one: there, any word counts.
pub(super) fn is_login_password(user: &[u8], password: &[u8]) -> bool {
    (4..=200).contains(&password.len())
        && !password.eq_ignore_ascii_case(user)
        && !SLOTS.iter().any(|slot| password.eq_ignore_ascii_case(slot))
        && !password.to_ascii_lowercase().ends_with(b"password")
        && !is_stand_in(password)
        && !is_expression(password)
        && entropy(password) > 1.0
}

/// Says whether the value of a field called key or token looks generated.
pub(super) fn is_opaque(value: &[u8], length_min: usize) -> bool {
    let counts = Counts::of(value);
    if counts.other > 0 || is_stand_in(value) || has_alphabet(value) || is_expression(value) {
        return false;
    }
    let is_dense = counts.is_dense();
    let is_long = value.len() >= length_min
        || value.len() >= 10 && is_dense && counts.upper > 1 && counts.lower > 1;
    let variety_min = if value.len() < 20 { 2.5 } else { 3.0 };
    is_long
        && entropy(value) >= variety_min
        && counts.marks * 5 < value.len()
        && (counts.digits > 0 && (is_dense || is_hex(value) || longest_consonants(value) >= 5)
            || value.len() >= 12 && is_scrambled(value, &counts))
}

/// Says whether the value is a UUID.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value
            .iter()
            .enumerate()
            .all(|(position, &byte)| match position {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => is(byte, ANY_HEX),
            })
        && entropy(value) > 2.0
}

/// Says whether parts of the value are crossed out, as in `ghp_xxxx` or `sk-****`.
pub(super) fn is_crossed_out(value: &[u8]) -> bool {
    value
        .windows(4)
        .any(|part| matches!(part, b"xxxx" | b"XXXX" | b"****" | b"####"))
}

/// Says whether the value walks through the alphabet, as character sets in source code do.
pub(super) fn has_alphabet(value: &[u8]) -> bool {
    longest(value.windows(2), |pair| {
        pair[0].checked_add(1) == Some(pair[1])
    }) >= 12
}

fn has_digit_row(value: &[u8]) -> bool {
    longest(value.windows(2), |pair| {
        pair[0].checked_add(1) == Some(pair[1]) || pair[0] == pair[1]
    }) >= 4
}

/// Parts of values that only explain.
#[rustfmt::skip]
const STAND_IN_PARTS: &[&[u8]] = &[
    b"***", b"...", "…".as_bytes(), b"your", b"example", b"sample", b"dummy", b"changeme", b"change_me", b"change-",
    b"placeholder", b"redacted", b"insert", b"replace", b"todo", b"foobar", b"foo-bar",
    b"foo_bar", b"notasecret", b"not_a", b"not-a", b"my-", b"my_", b"mypass", b"some_", b"some-", b"_here", b"-here",
    b"correct-horse", b"correcthorse", b"super-", b"://", b"password]", b"_password", b"-password", b"hashedpassword",
];

/// Beginnings of templates, checksums, embedded files.
#[rustfmt::skip]
const STAND_IN_STARTS: &[&[u8]] = &[
    b"\\", b"sha256-", b"sha384-", b"sha512-", b"sha1-", b"data:", b"process.env", b"encrypted:",
];

/// Says whether the value stands for a credential: a template, a hint, a mask, a path, a checksum.
pub(super) fn is_stand_in(value: &[u8]) -> bool {
    // Whoever writes a hint is done within a line.
    let lower = value[..value.len().min(256)].to_ascii_lowercase();
    STAND_IN_STARTS.iter().any(|start| lower.starts_with(start))
        || STAND_IN_PARTS
            .iter()
            .any(|part| lower.windows(part.len()).any(|window| window == *part))
        || value
            .windows(3)
            .any(|part| part == b"xxx" || part == b"XXX")
        || is_reference(value)
        || is_template(value)
}

/// How templates open, and how they close.
const TEMPLATES: [(&[u8], &[u8]); 10] = [
    (b"{{", b"}}"),
    (b"${", b"}"),
    (b"$(", b")"),
    (b"%(", b")"),
    (b"#{", b"}"),
    (b"<%", b"%>"),
    (b"<", b">"),
    (b"{", b"}"),
    (b"[", b"]"),
    (b"(", b")"),
];

/// Says whether the value is made by a template: one that holds a name, with no more than a word beside it.
///
/// A password may hold `{{` or `${` like any other signs.
fn is_template(value: &[u8]) -> bool {
    let mut rest = &value[..value.len().min(JUDGED_BYTES_MAX)];
    let mut n_beside = 0;
    let mut has_slot = false;
    while !rest.is_empty() {
        match slot_length(rest) {
            Some(length) => {
                has_slot = true;
                rest = &rest[length..];
            }
            None => {
                n_beside += 1;
                rest = &rest[1..];
            }
        }
    }
    has_slot && n_beside <= BESIDE_BYTES_MAX
}

/// More than this beside a template is a password of its own.
const BESIDE_BYTES_MAX: usize = 12;

/// Length of the slot that `text` begins with; one that the end of the value cuts off counts, too.
fn slot_length(text: &[u8]) -> Option<usize> {
    let (open, close) = TEMPLATES.iter().find(|(open, _)| text.starts_with(open))?;
    let inner = &text[open.len()..];
    let end = inner.windows(close.len()).position(|part| part == *close);
    let name = &inner[..end.unwrap_or(inner.len())];
    let is_first = |byte: &u8| is(*byte, ALPHA) || b"_.$/-!".contains(byte);
    let begins = name.trim_ascii().first().is_some_and(is_first);
    // What is not closed is a template only if nothing random stands in it.
    let is_slot = match end {
        Some(_) => begins,
        None => name.trim_ascii().is_empty() || begins && !Counts::of(name).is_dense(),
    };
    is_slot.then(|| open.len() + end.map_or(inner.len(), |end| end + close.len()))
}

/// Says whether the value is a path, or a variable as shells and templates write it.
fn is_reference(value: &[u8]) -> bool {
    let [
        b'$' | b'%' | b'@' | b'&' | b':' | b'/' | b'~' | b'.',
        rest @ ..,
    ] = value
    else {
        return false;
    };
    let is_name = rest
        .iter()
        .all(|&byte| byte.is_ascii_alphanumeric() || b"_./-%".contains(&byte));
    is_name && !Counts::of(rest).is_dense()
}

/// Says whether the value is code: a call, an index, or names joined by dots.
fn is_expression(value: &[u8]) -> bool {
    if value.ends_with(b"()")
        || value
            .windows(2)
            .any(|pair| matches!(pair, b"(\"" | b"('" | b"[\"" | b"['" | b"->" | b"::"))
    {
        return true;
    }
    let is_name = |name: &[u8]| {
        name.first()
            .is_some_and(|&byte| is(byte, ALPHA) || byte == b'_')
            && name.iter().all(|&byte| is(byte, WORD))
            && !Counts::of(name).is_dense()
    };
    value.contains(&b'.') && value.split(|&byte| byte == b'.').all(is_name)
}

/// How many bytes of each sort a value has.
struct Counts {
    lower: usize,
    upper: usize,
    digits: usize,
    /// Printable ASCII that is neither letter nor digit.
    marks: usize,
    /// Spaces, control characters, anything beyond letters of two bytes.
    other: usize,
    /// How often the sort changes from one byte to the next.
    turns: usize,
    length: usize,
}

impl Counts {
    fn of(value: &[u8]) -> Counts {
        let mut counts = Counts {
            lower: 0,
            upper: 0,
            digits: 0,
            marks: 0,
            other: 0,
            turns: 0,
            length: value.len(),
        };
        let mut before = 0;
        for &byte in value {
            let sort = match byte {
                _ if is(byte, LOWER) => 1,
                _ if is(byte, UPPER) => 2,
                _ if is(byte, DIGIT) => 3,
                b'!'..=b'~' => 4,
                // Letters of Latin, Greek, Cyrillic and Arabic writing, in UTF-8: a lead byte, then one more.
                0xC3..=0xDB => 1,
                0xC2 => 4,
                0x80..=0xBF if before == 1 || before == 4 && byte != 0xA0 => before,
                _ => 5,
            };
            match sort {
                1 => counts.lower += 1,
                2 => counts.upper += 1,
                3 => counts.digits += 1,
                4 => counts.marks += 1,
                _ => counts.other += 1,
            }
            counts.turns += usize::from(before != 0 && sort != before && sort != 4 && before != 4);
            before = sort;
        }
        counts
    }

    fn letters(&self) -> usize {
        self.lower + self.upper
    }

    /// Generated values change sort at every second or third byte, names only at word boundaries.
    fn is_dense(&self) -> bool {
        self.turns * 5 >= self.length
    }
}

/// Says whether letters alone betray a generated value: mixed case, and no word could be spoken.
fn is_scrambled(value: &[u8], counts: &Counts) -> bool {
    counts.upper > 1
        && counts.lower > 1
        && counts.marks == 0
        && counts.is_dense()
        && longest_consonants(value) >= 4
        && !is_speakable(value)
}

fn is_hex(value: &[u8]) -> bool {
    value.iter().all(|&byte| is(byte, HEX)) && value.iter().any(|&byte| is(byte, ALPHA))
}

fn longest_consonants(value: &[u8]) -> usize {
    let is_vowel = |byte: u8| {
        matches!(
            byte.to_ascii_lowercase(),
            b'a' | b'e' | b'i' | b'o' | b'u' | b'y'
        )
    };
    longest(value.iter(), |&&byte| {
        byte.is_ascii_alphabetic() && !is_vowel(byte)
    })
}

/// Length of the longest row of items that pass.
fn longest<T>(items: impl Iterator<Item = T>, passes: impl Fn(&T) -> bool) -> usize {
    let mut best = 0;
    let mut current = 0;
    for item in items {
        current = if passes(&item) { current + 1 } else { 0 };
        best = best.max(current);
    }
    best
}
