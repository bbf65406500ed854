//! `ken cite`: checks the quotes of an answer against the notes it cites.

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use kenning::cite::{self, Citation, Status};

use super::Found;
use super::open::Model;
use crate::args::{CiteArgs, Place};
use crate::desk::Desk;
use crate::hint::Hinted;
use crate::render;
use crate::settings::Settings;
use crate::wire::{CitationShape, CitedShape};

pub(super) fn run(settings: &Settings, place: &Place, args: &CiteArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let model = Arc::new(Model::of(&located)?);
    let desk = Desk::new(settings, located, model);
    let answer = read(args.file.as_deref())?;
    let shape = desk.verify(citations(&answer)?)?;
    let is_verified = shape.status == Status::AllVerified.name();
    if args.json {
        render::print_json(&shape)?;
    } else {
        render::verdicts(&shape)?;
    }
    Ok(if is_verified {
        Found::Something
    } else {
        Found::Nothing
    })
}

/// Reads the answer from a file, or from standard input.
fn read(file: Option<&Path>) -> Result<String> {
    let (name, bytes) = match file.filter(|file| file.as_os_str() != "-") {
        Some(file) => (file.display().to_string(), fs::read(file)),
        None if io::stdin().is_terminal() => {
            return Err(Hinted::error(
                "there is no answer to check",
                "name a file, or pipe the answer in: `ken cite answer.md`",
            ));
        }
        None => {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut bytes);
            ("standard input".to_owned(), read.map(|_| bytes))
        }
    };
    let bytes = bytes.map_err(|error| {
        Hinted::error(
            format!("{name}: {error}"),
            "name a file with the answer, or `-` for standard input",
        )
    })?;
    String::from_utf8(bytes).map_err(|_| {
        Hinted::error(
            format!("{name} is no text"),
            "an answer is Markdown or JSON, in UTF-8",
        )
    })
}

/// Takes the citations out of JSON or Markdown.
fn citations(answer: &str) -> Result<Vec<Citation>> {
    let answer = answer.trim_start_matches('\u{feff}').trim();
    let list = answer.strip_prefix('[').map(str::trim_start);
    let is_list = list.is_some_and(|list| list.starts_with(['{', ']']));
    if !is_list && !answer.starts_with('{') {
        return Ok(cite::citations(answer));
    }
    let read = if is_list {
        serde_json::from_str(answer)
    } else {
        serde_json::from_str(answer).map(|cited: CitedShape| cited.citations)
    };
    let cited: Vec<CitationShape> = read.map_err(|error| {
        Hinted::error(
            format!("the answer is no list of citations: {error}"),
            r#"write {"citations":[{"path":"Note.md","start_line":1,"end_line":9,"quote":"…"}]}, or Markdown"#,
        )
    })?;
    Ok(cited.into_iter().map(Citation::from).collect())
}
