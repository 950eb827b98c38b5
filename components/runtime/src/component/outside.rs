//! The machine's outside: what is about the request comes from its door, all else from the component's imports.

use alloc::{string::String, vec::Vec};

use djo_vm::host::{Call, Host, HostResult, Level, Reply, StorePage};

use djo_guest_sdk::Around;
use djo_guest_sdk::bindings::djo::site::{log, outbound, progress, store};
use djo_guest_sdk::bindings::wasi::{clocks::wall_clock, random::random};

use super::bindings::djo::site::program;

/// By what the request's door tells.
pub(super) struct Outside<'a>(pub(super) &'a dyn Around);

impl Host for Outside<'_> {
    fn contract(&mut self) -> Vec<u8> {
        program::contract()
    }

    fn header(&mut self, name: &str) -> Option<String> {
        self.0.header(name)
    }

    fn client_ip(&mut self) -> String {
        self.0.client_ip()
    }

    fn secure(&mut self) -> bool {
        self.0.secure()
    }

    fn request_id(&mut self) -> String {
        self.0.request_id()
    }

    fn now(&mut self) -> i64 {
        let now = wall_clock::now();
        i64::try_from(now.seconds).unwrap_or(i64::MAX / 1000).saturating_mul(1000).saturating_add(i64::from(now.nanoseconds / 1_000_000))
    }

    fn random(&mut self, buffer: &mut [u8]) {
        let bytes = random::get_random_bytes(buffer.len() as u64);
        buffer.copy_from_slice(&bytes);
    }

    fn log(&mut self, level: Level, message: &str) {
        let level = match level {
            Level::Print => log::Level::Print,
            Level::Info => log::Level::Info,
            Level::Warn => log::Level::Warn,
            Level::Error => log::Level::Error,
        };
        log::write(level, message);
    }

    fn progress(&mut self, done: f64, total: Option<f64>, message: Option<&str>) {
        progress::report(done, total, message);
    }

    fn fetch(&mut self, call: Call) -> HostResult<Reply> {
        let Call { method, url, headers, body, timeout_ms } = call;
        let outbound::Response { status, headers, body } = outbound::fetch(&outbound::Request { method, url, headers, body, timeout_ms })?;
        Ok(Reply { status, headers, body })
    }

    fn store_get(&mut self, collection: &str, key: &str) -> HostResult<Option<Vec<u8>>> {
        store::get(collection, key)
    }

    fn store_set(&mut self, collection: &str, key: &str, value: &[u8]) -> HostResult<()> {
        store::set(collection, key, value)
    }

    fn store_delete(&mut self, collection: &str, key: &str) -> HostResult<bool> {
        store::delete(collection, key)
    }

    fn store_list(&mut self, collection: &str, prefix: &str, limit: u32, cursor: Option<&str>) -> HostResult<StorePage> {
        let page = store::list(collection, prefix, limit, cursor)?;
        Ok((page.items.into_iter().map(|item| (item.key, item.value)).collect(), page.cursor))
    }

    fn store_count(&mut self, collection: &str) -> HostResult<u64> {
        store::count(collection)
    }

    fn store_increment(&mut self, collection: &str, key: &str, delta: i64) -> HostResult<i64> {
        store::increment(collection, key, delta)
    }

    fn store_compare_and_swap(&mut self, collection: &str, key: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> HostResult<bool> {
        store::compare_and_swap(collection, key, old, new)
    }

    fn store_next_id(&mut self, collection: &str) -> HostResult<i64> {
        store::next_id(collection)
    }
}
