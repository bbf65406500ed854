//! The JSON of an answer that is told as it forms: one typed object a line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::http::QUERY_CHARS_MAX;
use super::{CheckedCitation, MemoryUsage};

/// Most names of one kind in a scope, turns of a history, and characters of one of them.
pub(crate) const NAMES_MAX: usize = 100;
pub(crate) const TURNS_MAX: usize = 500;
pub(crate) const TURN_CHARS_MAX: usize = 100_000;
/// Most passages that a model may be given.
pub(crate) const PASSAGES_MAX: u32 = 20;

/// A question to be answered.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RagParams {
    /// The question; needed unless an earlier one is asked again.
    #[schemars(length(min = 1, max = QUERY_CHARS_MAX))]
    pub(crate) question: Option<String>,
    /// The conversation that it belongs to, by its id, or `new`: it knows what was said before, and keeps the
    /// question and its answer.
    pub(crate) conversation: Option<String>,
    /// The turn of the conversation in whose place it is asked. That one and what follows stay as a branch.
    pub(crate) instead_of: Option<i64>,
    /// Answer the last question of the conversation again, or that of `instead_of`.
    pub(crate) regenerate: Option<bool>,
    /// What was said before, oldest first, where no conversation knows it.
    #[schemars(length(max = TURNS_MAX))]
    pub(crate) messages: Option<Vec<RagMessage>>,
    /// The only notes that may be read; in a conversation, from now on.
    pub(crate) scope: Option<RagScope>,
    /// Who answers: the name of a provider of the settings, or `extract` for nobody.
    pub(crate) model: Option<String>,
    /// Passages that the model is given with the question; the settings decide if not told.
    #[schemars(range(min = 1, max = PASSAGES_MAX))]
    pub(crate) passages: Option<u32>,
    /// Walk widely along links, too.
    pub(crate) deep: Option<bool>,
    /// Let the model add words to a thin question; the settings decide if not told.
    pub(crate) expand: Option<bool>,
    /// Files and pictures for this question only.
    #[schemars(length(max = 8))]
    pub(crate) files: Option<Vec<RagFile>>,
}

/// Something that was said before.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RagMessage {
    pub(crate) role: RagRole,
    #[schemars(length(max = TURN_CHARS_MAX))]
    pub(crate) content: String,
}

/// Who said it.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RagRole {
    User,
    Assistant,
}

/// The only notes that may be read: those in one of the places, if any are named, that have one of the
/// tags, if any are named.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RagScope {
    /// Paths of notes.
    #[schemars(length(max = NAMES_MAX))]
    pub(crate) files: Vec<String>,
    /// Folders, and what lies below them.
    #[schemars(length(max = NAMES_MAX))]
    pub(crate) folders: Vec<String>,
    /// Tags, and those below them.
    #[schemars(length(max = NAMES_MAX))]
    pub(crate) tags: Vec<String>,
    /// PARA categories: the first folder of a path.
    #[schemars(length(max = NAMES_MAX))]
    pub(crate) categories: Vec<String>,
    /// Domains to ask; without any, the one of the address or the first.
    #[schemars(length(max = NAMES_MAX))]
    pub(crate) domains: Vec<String>,
}

impl RagScope {
    /// Returns how it is written down with a conversation, if it leaves out anything.
    pub(crate) fn kept(&self) -> Option<String> {
        let json = serde_json::to_string(self).expect("a scope is plain data");
        (*self != Self::default()).then_some(json)
    }

    /// Returns every name in it.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        let Self {
            files,
            folders,
            tags,
            categories,
            domains,
        } = self;
        [files, folders, tags, categories, domains]
            .into_iter()
            .flatten()
    }
}

/// A file or a picture.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RagFile {
    /// Its name, whose ending tells the format.
    pub(crate) name: String,
    /// Its bytes in base64.
    pub(crate) data: String,
}

/// One line of an answer.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum RagLine {
    /// What the model thinks, or what is being done; best effort.
    Thinking { text: String },
    /// A passage that was found, or a citation of the answer that was checked.
    Metadata(Box<RagCitation>),
    /// The next piece of the answer.
    Text { text: String },
    /// How full the budget of the conversation is.
    Memory(RagMemory),
    /// What went wrong. The answer ends here.
    Error {
        detail: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        hint: Option<String>,
    },
    /// The answer is over.
    Done(Box<RagOutcome>),
}

/// How much of a conversation is told again with the next question.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct RagMemory {
    #[serde(flatten)]
    pub(crate) usage: MemoryUsage,
    /// The conversation that keeps it, and the turn that this answer is, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) conversation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) turn: Option<i64>,
}

/// A passage that the answer may rest on, or a citation of it.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct RagCitation {
    /// `found` when a search found the passage, `checked` when the answer cited it.
    pub(crate) stage: &'static str,
    /// The number that the answer cites it by.
    pub(crate) number: Option<usize>,
    /// Where it stands, as a person writes it: `Roof.md:3-9`, `Manual.pdf page 3`.
    pub(crate) place: Option<String>,
    /// Where several domains are asked, the one it is from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) domain: Option<String>,
    /// Whether it came with the question and is in no note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) attached: Option<bool>,
    pub(crate) section: Option<String>,
    /// Title and headings above it, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) breadcrumb: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) date: Option<String>,
    /// The best sentences of a passage that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) excerpt: Option<String>,
    #[serde(flatten)]
    pub(crate) checked: RagChecked,
}

/// What checking came to; of a passage that was merely found there is nothing to check yet.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub(crate) enum RagChecked {
    Cited(Box<CheckedCitation>),
    Found(Box<FoundNote>),
}

/// Which note a passage stands in.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct FoundNote {
    /// Null until the answer cites it.
    pub(crate) citation_verified: Option<bool>,
    pub(crate) citation_reason: Option<&'static str>,
    pub(crate) id: Option<String>,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) start_line: Option<u32>,
    pub(crate) end_line: Option<u32>,
    pub(crate) page: Option<u32>,
    /// The file with the picture that it was read from, if it was: letters may be wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) picture: Option<String>,
    pub(crate) quote: Option<String>,
}

/// A whole answer with everything it cites, in order.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct WrittenAnswer {
    #[serde(flatten)]
    pub(crate) outcome: RagOutcome,
    pub(crate) citations: Vec<RagCitation>,
}

impl WrittenAnswer {
    /// Returns the citations of the answer.
    pub(crate) fn checked(&self) -> impl Iterator<Item = &RagCitation> {
        let citations = self.citations.iter();
        citations.filter(|citation| citation.stage == "checked")
    }

    /// Returns the passages that it cites.
    pub(crate) fn cited(&self) -> impl Iterator<Item = &RagCitation> {
        let found = self
            .citations
            .iter()
            .filter(|citation| citation.stage == "found");
        found.filter(|found| self.checked().any(|checked| checked.number == found.number))
    }
}

/// What an answer came to.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct RagOutcome {
    /// All of it.
    pub(crate) answer: String,
    /// `all_verified`, `has_mismatch`, `unverifiable` or `no_quotes`.
    pub(crate) citations_status: &'static str,
    /// How many quotes and cited claims there are, and how many are verified.
    pub(crate) n_verified: usize,
    pub(crate) n_checked: usize,
    /// The same in words: "4 of 5 verified".
    pub(crate) verified: String,
    /// How well the notes answer: strong, moderate, weak or none.
    pub(crate) evidence: &'static str,
    /// Who answered; null if it was extracted.
    pub(crate) model: Option<String>,
    /// What the model added to a thin question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expanded: Option<String>,
    /// Whether the answer is whole; what a limit or an error ended is not.
    pub(crate) complete: bool,
    pub(crate) notices: Vec<String>,
    /// Times that the model was asked, and tools that it called.
    pub(crate) steps: usize,
    pub(crate) tools: Vec<String>,
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
}
