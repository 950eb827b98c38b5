//! Which instances are kept for another request, and which are not.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use djo_lang::Sources;
use http::HeaderMap;

use super::{Answer, Code, Context, Entry, Outbound, Program, Request, Reuse, RunError, RunLimits, Sandbox, Tenant};
use crate::site::SiteName;
use crate::site::config::SiteConfig;
use crate::store::{StoreSettings, Stores};

const ROUTES: &str = r#"
Route.get:"/ok":{"agent": "agentes/ok.djo"}
Route.get:"/falha":{"agent": "agentes/falha.djo"}
Route.get:"/gira":{"agent": "agentes/gira.djo"}
Route.get:"/come":{"agent": "agentes/come.djo"}
Route.get:"/incha":{"agent": "agentes/incha.djo"}
"#;

const OK: u32 = 0;
const FAILS: u32 = 1;
const SPINS: u32 = 2;
const EATS: u32 = 3;
const SWELLS: u32 = 4;

fn sandbox() -> &'static Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    SANDBOX.get_or_init(|| {
        let data = tempfile::tempdir().unwrap();
        Sandbox::new(crate::build::RUNTIME, data.path(), 64 << 20, 64 << 20).unwrap()
    })
}

fn tenant(reuse: bool) -> Arc<Tenant> {
    let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
    let files = BTreeMap::from([
        file("rotas.djo", ROUTES),
        file("agentes/ok.djo", "Http.json:1\n"),
        file("agentes/falha.djo", "fail:\"de propósito\"\n"),
        file("agentes/gira.djo", "while true\n    x = 1\n"),
        file("agentes/come.djo", "xs = []\nwhile true\n    Arr.push:xs:(String.repeat:\"abcdefghij\":100000)\n"),
        file("agentes/incha.djo", "Http.json:(String.len:(String.repeat:\"abcdefghij\":400000))\n"),
    ]);
    let compiled = djo_lang::compile(&Sources { files }).unwrap_or_else(|failed| panic!("{:?}", failed.diagnostics));
    let data = tempfile::tempdir().unwrap();
    let store = Stores::new(data.path(), StoreSettings::default()).site(&SiteName::new("um").unwrap(), 1);
    let limits =
        RunLimits { memory_bytes: 32 << 20, timeout: Duration::from_millis(300), cpu: Duration::from_secs(60), response_bytes: 1 << 20 };
    let code = Code::Djo(Program { image: compiled.image.into(), contract: Arc::from([]) });
    let outbound = Arc::new(Outbound::new(&SiteConfig::default()));
    let share = sandbox().share(&Arc::from("um"));
    Arc::new(Tenant { name: Arc::from("um"), code, store, limits, outbound, share, reuse: reuse.then(Reuse::default) })
}

/// A tenant that has had a request a moment ago, in an instance that is not kept: one request does not say that more come.
async fn visited(reuse: bool) -> Arc<Tenant> {
    let tenant = tenant(reuse);
    run(&tenant, OK).await.unwrap();
    assert_eq!(kept(&tenant), None);
    tenant
}

async fn run(tenant: &Arc<Tenant>, route: u32) -> Result<Answer, RunError> {
    let context = Context {
        headers: Arc::new(HeaderMap::new()),
        client: IpAddr::V4(Ipv4Addr::LOCALHOST),
        secure: false,
        request_id: Arc::from("id"),
        progress: None,
    };
    let request = Request {
        method: "GET".into(),
        path: "/".into(),
        query: String::new(),
        body: Vec::new(),
        entry: Entry::Agent(route),
        params: Vec::new(),
        arguments: Vec::new(),
    };
    sandbox().run(tenant, context, &Arc::new(request), None, None).await
}

/// How many requests the tenant's idle instance has served; `None` when there is none.
fn kept(tenant: &Arc<Tenant>) -> Option<u32> {
    let instance = sandbox().idle.take(tenant)?;
    let served = instance.served();
    sandbox().idle.put(instance);
    Some(served)
}

#[tokio::test]
async fn an_instance_serves_128_requests_and_then_goes() {
    let tenant = visited(true).await;
    for n in 1..128 {
        assert_eq!(run(&tenant, OK).await.unwrap().response.body, b"1");
        assert_eq!(kept(&tenant), Some(n));
    }
    run(&tenant, OK).await.unwrap();
    assert_eq!(kept(&tenant), None);
}

#[tokio::test]
async fn a_failure_of_the_sites_code_keeps_it_and_every_limit_ends_it() {
    let tenant = visited(true).await;
    run(&tenant, OK).await.unwrap();
    assert!(matches!(run(&tenant, FAILS).await, Err(RunError::Failed(_))));
    assert_eq!(kept(&tenant), Some(2));
    assert!(matches!(run(&tenant, SPINS).await, Err(RunError::TimedOut)));
    assert_eq!(kept(&tenant), None);
    run(&tenant, OK).await.unwrap();
    assert!(run(&tenant, EATS).await.is_err());
    assert_eq!(kept(&tenant), None);
    assert_eq!(run(&tenant, SWELLS).await.unwrap().response.body, b"4000000");
    assert_eq!(kept(&tenant), None, "it has grown");
}

#[tokio::test]
async fn an_instance_is_of_one_revision_and_only_where_it_may() {
    let (first, second, fresh) = (visited(true).await, visited(true).await, visited(false).await);
    run(&first, OK).await.unwrap();
    run(&fresh, OK).await.unwrap();
    assert_eq!((kept(&first), kept(&second), kept(&fresh)), (Some(1), None, None));
}

#[tokio::test]
async fn those_that_wait_for_too_long_go() {
    let tenant = visited(true).await;
    run(&tenant, OK).await.unwrap();
    sandbox().idle.sweep();
    assert!(kept(&tenant).is_some());
    tokio::time::sleep(super::idle::PATIENCE * 2).await;
    assert!(kept(&tenant).is_none());
}
