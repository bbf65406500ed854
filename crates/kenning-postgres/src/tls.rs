//! TLS to a server, by rustls. Certificates are always checked, by the system's authorities or by one that is named.

use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, CertificateError, ClientConfig, RootCertStore};

/// Makes connections private.
#[derive(Clone)]
pub(crate) struct Tls(Arc<ClientConfig>);

impl Tls {
    /// Trusts whom the system trusts, and whoever signed the certificate at a path.
    pub(crate) fn new(root_certificate: Option<&Path>) -> io::Result<Self> {
        let mut roots = RootCertStore::empty();
        match root_certificate {
            Some(path) => {
                let unreadable = |error| io::Error::other(format!("{}: {error}", path.display()));
                for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
                    let certificate = certificate.map_err(unreadable)?;
                    roots.add(certificate).map_err(io::Error::other)?;
                }
                if roots.is_empty() {
                    return Err(io::Error::other(format!(
                        "{}: there is no certificate in it",
                        path.display()
                    )));
                }
            }
            None => {
                let found = rustls_native_certs::load_native_certs();
                roots.add_parsable_certificates(found.certs);
            }
        }
        let config = ClientConfig::builder_with_provider(Arc::new(
            tokio_rustls::rustls::crypto::ring::default_provider(),
        ))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }
}

/// Says what is wrong with a certificate, in the words of whoever has to do something about it.
fn told(error: io::Error) -> io::Error {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    match inner {
        Some(rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            io::Error::other(
                "no authority that is trusted vouches for the server's certificate; name its own with sslrootcert=FILE",
            )
        }
        _ => error,
    }
}

/// Makes one connection private.
pub(crate) struct Connecting {
    config: Arc<ClientConfig>,
    host: Option<ServerName<'static>>,
}

/// A connection that is private.
pub(crate) struct Private<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Private<S>;
    type TlsConnect = Connecting;
    type Error = io::Error;

    fn make_tls_connect(&mut self, host: &str) -> io::Result<Connecting> {
        Ok(Connecting {
            config: Arc::clone(&self.0),
            host: ServerName::try_from(host.to_owned()).ok(),
        })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Connecting {
    type Stream = Private<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Private<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let host = self
                .host
                .ok_or_else(|| io::Error::other("a certificate needs the name of a host"))?;
            let connector = TlsConnector::from(self.config);
            let connected = connector.connect(host, stream).await;
            connected.map(Private).map_err(told)
        })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Private<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Private<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Private<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
