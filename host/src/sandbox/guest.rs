//! The state of one running guest: who it is, what it may ask, and what it has asked so far.

use std::net::IpAddr;
use std::sync::Arc;

use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::bindings::djo::site::{context, log, progress, store};
use super::clock_and_random::MAX_RANDOM;
use super::fault::Fault;
use super::growth::Growth;
use super::log_lines::{LOG_LINE, LogLines};
use super::meter::Meter;
use super::outbound::{Calls, Hooks};
use super::output::Output;
use super::{Code, Context, Program, Progress, Tenant};
use crate::store::StoreError;
use crate::text::{cut, one_line};

/// What a run looked at. The host sees it for itself: a guest's word on it would not count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looked {
    /// It read a request header (a cookie is one).
    pub headers: bool,
    /// It read the client's address.
    pub client: bool,
}

/// The data of a guest's wasmtime store.
pub(super) struct Guest {
    pub(super) tenant: Arc<Tenant>,
    pub(super) context: Context,
    pub(super) looked: Looked,
    pub(super) growth: Growth,
    pub(super) meter: Arc<Meter>,
    log_lines: Option<Arc<LogLines>>,
    calls: Option<Arc<Calls>>,
    wasi: Option<Box<Wasi>>,
}

struct Wasi {
    ctx: WasiCtx,
    http: WasiHttpCtx,
    hooks: Hooks,
    table: ResourceTable,
}

impl Guest {
    pub(super) fn new(tenant: Arc<Tenant>, context: Context, meter: Arc<Meter>) -> Self {
        let growth = Growth::new(tenant.limits.memory_bytes);
        Self { tenant, context, looked: Looked::default(), growth, meter, log_lines: None, calls: None, wasi: None }
    }

    /// What the shared runtime runs. A component of a site's own has its program inside.
    pub(super) fn program(&self) -> wasmtime::Result<&Program> {
        match &self.tenant.code {
            Code::Djo(program) => Ok(program),
            Code::Component(_) => Err(wasmtime::Error::msg("the site has no program for the shared runtime")),
        }
    }

    /// Whether the run has left nothing behind: it met no limit, grew its memory to no more than this, and gave back what it held of
    /// the host's, which a request that follows could otherwise find under the same number.
    pub(super) fn is_clean(&self, most_memory: usize) -> bool {
        let holds_nothing = self.wasi.as_ref().is_none_or(|wasi| wasi.table.is_empty());
        !self.growth.is_refused() && self.growth.largest() <= most_memory && holds_nothing
    }

    /// Made on first use, as is what WASI needs: most djo runs never touch either.
    fn wasi(&mut self) -> &mut Wasi {
        let Self { tenant, context, log_lines, calls, wasi, .. } = self;
        wasi.get_or_insert_with(|| Box::new(Wasi::new(lines(log_lines, tenant, context), made(calls, tenant, context))))
    }

    /// What it called so far; made on first use, too.
    pub(super) fn calls(&mut self) -> &Arc<Calls> {
        made(&mut self.calls, &self.tenant, &self.context)
    }
}

fn made<'a>(calls: &'a mut Option<Arc<Calls>>, tenant: &Tenant, context: &Context) -> &'a Arc<Calls> {
    calls.get_or_insert_with(|| Calls::new(&tenant.outbound, &tenant.share, &tenant.name, &context.request_id))
}

fn lines<'a>(lines: &'a mut Option<Arc<LogLines>>, tenant: &Tenant, context: &Context) -> &'a Arc<LogLines> {
    lines.get_or_insert_with(|| Arc::new(LogLines::new(tenant, Arc::clone(&context.request_id))))
}

/// Handles that a run may hold at once of what the host keeps for it: streams, requests, timers.
const MAX_RESOURCES: usize = 1024;
/// Bytes of the headers behind one of them, as many as a request or an answer may have. With all handles it is the memory that a run
/// usually may have in its own.
const MAX_FIELDS: usize = 64 << 10;

impl Wasi {
    fn new(lines: &Arc<LogLines>, calls: &Arc<Calls>) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_RESOURCES);
        let mut http = WasiHttpCtx::new();
        http.set_field_size_limit(MAX_FIELDS);
        Self { ctx: closed(lines), http, hooks: Hooks(Arc::clone(calls)), table }
    }
}

/// No arguments, variables or folders, and no way to open a socket: what the host would have to hold for one is not even made.
fn closed(lines: &Arc<LogLines>) -> WasiCtx {
    let output = |level| Output::new(Arc::clone(lines), level);
    let mut builder = WasiCtx::builder();
    builder.stdout(output(log::Level::Print)).stderr(output(log::Level::Warn));
    builder.max_random_size(MAX_RANDOM).allow_tcp(false).allow_udp(false).allow_ip_name_lookup(false).build()
}

impl WasiView for Guest {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let wasi = self.wasi();
        WasiCtxView { ctx: &mut wasi.ctx, table: &mut wasi.table }
    }
}

impl WasiHttpView for Guest {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        let wasi = self.wasi();
        WasiHttpCtxView { ctx: &mut wasi.http, table: &mut wasi.table, hooks: &mut wasi.hooks }
    }
}

impl context::Host for Guest {
    fn header(&mut self, name: String) -> Option<String> {
        self.looked.headers = true;
        self.context.header(&name)
    }

    fn client_ip(&mut self) -> String {
        self.looked.client = true;
        match self.context.client {
            IpAddr::V6(address) => address.to_canonical().to_string(),
            IpAddr::V4(address) => address.to_string(),
        }
    }

    fn secure(&mut self) -> bool {
        self.context.secure
    }

    fn request_id(&mut self) -> String {
        self.context.request_id.to_string()
    }
}

impl store::Host for Guest {
    fn get(&mut self, collection: String, key: String) -> Result<Option<Vec<u8>>, String> {
        self.tenant.store.get(&collection, &key).map_err(|error| self.store_error(&error))
    }

    fn set(&mut self, collection: String, key: String, value: Vec<u8>) -> Result<(), String> {
        self.tenant.store.set(&collection, &key, &value).map_err(|error| self.store_error(&error))
    }

    fn delete(&mut self, collection: String, key: String) -> Result<bool, String> {
        self.tenant.store.delete(&collection, &key).map_err(|error| self.store_error(&error))
    }

    fn list(&mut self, collection: String, prefix: String, limit: u32, cursor: Option<String>) -> Result<store::Page, String> {
        let page = self.tenant.store.list(&collection, &prefix, limit, cursor.as_deref()).map_err(|error| self.store_error(&error))?;
        let items = page.items.into_iter().map(|(key, value)| store::Item { key, value }).collect();
        Ok(store::Page { items, cursor: page.cursor })
    }

    fn count(&mut self, collection: String) -> Result<u64, String> {
        self.tenant.store.count(&collection).map_err(|error| self.store_error(&error))
    }

    fn increment(&mut self, collection: String, key: String, delta: i64) -> Result<i64, String> {
        self.tenant.store.increment(&collection, &key, delta).map_err(|error| self.store_error(&error))
    }

    fn compare_and_swap(&mut self, collection: String, key: String, old: Option<Vec<u8>>, new: Option<Vec<u8>>) -> Result<bool, String> {
        self.tenant.store.compare_and_swap(&collection, &key, old.as_deref(), new.as_deref()).map_err(|error| self.store_error(&error))
    }

    fn next_id(&mut self, collection: String) -> Result<i64, String> {
        self.tenant.store.next_id(&collection).map_err(|error| self.store_error(&error))
    }
}

impl Guest {
    /// What the site's code may see of an error; what it may not goes into the log.
    fn store_error(&self, error: &StoreError) -> String {
        if error.is_fault() {
            self.tenant.log_error(&self.context.request_id, &format!("store: {}", error.detail()));
        }
        error.to_string()
    }
}

impl log::Host for Guest {
    fn write(&mut self, level: log::Level, message: String) {
        lines(&mut self.log_lines, &self.tenant, &self.context).write(level, &message);
    }

    fn fault(&mut self, message: String, file: String, line: u32) -> wasmtime::Result<()> {
        Err(Fault::trap(message, file, line))
    }
}

impl progress::Host for Guest {
    fn report(&mut self, done: f64, total: Option<f64>, message: Option<String>) {
        if tracing::enabled!(target: "djo::progress", tracing::Level::DEBUG) {
            let message = message.as_deref().map(|message| one_line(cut(message, LOG_LINE)));
            tracing::debug!(target: "djo::progress", site = %self.tenant.name, request = %self.context.request_id, done, total, message = message.as_deref());
        }
        if let Some(sink) = &self.context.progress {
            sink(Progress { done, total, message });
        }
    }
}
