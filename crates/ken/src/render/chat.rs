//! Conversations on a terminal: answers while they form, sources with their verdicts, lists.

use std::io::{IsTerminal, Write};

use anyhow::Result;

use super::stream::MarkdownStream;
use super::{BAD, DIM, GOOD, PATH, counted, inline};
use crate::wire::{ConversationSummary, KeptSource};

/// Columns where the terminal does not tell.
const WIDTH: usize = 80;
const WIDTH_MAX: usize = 100;
/// Characters of a thought: one line.
const THOUGHT_CHARS_MAX: usize = 70;
/// Begins the line anew.
const CLEARED: &str = "\r\u{1b}[2K";

/// An answer that is being shown: as it is meant on a terminal, as it is written elsewhere.
pub(crate) struct AnswerStream {
    markdown: Option<MarkdownStream>,
    has_text: bool,
    /// What the model thinks or does: a line that goes when the answer comes.
    thought: String,
}

impl AnswerStream {
    pub(crate) fn new() -> Self {
        let width = terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.into());
        let is_seen = std::io::stdout().is_terminal();
        Self {
            markdown: is_seen.then(|| MarkdownStream::new(width.min(WIDTH_MAX))),
            has_text: false,
            thought: String::new(),
        }
    }

    /// Shows what can be shown with the next piece.
    pub(crate) fn push(&mut self, piece: &str) -> Result<()> {
        self.be_quiet();
        self.has_text = true;
        match &mut self.markdown {
            Some(stream) => write(&stream.push(piece)),
            None => super::print(piece),
        }
    }

    /// Shows the end of what the model thinks or does, in one line that the next one takes the place of.
    pub(crate) fn thinking(&mut self, piece: &str) {
        if self.has_text || self.markdown.is_none() || !std::io::stderr().is_terminal() {
            return;
        }
        self.thought += piece;
        let lines = self.thought.lines().rev();
        let line = lines.map(str::trim).find(|line| !line.is_empty());
        let line: Vec<char> = inline(line.unwrap_or_default()).chars().collect();
        let shown: String = line[line.len().saturating_sub(THOUGHT_CHARS_MAX)..]
            .iter()
            .collect();
        let _ = write!(anstream::stderr(), "{CLEARED}{DIM}{shown}{DIM:#}");
    }

    fn be_quiet(&mut self) {
        if !std::mem::take(&mut self.thought).is_empty() {
            let _ = write!(anstream::stderr(), "{CLEARED}");
        }
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.be_quiet();
        if let Some(stream) = self.markdown {
            write(&stream.finish())?;
        }
        match self.has_text {
            true => write("\n"),
            false => Ok(()),
        }
    }
}

/// Shows an answer of before.
pub(crate) fn show_answer(text: &str) -> Result<()> {
    let mut stream = AnswerStream::new();
    stream.push(text)?;
    stream.finish()
}

/// Lists what an answer rests on, each passage once, and every quote or claim that is not verified; with
/// all its quotes if asked for.
pub(crate) fn sources(sources: &[KeptSource], with_quotes: bool) -> Result<()> {
    let mut out = String::new();
    let mut listed = Vec::new();
    for source in sources {
        let is_verified = source.citation_verified != Some(false);
        if is_verified && !with_quotes && listed.contains(&source.number) {
            continue;
        }
        if is_verified {
            listed.push(source.number);
        }
        out += &source_line(source);
        let quote = source.quote.as_ref();
        // A quote may stand there, and what is said around it not.
        let is_around = !is_verified && source.citation_reason.as_deref() == Some("match");
        let said = match (quote.filter(|_| !is_around), &source.claim) {
            (Some(quote), _) => format!("“{}”", inline(quote)),
            (None, Some(claim)) => inline(claim).into_owned(),
            (None, None) => continue,
        };
        if with_quotes || !is_verified {
            out += &format!("    {said}\n");
        }
    }
    write(&out)
}

fn source_line(source: &KeptSource) -> String {
    let (style, mark) = match source.citation_verified {
        Some(true) => (GOOD, "✓"),
        Some(false) => (BAD, "✗"),
        None => (DIM, "·"),
    };
    let verdict = source.verdict().unwrap_or_else(|| "no quote".to_owned());
    let title = source.section.as_ref().unwrap_or(&source.title);
    format!(
        "[{}] {style}{mark}{style:#} {PATH}{}{PATH:#} {} {DIM}({}){DIM:#}\n",
        source.number,
        inline(&source.place()),
        inline(title),
        inline(&verdict)
    )
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
