//! TLS at the server itself: one crypto provider, TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1 by ALPN.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::options::TlsFiles;

/// Why TLS could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read, or is not PEM of the right kind.
    #[error("{path}: {source}")]
    File {
        /// The file, as it was given.
        path: String,
        /// What is wrong with it.
        source: rustls::pki_types::pem::Error,
    },
    /// The chain is empty, or key and certificate do not belong together.
    #[error("the certificate cannot be used: {0}")]
    Certificate(#[from] rustls::Error),
}

/// Reads chain and key, and makes of them what accepts connections.
///
/// # Errors
/// [`TlsError`]
pub(super) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, TlsError> {
    let wrong = |path: &std::path::Path| {
        let path = path.display().to_string();
        |source| TlsError::File { path, source }
    };
    let chain = CertificateDer::pem_file_iter(&files.cert).and_then(Iterator::collect).map_err(wrong(&files.cert))?;
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(wrong(&files.key))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
