//! Takes connections and hands their requests to routes, until a signal to end.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::patience::Patient;

/// Most open connections of one address.
const CONNECTIONS_MAX: u32 = 512;
/// How long to wait where a connection cannot be taken, such as when files run out.
const PAUSE: Duration = Duration::from_millis(100);

/// Routes at an address.
pub(super) struct BoundServer {
    name: &'static str,
    listener: TcpListener,
    router: Router,
}

impl BoundServer {
    pub(super) fn new(name: &'static str, listener: TcpListener, router: Router) -> Self {
        Self {
            name,
            listener,
            router,
        }
    }
}

/// How long things may take.
pub(super) struct Times {
    /// A request, to arrive; and an answer, to be taken.
    pub(super) read_max: Duration,
    /// What runs, to finish after the signal to end.
    pub(super) end_max: Duration,
}

/// Says in one line where is listened.
pub(super) fn description(servers: &[BoundServer]) -> Result<String> {
    let addresses: Result<Vec<String>> = servers
        .iter()
        .map(|server| {
            Ok(format!(
                "{} on http://{}",
                server.name,
                server.listener.local_addr()?
            ))
        })
        .collect();
    Ok(addresses?.join(", "))
}

/// Serves until the process is told to end; then what runs may finish, for a while.
pub(super) async fn until_signal(
    servers: Vec<BoundServer>,
    times: Times,
    signal: impl Future<Output = ()>,
) {
    let (end, ended) = watch::channel(());
    let mut tasks = JoinSet::new();
    for server in servers {
        tasks.spawn(serve(server, times.read_max, ended.clone()));
    }
    signal.await;
    drop(end);
    let _ = timeout(times.end_max, tasks.join_all()).await;
}

/// Begins to hear Ctrl-C and the wish of the system to end, and returns what waits for one of them.
/// Whoever was told that the server listens can rely on it.
pub(super) fn signals() -> Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    {
        use anyhow::Context;
        use tokio::signal::unix::{SignalKind, signal};
        let hear = |kind| signal(kind).context("signals cannot be heard");
        let mut interrupted = hear(SignalKind::interrupt())?;
        let mut terminated = hear(SignalKind::terminate())?;
        Ok(async move {
            tokio::select! {
                _ = interrupted.recv() => {}
                _ = terminated.recv() => {}
            }
        })
    }
    #[cfg(not(unix))]
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// Takes connections of one address. When it ends, all of them are closed.
async fn serve(server: BoundServer, read_time_max: Duration, mut ended: watch::Receiver<()>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX as usize));
    loop {
        let place = Arc::clone(&places).acquire_owned().await;
        let accepted = tokio::select! {
            accepted = server.listener.accept() => accepted,
            _ = ended.changed() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                let connection = talk(stream, server.router.clone(), read_time_max, ended.clone());
                tokio::spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
    let _ = places.acquire_many(CONNECTIONS_MAX).await;
}

/// Talks over one connection.
async fn talk(
    stream: TcpStream,
    router: Router,
    read_time_max: Duration,
    mut ended: watch::Receiver<()>,
) {
    let _ = stream.set_nodelay(true);
    let mut builder = Builder::new(TokioExecutor::new()).http1_only();
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(read_time_max);
    let service = TowerToHyperService::new(router);
    let mut connection =
        pin!(builder.serve_connection(TokioIo::new(Patient::new(stream, read_time_max)), service));
    // A connection that breaks is the client's affair.
    tokio::select! {
        _ = connection.as_mut() => {}
        _ = ended.changed() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
