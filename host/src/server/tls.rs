//! TLS at the server itself: one crypto provider, TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1 by ALPN. Certificates are renewed every few weeks by
//! others: the files are looked at again and again.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;
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
    /// There is no certificate in the file.
    #[error("{0}: there is no certificate in it, as PEM")]
    NoCertificate(String),
    /// The chain is empty, or key and certificate do not belong together.
    #[error("the certificate cannot be used: {0}")]
    Certificate(#[from] rustls::Error),
}

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// What accepts connections, by the certificate that was read last.
pub(super) struct Tls {
    files: TlsFiles,
    config: ArcSwap<ServerConfig>,
    /// How the files looked before they were read first.
    first: Stamp,
}

/// When chain and key were changed, and how long they are.
type Stamp = [Option<(SystemTime, u64)>; 2];

impl Tls {
    /// Reads chain and key.
    ///
    /// # Errors
    /// [`TlsError`]
    pub(super) fn read(files: &TlsFiles) -> Result<Arc<Self>, TlsError> {
        let first = stamp(files);
        let config = ArcSwap::from(read(files)?);
        Ok(Arc::new(Self { files: files.clone(), config, first }))
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(self.config.load_full())
    }

    /// Reads the files anew whenever they have changed, for ever. What cannot be used leaves the certificate as it is.
    pub(super) async fn renew(self: Arc<Self>) {
        let mut known = self.first;
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let stamp = stamp(&self.files);
            if stamp == known {
                continue;
            }
            known = stamp;
            self.read_again();
        }
    }

    fn read_again(&self) {
        match read(&self.files) {
            Ok(config) => {
                self.config.store(config);
                tracing::info!("the certificate was read anew");
            }
            Err(error) => tracing::error!(%error, "the new certificate cannot be used: the last one stays"),
        }
    }
}

fn stamp(files: &TlsFiles) -> Stamp {
    [&files.cert, &files.key].map(|file| {
        let metadata = std::fs::metadata(file).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    })
}

fn read(files: &TlsFiles) -> Result<Arc<ServerConfig>, TlsError> {
    let wrong = |path: &Path| {
        let path = path.display().to_string();
        |source| TlsError::File { path, source }
    };
    let chain: Vec<_> = CertificateDer::pem_file_iter(&files.cert).and_then(Iterator::collect).map_err(wrong(&files.cert))?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate(files.cert.display().to_string()));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(wrong(&files.key))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
