//! Whose page may call: browsers say where a page is from, and a page of another site must not call what its visitor may.

use http::header::ORIGIN;

use crate::pipeline::Scene;
use crate::tenant::Site;

/// Whether a request may come from where it says it does; what no page sent says nothing. No answer ever lets another site's page read it.
pub(super) fn is_allowed(scene: &Scene, site: &Site) -> bool {
    let local = scene.client.to_canonical().is_loopback();
    let mut origins = scene.headers.get_all(ORIGIN).iter();
    origins.all(|origin| origin.to_str().is_ok_and(|origin| allows(origin, &site.hosts, local)))
}

/// An origin is one of the site's hosts, by whatever port; for clients of this machine also a name that it calls itself by.
fn allows(origin: &str, hosts: &[String], local: bool) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    let Ok(authority) = authority.parse::<http::uri::Authority>() else { return false };
    let name = authority.host().to_ascii_lowercase();
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    is_web && !authority.as_str().contains('@') && (hosts.contains(&name) || (local && is_local(&name)))
}

fn is_local(name: &str) -> bool {
    name == "localhost" || name.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_sites_own_pages_call() {
        let hosts = ["blog.localhost".to_owned(), "blog.test".to_owned()];
        for own in ["http://blog.localhost:8080", "https://BLOG.test", "http://blog.test:1"] {
            assert!(allows(own, &hosts, false), "{own}");
        }
        for local in ["http://localhost:8080", "http://127.0.0.1", "http://[::1]:3000"] {
            assert!(allows(local, &hosts, true) && !allows(local, &hosts, false), "{local}");
        }
        for other in
            ["null", "", "https://evil.test", "https://blog.test.evil.test", "https://blog.test@evil.test", "blog.test", "file://blog.test"]
        {
            assert!(!allows(other, &hosts, true), "{other}");
        }
    }
}
