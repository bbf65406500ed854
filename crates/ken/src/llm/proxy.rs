//! The way to a server: straight, or through a proxy.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::{HeaderValue, Uri};
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tower::Service;

use super::BoxFuture;
use crate::settings::Proxies;

type AnyError = Box<dyn Error + Send + Sync>;

/// Never asked through a proxy of the environment: the proxy's own `localhost` is another.
const OWN_MACHINE: &str = "localhost,127.0.0.0/8,::1";

/// Connects, through a proxy where one is set.
#[derive(Clone)]
pub(super) struct Connector {
    http: HttpConnector,
    matcher: Arc<Matcher>,
}

impl Connector {
    pub(super) fn new(proxies: &Proxies, connect: Duration) -> Self {
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(Some(connect));
        let matcher = match &proxies.own {
            Some(proxy) => Matcher::builder().all(proxy.as_str()),
            None => Matcher::builder()
                .http(proxies.http.as_str())
                .https(proxies.https.as_str())
                .no(format!("{OWN_MACHINE},{}", proxies.none)),
        };
        Self {
            http,
            matcher: Arc::new(matcher.build()),
        }
    }

    /// Returns what a proxy that is asked for a plain address wants to see with each request.
    pub(super) fn proxy_login(&self, uri: &Uri) -> Option<HeaderValue> {
        let is_plain = uri.scheme_str() == Some("http");
        let proxy = self.matcher.intercept(uri).filter(|_| is_plain)?;
        proxy.basic_auth().cloned()
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<Way>;
    type Error = AnyError;
    type Future = BoxFuture<'static, Result<Self::Response, AnyError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), AnyError>> {
        self.http.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let mut http = self.http.clone();
        let Some(proxy) = self.matcher.intercept(&uri) else {
            return Box::pin(async move { way(http.call(uri).await?, false) });
        };
        let at = proxy.uri().clone();
        let is_socks = at
            .scheme_str()
            .is_some_and(|scheme| scheme.starts_with("socks5"));
        if is_socks {
            let mut socks = SocksV5::new(at, http);
            if let Some((name, password)) = proxy.raw_auth() {
                socks = socks.with_auth(name.to_owned(), password.to_owned());
            }
            return Box::pin(async move { way(socks.call(uri).await?, false) });
        }
        if uri.scheme_str() == Some("https") {
            let mut tunnel = Tunnel::new(at, http);
            if let Some(login) = proxy.basic_auth() {
                tunnel = tunnel.with_auth(login.clone());
            }
            return Box::pin(async move { way(tunnel.call(uri).await?, false) });
        }
        Box::pin(async move { way(http.call(at).await?, true) })
    }
}

fn way(stream: TokioIo<TcpStream>, is_proxied: bool) -> Result<TokioIo<Way>, AnyError> {
    let stream = stream.into_inner();
    Ok(TokioIo::new(Way { stream, is_proxied }))
}

/// A connection that knows whether a proxy is to be told the whole address.
pub(super) struct Way {
    stream: TcpStream,
    is_proxied: bool,
}

impl Connection for Way {
    fn connected(&self) -> Connected {
        self.stream.connected().proxy(self.is_proxied)
    }
}

impl AsyncRead for Way {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Way {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
