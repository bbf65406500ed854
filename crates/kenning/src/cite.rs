//! Checks the quotes of an answer against the notes it cites. Last stage of the read flow.
//!
//! `answer` finds the citations in a text, `quote` tells whether a quote stands in a passage; here
//! passages are opened and verdicts given.

mod answer;
mod quote;

pub use answer::citations;
pub use quote::{Reason, Status};

use crate::error::{Error, Result};
use crate::search::{self, Passage};
use crate::store::Store;

/// What an answer says, and where it says it is from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Citation {
    /// Short id of the passage, `#1a2b3c4d`.
    pub id: Option<String>,
    /// Path, name or alias of the note.
    pub note: Option<String>,
    /// First and last line within the note.
    pub lines: Option<(u32, u32)>,
    /// The words that are quoted.
    pub quote: Option<String>,
}

/// What came of checking a citation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The citation.
    pub citation: Citation,
    /// The outcome.
    pub reason: Reason,
    /// What it cites, if that exists.
    pub cited: Option<Place>,
    /// Where in the cited note the quote stands: inside of what is cited if it matches, elsewhere if
    /// it does not.
    pub found: Option<Place>,
    /// Why what it cites cannot be opened.
    pub problem: Option<String>,
}

/// Lines of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Path of the note.
    pub path: String,
    /// Title of the note.
    pub title: String,
    /// 1-based first line.
    pub start_line: u32,
    /// 1-based last line, inclusive.
    pub end_line: u32,
    /// Short id of the passage it begins in; a line between two passages has none.
    pub handle: Option<u32>,
}

/// Checks each citation against what is stored of the note it names.
pub fn verify(store: &Store, citations: Vec<Citation>) -> Result<Vec<Verdict>> {
    citations
        .into_iter()
        .map(|citation| verify_one(store, citation))
        .collect()
}

/// Sums up the citations of one answer.
pub fn status(verdicts: &[Verdict]) -> Status {
    Status::of(verdicts.iter().map(|verdict| verdict.reason))
}

fn verify_one(store: &Store, citation: Citation) -> Result<Verdict> {
    let (passage, problem) = match open(store, &citation) {
        Ok(passage) => (passage, None),
        Err(error @ (Error::NotFound { .. } | Error::Ambiguous { .. })) => {
            (None, Some(error.to_string()))
        }
        Err(error) => return Err(error),
    };
    let quote = citation.quote.as_deref();
    let checked = quote::check(quote, passage.as_ref().map(|passage| passage.text.as_str()));
    let mut verdict = Verdict {
        reason: checked.reason,
        cited: None,
        found: None,
        problem,
        citation: citation.clone(),
    };
    let Some(passage) = passage else {
        if verdict.problem.is_none() && verdict.reason == Reason::NoChunkText {
            verdict.problem = Some("it names no note".to_owned());
        }
        return Ok(verdict);
    };
    verdict.cited = Some(place(
        store,
        &passage,
        (passage.start_line, passage.end_line),
    )?);
    let found = match (checked.reason, checked.span()) {
        (Reason::Match, Some(span)) => Some(lines_of(&passage.text, span, passage.start_line)),
        // The words may be right and only the place wrong.
        (Reason::NotFound, _) => {
            let text = store.text(passage.note.id)?;
            let span = quote::check(quote, Some(&text)).span();
            span.map(|span| lines_of(&text, span, 1))
        }
        _ => None,
    };
    verdict.found = found
        .map(|lines| place(store, &passage, lines))
        .transpose()?;
    Ok(verdict)
}

/// Opens what a citation names; an id is more exact than a path, but does not outlive its text.
fn open(store: &Store, citation: &Citation) -> Result<Option<Passage>> {
    if let Some(id) = &citation.id {
        match search::passage(store, id) {
            Err(Error::NotFound { .. }) if citation.note.is_some() => {}
            other => return other.map(Some),
        }
    }
    let Some(note) = &citation.note else {
        return Ok(None);
    };
    let reference = match citation.lines {
        Some((from, to)) => format!("{note}:{from}-{to}"),
        None => note.clone(),
    };
    match search::passage(store, &reference) {
        // It is the note that is unknown, whatever its lines.
        Err(Error::NotFound { .. }) => Err(Error::NotFound { name: note.clone() }),
        other => other.map(Some),
    }
}

/// Returns the lines that some bytes of a text stand on, the first line of the text being `first`.
fn lines_of(text: &str, span: std::ops::Range<usize>, first: u32) -> (u32, u32) {
    let n_breaks = |part: &str| u32::try_from(part.matches('\n').count()).unwrap_or(u32::MAX);
    let start = first.saturating_add(n_breaks(&text[..span.start]));
    (start, start.saturating_add(n_breaks(&text[span])))
}

fn place(store: &Store, passage: &Passage, (start_line, end_line): (u32, u32)) -> Result<Place> {
    let chunks = store.chunks_of(passage.note.id)?;
    let handle = chunks
        .iter()
        .find(|chunk| (chunk.start_line..=chunk.end_line).contains(&start_line))
        .map(|chunk| chunk.handle);
    Ok(Place {
        path: passage.note.path.clone(),
        title: passage.note.title.clone(),
        start_line,
        end_line,
        handle,
    })
}
