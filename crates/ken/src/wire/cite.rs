//! The JSON types of checked citations, and of an answer whose citations are to be checked.

use anyhow::Result;
use kenning::cite::{self, Citation, Place, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::handle;
use crate::hint::Hinted;
use crate::searcher;

/// An answer as it comes in.
#[derive(Debug, Deserialize, JsonSchema)]
struct CitedAnswer {
    citations: Vec<CitationFields>,
}

/// One citation as it comes in.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct CitationFields {
    /// Short id of the passage that is cited, such as `#a1b2c3d4`.
    pub(super) id: Option<String>,
    /// Path, name or alias of the note that is cited, where no id is given.
    pub(super) path: Option<String>,
    /// First line that is cited.
    pub(super) start_line: Option<u32>,
    /// Last line that is cited.
    pub(super) end_line: Option<u32>,
    /// The words that are quoted, verbatim.
    pub(super) quote: Option<String>,
    /// What the answer says in words of its own, where it quotes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) claim: Option<String>,
}

impl CitationFields {
    /// Returns the same citation with credentials masked.
    pub(crate) fn masked(self) -> Self {
        let masked = |text: Option<String>| text.as_deref().map(searcher::masked);
        Self {
            id: masked(self.id),
            path: masked(self.path),
            quote: masked(self.quote),
            claim: masked(self.claim),
            ..self
        }
    }
}

impl From<CitationFields> for Citation {
    fn from(fields: CitationFields) -> Self {
        let is_bare = |id: &str| id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        Self {
            id: fields
                .id
                .map(|id| if is_bare(&id) { format!("#{id}") } else { id }),
            note: fields.path,
            lines: fields
                .start_line
                .or(fields.end_line)
                .map(|from| (from, fields.end_line.unwrap_or(from))),
            quote: fields.quote,
            claim: fields.claim,
        }
    }
}

impl From<Citation> for CitationFields {
    fn from(citation: Citation) -> Self {
        Self {
            id: citation.id,
            path: citation.note,
            start_line: citation.lines.map(|(start, _)| start),
            end_line: citation.lines.map(|(_, end)| end),
            quote: citation.quote,
            claim: citation.claim,
        }
    }
}

/// Takes the citations out of JSON or Markdown.
pub(crate) fn citations(answer: &str) -> Result<Vec<Citation>> {
    let answer = answer.trim_start_matches('\u{feff}').trim();
    let list = answer.strip_prefix('[').map(str::trim_start);
    let is_list = list.is_some_and(|list| list.starts_with(['{', ']']));
    if !is_list && !answer.starts_with('{') {
        return Ok(cite::citations(answer));
    }
    let read = if is_list {
        serde_json::from_str(answer)
    } else {
        serde_json::from_str(answer).map(|cited: CitedAnswer| cited.citations)
    };
    let cited: Vec<CitationFields> = read.map_err(|error| {
        Hinted::error(
            format!("the answer is not a list of citations: {error}"),
            r#"write {"citations":[{"path":"Note.md","start_line":1,"end_line":9,"quote":"…"}]}, or Markdown"#,
        )
    })?;
    Ok(cited.into_iter().map(Citation::from).collect())
}

/// What checking an answer came to.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct VerifyResponse {
    /// `all_verified`, `has_mismatch`, `unverifiable` or `no_quotes`.
    pub(crate) citations_status: &'static str,
    /// How many quotes and claims are verified, and how many there are.
    pub(crate) n_verified: usize,
    pub(crate) n_checked: usize,
    pub(crate) citations: Vec<CheckedCitation>,
}

/// What checking one citation came to. `id`, path and lines are those of what it cites; `found` tells
/// where in that note the quote stands.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct CheckedCitation {
    /// Whether the quote stands where it is said to stand, or the claim is borne out by it.
    pub(crate) citation_verified: bool,
    /// `match`, `no_quote`, `no_chunk_text`, `too_short` or `not_found`.
    pub(crate) citation_reason: &'static str,
    pub(crate) cited: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    pub(crate) page: Option<u32>,
    pub(crate) quote: Option<String>,
    pub(crate) found: Option<QuotePlace>,
    pub(crate) problem: Option<String>,
    /// How far a claim without a quote is borne out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) claim: Option<GradedClaim>,
}

/// A claim without a quote, beside what it cites.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct GradedClaim {
    pub(crate) text: String,
    /// `supported`, `partly` or `unsupported`.
    pub(crate) support: &'static str,
    /// The sentence of the note that comes nearest.
    pub(crate) nearest: Option<String>,
    /// Numbers, names and dates of the claim that the cited passage lacks.
    pub(crate) missing: Vec<String>,
}

/// Lines of a note.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct QuotePlace {
    pub(crate) id: Option<String>,
    pub(crate) path: String,
    /// Null for formats that have no lines, such as PDF.
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    pub(crate) page: Option<u32>,
}

impl VerifyResponse {
    pub(crate) fn new(verdicts: Vec<Verdict>) -> Self {
        let (n_verified, n_checked) = cite::tally(&verdicts);
        Self {
            n_verified,
            n_checked,
            citations_status: cite::status(&verdicts).name(),
            citations: verdicts.into_iter().map(CheckedCitation::from).collect(),
        }
    }
}

impl From<Verdict> for CheckedCitation {
    fn from(verdict: Verdict) -> Self {
        let is_verified = verdict.is_verified();
        let (citation, cited) = (verdict.citation, verdict.cited.as_ref());
        let lines = cited.and_then(Place::lines);
        Self {
            citation_verified: is_verified,
            citation_reason: verdict.reason.name(),
            id: cited.and_then(|place| place.handle).map(handle),
            path: cited.map(|place| place.path.clone()),
            title: cited.map(|place| place.title.clone()),
            start_line: lines.map(|lines| lines.0),
            end_line: lines.map(|lines| lines.1),
            page: cited.and_then(|place| place.page),
            cited: citation.id.or_else(|| {
                let lines = citation.lines.map(|(from, to)| format!(":{from}-{to}"));
                Some(citation.note? + &lines.unwrap_or_default())
            }),
            quote: citation.quote,
            found: verdict.found.map(QuotePlace::from),
            problem: verdict.problem,
            claim: (citation.claim.zip(verdict.graded)).map(|(text, graded)| GradedClaim {
                text,
                support: graded.support.name(),
                nearest: graded.sentence,
                missing: graded.missing,
            }),
        }
    }
}

impl From<Place> for QuotePlace {
    fn from(place: Place) -> Self {
        let lines = place.lines();
        Self {
            id: place.handle.map(handle),
            path: place.path,
            start_line: lines.map(|lines| lines.0),
            end_line: lines.map(|lines| lines.1),
            page: place.page,
        }
    }
}
