//! The component's exports.
#![allow(unsafe_code, unreachable_pub)] // The export macro makes the entry points that the canonical ABI calls.

use super::bindings::{self, exports, wasi::http::types};
use exports::djo::site::handler;

struct Runtime;

impl handler::Guest for Runtime {
    fn handle(request: handler::Request) -> Result<handler::Response, handler::Failure> {
        super::typed::handle(request)
    }
}

impl exports::wasi::http::incoming_handler::Guest for Runtime {
    fn handle(request: types::IncomingRequest, out: types::ResponseOutparam) {
        super::http::serve(&request, out);
    }
}

bindings::export!(Runtime with_types_in bindings);
