//! TLS towards other servers. Whom to trust is what this machine says (its certificate store, or `SSL_CERT_FILE`): an authority that the
//! machine's owner adds or takes away counts at the next start, without a new release of ours.

use std::io;
use std::sync::{Arc, OnceLock};

use djo_contract::fetch::Origin;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::error::FetchError;

/// Authorities that this machine trusts, read once.
fn roots() -> &'static Arc<RootCertStore> {
    static ROOTS: OnceLock<Arc<RootCertStore>> = OnceLock::new();
    ROOTS.get_or_init(|| {
        let found = rustls_native_certs::load_native_certs();
        for error in &found.errors {
            tracing::warn!(%error, "an authority's certificate cannot be read");
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(found.certs);
        Arc::new(roots)
    })
}

/// TLS of one site: sessions that are resumed are its own.
#[derive(Default)]
pub(super) struct Tls(tokio::sync::OnceCell<TlsConnector>);

impl Tls {
    async fn connector(&self) -> Result<&TlsConnector, FetchError> {
        self.0
            .get_or_try_init(|| async {
                // The machine's store may be hundreds of files.
                let roots = tokio::task::spawn_blocking(roots).await.map_err(|_| FetchError::NoRoots)?;
                if roots.is_empty() {
                    return Err(FetchError::NoRoots);
                }
                let provider = Arc::new(rustls::crypto::ring::default_provider());
                let mut config = ClientConfig::builder_with_provider(provider)
                    .with_safe_default_protocol_versions()
                    .map_err(|_| FetchError::NoRoots)?
                    .with_root_certificates(Arc::clone(roots))
                    .with_no_client_auth();
                config.alpn_protocols = vec![b"http/1.1".to_vec()];
                Ok(TlsConnector::from(Arc::new(config)))
            })
            .await
    }

    /// Puts TLS over a connection; the certificate must be for the name, or the address, that is called.
    pub(super) async fn over(&self, stream: TcpStream, origin: &Origin) -> Result<TlsStream<TcpStream>, FetchError> {
        let failed = |source| FetchError::Tls { host: origin.host.clone(), source };
        let name = ServerName::try_from(origin.host.clone()).map_err(|error| failed(io::Error::other(error)))?;
        self.connector().await?.connect(name, stream).await.map_err(failed)
    }
}
