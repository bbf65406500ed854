//! Where tokens are needed, a person shows one once; the browser keeps a sign of it that no script can read
//! and no other site can have sent.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::super::App;
use super::super::guard::Guard;
use super::super::problem::Problem;
use super::{document, form_of, secured};

/// Days that a browser stays signed in.
const DAYS: u32 = 90;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Next {
    next: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Shown {
    token: String,
    next: String,
}

pub(super) async fn form(Query(asked): Query<Next>) -> Response {
    secured(Html(document::sign_in(own_page(&asked.next), None)))
}

pub(super) async fn enter(
    State(app): State<App>,
    Extension(guard): Extension<Arc<Guard>>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, Problem> {
    let form = form_of(&app, request).await?;
    let form: Uri = format!("/?{form}")
        .parse()
        .map_err(|_| Problem::bad("the form cannot be read"))?;
    let Query(shown) =
        Query::<Shown>::try_from_uri(&form).map_err(|_| Problem::bad("the form cannot be read"))?;
    let next = own_page(&shown.next);
    let Some(session) = guard.session(shown.token.trim()) else {
        let again = Html(document::sign_in(next, Some("This token is not known.")));
        let mut response = secured(again);
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        return Ok(response);
    };
    let mut response = Redirect::to(next).into_response();
    let seconds = DAYS * 24 * 3600;
    response
        .headers_mut()
        .insert(header::SET_COOKIE, cookie(&headers, &session, seconds)?);
    Ok(response)
}

pub(super) async fn leave(headers: HeaderMap) -> Result<Response, Problem> {
    let mut response = Redirect::to(super::SIGN_IN).into_response();
    let gone = cookie(&headers, "", 0)?;
    response.headers_mut().insert(header::SET_COOKIE, gone);
    Ok(response)
}

fn cookie(headers: &HeaderMap, value: &str, seconds: u32) -> Result<HeaderValue, Problem> {
    let name = Guard::cookie_name(headers);
    let cookie = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict");
    HeaderValue::from_str(&cookie)
        .map_err(|_| Problem::bad("the name of the server is not plain text"))
}

/// Returns where to go on: the page itself, whatever an address says.
fn own_page(next: &str) -> &str {
    match next {
        next if next.starts_with("/?") => next,
        _ => "/",
    }
}
