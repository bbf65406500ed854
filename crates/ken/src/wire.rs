//! The JSON types shared by every interface; the only types that are serialised. Searchers return what
//! the engine knows; here it becomes what is sent.

mod ask;
mod atlas;
pub(crate) mod browse;
mod cite;
pub(crate) mod compat;
mod context;
mod conversation;
mod curate;
pub(crate) mod eval;
mod hook;
pub(crate) mod http;
mod index;
mod intake;
mod links;
mod lists;
mod merge;
mod mode;
mod notes;
pub(crate) mod openai;
mod qmd;
pub(crate) mod rag;
mod review;
mod search;
mod tools;
mod traverse;

pub(crate) use ask::{AskResponse, AskedSentence, merge_asked};
pub(crate) use atlas::AtlasResponse;
pub(crate) use cite::{CheckedCitation, CitationFields, QuotePlace, VerifyResponse, citations};
pub(crate) use context::{ContextBlock, ContextResponse, RememberResponse};
pub(crate) use conversation::{
    ConversationChanges, ConversationResponse, ConversationSummary, ConversationsParams,
    ConversationsResponse, KeptSource, MemoryUsage, NewConversationParams, TITLE_CHARS_MAX,
};
pub(crate) use curate::{
    ChangeResponse, ChangeRun, ChangeRuns, LinkFigures, PromoteParams, ProposalsResponse,
    RenamesParams, SuggestionsResponse, TagDoubts, TagFigures,
};
pub(crate) use hook::{GivenPassage, HookOutput, HookResponse, Receipt, SessionRecord};
pub(crate) use index::{Finding, IndexReport, StatusResponse, rebuild_reason};
pub(crate) use intake::{
    DecideParams, DecideResponse, Decision, IntakeFigures, IntakeItem, IntakeParams,
    IntakeResponse, IntakeStats, WaitingItem, WaitingResponse,
};
pub(crate) use links::LinksResponse;
pub(crate) use lists::{NoteLine, NoteTasks, TagCount, Task};
pub(crate) use merge::merge;
pub(crate) use mode::Mode;
pub(crate) use notes::{NoteSummary, NotesResponse, Passage};
pub(crate) use qmd::{QmdHit, QmdNote};
pub(crate) use review::{QueueMark, ReviewResponse, UndoParams};
pub(crate) use search::{Hit, SearchResponse, obsidian_uri};
pub(crate) use tools::{
    DomainStatus, FoundPassage, GetOutput, LinksOutput, ListOutput, ListedNote, MissingNote,
    MultiGetOutput, SearchOutput, StatusOutput, TraverseOutput, VerifyOutput,
};
pub(crate) use traverse::{RetainedNote, TraverseResponse, VisitedNote, WalkComparison};

use kenning::search::told_score as rounded;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Returns a path with its lines, or with its page where it has no lines: `Roof.md:3`, `Roof.md:3-9`,
/// `Manual.pdf page 3`.
pub(crate) fn place(path: &str, lines: Option<(u32, u32)>, page: Option<u32>) -> String {
    match (lines, page) {
        (Some((start, end)), _) if start == end => format!("{path}:{start}"),
        (Some((start, end)), _) => format!("{path}:{start}-{end}"),
        (None, Some(page)) => format!("{path} page {page}"),
        (None, None) => path.to_owned(),
    }
}

/// Returns the heading that a passage stands under: the last of title and headings, unless that is the title.
fn section(breadcrumb: &[String]) -> Option<String> {
    let last = breadcrumb.last().filter(|_| breadcrumb.len() > 1);
    last.cloned()
}

/// Other notes with the same passage that are named; of the rest only the number is told.
const OTHERS_NAMED: usize = 3;

/// Says which other notes have the same passage, if any.
pub(crate) fn also_in(others: &[String]) -> Option<String> {
    let named = others[..others.len().min(OTHERS_NAMED)].join(", ");
    match others.len().saturating_sub(OTHERS_NAMED) {
        _ if others.is_empty() => None,
        0 => Some(format!("also in {named}")),
        n => Some(format!("also in {named} and {n} more")),
    }
}

/// Returns two digits of a score that was told with four, never more than it is: who asks for what is
/// printed gets what it was printed beside.
pub(crate) fn two_digits(score: f64) -> f64 {
    ((score * 10_000.0).round() / 100.0).floor() / 100.0
}

/// Returns the short public id of a chunk.
pub(crate) fn handle(handle: u32) -> String {
    format!("#{handle:08x}")
}

/// Everything but letters, digits and `-_.~`, which no URI has to escape.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Percent-encodes a part of a URI.
pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}
