//! Handlers of the routes: requests over HTTP, handed to the searcher.

use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use kenning::cite::Citation;
use serde::Serialize;

use super::App;
use super::health::pulses;
use super::input::{Asking, At, Every, NotePath, Params, Sent};
use super::problem::Problem;
use super::reply::Reply;
use crate::context::{self, ContextRequest};
use crate::questions;
use crate::searcher::{AskRequest, Condition, NotesRequest, SearchRequest, Searcher, WalkRequest};
use crate::wire::http::{
    AskParams, CITATIONS_MAX, CONTEXT_LIMIT_MAX, ContextParams, DEPTH_MAX, Domain, DomainsResponse,
    LIMIT_MAX, LinesParams, NodeResponse, NotesParams, QUERY_CHARS_MAX, SearchParams, VerifyParams,
    WalkParams,
};
use crate::wire::{
    self, AskResponse, CitationFields, ContextResponse, LinksResponse, NotesResponse,
    SearchResponse, StatusResponse, TraverseResponse, VerifyResponse,
};

/// Notes of a list where no number is told.
const NOTES_LIMIT: u32 = 100;

pub(super) type Answer<T> = Result<Reply<T>, Problem>;

impl App {
    /// Asks a searcher on a thread of its own.
    pub(super) async fn ask<T: Serialize + 'static>(
        &self,
        question: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Answer<T> {
        let told = move || Ok(Reply::new(&question()?)?);
        self.0.questions.run(told).await
    }
}

pub(super) async fn search(
    State(app): State<App>,
    asking: Asking,
    Params(params): Params<SearchParams>,
) -> Answer<SearchResponse> {
    let searchers = asking.domains(params.domains.as_deref())?;
    let request = search_request(params)?;
    app.ask(move || searched(&searchers, &request)).await
}

pub(super) async fn search_sent(
    State(app): State<App>,
    asking: Asking,
    Sent(params): Sent<SearchParams>,
) -> Answer<SearchResponse> {
    let searchers = asking.domains(params.domains.as_deref())?;
    let request = search_request(params)?;
    app.ask(move || searched(&searchers, &request)).await
}

/// Asks every domain that was named; of several answers it makes one.
pub(super) fn searched(
    searchers: &[Arc<Searcher>],
    request: &SearchRequest,
) -> Result<SearchResponse> {
    let answers = searchers.iter().map(|searcher| {
        let answer = searcher.search(request)?.into();
        Ok((searcher.name().to_owned(), answer))
    });
    let answers = answers.collect::<Result<Vec<_>>>()?;
    let settings = searchers.first().map(|searcher| searcher.settings());
    let usual = settings.map_or(LIMIT_MAX, |settings| settings.search.limit);
    let limit = request.limit.unwrap_or(usual) as usize;
    wire::merge(answers, limit, request.max_tokens).context("no domain was asked; that is a bug")
}

fn search_request(params: SearchParams) -> Result<SearchRequest, Problem> {
    check_query(&params.q)?;
    if params.q.trim().is_empty() {
        return Err(Problem::bad("q is empty"));
    }
    let min_score = params.min_score.unwrap_or_default();
    if !(0.0..=1.0).contains(&min_score) {
        return Err(Problem::bad_value("min_score is not a number from 0 to 1"));
    }
    if params.max_tokens == Some(0) {
        return Err(Problem::bad_value("max_tokens must be at least 1"));
    }
    Ok(SearchRequest {
        query: params.q,
        limit: within("k", params.k, LIMIT_MAX)?,
        per_note: within("per_note", params.per_note, LIMIT_MAX)?,
        mode: params.mode.map(Into::into),
        fusion: None,
        min_score: min_score as f32,
        max_tokens: params.max_tokens.map(|n| n as usize),
        is_explained: params.explain.unwrap_or_default(),
        dates: params.dates,
        scope: None,
    })
}

pub(super) async fn ask(
    State(app): State<App>,
    At(searcher): At,
    Params(asked): Params<AskParams>,
) -> Answer<AskResponse> {
    let request = ask_request(asked)?;
    app.ask(move || ask_kept(&searcher, &request)).await
}

pub(super) async fn ask_sent(
    State(app): State<App>,
    At(searcher): At,
    Sent(asked): Sent<AskParams>,
) -> Answer<AskResponse> {
    let request = ask_request(asked)?;
    app.ask(move || ask_kept(&searcher, &request)).await
}

/// Answers, and keeps the question for reports.
fn ask_kept(searcher: &Searcher, request: &AskRequest) -> anyhow::Result<AskResponse> {
    let answer = AskResponse::from(searcher.ask(request)?);
    let paths = answer
        .sentences
        .iter()
        .map(|sentence| sentence.path.as_str());
    let asked = (answer.question.as_str(), answer.evidence);
    questions::record(searcher.settings(), searcher.located(), asked, paths);
    Ok(answer)
}

fn ask_request(asked: AskParams) -> Result<AskRequest, Problem> {
    check_query(&asked.q)?;
    if asked.q.trim().is_empty() {
        return Err(Problem::bad("q is empty"));
    }
    Ok(AskRequest {
        question: asked.q,
        mode: asked.mode.map(Into::into),
        is_deep: asked.deep.unwrap_or_default(),
        dates: asked.dates,
        scope: None,
    })
}

pub(super) fn check_query(query: &str) -> Result<(), Problem> {
    if query.chars().nth(QUERY_CHARS_MAX).is_some() {
        return Err(Problem::bad_value(format!(
            "the question is longer than {QUERY_CHARS_MAX} characters"
        )));
    }
    Ok(())
}

pub(super) async fn context(
    State(app): State<App>,
    At(searcher): At,
    Params(asked): Params<ContextParams>,
) -> Answer<ContextResponse> {
    check_query(&asked.q)?;
    if !(0.0..=1.0).contains(&asked.min_score.unwrap_or_default()) {
        return Err(Problem::bad_value("min_score is not a number from 0 to 1"));
    }
    let request = ContextRequest {
        message: asked.q,
        limit: within("k", asked.k, CONTEXT_LIMIT_MAX)?,
        min_score: asked.min_score.map(|score| score as f32),
        min_confidence: 0.0,
    };
    app.ask(move || {
        let searchers = [searcher];
        let found = context::collect(&searchers, &request, &Searcher::search, &|_, _| false)?;
        Ok(found.response)
    })
    .await
}

/// Checks that a number is from 1 to the most that is allowed.
pub(super) fn within(name: &str, value: Option<u32>, max: u32) -> Result<Option<u32>, Problem> {
    match value {
        Some(value) if !(1..=max).contains(&value) => Err(Problem::bad_value(format!(
            "{name} is not a number from 1 to {max}"
        ))),
        value => Ok(value),
    }
}

pub(super) async fn node(
    State(app): State<App>,
    At(searcher): At,
    NotePath(note): NotePath,
    Params(params): Params<LinesParams>,
) -> Answer<NodeResponse> {
    let reference = match params.lines {
        Some(lines) => format!("{note}:{}", checked_lines(&lines)?),
        None => note,
    };
    app.ask(move || Ok(searcher.node(&reference)?.into())).await
}

/// Returns lines that the engine understands: `3`, `3-9` or `3-`.
fn checked_lines(lines: &str) -> Result<&str, Problem> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|&line| line > 0);
    let is_range = match lines.split_once('-') {
        None => number(lines).is_some(),
        Some((from, "")) => number(from).is_some(),
        Some((from, to)) => number(from)
            .zip(number(to))
            .is_some_and(|(from, to)| from <= to && to < u32::MAX),
    };
    match is_range {
        true => Ok(lines),
        false => Err(Problem::bad_value("lines must look like 3, 3-9 or 3-")),
    }
}

pub(super) async fn links(
    State(app): State<App>,
    At(searcher): At,
    NotePath(note): NotePath,
) -> Answer<LinksResponse> {
    app.ask(move || Ok(searcher.links(&note)?.into())).await
}

pub(super) async fn traverse(
    State(app): State<App>,
    At(searcher): At,
    NotePath(note): NotePath,
    Params(params): Params<WalkParams>,
) -> Answer<TraverseResponse> {
    check_query(params.q.as_deref().unwrap_or_default())?;
    let request = WalkRequest {
        note,
        query: params.q,
        depth: within("depth", params.depth, DEPTH_MAX)?,
        limit: within("k", params.k, LIMIT_MAX)?,
        is_deep: params.deep.unwrap_or_default(),
        is_compared: params.compare.unwrap_or_default(),
    };
    app.ask(move || Ok(searcher.traverse(&request)?.into()))
        .await
}

pub(super) async fn notes(
    State(app): State<App>,
    At(searcher): At,
    Params(params): Params<NotesParams>,
) -> Answer<NotesResponse> {
    let limit = within("limit", params.limit, LIMIT_MAX)?.unwrap_or(NOTES_LIMIT);
    let request = NotesRequest {
        prefix: params.prefix.unwrap_or_default(),
        tag: params.tag,
        offset: params.offset.unwrap_or_default() as usize,
        limit: limit as usize,
        scope: None,
    };
    app.ask(move || Ok(searcher.notes(&request)?.into())).await
}

pub(super) async fn status(State(app): State<App>, At(searcher): At) -> Answer<StatusResponse> {
    app.ask(move || Ok(searcher.status()?.into())).await
}

pub(super) async fn verify(
    State(app): State<App>,
    At(searcher): At,
    Sent(params): Sent<VerifyParams>,
) -> Answer<VerifyResponse> {
    let citations: Vec<Citation> = match (params.citations, params.answer) {
        (Some(citations), None) => {
            let citations = citations.into_iter().map(CitationFields::from);
            citations.map(Citation::from).collect()
        }
        (None, Some(answer)) => wire::citations(&answer)
            .map_err(|error| Problem::from(error).with_status(StatusCode::UNPROCESSABLE_ENTITY))?,
        _ => {
            return Err(Problem::bad_value(
                "either citations or answer is needed, and not both",
            ));
        }
    };
    if citations.len() > CITATIONS_MAX {
        return Err(Problem::bad_value(format!(
            "these are more than {CITATIONS_MAX} citations"
        )));
    }
    app.ask(move || Ok(VerifyResponse::new(searcher.verify(citations)?)))
        .await
}

pub(super) async fn domains(Every(searchers): Every) -> Json<DomainsResponse> {
    let looked = pulses(&searchers).await;
    let domains = looked.iter().enumerate();
    Json(DomainsResponse {
        domains: domains
            .map(|(place, (searcher, pulse))| {
                let is_missing = pulse.condition == Condition::Missing;
                Domain {
                    name: searcher.name().to_owned(),
                    default: place == 0,
                    indexed: searcher.located().is_indexed() && !is_missing,
                }
            })
            .collect(),
    })
}

pub(super) async fn description(State(app): State<App>) -> Response {
    let kind = [(header::CONTENT_TYPE, super::table::JSON)];
    (kind, app.0.description.clone()).into_response()
}
