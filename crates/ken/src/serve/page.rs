//! The page for people: files that are compiled in, a search that works without scripts, and the sign-in.
//! What it shows it asks at the same routes as everybody else.

mod assets;
mod document;
mod sign_in;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderValue, Method, Uri, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use serde::Deserialize;

use super::App;
use super::browse::previewed;
use super::handlers;
use super::input::Every;
use super::problem::Problem;
use crate::searcher::{SearchRequest, Searcher, Searchers};
use crate::wire::SearchResponse;
use crate::wire::browse::PreviewResponse;
use crate::wire::http::QUERY_CHARS_MAX;

/// Where the files of the page lie.
const FILES: &str = "/page/";
/// Where people show their token.
pub(super) const SIGN_IN: &str = "/sign-in";
/// Hits of a search without scripts.
const LIMIT: u32 = 20;

/// What the page may do: run its own scripts, and ask this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types kenning";

/// Returns what is served for people.
pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/", get(page))
        .route("/page/{file}", get(assets::file))
        .route(SIGN_IN, get(sign_in::form).post(sign_in::enter))
        .route("/sign-out", post(sign_in::leave))
}

/// Whether a path is answered without a token: nothing of it tells anything about notes.
pub(super) fn is_open(method: &Method, path: &str) -> bool {
    let is_read = matches!(*method, Method::GET | Method::HEAD);
    path == SIGN_IN || is_read && (path == "/" || path.starts_with(FILES))
}

/// What the address of the page says; scripts know more of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PageParams {
    q: String,
    view: Option<String>,
    /// Domains to ask, as a,b.
    domain: Option<String>,
    note: Option<String>,
    /// The domain of the note, where several are asked.
    of: Option<String>,
    from: Option<String>,
    line: Option<u32>,
}

async fn page(
    State(app): State<App>,
    Every(searchers): Every,
    uri: Uri,
    Query(asked): Query<PageParams>,
) -> Result<Response, Problem> {
    if searchers.all().is_empty() {
        let next = uri
            .query()
            .map_or("/".to_owned(), |query| format!("/?{query}"));
        let to = format!("{SIGN_IN}?next={}", crate::wire::encode(&next));
        return Ok(Redirect::to(&to).into_response());
    }
    let chosen = chosen(&searchers, asked.domain.as_deref())?;
    let shown = app.0.questions.run(move || Ok(shown(&chosen, &asked)));
    Ok(secured(Html(shown.await?)))
}

/// Returns the searchers of the domains that an address names. Those that are not known are left out, so that an
/// old address still shows the page.
fn chosen(searchers: &Searchers, named: Option<&str>) -> Result<Vec<Arc<Searcher>>, Problem> {
    let named = named.unwrap_or_default().split(',');
    let known = named.filter_map(|name| searchers.get(Some(name)).ok().map(Arc::clone));
    let mut known: Vec<_> = known.collect();
    if known.is_empty() {
        known.push(Arc::clone(searchers.get(None)?));
    }
    Ok(known)
}

/// Makes the document: the search of the address and the note it names, where scripts are not needed for it.
fn shown(searchers: &[Arc<Searcher>], asked: &PageParams) -> String {
    let is_find = asked.view.as_deref().is_none_or(|view| view == "find");
    let is_long = asked.q.chars().nth(QUERY_CHARS_MAX).is_some();
    let answer = match asked.q.trim() {
        query if !query.is_empty() && is_find && !is_long => Some(searched(searchers, query)),
        _ => None,
    };
    let note = asked.note.as_deref().filter(|_| is_find);
    let own = |searcher: &&Arc<Searcher>| asked.of.as_deref() == Some(searcher.name());
    let searcher = searchers.iter().find(own).or(searchers.first());
    let note = note.zip(searcher);
    let note = note.map(|(note, searcher)| noted(searcher, note, asked));
    document::page(asked, answer, note)
}

fn searched(searchers: &[Arc<Searcher>], query: &str) -> Result<SearchResponse, String> {
    let request = SearchRequest {
        query: query.to_owned(),
        limit: Some(LIMIT),
        ..SearchRequest::default()
    };
    let answer = handlers::searched(searchers, &request).map_err(Problem::from);
    answer.map_err(|problem| problem.details().detail)
}

fn noted(searcher: &Searcher, note: &str, asked: &PageParams) -> Result<PreviewResponse, String> {
    let shown = previewed(searcher, note, asked.from.as_deref(), asked.line);
    shown.map_err(|error| Problem::from(error).details().detail)
}

/// Says what a document may do, and that nobody may frame it.
fn secured(document: impl IntoResponse) -> Response {
    let mut response = document.into_response();
    let headers = response.headers_mut();
    let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::X_FRAME_OPTIONS, "DENY");
    // Other sites are told nothing; our own forms must be able to say where they come from.
    set(header::REFERRER_POLICY, "same-origin");
    set(
        header::HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    );
    response
}

/// Returns the body of a short form.
async fn form_of(app: &App, request: Request) -> Result<String, Problem> {
    use axum::body::Bytes;
    use axum::extract::FromRequest;
    let read = tokio::time::timeout(app.0.read_time_max, Bytes::from_request(request, app));
    let bytes = match read.await {
        Ok(Ok(bytes)) => bytes,
        _ => return Err(Problem::bad("the form did not arrive")),
    };
    String::from_utf8(bytes.to_vec()).map_err(|_| Problem::bad("the form is not plain text"))
}
