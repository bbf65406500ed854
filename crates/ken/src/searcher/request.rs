//! What can be asked at a searcher, whichever interface it comes through.

use std::sync::Arc;

use kenning::search::{Mode, Scope};
use kenning::store::NoteFacts;
use kenning::traverse::{DEEP, FAST, Params};

use crate::args::FusionArg;

/// A search. What is not told is taken from the settings.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchRequest {
    pub(crate) query: String,
    pub(crate) limit: Option<u32>,
    pub(crate) per_note: Option<u32>,
    pub(crate) mode: Option<Mode>,
    pub(crate) fusion: Option<FusionArg>,
    pub(crate) min_score: f32,
    pub(crate) max_tokens: Option<usize>,
    pub(crate) is_explained: bool,
    /// Whether a time in the question is understood.
    pub(crate) dates: Option<bool>,
    /// The only notes that may be read.
    pub(crate) scope: Option<Arc<Scope>>,
}

/// A question that is to be answered in the words of the notes.
#[derive(Clone, Debug, Default)]
pub(crate) struct AskRequest {
    pub(crate) question: String,
    pub(crate) mode: Option<Mode>,
    /// Whether to walk widely along links from the best notes, too.
    pub(crate) is_deep: bool,
    /// Whether a time in the question is understood.
    pub(crate) dates: Option<bool>,
    /// The only notes that may be read.
    pub(crate) scope: Option<Arc<Scope>>,
}

/// A walk along links.
#[derive(Clone, Debug, Default)]
pub(crate) struct WalkRequest {
    pub(crate) note: String,
    pub(crate) query: Option<String>,
    pub(crate) depth: Option<u32>,
    pub(crate) limit: Option<u32>,
    pub(crate) is_deep: bool,
    pub(crate) is_compared: bool,
}

impl WalkRequest {
    /// Returns how the fast and the deep walk go.
    pub(super) fn params(&self) -> (Params, Params) {
        let with = |params: Params| Params {
            hops: self.depth.unwrap_or(params.hops),
            k: self.limit.map_or(params.k, |limit| limit as usize),
            ..params
        };
        (with(FAST), with(DEEP))
    }
}

/// A page of the list of notes.
#[derive(Clone, Debug, Default)]
pub(crate) struct NotesRequest {
    /// Only notes whose path begins with this.
    pub(crate) prefix: String,
    /// Only notes with this tag or one below it.
    pub(crate) tag: Option<String>,
    /// Notes to leave out at the beginning.
    pub(crate) offset: usize,
    /// Most notes.
    pub(crate) limit: usize,
    /// The only notes that may be read.
    pub(crate) scope: Option<Arc<Scope>>,
}

impl NotesRequest {
    /// Whether a note meets the conditions.
    pub(super) fn wants(&self, note: &NoteFacts) -> bool {
        let tag = self.tag.as_deref().map(|tag| tag.trim_start_matches('#'));
        tag.is_none_or(|tag| note.has_tag(tag)) && note.path.starts_with(&self.prefix)
    }
}
