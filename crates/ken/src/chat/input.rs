//! Where questions come from: a line editor with a history on a terminal, lines of standard input elsewhere.

use std::io::{self, BufRead, IsTerminal};
use std::path::PathBuf;

use anyhow::Result;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};

use crate::searcher::masked;

/// Lines of the history that are kept.
const HISTORY_MAX: usize = 1_000;

/// Where lines come from.
pub(super) enum Input {
    Editor {
        editor: Box<Editor<(), FileHistory>>,
        history: PathBuf,
    },
    Lines(io::Lines<io::StdinLock<'static>>),
}

/// What came.
pub(super) enum Line {
    Typed(String),
    /// Ctrl-C at an empty prompt, or what was typed is thrown away.
    Dropped,
    End,
}

impl Input {
    pub(super) fn open(history: PathBuf) -> Result<Self> {
        if !io::stdin().is_terminal() {
            return Ok(Self::Lines(io::stdin().lock().lines()));
        }
        let config = Config::builder().max_history_size(HISTORY_MAX)?.build();
        let mut editor = Editor::with_config(config)?;
        // There is none the first time.
        let _ = editor.load_history(&history);
        Ok(Self::Editor {
            editor: Box::new(editor),
            history,
        })
    }

    /// Whether a person types.
    pub(super) fn is_typed(&self) -> bool {
        matches!(self, Self::Editor { .. })
    }

    pub(super) fn next(&mut self, prompt: &str) -> Result<Line> {
        match self {
            Self::Lines(lines) => Ok(match lines.next() {
                Some(line) => Line::Typed(line?),
                None => Line::End,
            }),
            Self::Editor { editor, history } => match editor.readline(prompt) {
                Ok(line) => {
                    // What is kept holds no credential.
                    if !line.trim().is_empty() && editor.add_history_entry(masked(&line))? {
                        let _ = editor.append_history(history.as_path());
                    }
                    Ok(Line::Typed(line))
                }
                Err(ReadlineError::Interrupted) => Ok(Line::Dropped),
                Err(ReadlineError::Eof) => Ok(Line::End),
                Err(error) => Err(error.into()),
            },
        }
    }
}
