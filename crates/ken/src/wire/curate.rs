//! The JSON of what changes notes, and of what can be undone.

use kenning_curate::library::Library;
use kenning_curate::suggest::{self, Suggestion};
use kenning_curate::tags;
use kenning_curate::tags::check::Doubt;
use kenning_curate::tags::propose::Proposal;
use kenning_curate::write::{Batch, Change, Run};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Runs that are remembered, the last one first.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ChangeRuns {
    pub(crate) runs: Vec<ChangeRun>,
}

/// A run that changed notes.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ChangeRun {
    pub(crate) id: u64,
    /// The command that made it.
    pub(crate) verb: String,
    /// What it did.
    pub(crate) detail: String,
    /// Seconds since 1970.
    pub(crate) at: i64,
    /// The files that it changed.
    pub(crate) paths: Vec<String>,
    pub(crate) undone: bool,
}

impl From<Run> for ChangeRun {
    fn from(run: Run) -> Self {
        Self {
            id: run.id,
            verb: run.verb,
            detail: run.detail,
            at: run.at,
            paths: run.paths,
            undone: run.is_undone,
        }
    }
}

/// What was changed, or would be.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ChangeResponse {
    /// Number of the run, for `ken undo --list`; `null` where nothing was changed.
    pub(crate) run: Option<u64>,
    pub(crate) files: Vec<ChangedFile>,
    /// What would change, as a unified diff, where it was not to be done.
    pub(crate) diff: Option<String>,
    pub(crate) notices: Vec<String>,
}

/// A file that was changed, or would be.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ChangedFile {
    pub(crate) path: String,
    /// `changed`, `created` or `deleted`.
    pub(crate) what: &'static str,
}

impl ChangeResponse {
    pub(crate) fn new(
        batch: &Batch,
        run: Option<u64>,
        diff: Option<String>,
        notices: Vec<String>,
    ) -> Self {
        let file = |change: &Change| ChangedFile {
            path: change.path.clone(),
            what: match (&change.before, &change.after) {
                (None, _) => "created",
                (_, None) => "deleted",
                _ => "changed",
            },
        };
        Self {
            run,
            files: batch.changes().iter().map(file).collect(),
            diff,
            notices,
        }
    }
}

/// Tags that are to get other names, all at once.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenamesParams {
    #[schemars(length(min = 1, max = 1000))]
    pub(crate) renames: Vec<RenameParams>,
    /// Let tags become one with others that there are already.
    pub(crate) merge: Option<bool>,
    /// Only tell what would change.
    pub(crate) dry_run: Option<bool>,
}

/// A tag that is to get another name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenameParams {
    /// The tag; those below it go along.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) old: String,
    /// What it is to be called.
    #[schemars(length(min = 1, max = 200))]
    pub(crate) new: String,
}

/// Tags that are proposed.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct ProposalsResponse {
    pub(crate) notes: Vec<NoteProposals>,
    pub(crate) notices: Vec<String>,
}

/// Tags that are proposed for a note.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct NoteProposals {
    pub(crate) path: String,
    pub(crate) proposals: Vec<TagProposal>,
}

/// A tag that a note could have.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct TagProposal {
    pub(crate) tag: String,
    /// From 0 to 1.
    pub(crate) confidence: f64,
    pub(crate) reason: String,
}

impl From<&Proposal> for TagProposal {
    fn from(proposal: &Proposal) -> Self {
        Self {
            tag: proposal.tag.clone(),
            confidence: super::rounded(proposal.confidence),
            reason: proposal.reason.clone(),
        }
    }
}

impl ProposalsResponse {
    pub(crate) fn new(notes: &[(String, Vec<Proposal>)], notices: &[String]) -> Self {
        let notes = notes.iter().map(|(path, proposals)| NoteProposals {
            path: path.clone(),
            proposals: proposals.iter().map(TagProposal::from).collect(),
        });
        Self {
            notes: notes.collect(),
            notices: notices.to_vec(),
        }
    }
}

/// Tags that may be wrong.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct TagDoubts {
    pub(crate) doubts: Vec<TagDoubt>,
}

/// A tag that may be wrong.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct TagDoubt {
    pub(crate) tag: String,
    pub(crate) notes: usize,
    pub(crate) reason: String,
    /// What it could be instead.
    pub(crate) instead: Option<String>,
}

impl From<Vec<Doubt>> for TagDoubts {
    fn from(doubts: Vec<Doubt>) -> Self {
        let doubts = doubts.into_iter().map(|doubt| TagDoubt {
            tag: doubt.tag,
            notes: doubt.n_notes,
            reason: doubt.reason,
            instead: doubt.instead,
        });
        Self {
            doubts: doubts.collect(),
        }
    }
}

/// How well tags are proposed.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct TagFigures {
    pub(crate) ways: Vec<TagFigure>,
}

/// How well one way proposes tags.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct TagFigure {
    pub(crate) way: &'static str,
    pub(crate) notes: usize,
    pub(crate) precision_1: f64,
    pub(crate) precision_3: f64,
    pub(crate) hit_3: f64,
    pub(crate) recall_5: f64,
}

impl From<Vec<tags::measure::Measured>> for TagFigures {
    fn from(ways: Vec<tags::measure::Measured>) -> Self {
        let ways = ways.into_iter().map(|way| TagFigure {
            way: way.name,
            notes: way.n_notes,
            precision_1: way.precision_1,
            precision_3: way.precision_3,
            hit_3: way.hit_3,
            recall_5: way.recall_5,
        });
        Self {
            ways: ways.collect(),
        }
    }
}

/// How well links are suggested.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct LinkFigures {
    pub(crate) ways: Vec<LinkFigure>,
}

/// How well one way suggests links.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct LinkFigure {
    pub(crate) way: &'static str,
    pub(crate) links: usize,
    pub(crate) among_3: f64,
    pub(crate) among_10: f64,
}

impl From<Vec<suggest::measure::Measured>> for LinkFigures {
    fn from(ways: Vec<suggest::measure::Measured>) -> Self {
        let ways = ways.into_iter().map(|way| LinkFigure {
            way: way.name,
            links: way.n_links,
            among_3: way.among_3,
            among_10: way.among_10,
        });
        Self {
            ways: ways.collect(),
        }
    }
}

/// Links that could be there.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct SuggestionsResponse {
    pub(crate) suggestions: Vec<LinkSuggestion>,
    /// Notes that are linked with no other.
    pub(crate) orphans: Vec<String>,
}

/// A link that could be there.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub(crate) struct LinkSuggestion {
    pub(crate) path: String,
    pub(crate) target: String,
    pub(crate) target_title: String,
    pub(crate) score: f64,
    pub(crate) reason: String,
    /// Line and sentence in which it could stand.
    pub(crate) line: Option<u32>,
    pub(crate) sentence: Option<String>,
}

impl SuggestionsResponse {
    pub(crate) fn new(library: &Library, found: Vec<Suggestion>, orphans: &[usize]) -> Self {
        let path = |note: usize| library.notes[note].path.clone();
        let suggestions = found.into_iter().map(|found| LinkSuggestion {
            path: path(found.source),
            target: path(found.target),
            target_title: library.notes[found.target].title.clone(),
            score: super::rounded(found.score),
            reason: found.reason,
            line: found.mention.as_ref().map(|mention| mention.line),
            sentence: found.mention.map(|mention| mention.sentence),
        });
        Self {
            suggestions: suggestions.collect(),
            orphans: orphans.iter().map(|&note| path(note)).collect(),
        }
    }
}

/// How what is ticked is promoted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromoteParams {
    /// What is said of proposals, beside what the file says.
    pub(crate) marks: Option<Vec<super::QueueMark>>,
    /// Only tell what would change.
    pub(crate) dry_run: Option<bool>,
}
