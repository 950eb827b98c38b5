//! The state of one running guest: who it is, what it may ask, and what it has asked so far.

use std::cmp::Ordering;
use std::net::IpAddr;
use std::sync::Arc;

use http::HeaderMap;
use wasmtime::ResourceLimiter;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::bindings::djo::site::{context, log, progress, store};
use super::meter::Meter;
use super::outbound::Closed;
use super::{Code, Context, Program, Tenant};
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
    pub(super) memory: MemoryLimit,
    pub(super) meter: Arc<Meter>,
    log_lines: u32,
    wasi: Option<Box<Wasi>>,
}

struct Wasi {
    ctx: WasiCtx,
    http: WasiHttpCtx,
    hooks: Closed,
    table: ResourceTable,
}

impl Guest {
    pub(super) fn new(tenant: Arc<Tenant>, context: Context, meter: Arc<Meter>) -> Self {
        let memory = MemoryLimit { most: tenant.limits.memory_bytes, largest: 0, refused: false };
        Self { tenant, context, looked: Looked::default(), memory, meter, log_lines: 0, wasi: None }
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
        !self.memory.refused && self.memory.largest <= most_memory && holds_nothing
    }

    /// Made on first use: most djo runs never touch it.
    fn wasi(&mut self) -> &mut Wasi {
        self.wasi
            .get_or_insert_with(|| Box::new(Wasi { ctx: closed(), http: WasiHttpCtx::new(), hooks: Closed, table: ResourceTable::new() }))
    }
}

/// No arguments, variables or folders, and no way to open a socket: what the host would have to hold for one is not even made.
fn closed() -> WasiCtx {
    WasiCtx::builder().allow_tcp(false).allow_udp(false).allow_ip_name_lookup(false).build()
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

/// The memory a guest may grow to, all its memories and tables counted one by one.
pub(super) struct MemoryLimit {
    most: usize,
    /// The most that one of them has grown to.
    largest: usize,
    /// It asked for more: a trap that follows is put down to it.
    pub(super) refused: bool,
}

impl ResourceLimiter for MemoryLimit {
    fn memory_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        let fits = desired <= self.most;
        self.refused |= !fits;
        self.largest = self.largest.max(if fits { desired } else { 0 });
        Ok(fits)
    }

    fn table_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> wasmtime::Result<bool> {
        let fits = desired <= 20_000;
        self.refused |= !fits;
        Ok(fits)
    }
}

impl context::Host for Guest {
    fn header(&mut self, name: String) -> Option<String> {
        self.looked.headers = true;
        joined(&self.context.headers, &name)
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

/// All values of a header as one, as RFC 9110 §5.3 joins them; bytes that are not UTF-8 are left out with their value.
fn joined(headers: &HeaderMap, name: &str) -> Option<String> {
    let separator = if name == "cookie" { "; " } else { ", " };
    let mut values = headers.get_all(name).iter().filter_map(|value| std::str::from_utf8(value.as_bytes()).ok());
    let mut all = values.next()?.to_owned();
    for value in values {
        all.push_str(separator);
        all.push_str(value);
    }
    Some(all)
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
            tracing::error!(site = &*self.tenant.name, request = &*self.context.request_id, "store: {}", error.detail());
        }
        error.to_string()
    }
}

/// A site's log line is cut here, and one run writes so many: no site can fill the log.
const LOG_LINE: usize = 8 << 10;
const LOG_LINES: u32 = 1000;

impl log::Host for Guest {
    fn write(&mut self, level: log::Level, message: String) {
        self.log_lines = self.log_lines.saturating_add(1);
        let message = match self.log_lines.cmp(&LOG_LINES) {
            Ordering::Less => one_line(cut(&message, LOG_LINE)),
            Ordering::Equal => "the rest of this run's lines is left out".into(),
            Ordering::Greater => return,
        };
        let (site, request) = (&*self.tenant.name, &*self.context.request_id);
        match level {
            log::Level::Print => tracing::info!(target: "djo::print", site, request, "{message}"),
            log::Level::Info => tracing::info!(target: "djo::log", site, request, "{message}"),
            log::Level::Warn => tracing::warn!(target: "djo::log", site, request, "{message}"),
            log::Level::Error => tracing::error!(target: "djo::log", site, request, "{message}"),
        }
    }
}

impl progress::Host for Guest {
    fn report(&mut self, done: f64, total: Option<f64>, message: Option<String>) {
        tracing::debug!(target: "djo::progress", site = %self.tenant.name, request = %self.context.request_id, done, total, message);
    }
}
