//! Any bytes as a contract section: refused, or a contract that can be routed by and comes back the same.
#![no_main]

use djo_contract::{manifest, route::Router, section};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match section::decode(bytes) {
        Ok(contract) => {
            let written = section::encode(&contract);
            let again = section::decode(written.as_bytes()).map(|contract| section::encode(&contract));
            assert_eq!(again.ok().as_ref(), Some(&written));
            let _ = Router::new(&contract).map(|router| router.find("GET", "/a/b"));
            let _ = manifest::manifest(&contract);
        }
        Err(error) => {
            let _ = error.to_string();
        }
    }
});
