//! djo sites inside an axum program, beside a route of its own: `cargo run --release -p djo-host --example embed -- sites/exemplo`.

use std::error::Error;
use std::net::SocketAddr;

use axum::Router;
use axum::routing::get;
use djo_host::options::ServeOptions;
use djo_host::server::Sites;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let paths = vec![arguments.next().unwrap_or_else(|| "sites/exemplo".into()).into()];
    let addr = arguments.next().unwrap_or_else(|| "127.0.0.1:3000".into());
    let data = std::env::temp_dir().join("djo-embed");

    let sites = Sites::load(ServeOptions { paths, data, ..ServeOptions::default() })?;
    let app = Router::new().route("/saude", get(|| async { "tudo bem" })).fallback_service(sites.router());

    let listener = TcpListener::bind(addr).await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, app.into_make_service_with_connect_info::<SocketAddr>()).await?;
    Ok(())
}
