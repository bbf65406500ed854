//! Whether the process lives, and whether what it serves can be asked: for those who send requests elsewhere if not, and
//! for people. Nobody waits for a turn here, and for an index no longer than a second.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::App;
use super::input::{At, Every};
use super::problem::RETRY_AFTER_SECS;
use crate::searcher::{Pulse, Searcher, Searchers};
use crate::wire::http::{DomainHealth, DomainStore, HealthResponse, Life, LiveResponse};

/// What is told of health: 503 where nothing can be asked.
pub(super) struct Told(HealthResponse);

impl IntoResponse for Told {
    fn into_response(self) -> Response {
        match self.0.status {
            Life::Ok | Life::Degraded => Json(self.0).into_response(),
            Life::Unavailable => {
                let later = [(header::RETRY_AFTER, RETRY_AFTER_SECS)];
                (StatusCode::SERVICE_UNAVAILABLE, later, Json(self.0)).into_response()
            }
        }
    }
}

pub(super) async fn live() -> Json<LiveResponse> {
    Json(LiveResponse::default())
}

/// Who may ask nothing is told of everything that is served, but only whether it can be asked.
pub(super) async fn health(State(app): State<App>, Every(searchers): Every) -> Told {
    let is_stranger = searchers.all().is_empty();
    let served = match is_stranger {
        true => &app.0.served,
        false => &searchers,
    };
    let looked = pulses(served).await;
    let known = if is_stranger { &[] } else { &looked[..] };
    Told(HealthResponse {
        domain: known.first().map(DomainHealth::of),
        domains: known.iter().map(DomainStore::of).collect(),
        ..HealthResponse::of(&looked)
    })
}

pub(super) async fn domain_health(At(searcher): At) -> Told {
    let pulse = searcher.pulse().await;
    let looked = (searcher, pulse);
    Told(HealthResponse {
        domain: Some(DomainHealth::of(&looked)),
        ..HealthResponse::of(&[looked])
    })
}

/// Looks at all indexes at once, so that it takes no longer than at one.
pub(super) async fn pulses(searchers: &Searchers) -> Vec<(Arc<Searcher>, Pulse)> {
    let looks = searchers.all().iter().map(|searcher| {
        let searcher = Arc::clone(searcher);
        tokio::spawn(async move {
            let pulse = searcher.pulse().await;
            (searcher, pulse)
        })
    });
    let mut looked = Vec::new();
    for look in looks.collect::<Vec<_>>() {
        looked.extend(look.await);
    }
    looked
}
