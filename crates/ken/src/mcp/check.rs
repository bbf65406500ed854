//! `verify_citations`: checks the quotes of an answer against the notes it cites.

use anyhow::Result;
use kenning::cite::{self, Citation, Reason, Verdict};
use rmcp::model::JsonObject;

use super::asked::{self, VerifyAsked};
use super::reply::{self, BYTES_MAX, Reply};
use super::{choose, text};
use crate::desk::{Desks, masked};
use crate::hint::Hinted;
use crate::wire::{CheckedShape, VerdictsShape};

pub(super) fn verify_citations(desks: &Desks, arguments: JsonObject) -> Result<Reply> {
    let asked: VerifyAsked = asked::read(arguments)?;
    let citations: Vec<Citation> = match (&asked.answer, asked.citations) {
        (None, Some(citations)) => citations.into_iter().map(Citation::from).collect(),
        (Some(answer), None) => cite::citations(answer),
        _ => {
            return Err(Hinted::error(
                "either an `answer` or `citations` are to be given",
                "known arguments: answer, citations, domain",
            ));
        }
    };
    let domain = asked.domain.as_deref();
    let notices = choose::refresh(&choose::desks(desks, domain)?);
    let verdicts = citations
        .into_iter()
        .map(|citation| judge(desks, citation, domain))
        .collect::<Result<Vec<Verdict>>>()?;
    let VerdictsShape {
        citations_status,
        citations,
    } = VerdictsShape::new(verdicts);
    let mut checked = CheckedShape {
        citations_status,
        citations,
        notices,
    };
    let n_cut = reply::keep(&mut checked.citations, &mut BYTES_MAX.clone());
    if n_cut > 0 {
        checked.notices.push(format!(
            "the last {n_cut} citations were checked, too, and count for the status, but were left \
             out to keep this answer within 25,000 tokens; check them by themselves"
        ));
    }
    Reply::new(&checked, text::checked(&checked))
}

/// Checks one citation at every desk it may be for; the one that knows it best decides.
fn judge(desks: &Desks, mut citation: Citation, domain: Option<&str>) -> Result<Verdict> {
    citation.quote = citation.quote.as_deref().map(masked);
    let named = citation.note.as_deref().unwrap_or_default();
    let (desks, note) = match choose::reference(desks, named, domain) {
        Ok(found) => found,
        // An address of a domain that cannot be asked leads nowhere.
        Err(error) => {
            return Ok(Verdict {
                reason: Reason::NoChunkText,
                cited: None,
                found: None,
                problem: Some(masked(&error.to_string())),
                citation,
            });
        }
    };
    citation.note = citation.note.map(|_| note);
    let mut best: Option<Verdict> = None;
    let mut trouble = None;
    for desk in &desks {
        let one = vec![citation.clone()];
        match desk.with_store(|store| Ok(cite::verify(store, one.clone(), &desk.budget())?)) {
            Ok(verdicts) => {
                for verdict in verdicts {
                    let is_better = best
                        .as_ref()
                        .is_none_or(|best| standing(verdict.reason) < standing(best.reason));
                    if is_better {
                        best = Some(verdict);
                    }
                }
            }
            Err(error) => trouble = Some(choose::explained(desk, error)),
        }
    }
    best.ok_or_else(|| {
        trouble.unwrap_or_else(|| Hinted::error("no domain can be asked", "add one"))
    })
}

/// The lower, the more a verdict says.
fn standing(reason: Reason) -> u8 {
    match reason {
        Reason::Match => 0,
        Reason::NotFound => 1,
        Reason::TooShort => 2,
        Reason::NoQuote => 3,
        Reason::NoChunkText => 4,
    }
}
