//! Routes that change notes, for those who may.

use anyhow::Result;
use axum::extract::State;
use axum::http::StatusCode;
use kenning_curate::diff;
use kenning_curate::tags::queue::Mark;
use kenning_curate::write::Undone;

use super::App;
use super::handlers::Answer;
use super::input::{Asking, At, Sent};
use super::problem::Problem;
use crate::curate::{Curator, Renaming, rename_tags, tags};
use kenning_curate::intake::read::Given;

use crate::curate::intake as desk;
use crate::wire::{
    ChangeResponse, ChangeRun, ChangeRuns, DecideParams, DecideResponse, Decision, IntakeParams,
    IntakeResponse, PromoteParams, RenamesParams, ReviewResponse, UndoParams, WaitingItem,
    WaitingResponse,
};

/// Most items that are taken in at once.
const ITEMS_MAX: usize = 1000;
/// Most proposals that something is said of at once.
const MARKS_MAX: usize = 5000;
/// Most tags that get other names at once.
const RENAMES_MAX: usize = 1000;

/// Turns away who may not change notes.
fn may_change(asking: &Asking) -> Result<(), Problem> {
    match asking.caller.may_curate {
        true => Ok(()),
        false => Err(Problem::new(
            StatusCode::FORBIDDEN,
            "this client may not change notes",
        )
        .hint("set `curate = true` for the client, or `http = true` under [curate] for those without a token")),
    }
}

pub(super) async fn apply_renames(
    State(app): State<App>,
    At(searcher): At,
    asking: Asking,
    Sent(params): Sent<RenamesParams>,
) -> Answer<ChangeResponse> {
    may_change(&asking)?;
    if params.renames.is_empty() || params.renames.len() > RENAMES_MAX {
        return Err(Problem::bad_value(format!(
            "renames has to be a list of 1 to {RENAMES_MAX}"
        )));
    }
    let how = match params.merge.unwrap_or_default() {
        true => Renaming::Merging,
        false => Renaming::Alone,
    };
    let is_dry = params.dry_run.unwrap_or_default();
    let pairs = params
        .renames
        .into_iter()
        .map(|rename| (rename.old, rename.new));
    let pairs: Vec<(String, String)> = pairs.collect();
    app.ask(move || {
        let mut curator = Curator::open(searcher.located())?;
        let renamed = rename_tags(&curator, &pairs, how)?;
        let run = match is_dry {
            true => None,
            false => curator.commit(&renamed.batch)?,
        };
        let shown = is_dry.then(|| diff::unified(renamed.batch.changes()));
        Ok(ChangeResponse::new(
            &renamed.batch,
            run,
            shown,
            curator.notices,
        ))
    })
    .await
}

pub(super) async fn promote(
    State(app): State<App>,
    At(searcher): At,
    asking: Asking,
    Sent(params): Sent<PromoteParams>,
) -> Answer<ChangeResponse> {
    may_change(&asking)?;
    let is_dry = params.dry_run.unwrap_or_default();
    let marks = params.marks.unwrap_or_default();
    if marks.len() > MARKS_MAX {
        return Err(Problem::bad_value(format!(
            "marks has to be a list of at most {MARKS_MAX}"
        )));
    }
    let marks: Vec<Mark> = marks.into_iter().map(Mark::from).collect();
    app.ask(move || {
        let mut curator = Curator::open(searcher.located())?;
        let promoted = tags::promote(&curator, &marks)?;
        let run = match is_dry {
            true => None,
            false => curator.commit(&promoted.batch)?,
        };
        let shown = is_dry.then(|| diff::unified(promoted.batch.changes()));
        let mut notices = curator.notices;
        notices.extend(promoted.refused);
        Ok(ChangeResponse::new(&promoted.batch, run, shown, notices))
    })
    .await
}

pub(super) async fn review(
    State(app): State<App>,
    At(searcher): At,
    asking: Asking,
) -> Answer<ReviewResponse> {
    may_change(&asking)?;
    app.ask(move || {
        let curator = Curator::open(searcher.located())?;
        Ok(ReviewResponse::from(&tags::queue(&curator)?))
    })
    .await
}

pub(super) async fn runs(
    State(app): State<App>,
    At(searcher): At,
    asking: Asking,
) -> Answer<ChangeRuns> {
    may_change(&asking)?;
    app.ask(move || {
        let runs = Curator::open(searcher.located())?.writer.runs()?;
        Ok(ChangeRuns {
            runs: runs.into_iter().map(ChangeRun::from).collect(),
        })
    })
    .await
}

pub(super) async fn undo(
    State(app): State<App>,
    At(searcher): At,
    asking: Asking,
    Sent(params): Sent<UndoParams>,
) -> Answer<ChangeRun> {
    may_change(&asking)?;
    app.ask(move || {
        let which = params.run.map_or(Undone::Last, Undone::Run);
        let run = Curator::open(searcher.located())?.undo(which)?;
        Ok(ChangeRun::from(run))
    })
    .await
}

pub(super) async fn intake(
    State(app): State<App>,
    At(searcher): At,
    asking: Asking,
    Sent(params): Sent<IntakeParams>,
) -> Answer<IntakeResponse> {
    may_change(&asking)?;
    if params.items.is_empty() || params.items.len() > ITEMS_MAX {
        return Err(Problem::bad_value(format!(
            "items has to be a list of 1 to {ITEMS_MAX}"
        )));
    }
    let owner = asking.caller.owner.clone();
    let source = (!owner.is_empty()).then_some(owner);
    app.ask(move || {
        let mut given = Vec::new();
        for mut signal in params.items {
            signal.source = signal.source.or_else(|| source.clone());
            given.push(Given {
                name: "http.jsonl".to_owned(),
                bytes: serde_json::to_vec(&signal)?,
                in_vault: None,
            });
        }
        let is_dry = params.dry_run.unwrap_or_default();
        let taken = desk::take(&searcher, desk::brought(given), is_dry)?;
        let (judged, run) = (taken.judged, taken.run);
        Ok(IntakeResponse::new(
            &judged,
            run,
            taken.skipped,
            taken.notices,
        ))
    })
    .await
}

pub(super) async fn waiting(
    State(app): State<App>,
    At(searcher): At,
    asking: Asking,
) -> Answer<WaitingResponse> {
    may_change(&asking)?;
    app.ask(move || {
        let curator = Curator::open(searcher.located())?;
        let waiting = desk::waiting(&curator)?;
        let items = waiting.iter().map(WaitingItem::from).collect();
        Ok(WaitingResponse { items })
    })
    .await
}

pub(super) async fn decide(
    State(app): State<App>,
    At(searcher): At,
    asking: Asking,
    Sent(params): Sent<DecideParams>,
) -> Answer<DecideResponse> {
    may_change(&asking)?;
    app.ask(move || {
        let mut curator = Curator::open(searcher.located())?;
        let entry = desk::waiting_one(&curator, &params.id)?;
        let (path, run) = match params.decision {
            Decision::Keep => {
                let (path, run) = desk::keep(&mut curator, &entry, params.folder.as_deref())?;
                (Some(path), run)
            }
            Decision::Drop => {
                desk::drop_one(&curator, &entry)?;
                (None, None)
            }
        };
        Ok(DecideResponse {
            id: entry.id,
            path,
            run,
            notices: curator.notices,
        })
    })
    .await
}
