//! A conversation as Markdown, to be read, kept and quoted from.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use anyhow::Result;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use kenning::conversation::{Conversation, Turn, TurnState};

use crate::wire::KeptSource;

/// Returns the conversation as it is shown.
pub(crate) fn markdown(conversation: &Conversation, turns: &[Turn]) -> String {
    let mut out = format!("# {}\n\n", one_line(&conversation.title));
    let domains = conversation.domains.join(", ");
    let _ = writeln!(
        out,
        "Conversation {}, begun {}{}{domains}",
        conversation.id,
        day_of(conversation.begun_at),
        if domains.is_empty() { "" } else { ", about " },
    );
    for turn in turns {
        write_turn(&mut out, turn);
    }
    out
}

/// Writes an export into a new file; nothing is overwritten.
pub(crate) fn write(file: &Path, text: &str) -> Result<()> {
    let io = |error| kenning::Error::io(file, error);
    let mut made = File::create_new(file).map_err(io)?;
    made.write_all(text.as_bytes()).map_err(io)?;
    Ok(())
}

fn write_turn(out: &mut String, turn: &Turn) {
    let mut lines = turn.question.lines();
    let first = lines.next().unwrap_or_default();
    let _ = write!(out, "\n## {}\n\n", one_line(first));
    let rest: Vec<&str> = lines.collect();
    if !rest.is_empty() {
        for line in turn.question.lines() {
            let _ = writeln!(out, "> {line}");
        }
        out.push('\n');
    }
    match (turn.answer.trim_end(), turn.state) {
        ("", _) => out.push_str("*Not answered.*\n"),
        (answer, TurnState::Stopped) => {
            let _ = write!(out, "{answer}\n\n*Stopped here.*\n");
        }
        (answer, _) => {
            let _ = writeln!(out, "{answer}");
        }
    }
    let sources = KeptSource::read(turn.sources.as_deref());
    if !sources.is_empty() {
        out.push_str("\nSources:\n\n");
        for source in &sources {
            let _ = writeln!(out, "{}", source_line(source));
        }
    }
}

/// Returns a source as an item of a list: number, place, what the quote came to, and the quote.
fn source_line(source: &KeptSource) -> String {
    let mut line = format!("{}. `{}`", source.number, source.place());
    if let Some(verdict) = source.verdict() {
        let _ = write!(line, " · {verdict}");
    }
    if let Some(quote) = &source.quote {
        let _ = write!(line, " · “{}”", one_line(quote));
    }
    line
}

/// Headings and items stay on their line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the day of a time, as the person's calendar has it.
pub(crate) fn day_of(at: i64) -> String {
    let at = Timestamp::from_second(at).unwrap_or_default();
    let at = at.to_zoned(TimeZone::system());
    at.strftime("%Y-%m-%d").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use kenning::conversation::TurnId;

    #[test]
    fn a_conversation_reads_as_a_note() {
        let conversation = Conversation {
            id: "0a1b2c3d".to_owned(),
            owner: String::new(),
            title: "The roof".to_owned(),
            domains: vec!["home".to_owned()],
            scope: None,
            begun_at: 1_700_000_000,
            changed_at: 1_700_000_000,
            head: Some(TurnId(2)),
            n_turns: 2,
        };
        let turn = |question: &str, answer: &str, state, sources: Option<&str>| Turn {
            id: TurnId(1),
            parent: None,
            question: question.to_owned(),
            answer: answer.to_owned(),
            state,
            sources: sources.map(str::to_owned),
            model: None,
            asked_at: 0,
            alternatives: Vec::new(),
        };
        let source = r#"[{"number":1,"path":"Roof.md","start_line":3,"end_line":9,
            "quote":"Esko repaired\nthe gutter","citation_verified":true,"citation_reason":"match"}]"#;
        let turns = [
            turn(
                "Who repaired it?",
                "Esko did [1].",
                TurnState::Answered,
                Some(source),
            ),
            turn("And\nwhen?", "", TurnState::Asked, None),
        ];
        assert_snapshot!(markdown(&conversation, &turns), @"
        # The roof

        Conversation 0a1b2c3d, begun 2023-11-14, about home

        ## Who repaired it?

        Esko did [1].

        Sources:

        1. `Roof.md:3-9` · verified · “Esko repaired the gutter”

        ## And

        > And
        > when?

        *Not answered.*
        ");
    }
}
