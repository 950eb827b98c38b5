//! Any text as the URL of an outbound call, and as the redirect of one: what is accepted goes over the wire as one line, and reads the
//! same when read again.
#![no_main]

use djo_contract::fetch::{Call, Url};
use libfuzzer_sys::fuzz_target;

fn holds(url: &Url) {
    assert!(url.target.starts_with('/') && url.target.bytes().all(|byte| byte.is_ascii_graphic()), "{url:?}");
    let host = &url.origin.host;
    assert!(!host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte)), "{host}");
    assert_eq!(Url::parse(&url.to_string()).as_ref(), Ok(url));
}

fuzz_target!(|input: (&str, &str)| {
    let (text, location) = input;
    if let Ok(call) = Call::new("POST", text, vec![("authorization".into(), "s".into())], vec![1]) {
        holds(&call.url);
        for status in [301, 303, 307] {
            if let Ok(Some(next)) = call.redirected(status, Some(location)) {
                holds(&next.url);
                assert!(next.url.origin == call.url.origin || next.headers.is_empty(), "a secret crossed to {}", next.url);
                assert!(next.url.origin.secure || !call.url.origin.secure);
            }
        }
    }
});
