//! Any bytes: parsed or refused. What is accepted is JSON to others too, and comes back the same when written and read.
#![no_main]

use djo_contract::json;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match json::parse(bytes) {
        Ok(value) => {
            let theirs = serde_json::from_slice::<serde_json::Value>(bytes);
            assert!(theirs.is_ok(), "accepted alone: {theirs:?}");
            let written = json::to_string(&value);
            assert!(serde_json::from_str::<serde_json::Value>(&written).is_ok(), "{written}");
            let again = json::parse(written.as_bytes()).map(|value| json::to_string(&value));
            assert_eq!(again.ok().as_ref(), Some(&written));
        }
        Err(issue) => {
            issue.detail();
            issue.to_json();
        }
    }
});
