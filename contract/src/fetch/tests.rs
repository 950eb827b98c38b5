//! What is called is what is judged, whatever is written.
#![allow(clippy::unwrap_used)]

use alloc::{string::String, string::ToString, vec, vec::Vec};

use proptest::prelude::*;

use super::*;

fn pairs(headers: &[(&str, &str)]) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

#[test]
fn origins_have_scheme_host_and_port() {
    for text in ["https://api.exemplo.com", "http://10.0.0.5:9000", "https://[2001:db8::1]", "http://[::1]:81"] {
        assert_eq!(Origin::parse(text).unwrap().to_string(), text);
    }
    assert_eq!(Origin::parse("HTTPS://API.exemplo.com:443"), Origin::parse("https://api.exemplo.com"));
    let bad = [
        ("api.exemplo.com", BadUrl::Scheme),
        ("ftp://a.com", BadUrl::Scheme),
        ("https://", BadUrl::Host),
        ("https://a.com/", BadUrl::Host),
        ("https://a.com/x", BadUrl::Host),
        ("https://u@a.com", BadUrl::User),
        ("https://a.com:0", BadUrl::Port),
        ("https://a.com:+1", BadUrl::Port),
        ("https://a.com:99999", BadUrl::Port),
        ("https://a.com:", BadUrl::Port),
        ("https://[::1", BadUrl::Host),
        ("https://[::1]x", BadUrl::Host),
        ("https://[zz]", BadUrl::Address),
        ("https://a b", BadUrl::Host),
        ("https://*.a.com", BadUrl::Host),
        ("https://a.com.", BadUrl::Host),
    ];
    for (text, why) in bad {
        assert_eq!(Origin::parse(text), Err(why), "{text}");
    }
}

#[test]
fn an_address_has_one_form() {
    let odd =
        ["0x7f.1", "2130706433", "0177.0.0.1", "127.1", "127.0.0.0x1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "a.0x", "x.7", "0x7f000001"];
    for host in odd {
        assert_eq!(Url::parse(&alloc::format!("http://{host}/")), Err(BadUrl::Address), "{host}");
    }
    assert_eq!(Url::parse("http://[::ffff:127.0.0.1]/").unwrap().origin.host, "::ffff:127.0.0.1");
    assert_eq!(Url::parse("http://[fe80::1%25eth0]/"), Err(BadUrl::Address));
    assert_eq!(Url::parse("http://127.0.0.1/").unwrap().origin.host, "127.0.0.1");
}

#[test]
fn a_url_is_read_strictly() {
    let url = Url::parse("https://API.exemplo.com/são paulo?q=<é>&r=%20#fim").unwrap();
    assert_eq!(url.to_string(), "https://api.exemplo.com/s%C3%A3o%20paulo?q=%3C%C3%A9%3E&r=%20");
    assert_eq!(Url::parse("http://a.com?x=1").unwrap().target, "/?x=1");
    let bad = [
        ("https://a.com@evil.com/", BadUrl::User),
        ("https://a.com\\@evil.com/", BadUrl::User),
        ("https://a.com\\b/", BadUrl::Host),
        ("https://são.com/", BadUrl::NotAscii),
        ("https://a.com/\r\nHost: b", BadUrl::Control),
        ("https:/a.com/", BadUrl::Scheme),
        ("https:\\\\a.com/", BadUrl::Scheme),
        (" https://a.com/", BadUrl::Scheme),
        ("javascript:alert(1)", BadUrl::Scheme),
        ("https:///a.com", BadUrl::Host),
    ];
    for (text, why) in bad {
        assert_eq!(Url::parse(text), Err(why), "{text}");
    }
    assert_eq!(Url::parse(&alloc::format!("https://a.com/{}", "a".repeat(9000))), Err(BadUrl::TooLong));
}

#[test]
fn references_are_resolved() {
    let base = Url::parse("http://a.com/b/c/d?q").unwrap();
    let expected = [
        ("g", "http://a.com/b/c/g"),
        ("./g", "http://a.com/b/c/g"),
        ("g/", "http://a.com/b/c/g/"),
        ("/g", "http://a.com/g"),
        ("//g", "http://g/"),
        ("?y", "http://a.com/b/c/d?y"),
        ("g?y", "http://a.com/b/c/g?y"),
        ("", "http://a.com/b/c/d?q"),
        ("..", "http://a.com/b/"),
        ("../g", "http://a.com/b/g"),
        ("../../../g", "http://a.com/g"),
        ("https://z:1/x", "https://z:1/x"),
        ("#s", "http://a.com/b/c/d?q"),
    ];
    for (reference, url) in expected {
        assert_eq!(base.join(reference).unwrap().to_string(), url, "{reference}");
    }
    assert_eq!(base.join("file:///etc/passwd"), Err(BadUrl::Scheme));
    assert_eq!(base.join("//u@b/"), Err(BadUrl::User));
}

#[test]
fn headers_of_the_connection_are_not_the_sites() {
    let call = |name: &str, value: &str| Call::new("GET", "http://a.com", pairs(&[(name, value)]), vec![]);
    assert_eq!(call("X-Chave", " v ").unwrap().headers, pairs(&[("x-chave", "v")]));
    for name in ["Host", "connection", "Transfer-Encoding", "content-length", "te", "accept-encoding"] {
        assert_eq!(call(name, "x"), Err(BadCall::Forbidden(name.to_ascii_lowercase())));
    }
    for name in ["", "a b", "a:b", "a\r\nb", "é"] {
        assert_eq!(call(name, "x"), Err(BadCall::HeaderName), "{name}");
    }
    for value in ["a\r\nb", "a\nb", "\0", "a\u{85}b"] {
        assert_eq!(call("x", value), Err(BadCall::HeaderValue("x".into())), "{value:?}");
    }
    let method = |method| Call::new(method, "http://a.com", vec![], vec![]).is_ok();
    assert!(method("PATCH") && !method("CONNECT") && !method("TRACE") && !method("get") && !method("GET /x"));
    let many = (0..65).map(|number| (alloc::format!("x{number}"), String::new())).collect();
    assert_eq!(Call::new("GET", "http://a.com", many, vec![]), Err(BadCall::TooManyHeaders));
}

#[test]
fn a_redirect_carries_no_secret_to_another_origin() {
    let headers = pairs(&[("authorization", "s"), ("cookie", "c"), ("x-chave", "k"), ("accept", "a"), ("content-type", "t")]);
    let call = Call::new("POST", "https://a.com/x", headers, b"dados".to_vec()).unwrap();
    let same = call.redirected(307, Some("/y")).unwrap().unwrap();
    assert_eq!((same.url.to_string().as_str(), same.headers.len(), same.body.as_slice()), ("https://a.com/y", 5, &b"dados"[..]));
    for elsewhere in ["https://b.com/", "https://a.com:444/", "https://x.a.com/"] {
        let other = call.redirected(308, Some(elsewhere)).unwrap().unwrap();
        assert_eq!(other.headers, pairs(&[("accept", "a"), ("content-type", "t")]), "{elsewhere}");
    }
    let seen = call.redirected(303, Some("/y")).unwrap().unwrap();
    assert_eq!((seen.method.as_str(), seen.body.len(), seen.header("content-type")), ("GET", 0, None));
    assert_eq!(call.redirected(302, Some("/y")).unwrap().unwrap().method, "GET");
    assert_eq!(call.redirected(302, Some("http://a.com/")), Err(BadCall::Downgrade));
    assert_eq!(call.redirected(302, Some("ftp://a.com/")), Err(BadCall::Url(BadUrl::Scheme)));
    assert_eq!(call.redirected(200, Some("/y")), Ok(None));
    assert_eq!(call.redirected(302, None), Ok(None));
    assert_eq!(call.redirected(304, Some("/y")), Ok(None));
}

proptest! {
    /// A reader that others wrote sees the same host where we see one: nobody is led to another place than the one that was judged.
    #[test]
    fn others_read_the_same_origin(text in "(http|https|HTTP)(://|:/|:\\\\\\\\)[a-z0-9@:.x%\\[\\]\\\\/?#_-]{0,24}") {
        if let Ok(ours) = Url::parse(&text) {
            let theirs = ::url::Url::parse(&text).unwrap();
            prop_assert_eq!(theirs.scheme() == "https", ours.origin.secure);
            prop_assert_eq!(theirs.port_or_known_default(), Some(ours.origin.port));
            let host = theirs.host_str().unwrap();
            prop_assert_eq!(host.trim_matches(['[', ']']), ours.origin.host.as_str());
        }
    }

    #[test]
    fn no_text_is_too_strange(text in ".*", base in "https?://a/[a-z/.?%]{0,20}") {
        let _ = Url::parse(&text);
        if let Ok(url) = Url::parse(&base).unwrap().join(&text) {
            prop_assert!(url.target.starts_with('/') && url.target.bytes().all(|byte| byte.is_ascii_graphic()));
            prop_assert_eq!(Url::parse(&url.to_string()), Ok(url));
        }
    }
}
