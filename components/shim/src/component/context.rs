//! A request's context where no host tells it: the runtime has headers from the request itself.

use alloc::string::String;

use super::bindings::{exports::djo::site::context::Guest, wasi::random::random};
use super::exports::Shim;

impl Guest for Shim {
    fn header(_name: String) -> Option<String> {
        None
    }

    fn client_ip() -> String {
        String::new()
    }

    fn secure() -> bool {
        false
    }

    fn request_id() -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let random = random::get_random_u64();
        (0..16).rev().map(|place| char::from(DIGITS[(random >> (place * 4) & 15) as usize])).collect()
    }
}
