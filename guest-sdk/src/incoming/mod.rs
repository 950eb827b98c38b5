//! The `wasi:http` door: for every host but ours, and for bodies that stream. It trusts nobody: no header can claim that a request was
//! matched, checked or decoded elsewhere.

mod asked;
mod body;
mod send;

use alloc::{borrow::Cow, format, string::String, vec::Vec};
use core::marker::PhantomData;

use djo_contract::model::Contract;

use crate::bindings::djo::site::{context, log, store};
pub use crate::bindings::wasi::http::types::{IncomingRequest, ResponseOutparam};
use crate::site::{Around, File, Site};
use crate::web::request::{BodyError, Incoming};
use crate::web::visit::visit;

use asked::Asked;

/// Answers a request.
pub fn serve<S: Site>(request: &IncomingRequest, out: ResponseOutparam) {
    let (asked, request_id) = (Asked::read(request), context::request_id());
    let reply = visit::<S>(&mut Arrived::<S> { request, asked, request_id, site: PhantomData });
    send::send::<S>(out, reply);
}

/// A request, in the host's resources.
struct Arrived<'a, S> {
    request: &'a IncomingRequest,
    asked: Asked,
    request_id: String,
    site: PhantomData<S>,
}

impl<S> Around for Arrived<'_, S> {
    fn header(&self, name: &str) -> Option<String> {
        self.asked.header(name)
    }

    fn client_ip(&self) -> String {
        context::client_ip()
    }

    fn secure(&self) -> bool {
        self.asked.secure || context::secure()
    }

    fn request_id(&self) -> String {
        self.request_id.clone()
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl<S: Site> Incoming for Arrived<'_, S> {
    fn method(&self) -> &str {
        &self.asked.method
    }

    fn path(&self) -> &str {
        &self.asked.path
    }

    fn query(&self) -> &str {
        &self.asked.query
    }

    fn body(&mut self, most: u64) -> Result<Vec<u8>, BodyError> {
        body::read(self.request, &self.asked, most)
    }

    fn file(&mut self, path: &str) -> Option<File> {
        S::file(path)
    }

    fn stored(&mut self, collection: &str, key: &str) -> Option<Vec<u8>> {
        store::get(collection, key).ok().flatten()
    }

    fn manifest(&self, contract: &Contract) -> Cow<'static, str> {
        S::manifest(contract)
    }

    fn greeting(&self, contract: &Contract) -> Cow<'static, str> {
        S::greeting(contract)
    }

    fn log(&mut self, message: &str) {
        log::write(log::Level::Error, &format!("{}: {message}", self.request_id));
    }
}
