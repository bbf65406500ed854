//! `get`, `multi_get`, `list_notes` and `status`: reads what is there.

use std::sync::Arc;

use anyhow::Result;
use rmcp::model::JsonObject;

use super::arguments::{self, GetArguments, ListArguments, MultiGetArguments, StatusArguments};
use super::reply::{self, BYTES_MAX, Reply};
use super::{choose, text};
use crate::hint::{self, Hinted};
use crate::searcher::{NotesRequest, Searcher, Searchers, masked};
use crate::wire::{
    DomainStatus, GetOutput, ListOutput, ListedNote, MissingNote, MultiGetOutput, Passage,
    StatusOutput, StatusResponse,
};

const LIST_LIMIT: usize = 50;

pub(super) fn get(searchers: &Searchers, arguments: JsonObject) -> Result<Reply> {
    let arguments: GetArguments = arguments::read(arguments)?;
    let (searchers, reference) =
        choose::reference(searchers, &arguments.reference, arguments.domain.as_deref())?;
    let notices = choose::refresh(&searchers);
    let mut got = open(
        &searchers,
        &with_lines(reference, arguments.from, arguments.to),
    )?;
    check_lines(&got.passage, arguments.from, arguments.to)?;
    got.notices = notices;
    fit(&mut got, BYTES_MAX);
    let mut reply = Reply::new(&got, text::got(&got))?;
    reply.link(&got.domain, &got.passage.path, &got.passage.title);
    Ok(reply)
}

pub(super) fn multi_get(searchers: &Searchers, arguments: JsonObject) -> Result<Reply> {
    let arguments: MultiGetArguments = arguments::read(arguments)?;
    let domain = arguments.domain.as_deref();
    let mut many = MultiGetOutput {
        notes: Vec::new(),
        missing: Vec::new(),
        notices: choose::refresh(&choose::searchers(searchers, domain)?),
    };
    let mut room = BYTES_MAX;
    let n_references = arguments.references.len();
    for (index, reference) in arguments.references.iter().enumerate() {
        let got = choose::reference(searchers, reference, domain)
            .and_then(|(searchers, reference)| open(&searchers, &reference));
        match got {
            Ok(mut got) => {
                // What one note does not use is there for the next ones.
                fit(&mut got, room / (n_references - index));
                room = room.saturating_sub(reply::size(&got));
                many.notes.push(got);
            }
            Err(error) => many.missing.push(MissingNote {
                reference: masked(reference),
                error: masked(&error.to_string()),
                hint: hint::of(&error).map(|hint| masked(&hint)),
            }),
        }
    }
    let mut reply = Reply::new(&many, text::got_many(&many))?;
    for got in &many.notes {
        reply.link(&got.domain, &got.passage.path, &got.passage.title);
    }
    Ok(reply)
}

fn open(searchers: &[Arc<Searcher>], reference: &str) -> Result<GetOutput> {
    let (searcher, passage) = choose::first(searchers, |searcher| searcher.passage(reference))?;
    Ok(GetOutput {
        domain: searcher.name().to_owned(),
        passage: passage.into(),
        notices: Vec::new(),
    })
}

/// Lines that are not there are an error: who reads a note in parts must notice its end.
fn check_lines(passage: &Passage, from: Option<u32>, to: Option<u32>) -> Result<()> {
    let from = from.unwrap_or(1);
    if from <= passage.n_lines.max(1) && to.is_none_or(|to| from <= to) {
        return Ok(());
    }
    let to = to.map_or_else(String::new, |to| format!(" to {to}"));
    Err(Hinted::error(
        format!("{:?} has no lines {from}{to}", passage.path),
        format!("its lines are 1 to {}", passage.n_lines),
    ))
}

fn with_lines(reference: String, from: Option<u32>, to: Option<u32>) -> String {
    match (from, to) {
        (None, None) => reference,
        (from, None) => format!("{reference}:{}-", from.unwrap_or(1)),
        (from, Some(to)) => format!("{reference}:{}-{to}", from.unwrap_or(1)),
    }
}

/// Cuts a note that is too long at the end of a line, and says how to get the rest.
fn fit(got: &mut GetOutput, room: usize) {
    let text = std::mem::take(&mut got.passage.text);
    let mut around = reply::size(&*got);
    if around > room {
        got.passage.properties.clear();
        got.notices
            .push("its properties are too long and were left out".to_owned());
        around = reply::size(&*got);
    }
    let room = room.saturating_sub(around);
    if reply::size(&text) <= room {
        got.passage.text = text;
        return;
    }
    let notice = cut(&mut got.passage, &text, room);
    got.notices.push(notice);
}

fn cut(passage: &mut Passage, text: &str, room: usize) -> String {
    let mut left = room;
    let mut kept: Vec<&str> = Vec::new();
    for line in text.lines() {
        let size = reply::size(&line);
        if size > left {
            break;
        }
        left -= size;
        kept.push(line);
    }
    if kept.is_empty() {
        // Not even one line fits: what is in reach of it, at least.
        let line = text.lines().next().unwrap_or_default();
        let end = line.floor_char_boundary(room / 2);
        passage.text = line[..end].to_owned();
        passage.end_line = passage.start_line;
        return format!(
            "line {} is very long and was cut after {end} bytes; {} lines in all",
            passage.start_line, passage.n_lines
        );
    }
    let n_kept = u32::try_from(kept.len()).unwrap_or(u32::MAX);
    passage.text = kept.join("\n");
    passage.end_line = passage.start_line + n_kept - 1;
    format!(
        "cut after line {} of {} to keep this answer within 25,000 tokens; `get` with \"from\": {} \
         returns the rest",
        passage.end_line,
        passage.n_lines,
        passage.end_line + 1
    )
}

pub(super) fn list_notes(searchers: &Searchers, arguments: JsonObject) -> Result<Reply> {
    let arguments: ListArguments = arguments::read(arguments)?;
    let searchers = choose::searchers(searchers, arguments.domain.as_deref())?;
    let notices = choose::refresh(&searchers);
    let request = NotesRequest {
        prefix: arguments.prefix.unwrap_or_default(),
        tag: arguments.tag,
        offset: arguments.offset.unwrap_or(0),
        limit: arguments.limit.unwrap_or(LIST_LIMIT),
        scope: None,
    };
    let mut listed = listed(&searchers, &request)?;
    listed.notices.splice(..0, notices);
    let n_cut = reply::keep(&mut listed.notes, &mut BYTES_MAX.clone());
    if n_cut > 0 {
        listed.next_offset = Some(listed.offset + listed.notes.len());
    }
    if let Some(next) = listed.next_offset {
        listed.notices.push(format!(
            "there are {} notes; \"offset\": {next} returns the next ones",
            listed.n_notes
        ));
    }
    Reply::new(&listed, text::listed(&listed))
}

/// Lists notes of all searchers, one after the other.
pub(super) fn listed(searchers: &[Arc<Searcher>], request: &NotesRequest) -> Result<ListOutput> {
    let mut listed = ListOutput {
        n_notes: 0,
        offset: request.offset,
        next_offset: None,
        notes: Vec::new(),
        notices: Vec::new(),
    };
    for searcher in searchers {
        let here = NotesRequest {
            offset: request.offset.saturating_sub(listed.n_notes),
            limit: request.limit - listed.notes.len(),
            ..request.clone()
        };
        let page = match searcher.notes(&here) {
            Ok(page) => page,
            Err(error) if searchers.len() > 1 => {
                let error = choose::explained(searcher, error);
                listed
                    .notices
                    .push(choose::named(searchers, searcher, error.to_string()));
                continue;
            }
            Err(error) => return Err(choose::explained(searcher, error)),
        };
        listed.n_notes += page.n_notes;
        listed
            .notes
            .extend(page.notes.into_iter().map(|note| ListedNote {
                domain: searcher.name().to_owned(),
                note: note.into(),
            }));
    }
    let next = request.offset + listed.notes.len();
    listed.next_offset = (next < listed.n_notes).then_some(next);
    Ok(listed)
}

pub(super) fn status(searchers: &Searchers, arguments: JsonObject) -> Result<Reply> {
    let arguments: StatusArguments = arguments::read(arguments)?;
    let searchers = choose::searchers(searchers, arguments.domain.as_deref())?;
    let mut status = StatusOutput {
        version: env!("CARGO_PKG_VERSION"),
        notices: choose::refresh(&searchers),
        domains: Vec::new(),
    };
    for searcher in &searchers {
        let told = searcher.status().map(StatusResponse::from);
        let told = told.map_err(|error| choose::explained(searcher, error).to_string());
        status.domains.push(DomainStatus::new(
            searcher.name(),
            searcher.is_updating(),
            told,
        ));
    }
    Reply::new(&status, text::status(&status))
}
