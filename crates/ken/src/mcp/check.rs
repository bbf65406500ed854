//! `verify_citations`: checks the quotes of an answer against the notes it cites.

use anyhow::Result;
use kenning::cite::{self, Citation, Reason, Verdict};
use rmcp::model::JsonObject;

use super::arguments::{self, VerifyArguments};
use super::reply::{self, BYTES_MAX, Reply};
use super::{choose, text};
use crate::hint::Hinted;
use crate::searcher::{Searchers, masked};
use crate::wire::{VerifyOutput, VerifyResponse};

pub(super) fn verify_citations(searchers: &Searchers, arguments: JsonObject) -> Result<Reply> {
    let arguments: VerifyArguments = arguments::read(arguments)?;
    let citations: Vec<Citation> = match (&arguments.answer, arguments.citations) {
        (None, Some(citations)) => citations.into_iter().map(Citation::from).collect(),
        (Some(answer), None) => cite::citations(answer),
        _ => {
            return Err(Hinted::error(
                "either `answer` or `citations` must be given",
                "known arguments: answer, citations, domain",
            ));
        }
    };
    let domain = arguments.domain.as_deref();
    let notices = choose::refresh(&choose::searchers(searchers, domain)?);
    let verdicts = citations
        .into_iter()
        .map(|citation| judge(searchers, citation, domain))
        .collect::<Result<Vec<Verdict>>>()?;
    let mut checked = VerifyOutput {
        checked: VerifyResponse::new(verdicts),
        notices,
    };
    let n_cut = reply::keep(&mut checked.checked.citations, &mut BYTES_MAX.clone());
    if n_cut > 0 {
        checked.notices.push(format!(
            "the last {n_cut} citations were checked, too, and count for the status, but were left \
             out to keep this answer within 25,000 tokens; check them by themselves"
        ));
    }
    Reply::new(&checked, text::checked(&checked))
}

/// Checks one citation at every searcher it may be for; the one that knows it best decides.
fn judge(searchers: &Searchers, mut citation: Citation, domain: Option<&str>) -> Result<Verdict> {
    citation.quote = citation.quote.as_deref().map(masked);
    citation.claim = citation.claim.as_deref().map(masked);
    let named = citation.note.as_deref().unwrap_or_default();
    let (searchers, note) = match choose::reference(searchers, named, domain) {
        Ok(found) => found,
        // An address of a domain that cannot be asked leads nowhere.
        Err(error) => {
            return Ok(Verdict {
                reason: Reason::NoChunkText,
                cited: None,
                found: None,
                problem: Some(masked(&error.to_string())),
                graded: None,
                citation,
            });
        }
    };
    citation.note = citation.note.map(|_| note);
    let mut best: Option<Verdict> = None;
    let mut trouble = None;
    for searcher in &searchers {
        let one = vec![citation.clone()];
        match searcher.with_store(|store| Ok(cite::verify(store, one.clone(), &searcher.budget())?))
        {
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
            Err(error) => trouble = Some(choose::explained(searcher, error)),
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
