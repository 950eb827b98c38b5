//! Who the client is: the peer, or what a trusted proxy says.

use std::net::IpAddr;

use http::HeaderMap;

use super::scene::joined;
use crate::options::ServeOptions;

/// The client's address: the peer's, unless the peer is a trusted proxy. Then the rightmost hop that is not one itself,
/// of `Forwarded` when it is there, else of `X-Forwarded-For`. What cannot be read stops the walk at the last hop that could.
pub fn address(options: &ServeOptions, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let mut client = peer.to_canonical();
    if options.trust_proxy.is_empty() {
        return client;
    }
    for hop in hops(headers).iter().rev() {
        if !options.trusts(client) {
            break;
        }
        let Some(address) = hop.as_deref().and_then(parse) else { break };
        client = address.to_canonical();
    }
    client
}

/// The hops that proxies added, nearest last; `None` for one that hides its name.
fn hops(headers: &HeaderMap) -> Vec<Option<String>> {
    if let Some(forwarded) = joined(headers, &http::header::FORWARDED) {
        return forwarded.split(',').map(forwarded_for).collect();
    }
    let name = http::HeaderName::from_static("x-forwarded-for");
    joined(headers, &name).map(|list| list.split(',').map(|hop| Some(hop.trim().to_owned())).collect()).unwrap_or_default()
}

/// The `for` parameter of one element of `Forwarded` (RFC 7239).
fn forwarded_for(element: &str) -> Option<String> {
    element.split(';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case("for").then(|| value.trim().trim_matches('"').to_owned())
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
    fn forwarded_wins_and_may_hide() {
        let proxy = &["10.0.0.0/8"];
        let both = [("forwarded", "for=6.6.6.6, For=\"[2001:db8::1]:4711\";proto=https"), ("x-forwarded-for", "1.1.1.1")];
        assert_eq!(client(proxy, "10.0.0.1", &both), "2001:db8::1");
        assert_eq!(client(proxy, "10.0.0.1", &[("forwarded", "for=unknown")]), "10.0.0.1");
        assert_eq!(client(proxy, "10.0.0.1", &[("x-forwarded-for", "lixo")]), "10.0.0.1");
    }
}
