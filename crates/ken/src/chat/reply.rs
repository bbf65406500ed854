//! An answer to a question of a conversation, shown while it forms: the agent's, as everywhere.

use anyhow::Result;

use crate::agent::{Event, Heard, Request, answer_here};
use crate::render::{self, AnswerStream};
use crate::runtime;

/// Answers, and shows what is said as it is said, and below it what that rests on. Ctrl-C ends it with what
/// is there.
pub(super) fn reply(request: Request) -> Result<Heard> {
    let mut stream = AnswerStream::new();
    let heard = answer_here(
        request,
        Some(runtime::stop_flag()),
        &mut |event| match event {
            Event::Text(text) => stream.push(text),
            Event::Thinking(text) => {
                stream.thinking(text);
                Ok(())
            }
            _ => Ok(()),
        },
    );
    stream.finish()?;
    let heard = heard?;
    render::sources(&heard.sources(), false)?;
    match (&heard.outcome, heard.failure()) {
        (_, Some(error)) => render::error(&error),
        (Some(outcome), None) => render::summed_up(outcome),
        (None, None) => render::say("stopped"),
    }
    Ok(heard)
}
