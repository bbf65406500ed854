//! The JSON types that only the HTTP interface has: what is asked, and what stands around answers.

use std::sync::Arc;

use kenning::search;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CitationFields, IndexReport, Mode, Passage, handle};
use crate::searcher::{Condition, Pulse, Searcher};

/// Most characters of a question.
pub(crate) const QUERY_CHARS_MAX: usize = 4096;
/// Most hits, or notes of a walk or a list.
pub(crate) const LIMIT_MAX: u32 = 1000;
/// Most links of a walk in a row.
pub(crate) const DEPTH_MAX: u32 = 16;
/// Most citations that are checked at once.
pub(crate) const CITATIONS_MAX: usize = 500;
/// Most characters of a text that is written back.
pub(crate) const TEXT_CHARS_MAX: usize = 65_536;

/// A search.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchParams {
    /// What to look for: words, "phrases", -not, tag:x and what else `ken search` understands.
    #[schemars(length(min = 1, max = QUERY_CHARS_MAX))]
    pub(crate) q: String,
    /// Most hits.
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    pub(crate) k: Option<u32>,
    /// Ask words, meaning or both.
    pub(crate) mode: Option<Mode>,
    /// Most hits of one note.
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    pub(crate) per_note: Option<u32>,
    /// Leave out hits with a lower score.
    #[schemars(range(min = 0, max = 1))]
    pub(crate) min_score: Option<f64>,
    /// Most tokens of text over all hits, at four characters each.
    #[schemars(range(min = 1, max = u32::MAX))]
    pub(crate) max_tokens: Option<u32>,
    /// Tell how each hit was scored.
    pub(crate) explain: Option<bool>,
    /// Understand a time in the question ("last week", "2024"); the settings decide by default.
    pub(crate) dates: Option<bool>,
    /// Ask these domains, as a,b, and tell the best of all; each hit then says where it is from.
    #[schemars(length(min = 1))]
    pub(crate) domains: Option<String>,
}

/// A question that is to be answered in the words of the notes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskParams {
    /// The question; conditions such as tag:x work as in a search.
    #[schemars(length(min = 1, max = QUERY_CHARS_MAX))]
    pub(crate) q: String,
    /// Ask words, meaning or both.
    pub(crate) mode: Option<Mode>,
    /// Walk widely along links from the best notes, too.
    pub(crate) deep: Option<bool>,
    /// Understand a time in the question ("last week", "2024"); the settings decide if not told.
    pub(crate) dates: Option<bool>,
}

/// A walk along links.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WalkParams {
    /// What to look for; without it, what the note itself is about.
    #[schemars(length(max = QUERY_CHARS_MAX))]
    pub(crate) q: Option<String>,
    /// Most links between the note and what is found.
    #[schemars(range(min = 1, max = DEPTH_MAX))]
    pub(crate) depth: Option<u32>,
    /// Most notes.
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    pub(crate) k: Option<u32>,
    /// Look wider and never stop early.
    pub(crate) deep: Option<bool>,
    /// Tell what only the deep walk finds.
    pub(crate) compare: Option<bool>,
}

/// Most passages about an opening message.
pub(crate) const CONTEXT_LIMIT_MAX: u32 = 100;

/// The message that a conversation begins with.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ContextParams {
    /// The message.
    #[schemars(length(max = QUERY_CHARS_MAX))]
    pub(crate) q: String,
    /// Most passages; 5 if neither this nor the settings say.
    #[schemars(range(min = 1, max = CONTEXT_LIMIT_MAX))]
    pub(crate) k: Option<u32>,
    /// Leave out passages with a lower score; 0.25 if neither this nor the settings say.
    #[schemars(range(min = 0, max = 1))]
    pub(crate) min_score: Option<f64>,
}

/// Which lines of a note.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinesParams {
    /// Lines, such as 3, 3-9 or 3-.
    #[schemars(regex(pattern = r"^[1-9][0-9]{0,8}(-([1-9][0-9]{0,8})?)?$"))]
    pub(crate) lines: Option<String>,
}

/// Which notes of the list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NotesParams {
    /// Only notes whose path begins with this.
    pub(crate) prefix: Option<String>,
    /// Only notes with this tag or one below it.
    pub(crate) tag: Option<String>,
    /// Notes to leave out at the beginning.
    #[schemars(range(max = u32::MAX))]
    pub(crate) offset: Option<u32>,
    /// Maximum number of notes; 100 by default.
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    pub(crate) limit: Option<u32>,
}

/// How an index is brought up to date.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReloadParams {
    /// Notes that are gone are meant to be gone, however many.
    pub(crate) accept_removals: Option<bool>,
}

/// Which entries of a list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageParams {
    /// Entries to leave out at the beginning.
    #[schemars(range(max = u32::MAX))]
    pub(crate) offset: Option<u32>,
    /// Maximum number of entries; 20 by default.
    #[schemars(range(min = 1, max = LIMIT_MAX))]
    pub(crate) limit: Option<u32>,
}

/// An answer whose quotes are to be checked: its citations, or the answer as it was written.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub(crate) struct VerifyParams {
    /// The citations.
    #[schemars(length(max = CITATIONS_MAX))]
    pub(crate) citations: Option<Vec<SentCitation>>,
    /// The answer, as Markdown or as JSON.
    pub(crate) answer: Option<String>,
}

/// One citation. Who sends it knows its fields, so that a slip of the pen is told; answers that a
/// language model wrote are read more kindly.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SentCitation {
    /// The `#id` of a passage.
    id: Option<String>,
    /// A note, where no passage is named.
    path: Option<String>,
    start_line: Option<u32>,
    end_line: Option<u32>,
    /// What is said to stand there.
    quote: Option<String>,
    /// What the answer says in words of its own, where it quotes nothing.
    claim: Option<String>,
}

impl From<SentCitation> for CitationFields {
    fn from(sent: SentCitation) -> Self {
        Self {
            id: sent.id,
            path: sent.path,
            start_line: sent.start_line,
            end_line: sent.end_line,
            quote: sent.quote,
            claim: sent.claim,
        }
    }
}

/// A result that somebody found worth keeping.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeepParams {
    /// The question.
    #[schemars(length(min = 1, max = QUERY_CHARS_MAX))]
    pub(crate) query: String,
    /// The note it was asked from.
    pub(crate) note: Option<String>,
    /// The answer.
    #[schemars(length(min = 1, max = TEXT_CHARS_MAX))]
    pub(crate) text: String,
    /// What it rests on; without them, what the text cites.
    #[schemars(length(max = CITATIONS_MAX))]
    pub(crate) citations: Option<Vec<SentCitation>>,
}

/// A result that was kept.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct KeptResult {
    /// When, in seconds since 1970.
    pub(crate) at: i64,
    pub(crate) query: String,
    pub(crate) note: Option<String>,
    pub(crate) text: String,
    pub(crate) citations: Vec<KeptCitation>,
    /// What checking the citations came to when it was kept.
    #[serde(alias = "status")]
    pub(crate) citations_status: String,
}

/// A citation of a result that was kept, and what checking it came to then.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
pub(crate) struct KeptCitation {
    #[serde(flatten)]
    pub(crate) citation: CitationFields,
    pub(crate) citation_verified: Option<bool>,
    /// `match`, `no_quote`, `no_chunk_text`, `too_short` or `not_found`.
    pub(crate) citation_reason: Option<String>,
}

/// Results that were kept, the last one first.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct KeptResults {
    /// How many there are, on this page or not.
    pub(crate) n_results: usize,
    pub(crate) offset: usize,
    pub(crate) results: Vec<KeptResult>,
}

/// That the process answers.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct LiveResponse {
    /// Always `ok`.
    pub(crate) status: Life,
    pub(crate) version: &'static str,
}

impl Default for LiveResponse {
    fn default() -> Self {
        Self {
            status: Life::Ok,
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// Whether what is served can be asked.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct HealthResponse {
    pub(crate) status: Life,
    pub(crate) version: &'static str,
    /// Of the domain that is asked where none is named, for those who may ask it.
    #[serde(flatten)]
    pub(crate) domain: Option<DomainHealth>,
    /// Each domain that the client may ask.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) domains: Vec<DomainStore>,
}

impl HealthResponse {
    /// Sums up what was seen, without saying of what.
    pub(crate) fn of(looked: &[(Arc<Searcher>, Pulse)]) -> Self {
        let askable = looked.iter().filter(|(_, pulse)| pulse.can_be_asked());
        Self {
            status: match askable.count() {
                n if n == looked.len() => Life::Ok,
                0 => Life::Unavailable,
                _ => Life::Degraded,
            },
            version: env!("CARGO_PKG_VERSION"),
            domain: None,
            domains: Vec::new(),
        }
    }
}

/// `ok`: everything that is served can be asked; `degraded`: some domains cannot; `unavailable`: none can.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Life {
    Ok,
    Degraded,
    Unavailable,
}

/// How an index is: `ready`; `missing`, not made yet or gone; `outdated`, of another version of ken; `unreachable`, its
/// server or disk does not answer; `damaged`; or `unusable` for another reason, which every question tells.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StoreState {
    Ready,
    Missing,
    Outdated,
    Unreachable,
    Damaged,
    Unusable,
}

impl From<Condition> for StoreState {
    fn from(condition: Condition) -> Self {
        match condition {
            Condition::Ready => Self::Ready,
            Condition::Missing => Self::Missing,
            Condition::Outdated => Self::Outdated,
            Condition::Unreachable => Self::Unreachable,
            Condition::Damaged => Self::Damaged,
            Condition::Unusable => Self::Unusable,
        }
    }
}

/// A domain and how its index is.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct DomainStore {
    /// Name of the domain.
    pub(crate) domain: String,
    pub(crate) store: StoreState,
}

impl DomainStore {
    pub(crate) fn of((searcher, pulse): &(Arc<Searcher>, Pulse)) -> Self {
        Self {
            domain: searcher.name().to_owned(),
            store: pulse.condition.into(),
        }
    }
}

/// What a domain rests on.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct DomainHealth {
    /// Name of the domain.
    pub(crate) domain: String,
    /// Folder of the notes.
    pub(crate) vault: Option<String>,
    /// File of the index.
    pub(crate) index: String,
    /// How the index is.
    pub(crate) store: StoreState,
    /// Model that the index was made with; null where it cannot be asked.
    pub(crate) model: Option<String>,
    /// Numbers in a vector of that model.
    pub(crate) dimension: Option<usize>,
}

impl DomainHealth {
    /// Tells what a domain rests on; it never fails, since it is asked when something is wrong.
    pub(crate) fn of((searcher, pulse): &(Arc<Searcher>, Pulse)) -> Self {
        let model = pulse.model.as_ref();
        Self {
            domain: searcher.name().to_owned(),
            vault: searcher.vault().map(|vault| vault.display().to_string()),
            index: searcher.located().store_name().display().to_string(),
            store: pulse.condition.into(),
            dimension: model.map(|model| model.dimensions),
            model: model.map(|model| model.name.clone()),
        }
    }
}

/// A note or some of its lines, and the passages that it is searched by.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct NodeResponse {
    #[serde(flatten)]
    pub(crate) passage: Passage,
    /// The passages that stand on these lines, in order.
    pub(crate) chunks: Vec<Chunk>,
}

/// A passage of a note, as it is searched.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Chunk {
    pub(crate) id: String,
    pub(crate) section: Option<String>,
    pub(crate) breadcrumb: Vec<String>,
    /// Null for formats that have no lines, such as PDF.
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    pub(crate) page: Option<u32>,
    pub(crate) text: String,
}

impl From<(search::Passage, Vec<search::Piece>)> for NodeResponse {
    fn from((passage, pieces): (search::Passage, Vec<search::Piece>)) -> Self {
        let has_lines = passage.note.has_lines();
        let chunk = |piece: search::Piece| Chunk {
            id: handle(piece.chunk.handle),
            section: (piece.breadcrumb.last())
                .filter(|_| piece.breadcrumb.len() > 1)
                .cloned(),
            breadcrumb: piece.breadcrumb,
            start_line: has_lines.then_some(piece.chunk.start_line),
            end_line: has_lines.then_some(piece.chunk.end_line),
            page: piece.chunk.page,
            text: piece.text,
        };
        Self {
            passage: passage.into(),
            chunks: pieces.into_iter().map(chunk).collect(),
        }
    }
}

/// The domains that the client may ask.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct DomainsResponse {
    pub(crate) domains: Vec<Domain>,
}

/// One domain.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Domain {
    pub(crate) name: String,
    /// Whether it is asked where none is named.
    pub(crate) default: bool,
    /// Whether there is an index, as far as that can be told.
    pub(crate) indexed: bool,
}

/// One line of a reload that is told as it goes.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ReloadLine {
    Progress(ReloadProgress),
    Report(Box<IndexReport>),
    Problem(ProblemDetails),
}

/// How far a reload is.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ReloadProgress {
    /// What is counted: `notes`, then `vectors` where a provider makes them.
    pub(crate) of: &'static str,
    pub(crate) done: usize,
    pub(crate) total: usize,
}

/// Something that went wrong, as RFC 9457 writes it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub(crate) struct ProblemDetails {
    pub(crate) r#type: &'static str,
    pub(crate) title: &'static str,
    pub(crate) status: u16,
    pub(crate) detail: String,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}
