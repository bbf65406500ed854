//! Passwords that a shell hands to a program on its standard input: `echo … | sudo -S`, `su <<< …`.

use super::value::is_login_password;
use super::{Hit, Span};

/// Looks no further than this in a line.
const LINE_BYTES_MAX: usize = 512;

/// What reads a password or a token from its standard input.
#[rustfmt::skip]
const READERS: &[&[u8]] = &[
    b"sudo -S", b"sudo -kS", b"sudo -k -S", b"sudo --stdin", b"passwd --stdin", b"chpasswd", b"smbpasswd",
    b"--password-stdin", b"--passphrase-fd", b"--with-token", b"--passwd-on-stdin", b"cryptsetup", b"kinit",
    b"openconnect", b"| su ", b"| su\n", b"|su ", b"keepassxc-cli", b"ecryptfs", b"gpg --batch",
];

/// Checks `echo secret | program`; the hit is the word that prints.
pub(super) fn detect_printed(text: &[u8], hit: Hit) -> Option<Span> {
    let line = rest_of_line(text, hit.end);
    let bar = line.iter().position(|&byte| byte == b'|')?;
    reads_password(&line[bar..]).then_some(())?;
    let (start, end) = last_word(&line[..bar])?;
    secret(text, hit.end + start, hit.end + end, &line[bar..])
}

/// Checks `program <<< secret`; the hit is the sign.
pub(super) fn detect_here(text: &[u8], hit: Hit) -> Option<Span> {
    let from = hit.floor.max(hit.start.saturating_sub(LINE_BYTES_MAX));
    let before = &text[from..hit.start];
    let line = before.rsplit(|&byte| byte == b'\n').next()?;
    reads_password(line).then_some(())?;
    let rest = rest_of_line(text, hit.end);
    let n_blank = rest.iter().take_while(|&&byte| byte == b' ').count();
    let (start, end) = word_at(rest, n_blank)?;
    secret(text, hit.end + start, hit.end + end, line)
}

/// Returns what is left of a line, or the beginning of it where that is long.
pub(super) fn rest_of_line(text: &[u8], from: usize) -> &[u8] {
    let rest = &text[from..text.len().min(from + LINE_BYTES_MAX)];
    let end = rest
        .iter()
        .position(|&byte| byte == b'\n')
        .unwrap_or(rest.len());
    &rest[..end]
}

fn reads_password(command: &[u8]) -> bool {
    let has = |reader: &&[u8]| command.windows(reader.len()).any(|part| part == *reader);
    READERS.iter().any(has)
}

/// The last word before the bar is what is printed; flags and formats stand before it.
fn last_word(printed: &[u8]) -> Option<(usize, usize)> {
    let mut found = None;
    let mut at = 0;
    while at < printed.len() {
        match printed[at] {
            b' ' | b'\t' => at += 1,
            _ => {
                let (start, end) = word_at(printed, at)?;
                found = Some((start, end));
                at = end + 1;
            }
        }
    }
    found
}

/// Bounds of the word that begins here, without its quotes.
fn word_at(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let quote = text
        .get(at)
        .copied()
        .filter(|byte| matches!(byte, b'"' | b'\''));
    let start = at + usize::from(quote.is_some());
    let ends = |byte: &u8| match quote {
        Some(quote) => *byte == quote,
        None => *byte <= b' ' || matches!(byte, b'`' | b';' | b'|' | b')'),
    };
    let length = text.get(start..)?.iter().position(ends);
    Some((start, length.map_or(text.len(), |length| start + length)))
}

/// `chpasswd` takes the user along.
fn secret(text: &[u8], mut start: usize, end: usize, command: &[u8]) -> Option<Span> {
    if command.windows(8).any(|part| part == b"chpasswd") {
        start += text[start..end].iter().position(|&byte| byte == b':')? + 1;
    }
    let value = &text[start..end];
    let value = value.strip_suffix(b"\\n").unwrap_or(value);
    is_login_password(b"", value).then_some(Span {
        start,
        end: start + value.len(),
        pattern: "password",
    })
}
