//! What is typed in a conversation: a question, or something to do. Pure.

use strsim::levenshtein;

/// Something that was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Nothing,
    Question(String),
    Command(Command),
    /// There is no such command; the nearest one.
    Unknown(&'static str),
}

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Help,
    /// New conditions; `None` tells them.
    Scope(Option<String>),
    Sources,
    Regenerate,
    /// Asks the last question, or that of a number, in other words.
    Edit(Option<usize>, String),
    Export(Option<String>),
    /// Somebody else answers from now on; `None` tells who does.
    Model(Option<String>),
    List,
    Quit,
}

/// Every command: its name, what follows it, and what it does.
pub(super) const COMMANDS: [(&str, &str, &str); 9] = [
    ("/help", "", "this list"),
    (
        "/scope",
        "[CONDITIONS | all]",
        "only these notes answer, such as folder:Home tag:work",
    ),
    (
        "/sources",
        "",
        "what the last answer rests on, with its quotes",
    ),
    ("/regenerate", "", "answer the last question again"),
    (
        "/edit",
        "[N] QUESTION",
        "ask the last question, or number N, in other words; the old one is kept",
    ),
    ("/export", "[FILE]", "write the conversation as Markdown"),
    (
        "/model",
        "[NAME]",
        "who answers, or who is to; extract for nobody",
    ),
    ("/list", "", "the questions so far, with their numbers"),
    ("/quit", "", "leave; so does Ctrl-D"),
];

/// Understands a line.
pub(super) fn parse(line: &str) -> Typed {
    let line = line.trim();
    if line.is_empty() {
        return Typed::Nothing;
    }
    // A path or a lone slash is not a command.
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let is_name = name
        .strip_prefix('/')
        .is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic()));
    if !is_name {
        return Typed::Question(line.to_owned());
    }
    let rest = rest.trim();
    let given = (!rest.is_empty()).then(|| rest.to_owned());
    Typed::Command(match name {
        "/help" => Command::Help,
        "/scope" => Command::Scope(given),
        "/sources" => Command::Sources,
        "/regenerate" => Command::Regenerate,
        "/edit" => edit(rest),
        "/export" => Command::Export(given),
        "/model" => Command::Model(given),
        "/list" => Command::List,
        "/quit" | "/exit" => Command::Quit,
        other => {
            let names = COMMANDS.iter().map(|(name, ..)| *name);
            let nearest = names.min_by_key(|name| levenshtein(name, other));
            return Typed::Unknown(nearest.unwrap_or("/help"));
        }
    })
}

fn edit(rest: &str) -> Command {
    let (first, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match first.parse() {
        Ok(number) if !behind.trim().is_empty() => {
            Command::Edit(Some(number), behind.trim().to_owned())
        }
        _ => Command::Edit(None, rest.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_questions() {
        let question = |text: &str| Typed::Question(text.to_owned());
        for (line, expected) in [
            ("  ", Typed::Nothing),
            ("who repaired it?", question("who repaired it?")),
            ("/etc/hosts says what?", question("/etc/hosts says what?")),
            ("/ or \\", question("/ or \\")),
            ("/quit", Typed::Command(Command::Quit)),
            ("/scope", Typed::Command(Command::Scope(None))),
            (
                "/scope path:Home",
                Typed::Command(Command::Scope(Some("path:Home".to_owned()))),
            ),
            (
                "/edit 2 who paid?",
                Typed::Command(Command::Edit(Some(2), "who paid?".to_owned())),
            ),
            (
                "/edit 2024 plans",
                Typed::Command(Command::Edit(Some(2024), "plans".to_owned())),
            ),
            (
                "/edit who paid?",
                Typed::Command(Command::Edit(None, "who paid?".to_owned())),
            ),
            ("/edit", Typed::Command(Command::Edit(None, String::new()))),
            ("/regnerate", Typed::Unknown("/regenerate")),
        ] {
            assert_eq!(parse(line), expected, "{line}");
        }
    }
}
