//! The binary: parses what was typed, runs it, prints the error, chooses the exit code.

mod agent;
mod args;
mod chat;
mod cmd;
mod context;
mod conversations;
mod git;
mod hint;
mod hook;
mod llm;
mod mcp;
mod private;
mod reader;
mod remember;
mod render;
mod runtime;
mod searcher;
mod serve;
mod settings;
mod watch;
mod wire;

use std::process::ExitCode;

use clap::Parser;

/// Nothing relevant was found, as grep says it.
const NOTHING_FOUND: u8 = 1;
/// Something went wrong.
const FAILED: u8 = 2;
/// Ctrl-C, as shells say it.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    private::be();
    if std::env::args_os()
        .nth(1)
        .is_some_and(|verb| verb == reader::CHILD_VERB)
    {
        return reader::child::run();
    }
    if hook::is_called(std::env::args_os()) {
        return hook::run();
    }
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        // An agent takes 2 for a veto, and would refuse every prompt for a slip in its settings.
        Err(error) if error.use_stderr() && hook::is_called_astray(std::env::args_os()) => {
            return ExitCode::SUCCESS;
        }
        Err(error) => error.exit(),
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
