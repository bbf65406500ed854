//! Errors over HTTP, as RFC 9457 writes them.

use axum::Json;
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use kenning::Error;

use crate::hint::{self, Hinted};
use crate::wire::http::ProblemDetails;

pub(super) const PROBLEM_JSON: &str = "application/problem+json";
/// Seconds after which a client may try again.
pub(super) const RETRY_AFTER_SECS: u32 = 1;

/// Something that went wrong, and what the client can do.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    detail: String,
    hint: Option<String>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            detail: detail.into(),
            hint: None,
        }
    }

    /// The request cannot be understood.
    pub(super) fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// The request is understood, but a value in it cannot be.
    pub(super) fn bad_value(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Puts another status in place of the one that the error suggests.
    pub(super) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    pub(super) fn details(&self) -> ProblemDetails {
        ProblemDetails {
            r#type: "about:blank",
            title: self.status.canonical_reason().unwrap_or("Error"),
            status: self.status.as_u16(),
            detail: self.detail.clone(),
            hint: self.hint.clone(),
        }
    }
}

impl From<anyhow::Error> for Problem {
    fn from(error: anyhow::Error) -> Self {
        let hint = match error.downcast_ref::<Error>() {
            Some(Error::StoreMissing { .. }) => {
                Some("POST /reload makes the index, as `ken index` does".to_owned())
            }
            Some(Error::ConversationUnknown { .. }) => {
                Some("GET /conversations lists those that there are".to_owned())
            }
            Some(Error::NotFound { .. }) => {
                Some("GET /notes lists every path, GET /search finds the right one".to_owned())
            }
            _ => hint::of(&error),
        };
        let status = match error.downcast_ref::<Error>() {
            Some(Error::NotFound { .. }) => StatusCode::NOT_FOUND,
            Some(Error::ConversationUnknown { .. }) => StatusCode::NOT_FOUND,
            Some(Error::Ambiguous { .. }) => StatusCode::CONFLICT,
            Some(Error::TooCostly { .. }) => StatusCode::UNPROCESSABLE_ENTITY,
            Some(
                Error::StoreMissing { .. }
                | Error::StoreBusy { .. }
                | Error::StoreOutdated { .. }
                | Error::StoreNewer { .. }
                | Error::StoreOfAnother { .. }
                | Error::StoreCorrupt { .. }
                | Error::StoreUnreachable { .. }
                | Error::ModelMismatch { .. }
                | Error::VaultMissing { .. }
                | Error::Conversations { .. }
                | Error::Stopped,
            ) => StatusCode::SERVICE_UNAVAILABLE,
            Some(error) if hint::is_refused(error) => StatusCode::SERVICE_UNAVAILABLE,
            None if error.is::<kenning_curate::Error>() => StatusCode::CONFLICT,
            None if error.is::<Hinted>() => StatusCode::CONFLICT,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self {
            status,
            detail: hint::told(&error),
            hint,
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.details())).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        match self.status {
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, RETRY_AFTER_SECS.into());
            }
            StatusCode::UNAUTHORIZED => {
                let scheme = HeaderValue::from_static("Bearer realm=\"kenning\"");
                headers.insert(header::WWW_AUTHENTICATE, scheme);
            }
            _ => {}
        }
        response
    }
}

pub(super) async fn no_such_path(uri: Uri) -> Problem {
    Problem::new(
        StatusCode::NOT_FOUND,
        format!("there is nothing at {}", uri.path()),
    )
    .hint("GET /openapi.json describes every path")
}

pub(super) async fn wrong_method(method: Method, uri: Uri) -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        format!("{} does not answer to {method}", uri.path()),
    )
    .hint("the header Allow names the methods it answers to")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_away_is_asked_again_later() {
        let error = Error::StoreUnreachable {
            path: "postgres://db/notes#ken_work".into(),
            reason: "Connection refused".to_owned(),
        };
        let response = Problem::from(anyhow::Error::from(error)).into_response();
        assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert!(response.headers().contains_key(header::RETRY_AFTER));
    }

    #[test]
    fn nobody_is_told_by_which_name_a_server_was_asked() {
        let refused = "password authentication failed for user \"ann\"".to_owned();
        let problem = Problem::from(anyhow::Error::from(Error::Store {
            path: "postgres://db/notes#ken_work".into(),
            source: kenning::error::Refused(refused).into(),
        }));
        assert_eq!(problem.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(
            problem.detail,
            "the server that keeps the index refuses that"
        );
        assert!(problem.hint.is_some());
    }

    #[test]
    fn a_cause_is_told_once() {
        let error = Error::io("notes.md", std::io::Error::other("too many links"));
        let problem = Problem::from(anyhow::Error::from(error).context("reading"));
        assert_eq!(problem.detail, "reading: notes.md: too many links");
    }
}
