//! Serves notes to agents over the Model Context Protocol: tools, resources and prompts, on
//! standard input and output or over HTTP.
//!
//! The SDK speaks the protocol, in both of its eras: with a handshake (until 2025-11-25) and without
//! one (2026-07-28). Here is what it is asked for, and what the specification wants beyond it.

mod address;
mod answer;
mod arguments;
mod check;
mod choose;
mod find;
mod http;
mod instructions;
mod memory;
mod prompts;
mod read;
mod reply;
mod resources;
mod schema;
mod stdio;
mod text;
mod tools;
mod walk;

use std::pin::Pin;

use axum::http::request::Parts;
use kenning::budget::Stop;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult,
    DiscoverResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, MetaObject,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use strsim::levenshtein;

pub(crate) use http::http;
pub(crate) use stdio::stdio;
pub(crate) use tools::TOOLS;

use crate::hint::{self, Hinted};
use crate::searcher::Searchers;
use crate::searcher::asker::{self, Waiting};
use crate::settings::Caller;

type Context = RequestContext<RoleServer>;

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Tools and prompts are the same for everybody and for as long as this program runs.
const TABLE_TTL_MS: u64 = 3_600_000;

/// Methods of the protocol that are answered here.
const METHODS: [&str; 10] = [
    "initialize",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
    "ping",
];

/// The server of one client, or of one request over HTTP.
#[derive(Clone)]
struct Server {
    searchers: Searchers,
    caller: Caller,
}

impl Server {
    fn new(searchers: Searchers, caller: Caller) -> Self {
        Self { searchers, caller }
    }

    /// Returns the tools of whoever asks. One that writes is not even named to those who may not.
    fn tools(&self, context: &Context) -> impl Iterator<Item = &'static tools::ToolRow> {
        let parts = context.extensions.get::<Parts>();
        let caller = parts.and_then(|parts| parts.extensions.get::<Caller>());
        let may_write = caller.unwrap_or(&self.caller).may_remember;
        TOOLS.iter().filter(move |row| may_write || !row.writes)
    }

    /// Returns the searchers of a request: those its token allows where the guard has put them, all
    /// others of this server else.
    fn searchers(&self, context: &Context) -> Searchers {
        let parts = context.extensions.get::<Parts>();
        let allowed = parts.and_then(|parts| parts.extensions.get::<Searchers>());
        allowed.unwrap_or(&self.searchers).clone()
    }

    fn with_instructions(&self, context: &Context) -> impl Future<Output = ServerConfig> + use<> {
        let (info, searchers) = (self.get_info(), self.searchers(context));
        let asker = Asker::of(context);
        async move {
            match blocking(asker, move || instructions::write(&searchers)).await {
                Ok(text) => info.with_instructions(text),
                Err(_) => info,
            }
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities).with_server_info(implementation())
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        result.instructions = self.with_instructions(&context).await.instructions;
        Ok(result)
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let info = self.with_instructions(&context).await;
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        only_page(request)?;
        let tools = self
            .tools(&context)
            .map(tools::ToolRow::definition)
            .collect();
        let mut result = ListToolsResult::with_all_items(tools);
        result.meta = meta(&context);
        if result.meta.is_some() {
            result = result
                .with_ttl_ms(TABLE_TTL_MS)
                .with_cache_scope(CacheScope::Private);
        }
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let row = TOOLS.iter().find(|row| row.name == name)?;
        Some(row.definition())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(row) = self.tools(&context).find(|row| row.name == request.name) else {
            return Err(unknown_tool(&request.name, self.tools(&context)));
        };
        let searchers = self.searchers(&context);
        let has_links = searchers.settings().is_some_and(|s| s.mcp.resource_links);
        let arguments = request.arguments.unwrap_or_default();
        let answered = blocking(Asker::of(&context), move || {
            (row.run)(&searchers, arguments)
        })
        .await;
        let mut result = match answered {
            Ok(Ok(reply)) => reply.into_result(has_links),
            Ok(Err(error)) => reply::failed(&error),
            Err(_) => reply::failed(&Hinted::error(
                "this is a fault of ken itself; its message is on standard error",
                "ask in other words, and report it",
            )),
        };
        result.meta = meta(&context);
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let searchers = self.searchers(&context);
        let cursor = request.and_then(|request| request.cursor);
        let listed = blocking(Asker::of(&context), move || {
            resources::list(&searchers, cursor.as_deref())
        })
        .await;
        let mut result = listed.map_err(|_| broken())??;
        result.meta = meta(&context);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        only_page(request)?;
        let mut result = ListResourceTemplatesResult::with_all_items(vec![resources::template()]);
        result.meta = meta(&context);
        if result.meta.is_some() {
            result = result
                .with_ttl_ms(TABLE_TTL_MS)
                .with_cache_scope(CacheScope::Public);
        }
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let searchers = self.searchers(&context);
        let read = blocking(Asker::of(&context), move || {
            resources::read(&searchers, &request.uri)
        })
        .await;
        let mut result = read.map_err(|_| broken())??;
        result.meta = meta(&context);
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        only_page(request)?;
        let mut result = ListPromptsResult::with_all_items(prompts::all());
        result.meta = meta(&context);
        if result.meta.is_some() {
            result = result
                .with_ttl_ms(TABLE_TTL_MS)
                .with_cache_scope(CacheScope::Public);
        }
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let (row, asked) = prompts::asked(&request)?;
        let message = match row.is_opening() {
            true => {
                let searchers = self.searchers(&context);
                let told = blocking(Asker::of(&context), move || {
                    memory::opening(&searchers, &asked)
                });
                let told = told.await.map_err(|_| broken())?;
                told.map_err(|error| ErrorData::internal_error(hint::told(&error), None))?
            }
            false => row.message(&asked),
        };
        let mut result = row.result(message);
        result.meta = meta(&context);
        Ok(result.into())
    }

    /// A method that is known comes here when its parameters cannot be read.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: Context,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        Err(if METHODS.contains(&method.as_str()) {
            ErrorData::invalid_params(
                format!("the parameters of {method} are not understood"),
                None,
            )
        } else {
            let message = format!("there is no method {method}");
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
        })
    }
}

fn implementation() -> Implementation {
    Implementation::new("ken", env!("CARGO_PKG_VERSION"))
        .with_title("Kenning")
        .with_description("Search your notes by word and by meaning")
}

/// Results of 2026-07-28 say who they are from; older ones have said so in the handshake.
fn meta(context: &Context) -> Option<MetaObject> {
    let version = context.protocol_version()?;
    if version.as_str() < ProtocolVersion::V_2026_07_28.as_str() {
        return None;
    }
    let mut meta = MetaObject::new();
    let info = serde_json::to_value(implementation()).ok()?;
    meta.0.insert(SERVER_INFO.to_owned(), info);
    Some(meta)
}

/// These lists have one page, so there is no cursor that could be right.
fn only_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params(
            "the cursor is none of this server's",
            None,
        )),
    }
}

fn unknown_tool(name: &str, known: impl Iterator<Item = &'static tools::ToolRow>) -> ErrorData {
    let mut names: Vec<&str> = known.map(|row| row.name).collect();
    names.sort_by_key(|known| levenshtein(name, known));
    let message = format!(
        "there is no such tool, nothing was executed; known tools: {}",
        names.join(", ")
    );
    ErrorData::invalid_params(message, None)
}

fn broken() -> ErrorData {
    ErrorData::internal_error("this is a fault of ken itself", None)
}

/// Who waits for the answer to a request.
struct Asker {
    stop: Stop,
    cancelled: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Asker {
    /// Over HTTP, whoever let the request in knows when it is over.
    fn of(context: &Context) -> Self {
        let parts = context.extensions.get::<Parts>();
        let stop = parts.and_then(|parts| parts.extensions.get::<Stop>());
        Self {
            stop: stop.cloned().unwrap_or_default(),
            cancelled: Box::pin(context.ct.clone().cancelled_owned()),
        }
    }
}

/// The engine waits for disks and counts; the threads that speak with clients must not. It ends early where
/// a client takes its request back.
async fn blocking<T: Send + 'static>(
    asker: Asker,
    run: impl FnOnce() -> T + Send + 'static,
) -> Result<T, tokio::task::JoinError> {
    let Asker { stop, cancelled } = asker;
    let waiting = Waiting(stop.clone());
    let mut work = tokio::task::spawn_blocking(move || asker::on_behalf_of(&stop, run));
    tokio::select! {
        done = &mut work => return done,
        () = cancelled => drop(waiting),
    }
    work.await
}
