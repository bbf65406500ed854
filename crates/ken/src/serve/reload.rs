//! Brings an index up to date over HTTP, at once or told line by line as it goes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use kenning::index::{Progress, Stage};
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

use super::App;
use super::input::{At, Params};
use crate::runtime::How;
use crate::searcher::Searcher;
use crate::wire::IndexReport;
use crate::wire::http::{ReloadLine, ReloadParams, ReloadProgress};

pub(super) const NDJSON: &str = "application/x-ndjson";
/// Lines that wait for a slow reader; what is more is left out.
const LINES_WAITING_MAX: usize = 64;
/// Least time between two lines of progress.
const LINE_PAUSE: Duration = Duration::from_millis(100);

pub(super) async fn reload(
    State(app): State<App>,
    At(searcher): At,
    Params(params): Params<ReloadParams>,
    headers: HeaderMap,
) -> Response {
    let how = How {
        accept_removals: params.accept_removals.unwrap_or(false),
        ..How::default()
    };
    let mut accepted = headers.get_all(header::ACCEPT).iter();
    let wants_lines = accepted.any(|kind| kind.to_str().is_ok_and(|kind| kind.contains(NDJSON)));
    if wants_lines {
        return as_lines(app, searcher, how);
    }
    match app.reload(searcher, how, |_| ()).await {
        Ok(report) => Json(report).into_response(),
        Err(problem) => problem.into_response(),
    }
}

impl App {
    /// Reloads when its turn has come. A second reload waits for the first and finds nothing to do.
    pub(super) async fn reload(
        &self,
        searcher: Arc<Searcher>,
        how: How,
        progress: impl Fn(Progress) + Send + Sync + 'static,
    ) -> Result<IndexReport, super::problem::Problem> {
        self.0
            .reloads
            .run(move || Ok(IndexReport::from(&searcher.reload(how, &progress)?)))
            .await
    }
}

/// Answers at once, and goes on with a line now and then. Whether the client still listens or not,
/// the index is finished.
fn as_lines(app: App, searcher: Arc<Searcher>, how: How) -> Response {
    let (lines, told) = channel(LINES_WAITING_MAX);
    tokio::spawn(async move {
        let progress = teller(lines.clone());
        let last = match app.reload(searcher, how, progress).await {
            Ok(report) => ReloadLine::Report(Box::new(report)),
            Err(problem) => ReloadLine::Problem(problem.details()),
        };
        let _ = lines.send(line(&last)).await;
    });
    let body = Body::from_stream(ReceiverStream::new(told).map(Ok::<_, std::convert::Infallible>));
    ([(header::CONTENT_TYPE, NDJSON)], body).into_response()
}

/// Returns what tells progress, not more often than anybody could read.
fn teller(lines: Sender<Bytes>) -> impl Fn(Progress) + Send + Sync {
    let last: Mutex<Option<Instant>> = Mutex::default();
    move |progress| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < LINE_PAUSE) {
            return;
        }
        *last = Some(Instant::now());
        let _ = lines.try_send(line(&ReloadLine::Progress(ReloadProgress {
            of: match progress.stage {
                Stage::Notes => "notes",
                Stage::Pictures => "pictures",
                Stage::Vectors => "vectors",
            },
            done: progress.n_done,
            total: progress.n_total,
        })));
    }
}

fn line(line: &ReloadLine) -> Bytes {
    let mut text = serde_json::to_string(line).expect("every line is plain data");
    text.push('\n');
    text.into()
}
