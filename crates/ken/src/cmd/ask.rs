//! `ken ask`: answers a question in the words of the notes; indexes first what is not indexed yet.

mod written;

use anyhow::Result;

use super::Found;
use super::fresh::{Update, asked, said_of_missing};
use crate::args::{AskArgs, AskFormat, Place};
use crate::hint::Hinted;
use crate::questions;
use crate::render;
use crate::searcher::{AskRequest, masked};
use crate::settings::{Located, Settings};
use crate::wire::{AskResponse, merge_asked};

pub(super) fn run(settings: &Settings, place: &Place, args: &AskArgs) -> Result<Found> {
    if args.question.join(" ").trim().is_empty() {
        let hint = "ask in words: `ken ask who repaired the roof`";
        return Err(Hinted::error("there is no question", hint));
    }
    if let Some(model) = written::model(settings, args)? {
        return written::run(settings, place, args, model);
    }
    let request = AskRequest {
        question: args.question.join(" "),
        mode: args.mode,
        is_deep: args.deep,
        dates: args.no_dates.then_some(false),
        scope: None,
    };
    let mut answers = Vec::new();
    let mut vault = None;
    for located in settings.locate_all(place)? {
        vault.clone_from(&located.vault);
        let answer = answer(settings, &located, args, &request, place.quiet)?;
        let paths = answer
            .sentences
            .iter()
            .map(|sentence| sentence.path.as_str());
        questions::record(
            settings,
            &located,
            (&answer.question, answer.evidence),
            paths,
        );
        answers.push((located.name, answer));
    }
    let vault = vault.filter(|_| answers.len() == 1);
    let Some(response) = merge_asked(answers) else {
        return Ok(Found::Nothing);
    };
    match args.format {
        AskFormat::Text if args.json => render::print_json(&response)?,
        AskFormat::Text => render::asked(&response, vault.as_deref(), place.quiet)?,
        AskFormat::Json => render::print_json(&response)?,
        AskFormat::Md => render::asked_markdown(&response)?,
    }
    Ok(match response.sentences.is_empty() {
        true => Found::Nothing,
        false => Found::Something,
    })
}

fn answer(
    settings: &Settings,
    located: &Located,
    args: &AskArgs,
    request: &AskRequest,
    quiet: bool,
) -> Result<AskResponse> {
    let update = Update {
        is_off: args.no_update,
        is_thorough: args.fresh,
        quiet,
    };
    let asked = asked(settings, located, update, |searcher, store, checked_at| {
        Ok(AskResponse::from(
            searcher.extract(store, request, checked_at)?,
        ))
    })?;
    let Some((mut answer, word)) = asked else {
        return Ok(AskResponse::without_index(masked(&request.question)));
    };
    let missing = said_of_missing(located, &answer.notices);
    answer.notices.extend(missing.into_iter().chain(word));
    Ok(answer)
}
