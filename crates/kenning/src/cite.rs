//! Checks the quotes of an answer against the notes it cites. Last stage of the read flow.
//!
//! `answer` finds the citations in a text, `quote` tells whether a quote stands in a passage; here
//! passages are opened and verdicts given.

mod answer;
mod claim;
mod quote;

pub use answer::{citations, numbered};
pub use claim::{Graded, Support};
pub(crate) use quote::QUOTE_CHARS_MIN;
pub use quote::{Reason, Status};

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::note::{Format, Layout};
use crate::search::{self, Passage};
use crate::store::{By, Store, has_lines};
use crate::words;

/// Units of work that a citation costs, and each byte of what it cites.
const CITATION_COST: u64 = 10_000;
const BYTE_COST: u64 = 32;

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
    /// What the answer says in words of its own: where it quotes nothing, or around what it quotes.
    pub claim: Option<String>,
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
    /// How far what it cites bears out a claim that quotes nothing. Around a quote, only what is lacking
    /// is told: numbers, names and dates; the rest may be said in any words.
    pub graded: Option<Graded>,
}

impl Verdict {
    /// Whether what it cites says so: word for word, with nothing claimed around it that it lacks; or, where
    /// nothing is quoted, in one sentence that lacks no number, name or date of the claim.
    pub fn is_verified(&self) -> bool {
        let support = self.graded.as_ref().map(|graded| graded.support);
        match self.reason {
            Reason::Match => support.is_none(),
            Reason::NoQuote => support == Some(Support::Supported),
            _ => false,
        }
    }

    /// Whether there is anything to verify: a note that is merely named claims nothing.
    pub(crate) fn is_checkable(&self) -> bool {
        self.reason != Reason::NoQuote || self.graded.is_some()
    }
}

/// Returns how many of an answer's citations are verified, and how many there are to verify.
pub fn tally(verdicts: &[Verdict]) -> (usize, usize) {
    let n_verified = verdicts
        .iter()
        .filter(|verdict| verdict.is_verified())
        .count();
    let n_checked = verdicts
        .iter()
        .filter(|verdict| verdict.is_checkable())
        .count();
    (n_verified, n_checked)
}

/// Says how many citations are verified: "4 of 5 verified".
pub fn told(verdicts: &[Verdict]) -> String {
    let (n_verified, n_checked) = tally(verdicts);
    format!("{n_verified} of {n_checked} verified")
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
    /// Page, slide or sheet it begins on, where the format has some.
    pub page: Option<u32>,
    /// Short id of the passage it begins in; a line between two passages has none.
    pub handle: Option<u32>,
}

impl Place {
    /// Returns first and last line, unless its format has none.
    pub fn lines(&self) -> Option<(u32, u32)> {
        has_lines(&self.path).then_some((self.start_line, self.end_line))
    }
}

/// Checks each citation against what is stored of the note it names.
pub fn verify(store: &Store, citations: Vec<Citation>, budget: &Budget) -> Result<Vec<Verdict>> {
    citations
        .into_iter()
        .map(|citation| verify_one(store, citation, budget))
        .collect()
}

/// Checks a citation against a text that is in no note, such as a file that came with a question: its title
/// and what it says. Without one there is nothing to check against.
pub fn verify_text(citation: Citation, cited: Option<(&str, &str)>) -> Verdict {
    let readings: Vec<Reading> = (cited.iter())
        .map(|(_, text)| Reading {
            text: (*text).to_owned(),
            lines: (1, 1),
            is_line_for_line: true,
        })
        .collect();
    let reason = check(citation.quote.as_deref(), &readings).0;
    let claim = gradable(&citation, reason);
    let graded = claim.zip(cited).and_then(|(claim, (title, text))| {
        let passage = claim::Passage {
            text,
            names: &[title.to_owned()],
            layout: Layout::Markdown,
            language: words::detect(text),
        };
        told_of(claim::grade(claim, &passage), reason)
    });
    Verdict {
        citation,
        reason,
        cited: None,
        found: None,
        problem: None,
        graded,
    }
}

/// Sums up the citations of one answer.
pub fn status(verdicts: &[Verdict]) -> Status {
    let is_false = |verdict: &Verdict| verdict.reason == Reason::Match && !verdict.is_verified();
    match verdicts.iter().any(is_false) {
        true => Status::HasMismatch,
        false => Status::of(verdicts.iter().map(|verdict| verdict.reason)),
    }
}

/// Returns what is to be held against the passage besides a quote that stands in it, or instead of one.
fn gradable(citation: &Citation, reason: Reason) -> Option<&str> {
    let claim = citation.claim.as_deref();
    let claim = claim.filter(|_| [Reason::NoQuote, Reason::Match].contains(&reason));
    claim.filter(|claim| !claim.trim().is_empty())
}

/// Around a quote, only what is lacking is told.
fn told_of(graded: Graded, reason: Reason) -> Option<Graded> {
    (reason == Reason::NoQuote || !graded.missing.is_empty()).then_some(graded)
}

/// Whether a quote stands in a text, as [`verify`] finds it.
pub(crate) fn stands_in(quote: &str, text: &str) -> bool {
    quote::check(Some(quote), Some(text)).reason == Reason::Match
}

fn verify_one(store: &Store, citation: Citation, budget: &Budget) -> Result<Verdict> {
    let (passage, problem) = match open(store, &citation) {
        Ok(passage) => (passage, None),
        Err(error @ (Error::NotFound { .. } | Error::Ambiguous { .. })) => {
            (None, Some(error.to_string()))
        }
        Err(error) => return Err(error),
    };
    let n_bytes = passage.as_ref().map_or(0, |passage| passage.text.len());
    budget.spend(CITATION_COST + BYTE_COST * n_bytes as u64);
    budget.check()?;
    let quote = citation.quote.as_deref();
    let cited = match &passage {
        Some(passage) => readings(store, passage)?,
        None => Vec::new(),
    };
    let (reason, found) = check(quote, &cited);
    let mut verdict = Verdict {
        reason,
        cited: None,
        found: None,
        problem,
        graded: None,
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
    if let Some(claim) = gradable(&citation, reason) {
        verdict.graded = told_of(graded(claim, &passage, &cited), reason);
    }
    let found = match reason {
        // The words may be right and only the place wrong.
        Reason::NotFound => {
            let whole = search::passage(store, &passage.note.path)?;
            budget.spend(BYTE_COST * whole.text.len() as u64);
            budget.check()?;
            check(quote, &readings(store, &whole)?).1
        }
        _ => found,
    };
    verdict.found = found
        .map(|lines| place(store, &passage, lines))
        .transpose()?;
    Ok(verdict)
}

/// Grades a claim by what it cites, as the file has it or as it was read out of it.
fn graded(claim: &str, passage: &Passage, readings: &[Reading]) -> Graded {
    let headings = passage
        .note
        .headings
        .iter()
        .map(|heading| heading.text.clone());
    let names: Vec<String> = std::iter::once(passage.note.title.clone())
        .chain(headings)
        .chain(passage.note.date.clone())
        .collect();
    let format = Format::of(&passage.note.path).unwrap_or(Format::Markdown);
    let grades = readings.iter().map(|reading| {
        let held_against = claim::Passage {
            text: &reading.text,
            names: &names,
            layout: format.layout(),
            language: passage.note.language,
        };
        claim::grade(claim, &held_against)
    });
    let best = grades.max_by_key(|graded| graded.support);
    best.unwrap_or(Graded {
        support: Support::Unsupported,
        sentence: None,
        missing: Vec::new(),
    })
}

/// A text that a quote may stand in.
struct Reading {
    text: String,
    /// Lines of the file that it is from.
    lines: (u32, u32),
    /// Whether they are its own.
    is_line_for_line: bool,
}

/// Returns the lines of the file, and what was read out of them: who quotes a web page has not seen
/// its tags.
fn readings(store: &Store, passage: &Passage) -> Result<Vec<Reading>> {
    let mut readings = vec![Reading {
        text: passage.text.clone(),
        lines: (passage.start_line, passage.end_line),
        is_line_for_line: true,
    }];
    if !passage.facts.source.is_extracted {
        return Ok(readings);
    }
    for piece in search::chunks_on(store, passage)? {
        readings.push(Reading {
            lines: (piece.chunk.start_line, piece.chunk.end_line),
            text: piece.text,
            is_line_for_line: false,
        });
    }
    Ok(readings)
}

/// Checks a quote against each reading; tells the lines it stands on.
fn check(quote: Option<&str>, readings: &[Reading]) -> (Reason, Option<(u32, u32)>) {
    let mut outcome = None;
    for reading in readings {
        let checked = quote::check(quote, Some(&reading.text));
        if let (Reason::Match, Some(span)) = (checked.reason, checked.span()) {
            let lines = match reading.is_line_for_line {
                true => lines_of(&reading.text, span, reading.lines.0),
                false => reading.lines,
            };
            return (Reason::Match, Some(lines));
        }
        outcome.get_or_insert(checked.reason);
    }
    let reason = outcome.unwrap_or_else(|| quote::check(quote, None).reason);
    (reason, None)
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
    let chunks = store.chunks(By::Note(passage.note.id))?;
    let chunk = chunks
        .iter()
        .find(|chunk| (chunk.start_line..=chunk.end_line).contains(&start_line));
    Ok(Place {
        path: passage.note.path.clone(),
        title: passage.note.title.clone(),
        start_line,
        end_line,
        page: chunk.and_then(|chunk| chunk.page),
        handle: chunk.map(|chunk| chunk.handle),
    })
}
