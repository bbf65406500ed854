//! The JSON types of what tools answer. Agents read them, so they are lean, and every one says
//! which domain it speaks of and what it leaves out.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Hit, LinksResponse, NoteSummary, Passage, RetainedNote, SearchResponse, StatusResponse,
    TraverseResponse, VerifyResponse,
};

/// What a search found.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct SearchOutput {
    #[serde(skip)]
    pub(crate) query: String,
    /// How well the notes answer: strong, moderate, weak or none.
    pub(crate) evidence: &'static str,
    /// The same as a number from 0 to 1.
    pub(crate) confidence: f64,
    /// What to tell the person when nothing was found.
    pub(crate) message: Option<&'static str>,
    /// Passages, best first.
    pub(crate) results: Vec<FoundPassage>,
    /// What to know about this answer: what was cut, ignored or is still being indexed.
    pub(crate) notices: Vec<String>,
}

/// One passage that was found.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct FoundPassage {
    pub(crate) rank: usize,
    /// Short id of the passage; `get` takes it as a reference.
    pub(crate) id: String,
    /// Where several were asked.
    pub(crate) domain: Option<String>,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) section: Option<String>,
    /// First line of the file; null for formats that have none, such as PDF.
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    pub(crate) page: Option<u32>,
    /// The file with the picture that the passage was read from, if it was: letters may be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) picture: Option<String>,
    pub(crate) score: f64,
    /// The whole passage, verbatim, credentials masked.
    pub(crate) text: Option<String>,
    /// Its best sentences, where there is no room for all of it.
    pub(crate) excerpt: Option<String>,
    pub(crate) date: Option<String>,
    /// `semantic`, `procedural` or `episodic`, where the note is one of them.
    pub(crate) memory_type: Option<&'static str>,
    /// Other notes that have the same passage.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) also_in: Vec<String>,
}

impl SearchOutput {
    /// Takes an answer without its hits.
    pub(crate) fn new(answer: &SearchResponse) -> Self {
        Self {
            query: answer.query.clone(),
            evidence: answer.evidence,
            confidence: answer.confidence,
            message: None,
            results: Vec::new(),
            notices: Vec::new(),
        }
    }
}

impl FoundPassage {
    pub(crate) fn new(hit: Hit) -> Self {
        Self {
            rank: hit.rank,
            id: hit.id,
            domain: hit.domain,
            path: hit.path,
            title: hit.title,
            section: hit.section,
            start_line: hit.start_line,
            end_line: hit.end_line,
            page: hit.page,
            picture: hit.picture,
            score: hit.score,
            text: Some(hit.text),
            excerpt: Some(hit.excerpt),
            date: hit.date,
            memory_type: hit.memory_type,
            also_in: hit.also_in,
        }
    }
}

/// A note, or some lines of it.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct GetOutput {
    pub(crate) domain: String,
    #[serde(flatten)]
    pub(crate) passage: Passage,
    pub(crate) notices: Vec<String>,
}

/// Several notes.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct MultiGetOutput {
    pub(crate) notes: Vec<GetOutput>,
    /// References that could not be opened, and why.
    pub(crate) missing: Vec<MissingNote>,
    pub(crate) notices: Vec<String>,
}

/// A reference that could not be opened.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct MissingNote {
    pub(crate) reference: String,
    pub(crate) error: String,
    pub(crate) hint: Option<String>,
}

/// The links around a note, and where it lies.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct LinksOutput {
    pub(crate) domain: String,
    #[serde(flatten)]
    pub(crate) links: LinksResponse,
    pub(crate) notices: Vec<String>,
}

/// What a walk along links came by.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct TraverseOutput {
    pub(crate) domain: String,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) query: Option<String>,
    pub(crate) mode: &'static str,
    pub(crate) hops_walked: u32,
    pub(crate) stopped_early: bool,
    pub(crate) took_ms: f64,
    /// Notes that were kept, best first.
    pub(crate) retained: Vec<RetainedNote>,
    /// How many notes were looked at and left out.
    pub(crate) n_dropped: usize,
    pub(crate) notices: Vec<String>,
}

impl TraverseOutput {
    pub(crate) fn new(walk: TraverseResponse, domain: &str) -> Self {
        Self {
            domain: domain.to_owned(),
            path: walk.path,
            title: walk.title,
            query: walk.query,
            mode: walk.mode,
            hops_walked: walk.hops_walked,
            stopped_early: walk.stopped_early,
            took_ms: walk.took_ms,
            retained: walk.retained,
            n_dropped: walk.dropped.len(),
            notices: Vec::new(),
        }
    }
}

/// Every domain that can be asked.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct StatusOutput {
    pub(crate) version: &'static str,
    pub(crate) domains: Vec<DomainStatus>,
    pub(crate) notices: Vec<String>,
}

/// One domain and what is indexed of it.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct DomainStatus {
    pub(crate) domain: String,
    pub(crate) notes: u64,
    pub(crate) chunks: u64,
    pub(crate) links: u64,
    /// Credentials that were masked.
    pub(crate) masked: u64,
    pub(crate) model: Option<String>,
    /// Seconds since the index was known to be what the notes say.
    pub(crate) index_age_s: Option<i64>,
    /// Whether it is being brought up to date right now.
    pub(crate) updating: bool,
    /// Files that could not be read.
    pub(crate) skipped: usize,
    /// Things in notes that could not be understood.
    pub(crate) warnings: usize,
    /// Why nothing can be said about it.
    pub(crate) problem: Option<String>,
}

impl DomainStatus {
    pub(crate) fn new(
        domain: &str,
        is_updating: bool,
        status: Result<StatusResponse, String>,
    ) -> Self {
        let (status, problem) = match status {
            Ok(status) => (Some(status), None),
            Err(problem) => (None, Some(problem)),
        };
        let status = status.as_ref();
        Self {
            domain: domain.to_owned(),
            notes: status.map_or(0, |status| status.notes),
            chunks: status.map_or(0, |status| status.chunks),
            links: status.map_or(0, |status| status.links),
            masked: status.map_or(0, |status| status.masked),
            model: status.and_then(|status| status.model.clone()),
            index_age_s: status.and_then(|status| status.index_age_s),
            updating: is_updating,
            skipped: status.map_or(0, |status| status.skipped.len()),
            warnings: status.map_or(0, |status| status.warnings.len()),
            problem,
        }
    }
}

/// A page of the list of notes of one domain or of all.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ListOutput {
    /// How many notes meet the conditions, on this page or not.
    pub(crate) n_notes: usize,
    pub(crate) offset: usize,
    /// Where the next page begins, if there is one.
    pub(crate) next_offset: Option<usize>,
    pub(crate) notes: Vec<ListedNote>,
    pub(crate) notices: Vec<String>,
}

/// One note of a list.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ListedNote {
    pub(crate) domain: String,
    #[serde(flatten)]
    pub(crate) note: NoteSummary,
}

/// What checking the citations of an answer came to.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct VerifyOutput {
    #[serde(flatten)]
    pub(crate) checked: VerifyResponse,
    pub(crate) notices: Vec<String>,
}
