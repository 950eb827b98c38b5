//! A real host whose queue for large answers is full: what has run is not told to have never begun.
#![allow(clippy::unwrap_used)]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, mpsc};

use http_body_util::{BodyExt as _, Full};

use crate::options::{ServeOptions, Silent};
use crate::pipeline::{self, Inbound, Scene};
use crate::server::Host;

const SITE: [(&str, &str); 3] = [
    ("rotas.djo", "Route.action:\"/guardar\":\"guardar\"\nRoute.get:\"/lista\":{\"agent\": \"lista.djo\", \"about\": \"Muitos\"}\n"),
    ("lista.djo", "x = Pagina:{\"itens\": (String.split:(String.repeat:\"a,\":40000):\",\"), \"truncated\": false}\nHttp.json:x\n"),
    (
        "core/a.djo",
        "action guardar\n    \"Conta, e dá muito\"\n    params[n[Int] = 1]\n    Store.inc:\"c\":\"k\":1\n    return Pagina:{\"itens\": (String.split:(String.repeat:\"a,\":40000):\",\"), \"truncated\": false}\n",
    ),
];

async fn ask(host: &Arc<Host>, method: &str, path: &str, key: Option<&str>, body: &'static str) -> (u16, String) {
    let request = http::Request::builder().method(method).uri(path).header("host", "casa.localhost").header("accept", "application/json");
    let request =
        key.into_iter().fold(request.header("content-type", "application/json"), |request, key| request.header("idempotency-key", key));
    let body = Full::from(body).map_err(|never: std::convert::Infallible| match never {}).boxed_unsync();
    let mut scene = Scene::new(request.body(Inbound::embedded(body)).unwrap(), IpAddr::V4(Ipv4Addr::LOCALHOST), false);
    let response = pipeline::answer(host, &mut scene).await;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_run_is_not_told_to_have_never_begun() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("casa");
    std::fs::create_dir_all(site.join("core")).unwrap();
    for (path, text) in SITE {
        std::fs::write(site.join(path), text).unwrap();
    }
    let options = ServeOptions { paths: vec![site], data: folder.path().join("data"), ..ServeOptions::default() };
    let host = Arc::new(Host::load(options, &Silent).unwrap());
    assert_eq!(ask(&host, "POST", "/guardar", None, "{}").await.0, 200);
    assert_eq!(ask(&host, "GET", "/lista", None, "").await.0, 200);

    let queue = host.registry.find("casa.localhost").unwrap().aside.clone();
    let (go, wait) = mpsc::channel::<()>();
    let (begin, begun) = tokio::sync::oneshot::channel();
    let piece = |work: Box<dyn FnOnce() + Send>| {
        let (host, queue) = (Arc::clone(&host), queue.clone());
        tokio::spawn(async move { host.sandbox.aside(&queue, work).await })
    };
    let mut waiting = vec![piece(Box::new(move || {
        begin.send(()).unwrap();
        wait.recv().unwrap_or_default();
    }))];
    begun.await.unwrap();
    // More than there is room for: it is full from then on.
    while !queue.is_full() {
        waiting.push(piece(Box::new(|| ())));
        tokio::task::yield_now().await;
    }
    // What only reads may come again.
    assert_eq!(ask(&host, "GET", "/lista", None, "").await.0, 503);
    assert_eq!(ask(&host, "POST", "/guardar", None, "{}").await.0, 500);
    let keyed = "{\"tool\":\"guardar\",\"request_id\":\"um\"}";
    for _ in 0..2 {
        let (status, answer) = ask(&host, "POST", "/agent/execute", None, keyed).await;
        assert!(status == 500 && answer.contains("\"retryable\":false"), "{answer}");
    }
    drop(go);
    for one in waiting {
        // Those that came too late found it full.
        let _ = one.await.unwrap();
    }
    // It ran three times: under its key once.
    let store = &host.registry.find("casa.localhost").unwrap().tenant.store;
    assert_eq!(store.increment("c", "k", 0).unwrap(), 3);
}
