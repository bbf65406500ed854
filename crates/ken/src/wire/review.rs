//! The JSON of the review queue: tags that are proposed, and what a person says of them.

use kenning_curate::tags::queue::{Mark, Queue, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Proposals that wait in the review queue.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ReviewResponse {
    pub(crate) notes: Vec<ReviewedNote>,
}

/// What is proposed for a note.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ReviewedNote {
    pub(crate) path: String,
    pub(crate) proposals: Vec<ReviewedTag>,
}

/// A tag that waits.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ReviewedTag {
    pub(crate) tag: String,
    /// What was said of it so far.
    pub(crate) state: MarkState,
    /// How sure it is, and why, as the queue tells it.
    pub(crate) told: String,
}

/// What is said of a proposal.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QueueMark {
    /// The note.
    pub(crate) path: String,
    /// The tag, as the queue has it.
    pub(crate) tag: String,
    pub(crate) state: MarkState,
}

/// `open`, `ticked` or `refused`.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MarkState {
    Open,
    Ticked,
    Refused,
}

/// Which run is taken back.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UndoParams {
    /// Its number: if it is not the last one any more, nothing happens. Without it, the last one is meant.
    pub(crate) run: Option<u64>,
}

impl From<&Queue> for ReviewResponse {
    fn from(queue: &Queue) -> Self {
        let notes = queue.parts.iter().map(|part| ReviewedNote {
            path: part.path.clone(),
            proposals: part
                .told()
                .map(|(state, tag, told)| ReviewedTag {
                    tag: tag.to_owned(),
                    state: state.into(),
                    told: told.to_owned(),
                })
                .collect(),
        });
        Self {
            notes: notes.filter(|note| !note.proposals.is_empty()).collect(),
        }
    }
}

impl From<QueueMark> for Mark {
    fn from(mark: QueueMark) -> Self {
        Self {
            path: mark.path,
            tag: mark.tag,
            state: match mark.state {
                MarkState::Open => State::Open,
                MarkState::Ticked => State::Ticked,
                MarkState::Refused => State::Refused,
            },
        }
    }
}

impl From<State> for MarkState {
    fn from(state: State) -> Self {
        match state {
            State::Open => Self::Open,
            State::Ticked => Self::Ticked,
            State::Refused => Self::Refused,
        }
    }
}
