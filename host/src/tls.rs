//! TLS towards other servers: outbound calls of sites, and the commands that ask a site that is served elsewhere. Whom to trust is what
//! this machine says (its certificate store, or `SSL_CERT_FILE` and `SSL_CERT_DIR` in its place): an authority that the machine's owner
//! adds or takes away counts at the next start, without a new release of ours.

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// A connection, with and without TLS.
pub trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// Why nobody can be trusted.
#[derive(Debug, thiserror::Error)]
pub enum RootsError {
    /// The machine names no authority.
    #[error("no authority's certificate was found on this machine")]
    None,
    /// A file of authorities cannot be read, or holds none.
    #[error("{path}: {source}")]
    File {
        /// The file, as it was given.
        path: String,
        /// What is wrong with it.
        source: pem::Error,
    },
    /// What the file holds is no certificate of an authority.
    #[error("{path}: {source}")]
    Certificate {
        /// The file, as it was given.
        path: String,
        /// What is wrong with it.
        source: rustls::Error,
    },
}

/// Authorities that this machine trusts, read once. The machine's store may be hundreds of files.
///
/// # Errors
/// There is none.
pub fn machine_roots() -> Result<Arc<RootCertStore>, RootsError> {
    static ROOTS: OnceLock<Arc<RootCertStore>> = OnceLock::new();
    let roots = ROOTS.get_or_init(|| {
        let found = rustls_native_certs::load_native_certs();
        for error in &found.errors {
            tracing::warn!(%error, "an authority's certificate cannot be read");
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(found.certs);
        Arc::new(roots)
    });
    if roots.is_empty() { Err(RootsError::None) } else { Ok(Arc::clone(roots)) }
}

/// The authorities of a file (PEM), and nobody else.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub fn roots_of(file: &Path) -> Result<Arc<RootCertStore>, RootsError> {
    let path = || file.display().to_string();
    let unread = |source| RootsError::File { path: path(), source };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(unread)? {
        roots.add(certificate.map_err(unread)?).map_err(|source| RootsError::Certificate { path: path(), source })?;
    }
    if roots.is_empty() { Err(unread(pem::Error::NoItemsFound)) } else { Ok(Arc::new(roots)) }
}

/// What puts TLS over connections to those whom these authorities know: 1.2 and 1.3, for HTTP/1.1.
///
/// # Errors
/// The crypto provider lacks a version of the protocol.
pub fn connector(roots: Arc<RootCertStore>) -> Result<TlsConnector, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Puts TLS over a connection; the certificate must be for the name, or the address, that is called.
///
/// # Errors
/// The name is none, the other side speaks no TLS, or its certificate is not to be trusted.
pub async fn over(connector: &TlsConnector, stream: TcpStream, host: &str) -> io::Result<TlsStream<TcpStream>> {
    let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
    connector.connect(name, stream).await
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_authorities_holds_some() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.pem");
        assert!(matches!(roots_of(&file), Err(RootsError::File { .. })));
        for text in ["", "nada\n"] {
            std::fs::write(&file, text).unwrap();
            assert!(matches!(roots_of(&file), Err(RootsError::File { source: pem::Error::NoItemsFound, .. })), "{text:?}");
        }
        std::fs::write(&file, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        assert!(matches!(roots_of(&file), Err(RootsError::Certificate { .. })));
    }
}
