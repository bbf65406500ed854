//! Sends requests to a provider and waits for what comes back, within limits of time and size.
//!
//! A redirect is never followed: it would carry the key to another host. Errors name the provider and its
//! address, and never the key.

use std::error::Error;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_TYPE, LOCATION, PROXY_AUTHORIZATION};
use axum::http::{Request, Response, StatusCode, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::error::{ModelError, Trouble};
use super::proxy::Connector;
use super::retry;
use super::wire::{Call, Wire, error_text, trouble};
use crate::settings::{Key, Provider};

/// The longest reply that is read at once; 64 long vectors as text have some megabytes.
const REPLY_BYTES_MAX: usize = 64 << 20;
/// The longest reply of which an error is read.
const ERROR_BYTES_MAX: usize = 64 << 10;
/// What is told of the words of a server.
const ERROR_CHARS_MAX: usize = 300;
/// How long a connection that nobody uses is kept.
const IDLE: Duration = Duration::from_secs(30);

/// A provider and the connections to it.
pub(super) struct Endpoint {
    pub(super) provider: Provider,
    client: AnyClient,
    connector: Connector,
}

/// A client for plain addresses, or for encrypted ones.
pub(super) enum AnyClient {
    Plain(Client<Connector, Body>),
    Tls(Client<HttpsConnector<Connector>, Body>),
}

impl AnyClient {
    pub(super) fn new(is_encrypted: bool, connector: &Connector) -> Result<Self, ModelError> {
        let mut builder = Client::builder(TokioExecutor::new());
        builder.pool_idle_timeout(IDLE);
        if !is_encrypted {
            return Ok(Self::Plain(builder.build(connector.clone())));
        }
        // The certificates of the system: a company's own proxy is in them, too.
        let tls = HttpsConnectorBuilder::new().with_native_roots();
        let tls = tls.map_err(|error| {
            let what = format!("there are no certificates to check servers by: {error}");
            ModelError::new(
                Trouble::Settings,
                what,
                "install the package ca-certificates",
            )
        })?;
        let tls = tls.https_only().enable_http1();
        Ok(Self::Tls(
            builder.build(tls.wrap_connector(connector.clone())),
        ))
    }

    pub(super) async fn request(
        &self,
        request: Request<Body>,
    ) -> Result<Response<Body>, ClientError> {
        let response = match self {
            Self::Plain(client) => client.request(request).await?,
            Self::Tls(client) => client.request(request).await?,
        };
        Ok(response.map(Body::new))
    }
}

impl Endpoint {
    pub(super) fn new(provider: Provider) -> Result<Self, ModelError> {
        let connector = Connector::new(&provider.proxies, provider.connect);
        let client = AnyClient::new(provider.base_url.starts_with("https:"), &connector)?;
        Ok(Self {
            provider,
            client,
            connector,
        })
    }

    /// Sends a request and returns the response once its headers are there and good.
    pub(super) async fn send(
        &self,
        wire: &dyn Wire,
        call: &Call,
        deadline: Instant,
    ) -> Result<Response<Body>, ModelError> {
        let request = self.request(wire, call)?;
        let response = match timeout_at(deadline, self.client.request(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(self.not_sent(&error)),
            Err(_) => return Err(self.too_late()),
        };
        match response.status().is_success() {
            true => Ok(response),
            false => Err(self.refusal(response, deadline).await),
        }
    }

    /// Sends a request and returns the whole reply.
    pub(super) async fn json(
        &self,
        wire: &dyn Wire,
        call: &Call,
        deadline: Instant,
    ) -> Result<Value, ModelError> {
        let response = self.send(wire, call, deadline).await?;
        let body = to_bytes(response.into_body(), REPLY_BYTES_MAX);
        let body = timeout_at(deadline, body)
            .await
            .map_err(|_| self.too_late())?;
        let body = body.map_err(|error| self.broken_off(&error))?;
        serde_json::from_slice(&body)
            .map_err(|error| self.bad_reply(&format!("this is not JSON: {error}")))
    }

    fn request(&self, wire: &dyn Wire, call: &Call) -> Result<Request<Body>, ModelError> {
        let uri = format!("{}{}", self.provider.base_url, call.path);
        let uri: Uri = uri.parse().map_err(|_| {
            let what = format!("{} is not an address", self.provider.base_url);
            ModelError::new(Trouble::Settings, what, self.advice("base_url"))
        })?;
        let key = match &self.provider.key {
            Key::None => None,
            Key::Set { key, .. } => Some(key.as_str()),
            Key::Missing { variable } => return Err(self.no_key(variable)),
        };
        let method = if call.body.is_some() { "POST" } else { "GET" };
        let mut request = Request::builder().method(method);
        for (name, value) in wire.headers(key) {
            request = request.header(name, value);
        }
        if let Some(login) = self.connector.proxy_login(&uri) {
            request = request.header(PROXY_AUTHORIZATION, login);
        }
        let body = match &call.body {
            Some(body) => Body::from(body.to_string()),
            None => Body::empty(),
        };
        let request = request.header(CONTENT_TYPE, "application/json").uri(uri);
        request.body(body).map_err(|_| {
            let what = format!("{}: the key cannot be sent", self.provider.name);
            let hint = "a key has letters, digits and punctuation only, without line ends";
            ModelError::new(Trouble::KeyRefused, what, hint)
        })
    }

    async fn refusal(&self, response: Response<Body>, deadline: Instant) -> ModelError {
        let status = response.status();
        let retry_after = retry::wanted(response.headers());
        if status.is_redirection() {
            return self.redirected(&response);
        }
        let body = to_bytes(response.into_body(), ERROR_BYTES_MAX);
        let body = timeout_at(deadline, body).await;
        let body = body.ok().and_then(Result::ok).unwrap_or_default();
        let body = String::from_utf8_lossy(&body).into_owned();
        let words = serde_json::from_str(&body).ok();
        let words = words.as_ref().and_then(error_text).unwrap_or(body);
        let mut error = self.refused(status, &words);
        error.retry_after = retry_after;
        error
    }

    /// Says why a request was refused, by status and the words of the server.
    pub(super) fn refused(&self, status: StatusCode, words: &str) -> ModelError {
        let trouble = trouble(status.as_u16(), words);
        let place = self.place();
        let code = status.as_u16();
        let words = self.clean(words);
        let provider = &self.provider;
        let what = match (trouble, &provider.key) {
            // What is said of a key may hold a part of it.
            (Trouble::KeyRefused, Key::Set { variable, .. }) => {
                format!("{place} does not take the key in {variable} (status {code})")
            }
            (Trouble::KeyRefused, _) => format!("{place} wants a key (status {code})"),
            (Trouble::ModelUnknown, _) => {
                format!("{place} does not know the model {:?}", provider.model)
            }
            (Trouble::Busy, _) => format!("{place} is busy (status {code}): {words}"),
            _ => format!("{place} answers with status {code}: {words}"),
        };
        ModelError::new(trouble, what, self.hint(trouble))
    }

    fn redirected(&self, response: &Response<Body>) -> ModelError {
        let target = response.headers().get(LOCATION);
        let target = target.and_then(|target| target.to_str().ok()?.parse::<Uri>().ok());
        let host = target
            .as_ref()
            .and_then(Uri::host)
            .unwrap_or("another place");
        let what = format!("{} sends us on to {host}", self.place());
        let hint = format!("if that is right, {}", self.advice("base_url"));
        ModelError::new(Trouble::Refused, what, hint)
    }

    fn not_sent(&self, error: &ClientError) -> ModelError {
        let why = self.clean(&root_cause(error));
        if error.is_connect() {
            let what = format!("cannot connect to {}: {why}", self.place());
            let hint = match why.contains("certificate") {
                true => "have your system know who signed the certificate, or name the signer's file in SSL_CERT_FILE".to_owned(),
                false => self.hint(Trouble::Unreachable),
            };
            return ModelError::new(Trouble::Unreachable, what, hint);
        }
        self.broken_off(error)
    }

    fn no_key(&self, variable: &str) -> ModelError {
        let name = &self.provider.name;
        ModelError::new(
            Trouble::KeyMissing,
            format!("the key of the provider {name} should be in {variable}, which is not set"),
            format!("set {variable}, or {}", self.advice("key_env")),
        )
    }

    /// The answer, or the connection, ended before it was complete.
    pub(super) fn broken_off(&self, error: &dyn Error) -> ModelError {
        let why = self.clean(&root_cause(error));
        let what = format!("{} broke off: {why}", self.place());
        ModelError::new(Trouble::Cut, what, self.hint(Trouble::Cut))
    }

    pub(super) fn too_late(&self) -> ModelError {
        let what = format!("{} took too long", self.place());
        ModelError::new(Trouble::TimedOut, what, self.hint(Trouble::TimedOut))
    }

    pub(super) fn bad_reply(&self, what: &str) -> ModelError {
        let what = format!("{}: {}", self.place(), self.clean(what));
        ModelError::new(Trouble::BadReply, what, self.hint(Trouble::BadReply))
    }

    /// The provider and its address, for messages.
    pub(super) fn place(&self) -> String {
        format!("{} ({})", self.provider.name, self.provider.base_url)
    }

    fn advice(&self, key: &str) -> String {
        let name = &self.provider.name;
        format!("correct `{key}` of [llm.providers.{name}] in the settings")
    }

    fn hint(&self, trouble: Trouble) -> String {
        match trouble {
            Trouble::KeyMissing | Trouble::KeyRefused => match &self.provider.key {
                Key::Set { variable, .. } => format!("check what {variable} holds"),
                _ => format!(
                    "name the variable that holds the key: key_env = \"NAME\" in [llm.providers.{}]",
                    self.provider.name
                ),
            },
            Trouble::Unreachable => {
                format!(
                    "start the server, or {}; `ken doctor` tests it",
                    self.advice("base_url")
                )
            }
            Trouble::TimedOut => format!(
                "raise `first_token_ms` or `total_ms` of [llm.providers.{}], or choose a smaller model",
                self.provider.name
            ),
            Trouble::ModelUnknown => self.advice("model"),
            Trouble::NoTools => {
                "choose a model that knows tools, or set `tools = false`".to_owned()
            }
            Trouble::NoThinking => format!(
                "leave out `thinking` of [llm.providers.{}]",
                self.provider.name
            ),
            Trouble::NoPictures => "choose a model that sees pictures".to_owned(),
            Trouble::TooLong => {
                "ask with fewer or shorter texts, or raise the context of the model".to_owned()
            }
            Trouble::BadReply => self.advice("kind` or `base_url"),
            Trouble::Refused | Trouble::Settings => "`ken doctor` tests the provider".to_owned(),
            Trouble::Busy | Trouble::Failed | Trouble::Cut => "try again in a moment".to_owned(),
        }
    }

    /// Returns foreign words as they may be shown: one line, short, without the key.
    pub(super) fn clean(&self, words: &str) -> String {
        let mut words = words.to_owned();
        if let Key::Set { key, .. } = &self.provider.key {
            words = words.replace(key.as_str(), "…");
        }
        let words: Vec<&str> = words
            .split(|c: char| c.is_control() || c.is_whitespace())
            .filter(|word| !word.is_empty())
            .collect();
        let words = words.join(" ");
        match words.char_indices().nth(ERROR_CHARS_MAX) {
            Some((end, _)) => format!("{}…", &words[..end]),
            None if words.is_empty() => "no reason was given".to_owned(),
            None => words,
        }
    }
}

/// Returns what lies at the bottom of an error.
pub(super) fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
