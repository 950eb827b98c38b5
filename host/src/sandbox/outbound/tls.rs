//! TLS of a site's calls, by the authorities that this machine trusts.

use djo_contract::fetch::Origin;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::error::{FetchError, TlsFault};
use crate::tls;

/// TLS of one site: sessions that are resumed are its own.
#[derive(Default)]
pub(super) struct Tls(tokio::sync::OnceCell<TlsConnector>);

impl Tls {
    async fn connector(&self) -> Result<&TlsConnector, FetchError> {
        self.0
            .get_or_try_init(|| async {
                let roots = tokio::task::spawn_blocking(tls::machine_roots).await.map_err(|_| FetchError::NoRoots)?;
                tls::connector(roots.map_err(|_| FetchError::NoRoots)?).map_err(|_| FetchError::NoRoots)
            })
            .await
    }

    /// Puts TLS over a connection; the certificate must be for the name, or the address, that is called.
    pub(super) async fn over(&self, stream: TcpStream, origin: &Origin) -> Result<TlsStream<TcpStream>, FetchError> {
        let failed = |source| FetchError::Tls { host: origin.host.clone(), fault: TlsFault::of(&source), source };
        tls::over(self.connector().await?, stream, &origin.host).await.map_err(failed)
    }
}
