//! What was typed without a verb is a question: `ken roof` is `ken search roof`. A verb still wins, and a
//! mistyped one is not searched for.

use std::ffi::{OsStr, OsString};

use clap::{Command, CommandFactory, FromArgMatches};
use kenning::embed::{TokenVectors, embedded};
use strsim::osa_distance;

use super::Args;

/// Shorter verbs are near to too many words.
const VERB_LETTERS_MIN: usize = 4;
/// Verbs that are longer may have two slips.
const LONG_VERB_LETTERS_MIN: usize = 6;

/// Why what was typed cannot be run.
pub(crate) enum Mistake {
    /// An option is wrong, or help was asked for.
    Options(clap::Error),
    /// There is no such verb.
    Verb { typed: String, meant: String },
}

/// Reads what was typed, the name of the program first. Nothing at all is help, unless somebody sits at a
/// terminal.
pub(crate) fn read(words: &[OsString], is_interactive: bool) -> Result<Args, Mistake> {
    let command = Args::command();
    let Some(first) = first_word(&command, words) else {
        let args = parsed(command.clone(), words.to_vec())?;
        return match is_interactive {
            true => Ok(args),
            false => Err(Mistake::Options(help(command))),
        };
    };
    let is_verb = first == "help" || command.find_subcommand(first).is_some();
    if is_verb {
        return parsed(command, words.to_vec());
    }
    let typed = first.to_string_lossy();
    if let Some(meant) = meant_verb(&command, &typed) {
        return Err(Mistake::Verb {
            typed: typed.into_owned(),
            meant,
        });
    }
    let mut with_verb = words.to_vec();
    with_verb.insert(1, "search".into());
    parsed(command, with_verb)
}

/// Returns what is said where a verb is missing.
fn help(command: Command) -> clap::Error {
    let shown = command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .try_get_matches_from(["ken"]);
    shown
        .err()
        .unwrap_or_else(|| clap::Error::new(clap::error::ErrorKind::MissingSubcommand))
}

/// Takes the command that was looked at: making all verbs and options a second time would take a millisecond.
fn parsed(mut command: Command, words: Vec<OsString>) -> Result<Args, Mistake> {
    let matches = command.try_get_matches_from_mut(words);
    let args = matches.and_then(|mut matches| Args::from_arg_matches_mut(&mut matches));
    args.map_err(|error| Mistake::Options(error.format(&mut command)))
}

/// Returns the first word that is neither an option nor the value of one.
fn first_word<'w>(command: &Command, words: &'w [OsString]) -> Option<&'w OsStr> {
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if text == "--" {
            return words.next().map(OsString::as_os_str);
        }
        if !text.starts_with('-') || text == "-" {
            return Some(word);
        }
        let takes_next = command.get_arguments().any(|option| {
            let is_long = |name| text.strip_prefix("--") == Some(name);
            let is_short = |name: char| {
                text.strip_prefix('-')
                    .is_some_and(|rest| rest.chars().eq([name]))
            };
            let is_it =
                option.get_long().is_some_and(is_long) || option.get_short().is_some_and(is_short);
            is_it && option.get_action().takes_values()
        });
        if takes_next {
            words.next();
        }
    }
    None
}

/// Returns the verb that a word is a slip of. A word that means something is a question: "what" is as near
/// to `chat` as "chta" is.
fn meant_verb(command: &Command, word: &str) -> Option<String> {
    let is_like_a_verb = word
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    if !is_like_a_verb || embedded().knows(word) {
        return None;
    }
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let near = verbs.filter_map(|verb| {
        let name = verb.get_name();
        let most = match name.len() {
            LONG_VERB_LETTERS_MIN.. => 2,
            VERB_LETTERS_MIN.. => 1,
            _ => 0,
        };
        let n_slips = osa_distance(word, name);
        // Of a short verb only two letters in the wrong order are a slip.
        let is_turned = n_slips == 1 && sorted(word) == sorted(name);
        (n_slips <= most || is_turned).then_some((n_slips, name))
    });
    near.min().map(|(_, name)| name.to_owned())
}

fn sorted(word: &str) -> Vec<u8> {
    let mut letters = word.as_bytes().to_vec();
    letters.sort_unstable();
    letters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;

    /// Shows what words are taken for.
    fn check(line: &str) -> String {
        let words = line.split(' ').map(OsString::from);
        let words: Vec<OsString> = std::iter::once("ken".into()).chain(words).collect();
        match read(&words, true) {
            Ok(Args {
                command: Some(args::Command::Search(search)),
                ..
            }) => search.query.join(" "),
            Ok(Args {
                command: Some(_), ..
            }) => "another verb".to_owned(),
            Ok(_) => "no verb".to_owned(),
            Err(Mistake::Verb { meant, .. }) => format!("{meant}?"),
            Err(Mistake::Options(_)) => "a wrong option".to_owned(),
        }
    }

    #[test]
    fn a_verb_wins_and_everything_else_is_a_question() {
        for (line, expected) in [
            ("roof", "roof"),
            ("who repaired the roof", "who repaired the roof"),
            ("what is chat", "what is chat"),
            ("--vault notes roof -n 3", "roof"),
            ("-d work roof", "roof"),
            ("-d work", "no verb"),
            ("--tag house roof", "roof"),
            ("search roof", "roof"),
            ("-- -5 degrees", "-5 degrees"),
            ("status", "another verb"),
            ("serach roof", "search?"),
            ("indx", "index?"),
            ("statsu", "status?"),
            ("gte Roof", "get?"),
            ("--nonsense", "a wrong option"),
            ("chat --nonsense", "a wrong option"),
        ] {
            assert_eq!(check(line), expected, "{line}");
        }
    }
}
