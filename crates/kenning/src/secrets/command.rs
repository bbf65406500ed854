//! Passwords on a command line, where a program takes them by a flag of one letter: `mysql -p…`, `redis-cli -a …`.

use super::login::command_length;
use super::value::is_login_password;
use super::{Hit, Span};

/// Where the password stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In the same word as the flag.
    Glued,
    /// In the next word.
    Next,
    Either,
}

/// A program and the flag that its password follows.
#[derive(Debug, Clone, Copy)]
struct Program {
    name: &'static str,
    flag: &'static str,
    place: Place,
}

const fn program(name: &'static str, flag: &'static str, place: Place) -> Program {
    Program { name, flag, place }
}

#[rustfmt::skip]
const PROGRAMS: &[Program] = &[
    program("mysql", " -p", Place::Glued),
    program("mariadb", " -p", Place::Glued),
    program("sshpass", " -p", Place::Either),
    program("redis-cli", " -a ", Place::Next),
    program("mongo", " -p ", Place::Next),
    program("docker login", " -p ", Place::Next),
    program("podman login", " -p ", Place::Next),
    program("az login", " -p ", Place::Next),
    program("psexec", " -p ", Place::Next),
    program("ldapsearch", " -w ", Place::Next),
    program("ldapmodify", " -w ", Place::Next),
    program("ldapadd", " -w ", Place::Next),
    program("openssl", " -k ", Place::Next),
    program("7z ", " -p", Place::Glued),
    program("7za ", " -p", Place::Glued),
    program("rar ", " -hp", Place::Glued),
    program("zip ", " -P ", Place::Next),
    program("xfreerdp", " /p:", Place::Glued),
    program("rabbitmqadmin", " -p ", Place::Next),
    program("sqlcmd", " -P ", Place::Next),
    program("bcp ", " -P ", Place::Next),
];

pub(super) const fn n_names() -> usize {
    PROGRAMS.len()
}

pub(super) const fn name(program: usize) -> &'static str {
    PROGRAMS[program].name
}

/// Checks the command that the program's name begins.
pub(super) fn detect(text: &[u8], program: u16, hit: Hit) -> Option<Span> {
    let program = PROGRAMS[program as usize];
    let from = hit.end - usize::from(program.name.ends_with(' '));
    let command = &text[from..from + command_length(&text[from..])];
    let flag = program.flag.as_bytes();
    let found = command.windows(flag.len()).position(|part| part == flag)?;
    let mut start = from + found + flag.len();
    if program.place == Place::Either && text.get(start) == Some(&b' ') {
        start += 1;
    }
    let quote = text
        .get(start)
        .copied()
        .filter(|byte| matches!(byte, b'"' | b'\''));
    start += usize::from(quote.is_some());
    let rest = &text[start..from + command.len()];
    let length = rest
        .iter()
        .position(|&byte| match quote {
            Some(quote) => byte == quote || byte == b'\n',
            None => byte <= b' ' || matches!(byte, b'`' | b'"' | b'\'' | b'|' | b';' | b'<' | b')'),
        })
        .unwrap_or(rest.len());
    is_login_password(b"", &rest[..length]).then_some(Span {
        start,
        end: start + length,
        pattern: "password",
    })
}
