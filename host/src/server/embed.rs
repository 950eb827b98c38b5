//! Sites inside a program of your own: a router for axum, to stand beside its routes and under its layers.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use http_body_util::BodyExt;

use super::{Host, ServeError};
use crate::options::{ServeOptions, Silent};
use crate::pipeline::{self, Inbound, Scene, client};
use crate::tenant::watch;

/// Loaded sites, to be served by someone else's server.
///
/// ```no_run
/// use axum::{Router, routing::get};
/// use djo_host::options::ServeOptions;
/// use djo_host::server::Sites;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let sites = Sites::load(ServeOptions { paths: vec!["sites".into()], ..ServeOptions::default() })?;
/// let app = Router::new().route("/saude", get(|| async { "ok" })).fallback_service(sites.router());
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
/// axum::serve(listener, app.into_make_service_with_connect_info::<std::net::SocketAddr>()).await?;
/// # Ok(())
/// # }
/// ```
pub struct Sites {
    host: Arc<Host>,
    secure: bool,
}

impl Sites {
    /// Loads the sites that the options name, and renews them as their files change. Must be called inside a tokio runtime. What the
    /// options say of addresses and TLS is the other server's.
    ///
    /// # Errors
    /// [`ServeError`]: the sandbox or the sites.
    pub fn load(options: ServeOptions) -> Result<Self, ServeError> {
        let host = Arc::new(Host::load(options, &Silent)?);
        tokio::spawn(watch::watch(Arc::clone(&host.registry), Arc::new(Silent)));
        Ok(Self { host, secure: false })
    }

    /// Tells that clients come over TLS: session cookies are then for TLS alone.
    #[must_use]
    pub fn secure(self) -> Self {
        Self { secure: true, ..self }
    }

    /// A router that answers every request for the sites, each by its `Host`. Without axum's [`ConnectInfo`] all clients count as one.
    pub fn router(&self) -> Router {
        let (host, secure) = (Arc::clone(&self.host), self.secure);
        Router::new().fallback(move |request: Request| answer(Arc::clone(&host), request, secure))
    }
}

async fn answer(host: Arc<Host>, request: Request, secure: bool) -> Response {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip());
    let client = client::address(&host.options, peer, request.headers());
    let secure = secure || client::is_secure(&host.options, peer, request.headers());
    let request = request.map(|body| Inbound::embedded(body.map_err(Into::into).boxed_unsync()));
    pipeline::answer(&host, &mut Scene::new(request, client, secure)).await.map(Body::new)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    async fn ask(addr: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(addr).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn sites_stand_beside_the_routes_of_a_program() {
        let folder = tempfile::tempdir().unwrap();
        let site = folder.path().join("casa");
        std::fs::create_dir_all(site.join("core")).unwrap();
        std::fs::write(site.join("rotas.djo"), "Route.action:\"/dobro\":\"dobro\":\"Int\"\n").unwrap();
        std::fs::write(site.join("core/dobro.djo"), "action dobro\n    params[n[Int]]\n    return n * 2\n").unwrap();
        let sites = Sites::load(ServeOptions { paths: vec![site], data: folder.path().join("data"), ..ServeOptions::default() }).unwrap();
        let app = Router::new().route("/saude", get(|| async { "bem" })).fallback_service(sites.router());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await });

        assert!(ask(addr, "GET /saude HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.ends_with("\r\n\r\nbem"));
        let post = |body: &str| {
            let length = body.len();
            format!(
                "POST /dobro HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
            )
        };
        let answer = ask(addr, &post("{\"n\":21}")).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n\r\n42"), "{answer}");
        assert!(ask(addr, &post("{\"n\":\"x\"}")).await.contains("deve ser Int, mas veio String"));
        let manifest = |method: &str| format!("{method} /.well-known/ai-manifest.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let (read, head) = (ask(addr, &manifest("GET")).await, ask(addr, &manifest("HEAD")).await);
        let (_, body) = read.split_once("\r\n\r\n").unwrap();
        let length = format!("\r\ncontent-length: {}\r\n", body.len());
        assert!(!body.is_empty() && read.contains(&length) && head.contains(&length) && head.ends_with("\r\n\r\n"), "{read} {head}");
        assert!(ask(addr, "GET /nada HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await.starts_with("HTTP/1.1 404"));
    }
}
