//! The machine's outside for a request that came through `wasi:http`: its headers are the request's own.

use alloc::{string::String, vec::Vec};

use djo_vm::host::{Host, HostResult, Level, StorePage};

use super::asked::Asked;
use crate::component::outside::Outside;
use crate::web::shape::Looked;

/// A request's own word where there is one, the imports' for the rest.
pub(super) struct WebOutside<'a> {
    asked: &'a Asked,
    request_id: &'a str,
    /// What the run asked so far.
    pub(super) looked: Looked,
}

impl<'a> WebOutside<'a> {
    pub(super) fn new(asked: &'a Asked, request_id: &'a str) -> Self {
        Self { asked, request_id, looked: Looked::default() }
    }
}

impl Host for WebOutside<'_> {
    fn contract(&mut self) -> Vec<u8> {
        Outside.contract()
    }

    fn header(&mut self, name: &str) -> Option<String> {
        self.looked.personal = true;
        self.asked.header(name)
    }

    fn client_ip(&mut self) -> String {
        self.looked.personal = true;
        Outside.client_ip()
    }

    fn secure(&mut self) -> bool {
        self.asked.secure || Outside.secure()
    }

    fn request_id(&mut self) -> String {
        self.request_id.into()
    }

    fn now(&mut self) -> i64 {
        Outside.now()
    }

    fn random(&mut self, buffer: &mut [u8]) {
        Outside.random(buffer);
    }

    fn log(&mut self, level: Level, message: &str) {
        Outside.log(level, message);
    }

    fn progress(&mut self, done: f64, total: Option<f64>, message: Option<&str>) {
        Outside.progress(done, total, message);
    }

    fn store_get(&mut self, collection: &str, key: &str) -> HostResult<Option<Vec<u8>>> {
        Outside.store_get(collection, key)
    }

    fn store_set(&mut self, collection: &str, key: &str, value: &[u8]) -> HostResult<()> {
        Outside.store_set(collection, key, value)
    }

    fn store_delete(&mut self, collection: &str, key: &str) -> HostResult<bool> {
        Outside.store_delete(collection, key)
    }

    fn store_list(&mut self, collection: &str, prefix: &str, limit: u32, cursor: Option<&str>) -> HostResult<StorePage> {
        Outside.store_list(collection, prefix, limit, cursor)
    }

    fn store_count(&mut self, collection: &str) -> HostResult<u64> {
        Outside.store_count(collection)
    }

    fn store_increment(&mut self, collection: &str, key: &str, delta: i64) -> HostResult<i64> {
        Outside.store_increment(collection, key, delta)
    }

    fn store_compare_and_swap(&mut self, collection: &str, key: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> HostResult<bool> {
        Outside.store_compare_and_swap(collection, key, old, new)
    }

    fn store_next_id(&mut self, collection: &str) -> HostResult<i64> {
        Outside.store_next_id(collection)
    }
}
