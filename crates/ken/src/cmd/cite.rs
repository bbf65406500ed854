//! `ken cite`: checks the quotes of an answer against the notes it cites.

use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use kenning::cite::Status;

use super::Found;
use crate::args::{CiteArgs, Place};
use crate::hint::Hinted;
use crate::render;
use crate::runtime::Model;
use crate::searcher::Searcher;
use crate::settings::Settings;
use crate::wire::{self, VerifyResponse};

pub(super) fn run(settings: &Settings, place: &Place, args: &CiteArgs) -> Result<Found> {
    let located = settings.locate(place)?;
    let model = Arc::new(Model::asked(&located)?);
    let searcher = Searcher::new(settings, located, model);
    let answer = read(args.file.as_deref())?;
    let response = VerifyResponse::new(searcher.verify(wire::citations(&answer)?)?);
    let is_verified = response.citations_status == Status::AllVerified.name();
    if args.json {
        render::print_json(&response)?;
    } else {
        render::verdicts(&response)?;
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
            format!("{name} is not text"),
            "an answer is Markdown or JSON, in UTF-8",
        )
    })
}
