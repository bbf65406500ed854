//! Conversations on a terminal: answers while they form, sources with their verdicts, lists.

use std::io::{IsTerminal, Write};

use anyhow::Result;

use super::stream::MarkdownStream;
use super::{BAD, DIM, GOOD, PATH, counted, inline};
use crate::wire::{ConversationSummary, KeptSource};

/// Columns where the terminal does not tell.
const WIDTH: usize = 80;
const WIDTH_MAX: usize = 100;

/// An answer that is being shown.
struct AnswerStream(MarkdownStream);

impl AnswerStream {
    fn new() -> Self {
        let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.into());
        Self(MarkdownStream::new(width.min(WIDTH_MAX)))
    }

    /// Shows what can be shown with the next piece.
    fn push(&mut self, piece: &str) -> Result<()> {
        write(&self.0.push(piece))
    }

    fn finish(self) -> Result<()> {
        write(&self.0.finish())
    }
}

/// Shows an answer: as it is meant on a terminal, as it is written elsewhere.
pub(crate) fn show_answer(text: &str) -> Result<()> {
    if !std::io::stdout().is_terminal() {
        return super::print(text);
    }
    let mut stream = AnswerStream::new();
    for piece in text.split_inclusive(' ') {
        stream.push(piece)?;
    }
    stream.finish()
}

/// Lists what an answer rests on; with its quotes if asked for.
pub(crate) fn sources(sources: &[KeptSource], with_quotes: bool) -> Result<()> {
    let mut out = String::new();
    for source in sources {
        let (style, mark) = match source.citation_verified {
            Some(true) => (GOOD, "✓"),
            Some(false) => (BAD, "✗"),
            None => (DIM, "·"),
        };
        let verdict = source.verdict().unwrap_or_else(|| "no quote".to_owned());
        let title = source.section.as_ref().unwrap_or(&source.title);
        out.push_str(&format!(
            "[{}] {style}{mark}{style:#} {PATH}{}{PATH:#} {} {DIM}({}){DIM:#}\n",
            source.number,
            inline(&source.place()),
            inline(title),
            inline(&verdict)
        ));
        if let Some(quote) = source.quote.as_ref().filter(|_| with_quotes) {
            out.push_str(&format!("    “{}”\n", inline(quote)));
        }
    }
    write(&out)
}

/// Lists conversations, one a line.
pub(crate) fn conversations(
    list: &[ConversationSummary],
    day_of: &dyn Fn(i64) -> String,
) -> Result<()> {
    let mut out = String::new();
    for one in list {
        out.push_str(&format!(
            "{PATH}{}{PATH:#} {} {} {DIM}({}, {}){DIM:#}\n",
            one.id,
            day_of(one.changed_at),
            inline(&one.title),
            inline(&one.domains.join(", ")),
            counted(one.n_turns, "question")
        ));
        if let Some(excerpt) = &one.excerpt {
            out.push_str(&format!("         {}\n", inline(excerpt)));
        }
    }
    write(&out)
}

fn write(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
