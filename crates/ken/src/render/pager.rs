//! Long output goes through a pager, as git does it: on a terminal only, and `less` leaves at once where
//! it all fits on one screen.

use std::io::{ErrorKind, IsTerminal, Write};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::Result;

/// What pages long output: the program, its arguments, and what is added to its environment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pager {
    /// None is no pager.
    pub(crate) words: Vec<String>,
    /// Whether `less` is told nothing by its own variable.
    pub(crate) is_less_unset: bool,
}

static PAGER: OnceLock<Pager> = OnceLock::new();

/// What `less` does where nobody says otherwise: leave if it fits, keep colours, keep the screen.
const LESS: &str = "FRX";

/// Decides once what pages long output.
pub(crate) fn set_pager(pager: Pager) {
    PAGER.get_or_init(|| pager);
}

/// Prints a text for people, with our styles in it; what comes from notes must have been made plain.
pub(crate) fn paged(text: &str) -> Result<()> {
    let is_terminal = std::io::stdout().is_terminal();
    match PAGER.get().filter(|pager| !pager.words.is_empty()) {
        Some(pager) if is_terminal && !text.is_empty() => page(pager, text),
        _ => written(text),
    }
}

fn written(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

fn page(pager: &Pager, text: &str) -> Result<()> {
    let mut command = Command::new(&pager.words[0]);
    command.args(&pager.words[1..]).stdin(Stdio::piped());
    if pager.is_less_unset {
        command.env("LESS", LESS);
    }
    // Where there is no such program, the text is still printed.
    let Ok(mut child) = command.spawn() else {
        return written(text);
    };
    if let Some(mut input) = child.stdin.take() {
        let text = match anstream::stdout().current_choice() {
            anstream::ColorChoice::Never => anstream::adapter::strip_str(text).to_string(),
            _ => text.to_owned(),
        };
        match input.write_all(text.as_bytes()) {
            // Who has read enough leaves.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => return Err(error.into()),
            _ => {}
        }
    }
    child.wait()?;
    Ok(())
}
