//! Fetches a file from an address, from where it broke off. Redirects are followed, since no key is sent: but never
//! from an encrypted address to a plain one.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_LENGTH, CONTENT_RANGE, LOCATION, PROXY_AUTHORIZATION, RANGE};
use axum::http::{Request, Response, StatusCode, Uri};
use tokio::time::timeout;
use tokio_stream::StreamExt;

use super::error::{ModelError, Trouble};
use super::http::{AnyClient, root_cause};
use super::proxy::Connector;
use crate::settings::Proxies;

/// Longest wait for a connection, and for more of a file.
const CONNECT: Duration = Duration::from_secs(15);
const STALL: Duration = Duration::from_secs(60);
/// A hub sends on to where it keeps its files, and that may send on once more.
const REDIRECTS_MAX: usize = 5;

/// Takes what came of a file.
pub(crate) trait Sink {
    /// Is told where what follows begins, and how long the whole is, where that is known.
    fn begin(&mut self, from: u64, total: Option<u64>) -> std::io::Result<()>;

    /// Takes the next bytes.
    fn take(&mut self, bytes: &[u8]) -> std::io::Result<()>;
}

/// Fetches a file, beginning behind the first `from` bytes if the server can do that.
pub(crate) async fn fetch(
    url: &str,
    from: u64,
    proxies: &Proxies,
    sink: &mut dyn Sink,
) -> Result<(), ModelError> {
    let response = open(url, from, proxies).await?;
    let start = match response.status() {
        StatusCode::PARTIAL_CONTENT => start_of(&response).unwrap_or(0),
        _ => 0,
    };
    let length = response.headers().get(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let kept = |error: std::io::Error| {
        let what = format!("cannot keep what {} sends: {error}", host(url));
        ModelError::new(Trouble::Settings, what, "is the disk full?")
    };
    sink.begin(start, length.map(|length| start + length))
        .map_err(kept)?;
    let mut body = response.into_body().into_data_stream();
    loop {
        match timeout(STALL, body.next()).await {
            Ok(Some(Ok(bytes))) => sink.take(&bytes).map_err(kept)?,
            Ok(None) => return Ok(()),
            Ok(Some(Err(error))) => return Err(cut(url, &root_cause(&error))),
            Err(_) => return Err(cut(url, "nothing more came")),
        }
    }
}

/// Asks for a file, and follows where the server sends us on to.
async fn open(url: &str, from: u64, proxies: &Proxies) -> Result<Response<Body>, ModelError> {
    let mut at = url.to_owned();
    let mut from = from;
    for _ in 0..=REDIRECTS_MAX {
        let response = ask(&at, from, proxies).await?;
        let status = response.status();
        if status.is_redirection() {
            at = target(&at, &response)?;
        } else if status == StatusCode::RANGE_NOT_SATISFIABLE && from > 0 {
            // What is there is longer than the file: begin again.
            from = 0;
        } else if status.is_success() {
            return Ok(response);
        } else {
            return Err(refused(&at, status));
        }
    }
    let what = format!("{} sends us in circles", host(url));
    Err(ModelError::new(Trouble::Refused, what, MIRROR))
}

const MIRROR: &str = "name another place with `mirror` of [models] in the settings, or bring the files with `--from FOLDER`";

async fn ask(url: &str, from: u64, proxies: &Proxies) -> Result<Response<Body>, ModelError> {
    let bad = |_| {
        let what = format!("{url} is not an address");
        ModelError::new(Trouble::Settings, what, MIRROR)
    };
    let uri: Uri = url.parse().map_err(bad)?;
    let connector = Connector::new(proxies, CONNECT);
    let mut request = Request::builder().uri(&uri);
    if from > 0 {
        request = request.header(RANGE, format!("bytes={from}-"));
    }
    if let Some(login) = connector.proxy_login(&uri) {
        request = request.header(PROXY_AUTHORIZATION, login);
    }
    let request = request.body(Body::empty()).map_err(|_| {
        ModelError::new(
            Trouble::Settings,
            format!("{url} is not an address"),
            MIRROR,
        )
    })?;
    let client = AnyClient::new(uri.scheme_str() == Some("https"), &connector)?;
    match timeout(STALL, client.request(request)).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(error)) => {
            let what = format!("cannot reach {}: {}", host(url), root_cause(&error));
            Err(ModelError::new(Trouble::Unreachable, what, MIRROR))
        }
        Err(_) => Err(cut(url, "no answer came")),
    }
}

/// Where a redirect leads.
fn target(from: &str, response: &Response<Body>) -> Result<String, ModelError> {
    let wrong = |to: &str| {
        let what = format!("{} sends us on to {to:?}", host(from));
        ModelError::new(Trouble::Refused, what, MIRROR)
    };
    let to = response.headers().get(LOCATION);
    let to = to.and_then(|to| to.to_str().ok()).unwrap_or_default();
    if to.starts_with("https://") || to.starts_with("http://") && from.starts_with("http://") {
        return Ok(to.to_owned());
    }
    let base: Option<Uri> = from.parse().ok();
    let authority = base.as_ref().and_then(Uri::authority);
    match (authority, to.starts_with('/') && !to.starts_with("//")) {
        (Some(authority), true) => {
            let scheme = if from.starts_with("https:") {
                "https"
            } else {
                "http"
            };
            Ok(format!("{scheme}://{authority}{to}"))
        }
        _ => Err(wrong(to)),
    }
}

/// Where a part of a file begins.
fn start_of(response: &Response<Body>) -> Option<u64> {
    let range = response.headers().get(CONTENT_RANGE)?.to_str().ok()?;
    let range = range.strip_prefix("bytes ")?;
    range.split('-').next()?.parse().ok()
}

fn refused(url: &str, status: StatusCode) -> ModelError {
    let trouble = match status.as_u16() {
        429 => Trouble::Busy,
        500.. => Trouble::Failed,
        _ => Trouble::Refused,
    };
    let what = format!("{} answers with status {}", host(url), status.as_u16());
    ModelError::new(trouble, what, MIRROR)
}

fn cut(url: &str, why: &str) -> ModelError {
    let what = format!("{} broke off: {why}", host(url));
    ModelError::new(
        Trouble::Cut,
        what,
        "run it again: it goes on where it broke off",
    )
}

/// The place of an address, for messages; what is behind it may be signed.
fn host(url: &str) -> String {
    let uri: Option<Uri> = url.parse().ok();
    let authority = uri.as_ref().and_then(Uri::authority);
    authority.map_or_else(|| url.to_owned(), |authority| authority.host().to_owned())
}
