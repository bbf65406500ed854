//! Writes something down in a vault, for a person or for an agent that may: a few lines at the end of the note
//! of the day. What is there stays as it is, byte for byte; a note that somebody else changes meanwhile is
//! read again, and never overwritten.

mod entry;

use anyhow::Result;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use kenning::note::MemoryType;
use kenning::secrets;
use kenning_curate::Error;
use kenning_curate::write::{Batch, Undone};

use crate::curate::Curator;
use crate::hint::Hinted;
use crate::runtime;
use crate::searcher::Searcher;
use crate::wire::RememberResponse;
use entry::Entry;

/// Most characters that are written down at once.
const TEXT_CHARS_MAX: usize = 20_000;
/// Times that a note is read again because somebody else has changed it.
const TRIES_MAX: usize = 3;
/// What its runs are called.
const VERB: &str = "remember";

/// Adds a text to the note of the day, and to the index.
pub(crate) fn write(
    searcher: &Searcher,
    text: &str,
    memory: Option<MemoryType>,
) -> Result<RememberResponse> {
    let (text, n_masked) = checked(text)?;
    let now = local(runtime::now());
    let folder = &searcher.settings().memory.folder;
    let folder = match memory {
        Some(memory) => format!("{folder}/{}", memory.name()),
        None => folder.clone(),
    };
    let day = now.strftime("%Y-%m-%d").to_string();
    let path = format!("{}/{day}.md", folder.trim_matches('/'));
    let path = path.trim_start_matches('/').to_owned();
    let mut curator = Curator::open(searcher.located())?;
    curator.refuse_left_out(
        &path,
        "set `folder` under [memory] to a folder that the domain includes",
    )?;
    let entry = Entry {
        title: &day,
        heading: &now.strftime("%H:%M").to_string(),
        text: &text,
    };
    let start_line = append(&mut curator, &path, &entry)?;
    let mut notices = Vec::new();
    if n_masked > 0 {
        notices.push(match n_masked {
            1 => "a credential was masked before it was written down".to_owned(),
            n => format!("{n} credentials were masked before they were written down"),
        });
    }
    notices.append(&mut curator.notices);
    let n_lines = text.lines().count() as u32;
    Ok(RememberResponse {
        domain: searcher.name().to_owned(),
        memory_type: memory
            .or_else(|| MemoryType::of_folder(&path))
            .map(MemoryType::name),
        path,
        start_line: Some(start_line),
        end_line: Some(start_line + n_lines.saturating_sub(1)),
        text,
        masked: n_masked,
        undone: false,
        notices,
    })
}

/// Adds an entry to a note, which is made if it is not there; returns the first line of its text.
fn append(curator: &mut Curator<'_>, path: &str, entry: &Entry<'_>) -> Result<u32> {
    let mut n_tries = 0;
    loop {
        let seen = curator.writer.read(path)?;
        let before = match &seen {
            Some(seen) => Some(str::from_utf8(&seen.bytes).map_err(|_| not_text(path))?),
            None => None,
        };
        let (text, start_line) = entry.added_to(before);
        let mut batch = Batch::new(VERB, entry.text);
        match seen {
            Some(seen) => batch.write(seen, text.into_bytes()),
            None => batch.create(path, text.into_bytes()),
        }
        n_tries += 1;
        match curator.commit(&batch) {
            Err(error) if n_tries < TRIES_MAX && is_race(&error) => {}
            committed => return committed.map(|_| start_line),
        }
    }
}

fn not_text(path: &str) -> anyhow::Error {
    Hinted::error(
        format!("{path} is not UTF-8"),
        "nothing is added to it; move it away",
    )
}

fn is_race(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<Error>();
    matches!(error, Some(Error::Changed { .. } | Error::Taken { .. }))
}

/// Takes back what was written down last, if the note is still as it was left.
pub(crate) fn undo(searcher: &Searcher) -> Result<RememberResponse> {
    let mut curator = Curator::open(searcher.located())?;
    let run = curator.undo(Undone::Of(VERB))?;
    let path = run.paths.first().cloned().unwrap_or_default();
    Ok(RememberResponse {
        domain: searcher.name().to_owned(),
        memory_type: MemoryType::of_folder(&path).map(MemoryType::name),
        start_line: None,
        end_line: None,
        notices: curator.notices,
        path,
        text: run.detail,
        masked: 0,
        undone: true,
    })
}

/// Returns the text as it is written: trimmed, without characters that do something, credentials masked.
fn checked(text: &str) -> Result<(String, usize)> {
    let is_kept = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let plain: String = text.replace("\r\n", "\n").chars().filter(is_kept).collect();
    let plain = plain.trim();
    if plain.is_empty() {
        return Err(Hinted::error(
            "there is nothing to write down",
            "say what to remember: `ken remember \"Esko repairs roofs\"`",
        ));
    }
    if plain.chars().nth(TEXT_CHARS_MAX).is_some() {
        return Err(Hinted::error(
            format!("this is longer than {TEXT_CHARS_MAX} characters"),
            "put it into a note of its own",
        ));
    }
    let (clean, findings) = secrets::mask(plain.to_owned());
    Ok((clean.into_string(), findings.len()))
}

/// The day of a person is not that of Greenwich.
fn local(now: i64) -> jiff::Zoned {
    let now = Timestamp::from_second(now).unwrap_or_default();
    now.to_zoned(TimeZone::system())
}
