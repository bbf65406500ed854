//! The HTTP interface: routes over the searchers of the domains, behind one guard. Nothing but what
//! stands in an index can be read through it.

mod browse;
mod compat;
mod conversations;
mod curate;
mod form;
mod gate;
mod guard;
mod handlers;
mod health;
mod input;
mod keep;
mod listen;
mod openai;
mod openapi;
mod page;
mod patience;
mod problem;
mod rag;
mod reload;
mod reply;
mod routes;
mod signature;
mod table;
mod turns;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Extension, Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use kenning::budget::Stop;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::RequestBodyDeadlineLayer;

use crate::agent::{self, Models};
use crate::args::CompatServer;
use crate::conversations::ConversationsPlace;
use crate::hint::Hinted;
use crate::mcp;
use crate::runtime;
use crate::searcher::Searchers;
use crate::settings::{Caller, Client, Settings};
use crate::wire::browse::ClientSummary;
use gate::Gate;
use guard::Guard;
use listen::{BoundServer, Times};
use problem::Problem;

/// Most bytes of what is sent, and of a question that files come with.
const BODY_BYTES_MAX: usize = 1 << 20;
const FILES_BYTES_MAX: usize = 24 << 20;
/// Answers that are being written at once.
const CHATS_MAX: usize = 128;
/// Longest time that a question may take.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(30);
/// Questions that wait while all cores are busy; more are turned away.
const QUESTIONS_WAITING_MAX: usize = 256;
/// Reloads that wait for the one that runs.
const RELOADS_WAITING_MAX: usize = 8;
/// Reloads, and whatever else blocks, need threads besides those that answer.
const EXTRA_THREADS: usize = 4;
/// How long running requests may take after the signal to end.
const END_TIME_MAX: Duration = Duration::from_secs(10);

/// How to serve.
pub(crate) struct Options {
    pub(crate) address: SocketAddr,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) clients: Vec<Client>,
    /// Who asks where no token is needed.
    pub(crate) person: Caller,
    pub(crate) conversations: ConversationsPlace,
    /// Programs whose place is taken, and their ports.
    pub(crate) compat: Vec<(CompatServer, u16)>,
    /// Longest time that a request may take to arrive.
    pub(crate) read_time_max: Duration,
    pub(crate) settings: Settings,
}

/// What every handler can reach.
#[derive(Clone)]
struct App(Arc<Shared>);

struct Shared {
    /// Questions: as many at once as there are cores.
    questions: Gate,
    /// Reloads: one at a time.
    reloads: Gate,
    /// Results are written back one at a time.
    kept: keep::Shelf,
    conversations: ConversationsPlace,
    /// Answers that are being written.
    chats: Arc<Semaphore>,
    models: Models,
    answers: agent::Options,
    /// Who may ask, and how many domains there are.
    clients: Vec<ClientSummary>,
    /// Everything that is served, whoever may ask it.
    served: Searchers,
    /// The description at `/openapi.json`.
    description: Bytes,
    read_time_max: Duration,
}

/// Serves until a signal to end.
pub(crate) fn run(searchers: Searchers, options: Options, announce: impl Fn(&str)) -> Result<()> {
    // The handler that the index flow sets must come before that of the runtime, which calls it in
    // turn; the other way round it would take the signal away.
    let stop = runtime::stop_flag();
    let n_threads = runtime::n_threads();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(n_threads)
        .max_blocking_threads(n_threads + EXTRA_THREADS)
        .enable_all()
        .build()
        .context("no threads to serve with")?;
    let served = runtime.block_on(async {
        let servers = bind_all(searchers, &options).await?;
        let signal = listen::signals()?;
        announce(&listen::description(&servers)?);
        let times = Times {
            read_max: options.read_time_max,
            end_max: END_TIME_MAX,
        };
        let signal = async {
            signal.await;
            // What still indexes keeps what it has done, and says so.
            stop.store(true, Ordering::Relaxed);
        };
        listen::until_signal(servers, times, signal).await;
        Ok(())
    });
    runtime.shutdown_timeout(END_TIME_MAX);
    served
}

/// Opens the main address and those of the programs whose place is taken.
async fn bind_all(searchers: Searchers, options: &Options) -> Result<Vec<BoundServer>> {
    let app = App(Arc::new(Shared {
        questions: Gate::new(
            runtime::n_threads(),
            QUESTIONS_WAITING_MAX,
            Some(ANSWER_TIME_MAX),
        ),
        reloads: Gate::new(1, RELOADS_WAITING_MAX, None),
        kept: keep::Shelf::default(),
        conversations: options.conversations.clone(),
        chats: Arc::new(Semaphore::new(CHATS_MAX)),
        models: Models::new(&options.settings),
        answers: agent::Options::of(&options.settings),
        clients: options.clients.iter().map(client_summary).collect(),
        served: searchers.clone(),
        description: openapi::document(&routes::table()).into(),
        read_time_max: options.read_time_max,
    }));
    let guard = |address: SocketAddr, foreign: &'static [&'static str]| {
        Arc::new(Guard::new(searchers.clone(), address.ip(), options).trusting(foreign))
    };
    let listener = bind(options.address, "--port").await?;
    let router = guarded(
        router(app.clone(), &searchers),
        guard(options.address, guard::NO_SCHEMES),
        options.read_time_max,
    );
    let mut servers = vec![BoundServer::new("listening", listener, router)];
    for &(server, port) in &options.compat {
        // Those programs never listen to other machines.
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let (name, option, router, foreign) = match server {
            CompatServer::Omnisearch => (
                "omnisearch",
                "--omnisearch-port",
                compat::omnisearch::router(),
                compat::omnisearch::SCHEMES,
            ),
            CompatServer::Miyo => (
                "miyo",
                "--miyo-port",
                compat::miyo::router(),
                guard::NO_SCHEMES,
            ),
        };
        let router = guarded(
            router.with_state(app.clone()),
            guard(address, foreign),
            options.read_time_max,
        );
        servers.push(BoundServer::new(name, bind(address, option).await?, router));
    }
    Ok(servers)
}

fn client_summary(client: &Client) -> ClientSummary {
    ClientSummary {
        name: client.name.clone(),
        domains: client.domains.clone(),
        remembers: client.caller.may_remember,
    }
}

async fn bind(address: SocketAddr, option: &str) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        Hinted::error(
            format!("cannot listen on {address}: {error}"),
            format!("choose another port with `{option} N`, or 0 for any free one"),
        )
    })
}

/// Returns every route. Whatever else is to be asked behind the same guard is nested here: it finds
/// the searchers that the client may ask in the request, as `Extension<Searchers>`.
fn router(app: App, searchers: &Searchers) -> Router {
    let in_turn = middleware::from_fn_with_state(app.clone(), in_turn);
    let small = RequestBodyLimitLayer::new(BODY_BYTES_MAX);
    let of_domain = mcp::http(searchers.clone())
        .layer(in_turn.clone())
        .layer(small)
        .layer(middleware::from_fn(only_domain));
    table::router(routes::table())
        .nest(
            "/mcp",
            mcp::http(searchers.clone()).layer(in_turn).layer(small),
        )
        .nest("/d/{domain}/mcp", of_domain)
        .merge(page::router())
        .fallback(problem::no_such_path)
        .method_not_allowed_fallback(problem::wrong_method)
        .with_state(app)
}

/// Lets whoever speaks MCP wait for a turn, as everybody else does.
async fn in_turn(
    State(app): State<App>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let stop = Stop::default();
    request.extensions_mut().insert(stop.clone());
    app.0.questions.pass(stop, next.run(request)).await
}

/// Leaves of the searchers that a client may ask the one that its address names.
async fn only_domain(
    Path(domain): Path<HashMap<String, String>>,
    Extension(searchers): Extension<Searchers>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let name = domain.get("domain").cloned().unwrap_or_default();
    let unknown = |error| Problem::from(error).with_status(StatusCode::NOT_FOUND);
    searchers.get(Some(&name)).map_err(unknown)?;
    request.extensions_mut().insert(searchers.only(&[name]));
    Ok(next.run(request).await)
}

/// Puts the guard and the limits before routes. Handlers of ours wait for bodies themselves and say
/// so if it takes too long; the deadline here is for whoever does not.
fn guarded(router: Router, guard: Arc<Guard>, read_time_max: Duration) -> Router {
    // What is told as it forms is not held back for the sake of its size.
    let compressed = DefaultPredicate::new().and(NotForContentType::const_new(reload::NDJSON));
    router
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(RequestBodyLimitLayer::new(FILES_BYTES_MAX))
        .layer(RequestBodyDeadlineLayer::new(2 * read_time_max))
        .layer(middleware::from_fn_with_state(guard, guard::admit))
        .layer(CompressionLayer::new().compress_when(compressed))
        .layer(middleware::map_response(with_safe_headers))
}

async fn with_safe_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    let unkept = HeaderValue::from_static("no-store");
    headers.entry(header::CACHE_CONTROL).or_insert(unkept);
    response
}
