//! Takes apart what a request says, strictly: an unknown name is an error that names the nearest
//! known one, never ignored.

use std::collections::HashSet;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use super::App;
use super::guard::body_bytes_max;
use super::problem::Problem;
use crate::hint;
use crate::searcher::{Searcher, Searchers};
use crate::settings::{Caller, suggestion};

/// The searcher that is asked: that of the domain in the path, or the first one of the client.
pub(super) struct At(pub(super) Arc<Searcher>);

impl FromRequestParts<App> for At {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let domain = path_part(parts, "domain").await?;
        let searchers = searchers(parts)?;
        found(searchers, domain.as_deref()).map(Self)
    }
}

/// Returns the searcher of a domain, or the first one; what is not known is a path that does not exist.
fn found(searchers: &Searchers, domain: Option<&str>) -> Result<Arc<Searcher>, Problem> {
    let searcher = searchers.get(domain).map(Arc::clone);
    searcher.map_err(|error| {
        let problem = Problem::new(StatusCode::NOT_FOUND, error.to_string());
        match hint::of(&error) {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    })
}

/// Every searcher that the client may ask.
pub(super) struct Every(pub(super) Searchers);

impl FromRequestParts<App> for Every {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        searchers(parts).cloned().map(Self)
    }
}

/// Who asks, and what it may ask: of the domain in the path, or all it may.
#[derive(Clone)]
pub(super) struct Asking {
    pub(super) caller: Caller,
    pub(super) searchers: Searchers,
}

impl FromRequestParts<App> for Asking {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let domain = path_part(parts, "domain").await?;
        let At(searcher) = At::from_request_parts(parts, app).await?;
        let searchers = match domain {
            Some(_) => searchers(parts)?.only(&[searcher.name().to_owned()]),
            None => searchers(parts)?.clone(),
        };
        let caller = parts.extensions.get::<Caller>().cloned();
        let caller = caller.ok_or_else(|| {
            Problem::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "nobody said who this client is; that is a bug",
            )
        })?;
        Ok(Self { caller, searchers })
    }
}

impl Asking {
    /// Returns the searchers of the domains that a parameter names, as `a,b`; the usual one where it names none.
    pub(super) fn domains(&self, named: Option<&str>) -> Result<Vec<Arc<Searcher>>, Problem> {
        let Some(named) = named else {
            return Ok(vec![found(&self.searchers, None)?]);
        };
        let mut names: Vec<&str> = named.split(',').map(str::trim).collect();
        let mut seen = HashSet::new();
        names.retain(|name| seen.insert(*name));
        let searchers = names.into_iter();
        searchers
            .map(|name| found(&self.searchers, Some(name)))
            .collect()
    }
}

/// The id in the path.
pub(super) struct Id(pub(super) String);

impl FromRequestParts<App> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let id = path_part(parts, "id").await?;
        Ok(Self(id.unwrap_or_default()))
    }
}

fn searchers(parts: &Parts) -> Result<&Searchers, Problem> {
    parts.extensions.get::<Searchers>().ok_or_else(|| {
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "nobody said what this client may ask; that is a bug",
        )
    })
}

/// The note that a path ends with.
pub(super) struct NotePath(pub(super) String);

impl FromRequestParts<App> for NotePath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let path = path_part(parts, "path").await?;
        Ok(Self(path.unwrap_or_default()))
    }
}

/// Returns a decoded part of the path, if the route has it.
async fn path_part(parts: &mut Parts, name: &str) -> Result<Option<String>, Problem> {
    use axum::extract::rejection::RawPathParamsRejection;
    match RawPathParams::from_request_parts(parts, &()).await {
        Ok(params) => {
            let mut params = params.iter();
            let found = params.find(|(key, _)| *key == name);
            Ok(found.map(|(_, value)| value.to_owned()))
        }
        Err(RawPathParamsRejection::InvalidUtf8InPathParam(_)) => {
            Err(Problem::bad("the path is not valid UTF-8"))
        }
        Err(_) => Ok(None),
    }
}

/// What stands behind the question mark.
pub(super) struct Params<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<App> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        params(&parts.uri).map(Self)
    }
}

fn params<T: DeserializeOwned>(uri: &Uri) -> Result<T, Problem> {
    Query::try_from_uri(uri)
        .map(|Query(params)| params)
        .map_err(|rejection| refused(&rejection.body_text(), "parameter"))
}

/// Checks that every parameter is one of those that a route knows.
pub(super) fn check_names(uri: &Uri, known: &[String]) -> Result<(), Problem> {
    let pairs: Vec<(String, String)> = params(uri)?;
    for (name, _) in &pairs {
        if known.contains(name) {
            continue;
        }
        let quoted: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        let expected = match quoted.as_slice() {
            [] => "there are no parameters".to_owned(),
            names => format!("expected one of {}", names.join(", ")),
        };
        return Err(refused(
            &format!("unknown field `{name}`, {expected}"),
            "parameter",
        ));
    }
    Ok(())
}

/// A body of JSON.
pub(super) struct Sent<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<App> for Sent<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "the body is not said to be JSON",
            )
            .hint("send the header Content-Type: application/json"));
        }
        let most = body_bytes_max(request.uri().path());
        let read = timeout(app.0.read_time_max, Bytes::from_request(request, app));
        let bytes = match read.await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(rejection)) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                return Err(too_large(most));
            }
            Ok(Err(_)) => return Err(Problem::bad("the body broke off")),
            Err(_) => return Err(late()),
        };
        json(&bytes).map(Self)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

/// Says that a body did not arrive in time.
pub(super) fn late() -> Problem {
    Problem::new(
        StatusCode::REQUEST_TIMEOUT,
        "the body took too long to arrive",
    )
}

/// Reads an object of known fields.
pub(super) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // A list would be taken for the fields of an object in their order.
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if matches!(first, Some(byte) if *byte != b'{') {
        return match serde_json::from_slice::<serde_json::Value>(bytes) {
            Ok(_) => Err(Problem::bad_value("the body is not an object")),
            Err(error) => Err(Problem::bad(format!("the body is not valid JSON: {error}"))),
        };
    }
    match Json::from_bytes(bytes) {
        Ok(Json(value)) => Ok(value),
        Err(JsonRejection::JsonDataError(error)) => Err(refused(&error.body_text(), "field")),
        Err(error) => Err(Problem::bad(format!(
            "the body is not valid JSON: {}",
            bare(&error.body_text())
        ))),
    }
}

/// Says that a body is larger than any may be.
pub(super) fn too_large(most: usize) -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!("the body is larger than {most} bytes"),
    )
}

/// Makes a problem of what serde says: what is unknown, missing or said twice cannot be understood;
/// anything else is a wrong value.
fn refused(message: &str, what: &str) -> Problem {
    let message = bare(message);
    let known_since = message.find("unknown field `");
    let detail = message.replace("unknown field", &format!("unknown {what}"));
    let detail = detail.replace("missing field", &format!("missing {what}"));
    let is_schema_fault = known_since.is_some()
        || message.contains("missing field")
        || message.contains("duplicate field");
    let problem = match is_schema_fault {
        true => Problem::bad(detail),
        false => Problem::bad_value(detail),
    };
    match known_since.and_then(|at| suggestion(&message[at..])) {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}

/// Takes the library's own words off the front.
fn bare(message: &str) -> &str {
    const FRONTS: [&str; 3] = [
        "Failed to deserialize query string: ",
        "Failed to deserialize the JSON body into the target type: ",
        "Failed to parse the request body as JSON: ",
    ];
    let front = FRONTS.iter().find_map(|front| message.strip_prefix(front));
    front.unwrap_or(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::http::SearchParams;

    #[track_caller]
    fn check(problem: Problem, status: u16, detail: &str, hint: Option<&str>) {
        let details = problem.details();
        assert_eq!(details.status, status, "{details:?}");
        assert!(details.detail.contains(detail), "{details:?}");
        assert_eq!(details.hint.as_deref(), hint, "{details:?}");
    }

    #[test]
    fn parameters_are_taken_apart_strictly() {
        let asked = |query: &str| {
            let uri: Uri = format!("/search?{query}").parse().unwrap();
            params::<SearchParams>(&uri)
        };
        let details = asked("q=roof+work&k=3&explain=true&min_score=0.5").unwrap();
        assert_eq!((details.q.as_str(), details.k), ("roof work", Some(3)));
        check(
            asked("q=a&per_nte=1").unwrap_err(),
            400,
            "unknown parameter `per_nte`",
            Some("did you mean `per_note`?"),
        );
        check(
            asked("k=1").unwrap_err(),
            400,
            "missing parameter `q`",
            None,
        );
        check(asked("q=a&k=x").unwrap_err(), 422, "k: ", None);
        check(asked("q=a&k=99999999999").unwrap_err(), 422, "k: ", None);
        check(asked("q=a&q=b").unwrap_err(), 400, "duplicate", None);
    }

    #[test]
    fn a_route_without_parameters_knows_none() {
        let uri: Uri = "/status?verbose=1".parse().unwrap();
        let problem = check_names(&uri, &[]).unwrap_err();
        check(problem, 400, "unknown parameter `verbose`", None);
        let problem = check_names(&uri, &["version".to_owned()]).unwrap_err();
        let hint = Some("did you mean `version`?");
        check(problem, 400, "unknown parameter `verbose`", hint);
    }

    #[test]
    fn bodies_are_objects_of_known_fields() {
        let sent = |body: &str| json::<SearchParams>(body.as_bytes());
        assert_eq!(sent(" {\"q\":\"a\"} ").unwrap().q, "a");
        check(sent("[\"a\"]").unwrap_err(), 422, "not an object", None);
        check(sent("{\"q\":").unwrap_err(), 400, "not valid JSON", None);
        check(sent("").unwrap_err(), 400, "not valid JSON", None);
        check(
            sent("{\"q\":\"\\ud800\"}").unwrap_err(),
            400,
            "not valid JSON",
            None,
        );
        check(
            sent("{\"q\":\"a\",\"k\":-1}").unwrap_err(),
            422,
            "k: ",
            None,
        );
        check(
            sent("{\"q\":\"a\",\"mod\":\"x\"}").unwrap_err(),
            400,
            "unknown field `mod`",
            Some("did you mean `mode`?"),
        );
    }
}
