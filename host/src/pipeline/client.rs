//! Who the client is: the peer, or what a trusted proxy says.

use std::net::IpAddr;

use djo_contract::negotiate::split_outside_quotes;
use http::header::FORWARDED;
use http::{HeaderMap, HeaderName};

use super::scene::joined;
use crate::options::ServeOptions;

/// The client's address: the peer's, unless the peer is a trusted proxy. Then the rightmost hop that is not one itself, as `Forwarded` or
/// `X-Forwarded-For` has it. A proxy writes one of them and lets the other pass as the client sent it, so where both are there they are
/// believed only if they say the same.
pub fn address(options: &ServeOptions, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let peer = peer.to_canonical();
    if options.trust_proxy.is_empty() {
        return peer;
    }
    let forwarded = joined(headers, &FORWARDED).map(|list| walk(options, peer, elements(&list).map(|one| parameter(one, "for"))));
    let plain = joined(headers, &X_FORWARDED_FOR).map(|list| walk(options, peer, elements(&list).map(Some)));
    match (forwarded, plain) {
        (Some(one), Some(other)) if one != other => peer,
        (Some(client), _) | (None, Some(client)) => client,
        (None, None) => peer,
    }
}

/// Whether the client speaks TLS to the proxy that is trusted, as that says in `Forwarded` or `X-Forwarded-Proto`; of both, if they say the
/// same. What a client that is believed without reason gains by it is a cookie that its browser will not send.
pub fn is_secure(options: &ServeOptions, peer: IpAddr, headers: &HeaderMap) -> bool {
    if options.trust_proxy.is_empty() || !options.trusts(peer) {
        return false;
    }
    let is_https = |scheme: &str| scheme.eq_ignore_ascii_case("https");
    // What the proxy itself wrote is the last one.
    let forwarded =
        joined(headers, &FORWARDED).and_then(|list| elements(&list).last().and_then(|one| parameter(one, "proto")).map(is_https));
    let plain = joined(headers, &X_FORWARDED_PROTO).and_then(|list| elements(&list).last().map(is_https));
    match (forwarded, plain) {
        (Some(one), Some(other)) => one && other,
        (one, other) => one.or(other).unwrap_or(false),
    }
}

const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// From the peer on, hop by hop; one without a name, or that cannot be read, ends the walk at the last that could.
fn walk<'a>(options: &ServeOptions, peer: IpAddr, hops: impl Iterator<Item = Option<&'a str>>) -> IpAddr {
    let mut client = peer;
    for hop in hops.collect::<Vec<_>>().into_iter().rev() {
        if !options.trusts(client) {
            break;
        }
        let Some(address) = hop.and_then(parse) else { break };
        client = address.to_canonical();
    }
    client
}

/// The elements of a list, empty ones left out (RFC 9110 §5.6.1).
fn elements(list: &str) -> impl Iterator<Item = &str> {
    split_outside_quotes(list, b',').map(str::trim).filter(|element| !element.is_empty())
}

/// A parameter of one element of `Forwarded` (RFC 7239).
fn parameter<'e>(element: &'e str, name: &str) -> Option<&'e str> {
    split_outside_quotes(element, b';').find_map(|pair| {
        let (given, value) = pair.split_once('=')?;
        given.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches('"'))
    })
}

/// An address, with or without a port or brackets.
fn parse(hop: &str) -> Option<IpAddr> {
    if let Ok(address) = hop.parse() {
        return Some(address);
    }
    if let Some(rest) = hop.strip_prefix('[') {
        return rest.split_once(']')?.0.parse().ok();
    }
    let (address, port) = hop.split_once(':')?;
    port.parse::<u16>().ok()?;
    address.parse().ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn client(trusted: &[&str], peer: &str, headers: &[(&'static str, &str)]) -> String {
        let trust_proxy = trusted.iter().map(|network| network.parse().unwrap()).collect();
        let options = ServeOptions { trust_proxy, ..ServeOptions::default() };
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        address(&options, peer.parse().unwrap(), &map).to_string()
    }

    #[test]
    fn a_stranger_is_not_believed() {
        assert_eq!(client(&[], "10.0.0.1", &[("x-forwarded-for", "1.2.3.4")]), "10.0.0.1");
        assert_eq!(client(&["10.0.0.0/8"], "9.9.9.9", &[("x-forwarded-for", "1.2.3.4")]), "9.9.9.9");
    }

    #[test]
    fn the_rightmost_untrusted_hop_counts() {
        let proxy = &["10.0.0.0/8"];
        assert_eq!(client(proxy, "10.0.0.1", &[("x-forwarded-for", "6.6.6.6, 1.2.3.4, 10.0.0.9")]), "1.2.3.4");
        assert_eq!(client(proxy, "10.0.0.1", &[("x-forwarded-for", "6.6.6.6"), ("x-forwarded-for", "1.2.3.4")]), "1.2.3.4");
        assert_eq!(client(proxy, "::ffff:10.0.0.1", &[("x-forwarded-for", "1.2.3.4:80")]), "1.2.3.4");
    }

    #[test]
    fn forwarded_may_hide() {
        let proxy = &["10.0.0.0/8"];
        let forwarded = |list| client(proxy, "10.0.0.1", &[("forwarded", list)]);
        assert_eq!(forwarded("for=6.6.6.6, For=\"[2001:db8::1]:4711\";proto=https"), "2001:db8::1");
        assert_eq!(forwarded("for=unknown"), "10.0.0.1");
        assert_eq!(forwarded("by=\"x,for=1.1.1.1;for=3.3.3.3\";for=2.2.2.2"), "2.2.2.2");
        assert_eq!(client(proxy, "10.0.0.1", &[("x-forwarded-for", "lixo")]), "10.0.0.1");
        assert_eq!(client(proxy, "10.0.0.1", &[("x-forwarded-for", "1.2.3.4, ")]), "1.2.3.4");
    }

    #[test]
    fn a_proxy_says_how_its_client_came() {
        let secure = |trusted: &[&str], headers: &[(&'static str, &str)]| {
            let trust_proxy = trusted.iter().map(|network| network.parse().unwrap()).collect();
            let options = ServeOptions { trust_proxy, ..ServeOptions::default() };
            let map = headers.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect();
            is_secure(&options, "10.0.0.1".parse().unwrap(), &map)
        };
        let proxy = &["10.0.0.0/8"];
        assert!(secure(proxy, &[("x-forwarded-proto", "HTTPS")]) && secure(proxy, &[("forwarded", "for=1.2.3.4;Proto=\"https\"")]));
        assert!(secure(proxy, &[("forwarded", "for=1.2.3.4;proto=https"), ("x-forwarded-proto", "https")]));
        assert!(!secure(proxy, &[("forwarded", "for=1.2.3.4;proto=http"), ("x-forwarded-proto", "https")]));
        assert!(!secure(proxy, &[("forwarded", "for=6.6.6.6;proto=https, for=1.2.3.4")]), "what its client wrote");
        assert!(!secure(proxy, &[("x-forwarded-proto", "https, http")]) && !secure(proxy, &[]));
        assert!(!secure(&["192.168.0.0/16"], &[("x-forwarded-proto", "https")]) && !secure(&[], &[("x-forwarded-proto", "https")]));
    }

    #[test]
    fn a_field_that_no_proxy_wrote_is_not_believed() {
        let both = |forwarded, plain| client(&["10.0.0.0/8"], "10.0.0.1", &[("forwarded", forwarded), ("x-forwarded-for", plain)]);
        assert_eq!(both("for=1.2.3.4", "6.6.6.6, 1.2.3.4"), "1.2.3.4");
        assert_eq!(both("for=6.6.6.6", "1.2.3.4"), "10.0.0.1");
        assert_eq!(both("for=1.2.3.4", "6.6.6.6"), "10.0.0.1");
    }
}
