//! The terminal, full screen and raw, and as it was before in any case: after leaving, after an error, and
//! after a panic on whichever thread.

use std::io::{Stdout, Write, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

/// Whether the terminal is ours.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal while it is ours; dropped, it is as it was.
pub(super) struct Screen {
    pub(super) terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Takes the terminal.
    pub(super) fn take() -> Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                // What is said of it must be seen.
                give_back();
                before(panic);
            }));
        });
        IS_TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        let entered = execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste);
        let terminal = entered.and_then(|()| Terminal::new(CrosstermBackend::new(stdout())));
        match terminal {
            Ok(terminal) => Ok(Self { terminal }),
            Err(error) => {
                give_back();
                Err(error.into())
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Brings the terminal to what it was. Whoever comes second does nothing.
fn give_back() {
    if IS_TAKEN.swap(false, Ordering::SeqCst) {
        // Each is tried, whatever became of the others.
        let _ = execute!(stdout(), DisableBracketedPaste);
        let _ = execute!(stdout(), LeaveAlternateScreen);
        let _ = execute!(stdout(), Show);
        let _ = disable_raw_mode();
    }
}

/// Copies a text to the clipboard of whoever sits at the terminal, be it on another machine (OSC 52).
pub(super) fn copy(text: &str) -> Result<()> {
    let mut out = stdout();
    write!(out, "\x1b]52;c;{}\x07", STANDARD.encode(text))?;
    out.flush()?;
    Ok(())
}
