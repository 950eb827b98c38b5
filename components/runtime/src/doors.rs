//! The component's exports.
#![allow(unsafe_code, unreachable_pub)] // The export macro makes the entry points that the canonical ABI calls.

use crate::bindings::{self, exports, wasi::http::types};
use exports::djo::site::handler;

struct Runtime;

impl handler::Guest for Runtime {
    fn handle(request: handler::Request) -> Result<handler::Response, handler::Failure> {
        crate::typed::handle(request)
    }
}

impl exports::wasi::http::incoming_handler::Guest for Runtime {
    fn handle(_request: types::IncomingRequest, _out: types::ResponseOutparam) {}
}

bindings::export!(Runtime with_types_in bindings);
