//! `ask`: asks one domain or all for the sentences that answer.

use anyhow::Result;
use rmcp::model::JsonObject;

use super::arguments::{self, AskArguments};
use super::reply::Reply;
use super::{choose, text};
use crate::hint::Hinted;
use crate::searcher::{AskRequest, Searchers};
use crate::wire::{AskResponse, merge_asked};

pub(super) fn ask(searchers: &Searchers, arguments: JsonObject) -> Result<Reply> {
    let asked: AskArguments = arguments::read(arguments)?;
    if asked.question.trim().is_empty() {
        return Err(Hinted::error(
            "there is no question",
            "`question` takes a sentence such as: who repaired the roof?",
        ));
    }
    let searchers = choose::searchers(searchers, asked.domain.as_deref())?;
    let mut notices = choose::refresh(&searchers);
    let request = AskRequest {
        question: asked.question,
        is_deep: asked.deep.unwrap_or_default(),
        ..AskRequest::default()
    };
    let mut answers = Vec::new();
    let mut trouble = None;
    for searcher in &searchers {
        match searcher.ask(&request) {
            Ok(answer) => answers.push((searcher.name().to_owned(), AskResponse::from(answer))),
            // One that cannot answer is a notice, unless there is no other.
            Err(error) => {
                let error = choose::explained(searcher, error);
                notices.push(choose::named(&searchers, searcher, error.to_string()));
                trouble.get_or_insert(error);
            }
        }
    }
    let Some(mut answer) = merge_asked(answers) else {
        return Err(trouble.unwrap_or_else(|| anyhow::anyhow!("no domain can be asked here")));
    };
    let told = answer.notices.drain(..);
    notices.extend(told.collect::<Vec<_>>());
    notices.dedup();
    answer.notices = notices;
    Reply::new(&answer, text::answered(&answer))
}
