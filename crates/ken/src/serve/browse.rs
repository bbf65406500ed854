//! Handlers of the routes for those who look around: counts, previews, notes that are alike, and what is to
//! be kept an eye on.

use std::time::Duration;

use anyhow::Result;
use axum::extract::State;
use axum::http::StatusCode;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::App;
use super::handlers::{Answer, check_query, within};
use super::input::{Asking, At, NotePath, Params};
use super::problem::Problem;
use crate::preview;
use crate::searcher::Searcher;
use crate::wire::browse::{
    CalendarResponse, ClientsResponse, DeadLinksResponse, FacetsParams, FacetsResponse,
    FindingsResponse, MapResponse, PreviewParams, PreviewResponse, SimilarParams, SimilarResponse,
};
use crate::wire::http::LIMIT_MAX;
use crate::wire::obsidian_uri;

/// How long a request waits for a map. It is drawn to its end in any case, one at a time, for the next who asks.
const DRAWN_WITHIN: Duration = Duration::from_secs(10);
/// Notes that are alike where no number is told.
const SIMILAR_LIMIT: u32 = 10;

pub(super) async fn facets(
    State(app): State<App>,
    At(searcher): At,
    Params(asked): Params<FacetsParams>,
) -> Answer<FacetsResponse> {
    let query = asked.q.unwrap_or_default();
    check_query(&query)?;
    app.ask(move || Ok(searcher.facets(&query)?.into())).await
}

pub(super) async fn calendar(State(app): State<App>, At(searcher): At) -> Answer<CalendarResponse> {
    app.ask(move || Ok(searcher.days()?.into())).await
}

pub(super) async fn map(State(app): State<App>, At(searcher): At) -> Answer<MapResponse> {
    let drawing = spawn_blocking(move || searcher.map());
    let drawn = match timeout(DRAWN_WITHIN, drawing).await {
        Err(_) => None,
        Ok(Ok(drawn)) => drawn?,
        Ok(Err(_)) => {
            let detail = "the map was not drawn to its end; that is a bug";
            return Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail));
        }
    };
    app.ask(move || Ok(drawn.as_deref().map(MapResponse::from).unwrap_or_default()))
        .await
}

pub(super) async fn preview(
    State(app): State<App>,
    At(searcher): At,
    NotePath(note): NotePath,
    Params(asked): Params<PreviewParams>,
) -> Answer<PreviewResponse> {
    app.ask(move || previewed(&searcher, &note, asked.from.as_deref(), asked.line))
        .await
}

/// Renders a note as a whole; the reference may name some of its lines.
pub(super) fn previewed(
    searcher: &Searcher,
    reference: &str,
    from: Option<&str>,
    line: Option<u32>,
) -> Result<PreviewResponse> {
    let passage = searcher.linked(reference, from)?;
    let (start_line, end_line) = (passage.start_line, passage.end_line);
    let note = &passage.note;
    let is_whole = start_line == 1 && end_line >= note.n_lines;
    let text = match is_whole {
        true => passage.text,
        false => searcher.passage(&note.path)?.text,
    };
    let format = passage.facts.source.format;
    let shown = preview::render(&note.path, &format, &text, line.unwrap_or(start_line));
    let vault = searcher.vault();
    let name = vault.and_then(|vault| vault.file_name());
    let name = name.unwrap_or_default().to_string_lossy().into_owned();
    Ok(PreviewResponse {
        uri: obsidian_uri(&name, &note.path, None),
        file: vault.map(|vault| vault.join(&note.path).display().to_string()),
        path: note.path.clone(),
        title: note.title.clone(),
        format,
        tags: note.tags.clone(),
        date: note.date.clone(),
        n_lines: note.n_lines,
        start_line,
        end_line,
        has_lines: note.has_lines(),
        is_cut: shown.is_cut,
        html: shown.html,
    })
}

pub(super) async fn similar(
    State(app): State<App>,
    At(searcher): At,
    NotePath(note): NotePath,
    Params(asked): Params<SimilarParams>,
) -> Answer<SimilarResponse> {
    let limit = within("k", asked.k, LIMIT_MAX)?.unwrap_or(SIMILAR_LIMIT);
    app.ask(move || Ok(searcher.similar(&note, limit)?.into()))
        .await
}

pub(super) async fn findings(State(app): State<App>, At(searcher): At) -> Answer<FindingsResponse> {
    app.ask(move || Ok(searcher.findings()?.into())).await
}

pub(super) async fn dead_links(
    State(app): State<App>,
    At(searcher): At,
) -> Answer<DeadLinksResponse> {
    app.ask(move || Ok(searcher.dead_links()?.into())).await
}

/// Tells who asks. Who may not ask every domain is not told who else may.
pub(super) async fn clients(State(app): State<App>, asking: Asking) -> Answer<ClientsResponse> {
    let owner = asking.caller.owner;
    let is_told = asking.searchers.all().len() == app.0.served.all().len();
    let response = ClientsResponse {
        you: Some(owner).filter(|owner| !owner.is_empty()),
        tokens: !app.0.clients.is_empty(),
        curate: asking.caller.may_curate,
        clients: match is_told {
            true => app.0.clients.clone(),
            false => Vec::new(),
        },
    };
    app.ask(move || Ok(response)).await
}
