//! `ken chat`: a conversation with the notes, and what is done with those of before.

use std::time::Duration;

use anyhow::Result;

use super::Found;
use crate::args::{ChatAction, ChatArgs, Place};
use crate::chat::Chat;
use crate::conversations::{ConversationsPlace, OwnConversations, export};
use crate::hint::Hinted;
use crate::render;
use crate::searcher::Searchers;
use crate::settings::Settings;
use crate::wire::{ConversationResponse, ConversationSummary, ConversationsResponse};

/// How long notes that have changed are waited for.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn run(settings: &Settings, place: &Place, args: &ChatArgs) -> Result<Found> {
    match &args.action {
        Some(action) => manage(settings, action, place.quiet),
        None => talk(settings, place, args),
    }
}

fn talk(settings: &Settings, place: &Place, args: &ChatArgs) -> Result<Found> {
    let searchers = Searchers::open(settings, place)?;
    for searcher in searchers.all() {
        for notice in searcher.refresh(PATIENCE) {
            render::say(&format!("note: {notice}"));
        }
    }
    let own = ConversationsPlace::new(settings, &searchers).open_all(settings)?;
    let names: Vec<&str> = searchers.all().iter().map(|one| one.name()).collect();
    let conversation = match (&args.resume, args.last) {
        (Some(id), _) => Some(own.get(id)?),
        (None, true) => {
            let is_of_these =
                |domains: &[String]| domains.iter().all(|one| names.contains(&one.as_str()));
            let mut all = own.list()?.into_iter();
            let last = all.find(|one| is_of_these(&one.domains));
            Some(last.ok_or_else(|| {
                Hinted::error(
                    "there is no conversation to go on with",
                    "begin one with `ken chat`",
                )
            })?)
        }
        (None, false) => None,
    };
    let chat = Chat::new(searchers, own, conversation, settings)?
        .limited_to(args.scope.as_deref())?
        .answered_by(args.model.clone())?;
    Ok(match chat.run(settings)? {
        true => Found::Something,
        false => Found::Nothing,
    })
}

fn manage(settings: &Settings, action: &ChatAction, is_quiet: bool) -> Result<Found> {
    let place = ConversationsPlace::of_person(settings);
    let mut own = place.open_all(settings)?;
    match action {
        ChatAction::List { json } => {
            let all = own.list()?.into_iter().map(Into::into).collect();
            listed(all, *json)
        }
        ChatAction::Search { words, json } => {
            let found = own.search(&words.join(" "))?;
            listed(found.into_iter().map(Into::into).collect(), *json)
        }
        ChatAction::Show { id, json } => show(&own, id, *json),
        ChatAction::Rename { id, title } => {
            let found = own.get(id)?;
            own.rename(&found, &title.join(" "))?;
            Ok(Found::Something)
        }
        ChatAction::Export { id, file } => {
            let found = own.get(id)?;
            let text = export::markdown(&found, &own.turns(&found)?);
            match file {
                Some(file) => export::write(file, &text)?,
                None => render::print(&text)?,
            }
            Ok(Found::Something)
        }
        ChatAction::Delete { ids } => {
            // All of them are known before any of them goes.
            let found = ids
                .iter()
                .map(|id| own.get(id))
                .collect::<Result<Vec<_>>>()?;
            for one in &found {
                own.delete(one)?;
                if !is_quiet {
                    render::say(&format!("deleted {} {}", one.id, one.title));
                }
            }
            Ok(Found::Something)
        }
    }
}

fn show(own: &OwnConversations, id: &str, as_json: bool) -> Result<Found> {
    let found = own.get(id)?;
    let turns = own.turns(&found)?;
    if as_json {
        let (_, usage) = own.history(&found)?;
        render::print_json(&ConversationResponse::new(found, turns, usage))?;
    } else {
        render::print(&export::markdown(&found, &turns))?;
    }
    Ok(Found::Something)
}

fn listed(all: Vec<ConversationSummary>, as_json: bool) -> Result<Found> {
    let is_empty = all.is_empty();
    if as_json {
        render::print_json(&ConversationsResponse {
            n_conversations: all.len(),
            offset: 0,
            conversations: all,
        })?;
    } else {
        render::conversations(&all, &export::day_of)?;
    }
    Ok(match is_empty {
        true => Found::Nothing,
        false => Found::Something,
    })
}
