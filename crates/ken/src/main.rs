//! The binary: parses what was typed, runs it, prints the error, chooses the exit code.

mod agent;
mod args;
mod chat;
mod cmd;
mod completion;
mod context;
mod conversations;
mod curate;
mod fill;
mod git;
mod hint;
mod hook;
mod llm;
mod mcp;
mod memory;
mod models;
mod open;
mod picker;
mod preview;
mod private;
mod questions;
mod reader;
mod remember;
mod remote;
mod render;
mod runtime;
mod searcher;
mod serve;
mod settings;
mod watch;
mod wire;

use std::process::ExitCode;

use reader::limited;

/// Nothing relevant was found, as grep says it.
const NOTHING_FOUND: u8 = 1;
/// Something went wrong.
const FAILED: u8 = 2;
/// Ctrl-C, as shells say it.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    private::be();
    match std::env::args_os().nth(1) {
        Some(verb) if verb == reader::CHILD_VERB => return reader::child::run(),
        Some(verb) if verb == limited::VERB => {
            return limited::become_other(std::env::args_os().skip(2));
        }
        _ => {}
    }
    if hook::is_called(std::env::args_os()) {
        return hook::run();
    }
    let words: Vec<_> = std::env::args_os().collect();
    if completion::answered(&words, std::env::current_dir().ok()) {
        return ExitCode::SUCCESS;
    }
    let args = match args::read(&words, render::is_interactive()) {
        Ok(args) => args,
        Err(mistake) => return answer(mistake),
    };
    match cmd::run(args) {
        Ok(cmd::Found::Something) => ExitCode::SUCCESS,
        Ok(cmd::Found::Nothing) => ExitCode::from(NOTHING_FOUND),
        Ok(cmd::Found::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(error) if hint::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<hint::Interrupted>() => {
            render::say(&format!("note: {error}"));
            ExitCode::from(INTERRUPTED)
        }
        Err(error) => {
            render::error(&error);
            ExitCode::from(FAILED)
        }
    }
}

/// Says what is wrong with what was typed.
fn answer(mistake: args::Mistake) -> ExitCode {
    match mistake {
        // An agent takes 2 for a veto, and would refuse every prompt for a slip in its settings.
        args::Mistake::Options(error)
            if error.use_stderr() && hook::is_called_astray(std::env::args_os()) =>
        {
            ExitCode::SUCCESS
        }
        args::Mistake::Options(error) => error.exit(),
        args::Mistake::Verb { typed, meant } => {
            let message = format!("there is no command `{typed}`");
            let hint =
                format!("did you mean `ken {meant}`? `ken search {typed}` looks for the word");
            render::error(&hint::Hinted::error(message, hint));
            ExitCode::from(FAILED)
        }
    }
}
