//! Passwords on a command line, where a program takes them by a flag of one letter or by place: `mysql -p…`,
//! `redis-cli -a …`, `smbclient -U user%…`.

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
    /// In the next word, behind this sign.
    Behind(u8),
    /// In the word after the next.
    Second,
    /// In the last word of the line.
    Last,
}

/// A program and the flag that its password follows, or several with bars between them.
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
    program("smbclient", " -U", Place::Behind(b'%')),
    program("smbget", " -U", Place::Behind(b'%')),
    program("rpcclient", " -U", Place::Behind(b'%')),
    program("winexe", " -U", Place::Behind(b'%')),
    program("smbmap", " -p ", Place::Next),
    program("lftp ", " -u ", Place::Behind(b',')),
    program("http ", " -a ", Place::Behind(b':')),
    program("https ", " -a ", Place::Behind(b':')),
    program("sqlplus ", " ", Place::Behind(b'/')),
    program("impdp ", " ", Place::Behind(b'/')),
    program("expdp ", " ", Place::Behind(b'/')),
    program("net user ", " ", Place::Second),
    program("wpa_passphrase ", " ", Place::Second),
    program("nmcli", " password ", Place::Next),
    program("htpasswd", " -b| -nb| -cb| -Bb| -nbB| -Bbn", Place::Last),
    program("plink", " -pw ", Place::Next),
    program("pscp", " -pw ", Place::Next),
    program("psftp", " -pw ", Place::Next),
    program("ipmitool", " -P ", Place::Next),
    program("mosquitto_", " -P ", Place::Next),
    program("evil-winrm", " -p ", Place::Next),
    program("crackmapexec", " -p ", Place::Next),
    program("netexec", " -p ", Place::Next),
    program("rdesktop", " -p ", Place::Next),
    program("useradd", " -p ", Place::Next),
    program("usermod", " -p ", Place::Next),
    program("oc login", " -p ", Place::Next),
    program("cf login", " -p ", Place::Next),
    program("registry login", " -p ", Place::Next),
    program("ncftp", " -p ", Place::Next),
    program("cadaver", " -p ", Place::Next),
    program("keytool", " -storepass | -keypass ", Place::Next),
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
    let flags = program.flag.split('|').filter_map(|flag| {
        let at = command
            .windows(flag.len())
            .position(|part| part == flag.as_bytes());
        at.map(|at| at + flag.len())
    });
    let mut start = from + flags.max()?;
    let line = &text[..from + command.len()];
    match program.place {
        Place::Glued | Place::Next => {}
        Place::Either => start += usize::from(line.get(start) == Some(&b' ')),
        Place::Behind(sign) => {
            let word = start + blanks(&line[start..]);
            let length = line[word..].iter().position(|&byte| byte <= b' ');
            let word = word..length.map_or(line.len(), |length| word + length);
            start = word.start + line[word].iter().position(|&byte| byte == sign)? + 1;
        }
        Place::Second => start = next_word(line, start),
        Place::Last => {
            let command = line[start..].trim_ascii_end();
            start += command.iter().rposition(|&byte| byte <= b' ')? + 1;
        }
    }
    let quote = line
        .get(start)
        .copied()
        .filter(|byte| matches!(byte, b'"' | b'\''));
    start += usize::from(quote.is_some());
    let rest = line.get(start..)?;
    let at_sign = if program.place == Place::Behind(b'/') {
        b'@'
    } else {
        b' '
    };
    let length = rest
        .iter()
        .position(|&byte| match quote {
            Some(quote) => byte == quote || byte == b'\n',
            None => {
                byte <= b' '
                    || byte == at_sign
                    || matches!(byte, b'`' | b'"' | b'\'' | b'|' | b';' | b'<' | b')')
            }
        })
        .unwrap_or(rest.len());
    is_login_password(b"", &rest[..length]).then_some(Span {
        start,
        end: start + length,
        pattern: "password",
    })
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| byte == b' ').count()
}

/// Where the word after the one that begins here begins.
fn next_word(line: &[u8], start: usize) -> usize {
    let start = start + blanks(&line[start..]);
    let length = line[start..]
        .iter()
        .take_while(|&&byte| byte > b' ')
        .count();
    start + length + blanks(&line[start + length..])
}
