//! Logins: passwords in URLs, `Authorization` headers, bearer tokens, `curl -u`.

use super::shape::{ALNUM, BASE64, EQUALS, OPAQUE, is, run_length};
use super::value::{is_login_password, is_opaque, is_password, is_shouting, is_strong, is_uuid};
use super::{Hit, Span, tokens};

/// A user name and a password are each shorter than this.
const LOGIN_BYTES_MAX: usize = 256;

/// Checks `scheme://user:password@host`; the hit is the `://`.
pub(super) fn detect_url(text: &[u8], hit: Hit) -> Option<Span> {
    if hit.start == hit.floor || !is(text[hit.start - 1], ALNUM) {
        return None;
    }
    let authority = &text[hit.end..text.len().min(hit.end + LOGIN_BYTES_MAX)];
    let length = authority
        .iter()
        .position(|&byte| ends_authority(byte))
        .unwrap_or(authority.len());
    let authority = &authority[..length];
    let at = authority.iter().rposition(|&byte| byte == b'@')?;
    let colon = authority[..at].iter().position(|&byte| byte == b':')?;
    let (user, password, host) = (
        &authority[..colon],
        &authority[colon + 1..at],
        &authority[at + 1..],
    );
    let is_real = is_login_password(user, password) && (!is_local(host) || is_password(password));
    let span = Span {
        start: hit.end + colon + 1,
        end: hit.end + at,
        pattern: "url-password",
    };
    (is_real && !host.is_empty()).then_some(span)
}

fn ends_authority(byte: u8) -> bool {
    byte <= b' '
        || matches!(
            byte,
            b'/' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'?' | b'\\' | b'|'
        )
}

/// A server on the writer's own machine: only a password worth the name is masked.
fn is_local(host: &[u8]) -> bool {
    [b"localhost".as_slice(), b"127.", b"0.0.0.0", b"[::1]"]
        .iter()
        .any(|local| host.starts_with(local))
}

/// Checks `Bearer value`.
pub(super) fn detect_bearer(text: &[u8], hit: Hit) -> Option<Span> {
    let start = hit.end + run_length_blank(text, hit.end);
    (start > hit.end)
        .then(|| secret_at(text, start, "bearer-token"))
        .flatten()
}

/// Checks the value of an `Authorization` header, with or without a scheme.
pub(super) fn detect_authorization(text: &[u8], hit: Hit) -> Option<Span> {
    let is_joint =
        |byte: &u8| matches!(byte, b' ' | b'"' | b'\'' | b':' | b'=' | b',' | b'`' | b'>');
    let joint = &text[hit.end..text.len().min(hit.end + 8)];
    let n_joint = joint.iter().take_while(|byte| is_joint(byte)).count();
    if !joint[..n_joint]
        .iter()
        .any(|byte| matches!(byte, b':' | b'=' | b','))
    {
        return None;
    }
    let mut start = hit.end + n_joint;
    let scheme = run_length(&text[start..], super::shape::URL64, 24);
    let blank = run_length_blank(text, start + scheme);
    if scheme > 0 && blank > 0 {
        let is_basic = text[start..start + scheme].eq_ignore_ascii_case(b"basic");
        start += scheme + blank;
        if is_basic && let Some(login) = basic_at(text, start) {
            return login.is_real.then_some(login.span);
        }
    }
    secret_at(text, start, "authorization")
}

fn secret_at(text: &[u8], start: usize, pattern: &'static str) -> Option<Span> {
    if let Some(span) = tokens::at(text, start) {
        return Some(span);
    }
    let end = start + run_length(&text[start..], OPAQUE | BASE64, 4096);
    let value = &text[start..end];
    (is_opaque(value, 16) || is_uuid(value)).then_some(Span {
        start,
        end,
        pattern,
    })
}

/// A login written as base64 of `user:password`.
struct Basic {
    span: Span,
    is_real: bool,
}

fn basic_at(text: &[u8], start: usize) -> Option<Basic> {
    let end = start + run_length(&text[start..], BASE64 | EQUALS, 1024);
    if text.get(end).is_some_and(|&next| is(next, OPAQUE)) {
        return None;
    }
    let decoded = decode_base64(&text[start..end])?;
    let colon = decoded.iter().position(|&byte| byte == b':')?;
    let (user, password) = (&decoded[..colon], &decoded[colon + 1..]);
    // Aladdin opens the cave in the HTTP standard itself.
    let is_real = !user.eq_ignore_ascii_case(b"aladdin") && is_login_password(user, password);
    Some(Basic {
        span: Span {
            start,
            end,
            pattern: "basic-auth",
        },
        is_real,
    })
}

fn decode_base64(encoded: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(encoded.len() * 3 / 4);
    let mut bits = 0u32;
    let mut n_bits = 0;
    for &byte in encoded.iter().filter(|&&byte| byte != b'=') {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(six);
        n_bits += 6;
        if n_bits >= 8 {
            n_bits -= 8;
            decoded.push((bits >> n_bits) as u8);
        }
    }
    Some(decoded)
}

/// Checks `-u user:password` and `--user user:password` in a `curl` command, which may go on over several lines.
pub(super) fn detect_curl(text: &[u8], hit: Hit) -> Option<Span> {
    // The blank after `curl` is part of the flag.
    let command_start = hit.end - 1;
    let command = &text[command_start..command_start + command_length(&text[command_start..])];
    let flag = [b" -u".as_slice(), b" --user", b" --proxy-user"]
        .iter()
        .filter_map(|flag| {
            command
                .windows(flag.len())
                .position(|part| part == *flag)
                .map(|at| at + flag.len())
        })
        .min()?;
    let mut start = command_start + flag;
    let n_blank = text[start..]
        .iter()
        .take(4)
        .take_while(|byte| matches!(byte, b' ' | b'='))
        .count();
    start += n_blank;
    let quote = text
        .get(start)
        .copied()
        .filter(|byte| matches!(byte, b'"' | b'\''));
    start += usize::from(quote.is_some());
    let login = &text[start..text.len().min(start + LOGIN_BYTES_MAX)];
    let end = login
        .iter()
        .position(|&byte| byte == b'\n' || Some(byte) == quote || quote.is_none() && byte == b' ')
        .unwrap_or(login.len());
    let colon = login[..end].iter().position(|&byte| byte == b':')?;
    let (user, password) = (&login[..colon], &login[colon + 1..end]);
    // Services that need only a key take it in either place.
    let (secret, secret_start) = match password {
        [] => (user, start),
        [b'"' | b'\'', inner @ .., b'"' | b'\''] => (inner, start + colon + 2),
        _ => (password, start + colon + 1),
    };
    let other = if password.is_empty() { b"" } else { user };
    let is_real = is_login_password(other, secret) && is_password(secret);
    is_real.then_some(Span {
        start: secret_start,
        end: secret_start + secret.len(),
        pattern: "curl-password",
    })
}

/// Looks no further than this for the flag.
const COMMAND_BYTES_MAX: usize = 1024;

/// Length of a shell command: to the end of the line, or of the lines joined to it by a backslash.
pub(super) fn command_length(text: &[u8]) -> usize {
    let mut length = 0;
    for line in text[..text.len().min(COMMAND_BYTES_MAX)]
        .split_inclusive(|&byte| byte == b'\n')
        .take(12)
    {
        length += line.len();
        if !line.trim_ascii_end().ends_with(b"\\") {
            break;
        }
    }
    length
}

/// Checks `Login: name / password` and its like; the hit is the word for a login or its user.
pub(super) fn detect_pair(text: &[u8], hit: Hit) -> Option<Span> {
    let before = hit.start.checked_sub(1).map_or(b' ', |at| text[at]);
    if is(before, ALNUM) || b"/@:.?&$".contains(&before) {
        return None;
    }
    let line = &text[hit.end..text.len().min(hit.end + LOGIN_BYTES_MAX)];
    let line = line.split(|&byte| byte == b'\n').next()?;
    let (pair, is_signed) = after_sign(line)?;
    let (user, joint, password) = user_and_password(pair)?;
    let start = hit.end + line.len() - password.len();
    let end = password
        .iter()
        .position(|byte| b" \t\r`|)\"'".contains(byte));
    let password = &password[..end.unwrap_or(password.len())];
    let is_told = is_signed || joint == b" / " || is_shouting(password);
    (is_told && is_strong(password) && password != user).then_some(Span {
        start,
        end: start + password.len(),
        pattern: "password",
    })
}

/// Skips the rest of the word and what follows it; says whether that was a sign, or blanks only.
fn after_sign(line: &[u8]) -> Option<(&[u8], bool)> {
    let is_letter = |byte: &&u8| is(**byte, ALNUM) || !byte.is_ascii();
    let n_word = line.iter().take(24).take_while(is_letter).count();
    let rest = &line[n_word..];
    let rest = rest.strip_prefix(b" -").unwrap_or(rest);
    let n_sign = rest
        .iter()
        .take_while(|byte| b" *_:=`\"'".contains(byte))
        .count();
    let (sign, pair) = rest.split_at(n_sign);
    let is_signed = sign.iter().any(|byte| matches!(byte, b':' | b'='));
    (n_sign > 0).then_some((pair, is_signed))
}

/// Cuts `name / password` in two.
fn user_and_password(pair: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let is_name = |byte: &&u8| is(**byte, OPAQUE) || matches!(**byte, b'@' | b'+');
    let n_user = pair.iter().take_while(is_name).count();
    let (user, rest) = pair.split_at(n_user);
    let n_joint = rest
        .iter()
        .take(4)
        .take_while(|byte| b" /:|,`".contains(byte))
        .count();
    let (joint, password) = rest.split_at(n_joint);
    // `user:password@host/path` is an address.
    let is_address = user.contains(&b'@') && !joint.contains(&b' ');
    let is_joined = joint.iter().any(|byte| b"/:|,".contains(byte));
    (n_user > 0 && is_joined && !is_address).then_some((user, joint, password))
}

fn run_length_blank(text: &[u8], from: usize) -> usize {
    text[from..]
        .iter()
        .take(4)
        .take_while(|&&byte| byte == b' ')
        .count()
}
