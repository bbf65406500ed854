//! The JSON of conversations: lists of them, one with its turns, and what an answer rests on.

use kenning::conversation::{Conversation, Turn, Usage};
use kenning::store::FoundConversation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::rag::{RagChecked, RagCitation};
use super::{CheckedCitation, place};

/// Most characters of a title.
pub(crate) const TITLE_CHARS_MAX: usize = 200;
/// Characters of a turn that are shown of a conversation that was searched for.
const EXCERPT_CHARS_MAX: usize = 200;

/// A page of the list of conversations.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ConversationsResponse {
    /// How many there are, on this page or not.
    pub(crate) n_conversations: usize,
    pub(crate) offset: usize,
    /// The last changed one first.
    pub(crate) conversations: Vec<ConversationSummary>,
}

/// One conversation of a list.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ConversationSummary {
    pub(crate) id: String,
    pub(crate) title: String,
    /// Domains that it asks.
    pub(crate) domains: Vec<String>,
    /// What it is limited to beside that.
    pub(crate) scope: Option<serde_json::Value>,
    /// Seconds since 1970.
    pub(crate) begun_at: i64,
    /// Seconds since 1970 of the last question, answer or change.
    pub(crate) changed_at: i64,
    /// Turns of every branch.
    pub(crate) n_turns: usize,
    /// Where the words that were searched for stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) excerpt: Option<String>,
}

/// One conversation with what is shown of it.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ConversationResponse {
    #[serde(flatten)]
    pub(crate) summary: ConversationSummary,
    pub(crate) memory: MemoryUsage,
    /// Questions and answers of the branch that is shown, oldest first.
    pub(crate) turns: Vec<ConversationTurn>,
}

/// How full the budget of a conversation is: what of it a model is told again.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub(crate) struct MemoryUsage {
    /// Characters that are told again.
    pub(crate) used: usize,
    /// Characters that may be.
    pub(crate) budget: usize,
    /// Earlier questions with their answers that are not, for want of room.
    pub(crate) dropped_turns: usize,
}

/// A question and its answer.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ConversationTurn {
    pub(crate) id: i64,
    pub(crate) question: String,
    /// As far as it came; empty if nothing did.
    pub(crate) answer: String,
    /// `asked`, `answered` or `stopped`.
    pub(crate) state: &'static str,
    pub(crate) sources: Vec<KeptSource>,
    pub(crate) model: Option<String>,
    /// Seconds since 1970.
    pub(crate) asked_at: i64,
    /// Turns that could be shown in its place, this one among them: other wordings, other answers.
    pub(crate) alternatives: Vec<i64>,
}

/// What an answer rests on.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Serialize)]
#[serde(default)]
pub(crate) struct KeptSource {
    /// The number that the answer cites it by.
    pub(crate) number: usize,
    pub(crate) domain: Option<String>,
    /// The `#id` of the passage.
    pub(crate) id: Option<String>,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) section: Option<String>,
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    pub(crate) page: Option<u32>,
    pub(crate) date: Option<String>,
    /// What is quoted from it.
    pub(crate) quote: Option<String>,
    /// What is said of it in other words, where nothing is quoted.
    pub(crate) claim: Option<String>,
    /// Whether the quote stands there, or the claim is borne out; `null` where there is neither.
    pub(crate) citation_verified: Option<bool>,
    /// `match`, `no_quote`, `no_chunk_text`, `too_short` or `not_found`.
    pub(crate) citation_reason: Option<String>,
}

impl KeptSource {
    /// Makes it of a citation that was checked, and of the passage that was found under its number.
    pub(crate) fn new(
        citation: &RagCitation,
        cited: &CheckedCitation,
        found: Option<&RagCitation>,
    ) -> Self {
        let note = found.and_then(|found| match &found.checked {
            RagChecked::Found(note) => Some(&**note),
            RagChecked::Cited(_) => None,
        });
        // Where the words stand, if they were found; else what is cited.
        let quote = cited.found.as_ref().filter(|_| cited.citation_verified);
        let lines = match quote {
            Some(quote) => quote.start_line.zip(quote.end_line),
            None => cited.start_line.zip(cited.end_line),
        };
        let path = cited.path.as_ref().or(note.map(|note| &note.path));
        let title = cited.title.as_ref().or(note.map(|note| &note.title));
        let claim = cited.claim.as_ref().map(|claim| claim.text.clone());
        let is_checked = cited.quote.is_some() || claim.is_some();
        Self {
            number: citation.number.unwrap_or_default(),
            domain: citation.domain.clone(),
            id: cited.id.clone(),
            path: path.cloned().unwrap_or_default(),
            title: title.cloned().unwrap_or_default(),
            section: citation.section.clone(),
            start_line: lines.map(|lines| lines.0),
            end_line: lines.map(|lines| lines.1),
            page: cited.page,
            date: found.and_then(|found| found.date.clone()),
            quote: cited.quote.clone(),
            claim,
            citation_verified: is_checked.then_some(cited.citation_verified),
            citation_reason: is_checked.then(|| cited.citation_reason.to_owned()),
        }
    }

    /// Reads what was written down with an answer; what cannot be read is left out.
    pub(crate) fn read(json: Option<&str>) -> Vec<Self> {
        let sources = json.map(serde_json::from_str);
        sources.and_then(Result::ok).unwrap_or_default()
    }

    /// Returns where it stands, as a person writes it.
    pub(crate) fn place(&self) -> String {
        if self.path.is_empty() {
            return "no passage that was found".to_owned();
        }
        place(&self.path, self.start_line.zip(self.end_line), self.page)
    }

    /// Says what checking the quote came to.
    pub(crate) fn verdict(&self) -> Option<String> {
        Some(
            match (self.citation_verified?, self.citation_reason.as_deref()) {
                (true, _) => "verified".to_owned(),
                (false, None | Some("no_quote" | "match")) => "not verified".to_owned(),
                (false, Some(reason)) => format!("not verified: {}", reason.replace('_', " ")),
            },
        )
    }
}

impl From<Conversation> for ConversationSummary {
    fn from(one: Conversation) -> Self {
        let scope = one.scope.as_deref().map(serde_json::from_str);
        Self {
            id: one.id,
            title: one.title,
            domains: one.domains,
            scope: scope.and_then(Result::ok),
            begun_at: one.begun_at,
            changed_at: one.changed_at,
            n_turns: one.n_turns,
            excerpt: None,
        }
    }
}

impl From<FoundConversation> for ConversationSummary {
    fn from(found: FoundConversation) -> Self {
        let excerpt = found.turn.map(|(_, text)| {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            line.chars().take(EXCERPT_CHARS_MAX).collect()
        });
        Self {
            excerpt,
            ..Self::from(found.conversation)
        }
    }
}

impl From<Usage> for MemoryUsage {
    fn from(usage: Usage) -> Self {
        Self {
            used: usage.used,
            budget: usage.budget,
            dropped_turns: usage.n_dropped,
        }
    }
}

impl From<Turn> for ConversationTurn {
    fn from(turn: Turn) -> Self {
        Self {
            id: turn.id.0,
            sources: KeptSource::read(turn.sources.as_deref()),
            question: turn.question,
            answer: turn.answer,
            state: turn.state.name(),
            model: turn.model,
            asked_at: turn.asked_at,
            alternatives: turn.alternatives.into_iter().map(|id| id.0).collect(),
        }
    }
}

impl ConversationResponse {
    pub(crate) fn new(one: Conversation, turns: Vec<Turn>, usage: Usage) -> Self {
        Self {
            summary: one.into(),
            memory: usage.into(),
            turns: turns.into_iter().map(ConversationTurn::from).collect(),
        }
    }
}

/// Which conversations of the list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConversationsParams {
    /// Only those that have all of these words, in their title or in one question with its answer.
    #[schemars(length(max = super::http::QUERY_CHARS_MAX))]
    pub(crate) q: Option<String>,
    /// Conversations to leave out at the beginning.
    #[schemars(range(max = u32::MAX))]
    pub(crate) offset: Option<u32>,
    /// Most conversations; 50 if not told.
    #[schemars(range(min = 1, max = super::http::LIMIT_MAX))]
    pub(crate) limit: Option<u32>,
}

/// A conversation to begin.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewConversationParams {
    /// What it is called; its first question names it if not told.
    #[schemars(length(max = TITLE_CHARS_MAX))]
    pub(crate) title: Option<String>,
    /// Domains that it asks; every one that may be asked if not told.
    pub(crate) domains: Option<Vec<String>>,
}

/// What is to be changed of a conversation.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub(crate) struct ConversationChanges {
    /// What it is called from now on.
    #[schemars(length(min = 1, max = TITLE_CHARS_MAX))]
    pub(crate) title: Option<String>,
    /// Show the branch that this turn is on.
    pub(crate) show: Option<i64>,
    /// Go back to before this turn; it and what follows are kept as a branch.
    pub(crate) rewind: Option<i64>,
}
