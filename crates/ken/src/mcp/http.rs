//! MCP over HTTP: one POST a message, no sessions, an answer in JSON.
//!
//! Who may come in is not decided here: `Host`, `Origin` and token are checked before a request
//! gets here, and the guard that checked them puts the `Searchers` of the client into the request.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use super::{Server, stdio};
use crate::searcher::Searchers;
use crate::settings::Caller;

/// The longest message that is read.
const BODY_BYTES_MAX: usize = 4 << 20;

/// Returns the service for `/mcp`, to be nested there. A request that carries `Searchers` among its extensions is answered
/// from those and no others.
pub(crate) fn http<S: Clone + Send + Sync + 'static>(searchers: Searchers) -> Router<S> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(BODY_BYTES_MAX)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    // The guard puts who asks into each request.
    let server = Server::new(searchers, Caller::default());
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    Router::new()
        .fallback_service(service)
        .layer(middleware::from_fn(readable))
}

/// The SDK answers a body it cannot read as if it were of another media type; the specification
/// wants a JSON-RPC error.
async fn readable(request: Request, next: Next) -> Result<Response, Infallible> {
    if request.method() != Method::POST {
        return Ok(next.run(request).await);
    }
    let (parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, BODY_BYTES_MAX).await else {
        return Ok(StatusCode::PAYLOAD_TOO_LARGE.into_response());
    };
    if let Err(error) = stdio::parse(&bytes) {
        let error = serde_json::to_string(&error).unwrap_or_default();
        let json = [(header::CONTENT_TYPE, "application/json")];
        return Ok((StatusCode::BAD_REQUEST, json, error).into_response());
    }
    Ok(next
        .run(Request::from_parts(parts, Body::from(bytes)))
        .await)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use axum::http::HeaderMap;
    use serde_json::{Value, json};
    use tempfile::TempDir;
    use tower::ServiceExt;

    use super::*;
    use crate::args::{Place, When};
    use crate::settings::Settings;

    /// A folder of notes and the searchers for it.
    fn searchers(folder: &TempDir, name: &str) -> Searchers {
        let vault = folder.path().join(name);
        fs::create_dir(&vault).unwrap();
        fs::write(
            vault.join("Note.md"),
            format!("# Note\n\nAbout the {name} boiler.\n"),
        )
        .unwrap();
        let config = folder.path().join("config.toml");
        fs::write(&config, "").unwrap();
        let place = Place {
            vault: Some(vault),
            domain: None,
            store: Some(folder.path().join(format!("{name}.db"))),
            config: Some(config),
            color: When::Never,
            quiet: true,
            ..Place::default()
        };
        let settings = Settings::load(&place, false).unwrap();
        let searchers = Searchers::open(&settings, &place).unwrap();
        searchers
            .get(None)
            .unwrap()
            .reload(crate::runtime::How::default(), &|_| {})
            .unwrap();
        searchers
    }

    fn message(method: &str, version: Option<&str>, mut params: Value) -> (HeaderMap, Value) {
        let mut headers = HeaderMap::new();
        let mut set =
            |name: &'static str, value: &str| headers.insert(name, value.parse().unwrap());
        set("host", "127.0.0.1:1");
        set("content-type", "application/json");
        set("accept", "application/json, text/event-stream");
        if let Some(version) = version {
            set("mcp-protocol-version", version);
        }
        if version == Some("2026-07-28") {
            set("mcp-method", method);
            if let Some(name) = params["name"].as_str() {
                set("mcp-name", name);
            }
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        (
            headers,
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}),
        )
    }

    async fn post(
        searchers: &Searchers,
        allowed: Option<Searchers>,
        (headers, body): (HeaderMap, Value),
    ) -> (StatusCode, Value) {
        let app: Router = Router::new().nest("/mcp", http(searchers.clone()));
        let body = match body {
            Value::String(text) => text,
            body => body.to_string(),
        };
        let mut request = Request::post("/mcp").body(Body::from(body)).unwrap();
        *request.headers_mut() = headers;
        if let Some(allowed) = allowed {
            request.extensions_mut().insert(allowed);
        }
        let response = app.oneshot(request).await.unwrap();
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    #[tokio::test]
    async fn both_eras_are_answered_without_sessions() {
        let folder = TempDir::new().unwrap();
        let searchers = searchers(&folder, "work");
        let call = json!({"name": "search", "arguments": {"query": "boiler"}});
        for version in ["2026-07-28", "2025-11-25", "2025-06-18"] {
            let request = message("tools/call", Some(version), call.clone());
            let (status, answer) = post(&searchers, None, request).await;
            assert_eq!(status, StatusCode::OK, "{version} {answer}");
            let path = &answer["result"]["structuredContent"]["results"][0]["path"];
            assert_eq!(path, "Note.md", "{answer}");
            let is_modern = version == "2026-07-28";
            assert_eq!(answer["result"].get("resultType").is_some(), is_modern);
        }
        let request = message("server/discover", Some("2026-07-28"), json!({}));
        let (_, answer) = post(&searchers, None, request).await;
        assert!(
            answer["result"]["instructions"]
                .as_str()
                .unwrap()
                .contains("work: 1 note")
        );
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        });
        let (_, answer) = post(&searchers, None, message("initialize", None, hello)).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    }

    #[tokio::test]
    async fn a_request_is_answered_by_the_searchers_it_carries() {
        let folder = TempDir::new().unwrap();
        let (work, home) = (searchers(&folder, "work"), searchers(&folder, "home"));
        let request = || {
            message(
                "tools/call",
                Some("2026-07-28"),
                json!({"name": "status", "arguments": {}}),
            )
        };
        let (_, answer) = post(&work, Some(home), request()).await;
        let domains = &answer["result"]["structuredContent"]["domains"];
        assert_eq!(domains[0]["domain"], "home", "{answer}");
        assert!(!answer.to_string().contains("work"), "{answer}");
        let (_, answer) = post(&work, Some(work.only(&[])), request()).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }

    #[tokio::test]
    async fn what_is_wrong_has_the_status_and_code_of_the_specification() {
        let folder = TempDir::new().unwrap();
        let searchers = searchers(&folder, "work");
        let modern = Some("2026-07-28");
        let (headers, _) = message("tools/list", modern, json!({}));
        let broken = (headers, json!("{\"jsonrpc\": "));
        let (mut wrong, body) = message("tools/list", modern, json!({}));
        wrong.insert("mcp-method", "tools/call".parse().unwrap());
        let (old, mut future) = message("tools/list", modern, json!({}));
        let mut old = old;
        old.insert("mcp-protocol-version", "2099-01-01".parse().unwrap());
        future["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
        for (request, status, code) in [
            (broken, 400, -32700),
            ((wrong, body), 400, -32020),
            ((old, future), 400, -32022),
            (message("no/such", modern, json!({})), 404, -32601),
            (
                message("resources/read", modern, json!({"uri": "ken://work/x.md"})),
                400,
                -32020,
            ),
        ] {
            let (found, answer) = post(&searchers, None, request).await;
            assert_eq!(
                (found.as_u16(), &answer["error"]["code"]),
                (status, &json!(code)),
                "{answer}"
            );
        }
        let app: Router = Router::new().nest("/mcp", http(searchers));
        let response = app
            .oneshot(
                Request::get("/mcp")
                    .header("host", "127.0.0.1:1")
                    .body(Body::empty())
                    .unwrap(),
            )
            .await;
        assert_eq!(response.unwrap().status(), StatusCode::METHOD_NOT_ALLOWED);
    }
}
