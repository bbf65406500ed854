//! `get`, `multi_get`, `list_notes` and `status`: reads what is there.

use std::sync::Arc;

use anyhow::Result;
use rmcp::model::JsonObject;

use super::asked::{self, GetAsked, ListAsked, MultiGetAsked, StatusAsked};
use super::reply::{self, BYTES_MAX, Reply};
use super::{choose, text};
use crate::desk::{Desk, Desks, NotesRequest, masked};
use crate::hint::{self, Hinted};
use crate::wire::{
    DomainShape, DomainsShape, GotManyShape, GotShape, ListedNoteShape, ListedShape, MissingShape,
    PassageShape,
};

const LIST_LIMIT: usize = 50;

pub(super) fn get(desks: &Desks, arguments: JsonObject) -> Result<Reply> {
    let asked: GetAsked = asked::read(arguments)?;
    let (desks, reference) = choose::reference(desks, &asked.reference, asked.domain.as_deref())?;
    let notices = choose::refresh(&desks);
    let mut got = open(&desks, &with_lines(reference, asked.from, asked.to))?;
    check_lines(&got.passage, asked.from, asked.to)?;
    got.notices = notices;
    fit(&mut got, BYTES_MAX);
    let mut reply = Reply::new(&got, text::got(&got))?;
    reply.link(&got.domain, &got.passage.path, &got.passage.title);
    Ok(reply)
}

pub(super) fn multi_get(desks: &Desks, arguments: JsonObject) -> Result<Reply> {
    let asked: MultiGetAsked = asked::read(arguments)?;
    let domain = asked.domain.as_deref();
    let mut many = GotManyShape {
        notes: Vec::new(),
        missing: Vec::new(),
        notices: choose::refresh(&choose::desks(desks, domain)?),
    };
    let mut room = BYTES_MAX;
    let n_references = asked.references.len();
    for (index, reference) in asked.references.iter().enumerate() {
        let got = choose::reference(desks, reference, domain)
            .and_then(|(desks, reference)| open(&desks, &reference));
        match got {
            Ok(mut got) => {
                // What one note does not use is there for the next ones.
                fit(&mut got, room / (n_references - index));
                room = room.saturating_sub(reply::size(&got));
                many.notes.push(got);
            }
            Err(error) => many.missing.push(MissingShape {
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

fn open(desks: &[Arc<Desk>], reference: &str) -> Result<GotShape> {
    let (desk, passage) = choose::first(desks, |desk| desk.passage(reference))?;
    Ok(GotShape {
        domain: desk.name().to_owned(),
        passage,
        notices: Vec::new(),
    })
}

/// Lines that are not there are an error: who reads a note in parts must notice its end.
fn check_lines(passage: &PassageShape, from: Option<u32>, to: Option<u32>) -> Result<()> {
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
fn fit(got: &mut GotShape, room: usize) {
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

fn cut(passage: &mut PassageShape, text: &str, room: usize) -> String {
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

pub(super) fn list_notes(desks: &Desks, arguments: JsonObject) -> Result<Reply> {
    let asked: ListAsked = asked::read(arguments)?;
    let desks = choose::desks(desks, asked.domain.as_deref())?;
    let notices = choose::refresh(&desks);
    let request = NotesRequest {
        prefix: asked.prefix.unwrap_or_default(),
        tag: asked.tag,
        offset: asked.offset.unwrap_or(0),
        limit: asked.limit.unwrap_or(LIST_LIMIT),
    };
    let mut listed = listed(&desks, &request)?;
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

/// Lists notes of all desks, one after the other.
pub(super) fn listed(desks: &[Arc<Desk>], request: &NotesRequest) -> Result<ListedShape> {
    let mut listed = ListedShape {
        n_notes: 0,
        offset: request.offset,
        next_offset: None,
        notes: Vec::new(),
        notices: Vec::new(),
    };
    for desk in desks {
        let here = NotesRequest {
            offset: request.offset.saturating_sub(listed.n_notes),
            limit: request.limit - listed.notes.len(),
            ..request.clone()
        };
        let page = match desk.notes(&here) {
            Ok(page) => page,
            Err(error) if desks.len() > 1 => {
                let error = choose::explained(desk, error);
                listed
                    .notices
                    .push(choose::named(desks, desk, error.to_string()));
                continue;
            }
            Err(error) => return Err(choose::explained(desk, error)),
        };
        listed.n_notes += page.n_notes;
        listed
            .notes
            .extend(page.notes.into_iter().map(|note| ListedNoteShape {
                domain: desk.name().to_owned(),
                path: note.path,
                title: note.title,
                tags: note.tags,
                date: note.date,
            }));
    }
    let next = request.offset + listed.notes.len();
    listed.next_offset = (next < listed.n_notes).then_some(next);
    Ok(listed)
}

pub(super) fn status(desks: &Desks, arguments: JsonObject) -> Result<Reply> {
    let asked: StatusAsked = asked::read(arguments)?;
    let desks = choose::desks(desks, asked.domain.as_deref())?;
    let mut status = DomainsShape {
        version: env!("CARGO_PKG_VERSION"),
        notices: choose::refresh(&desks),
        domains: Vec::new(),
    };
    for desk in &desks {
        let told = desk.status();
        let told = told.map_err(|error| choose::explained(desk, error).to_string());
        status
            .domains
            .push(DomainShape::new(desk.name(), desk.is_updating(), told));
    }
    Reply::new(&status, text::status(&status))
}
