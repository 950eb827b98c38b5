//! Cookies of guests. One with a `Domain` goes to every host beneath it, sites of others among them: whoever sets it could choose a
//! visitor's session there. Without that attribute it is of the host alone that it came from, as every cookie of a guest is.

use std::borrow::Cow;

use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderValue};

/// The value of a `Set-Cookie` without its `Domain`. Attributes are read as RFC 6265 §5.2 has browsers do it.
fn of_host_alone(cookie: &str) -> Cow<'_, str> {
    let is_domain = |part: &str| part.split('=').next().is_some_and(|name| name.trim().eq_ignore_ascii_case("domain"));
    let mut parts = cookie.split(';');
    // What comes first is the cookie itself, whatever its name.
    let Some(itself) = parts.next().filter(|_| cookie.split(';').skip(1).any(is_domain)) else { return cookie.into() };
    let kept = parts.filter(|part| !is_domain(part));
    std::iter::once(itself).chain(kept).collect::<Vec<_>>().join(";").into()
}

/// The same for all cookies among a guest's headers.
pub fn hold_to_host(headers: &mut HeaderMap, site: &str) {
    if !headers.contains_key(SET_COOKIE) {
        return;
    }
    let cookies: Vec<_> = headers.get_all(SET_COOKIE).iter().cloned().collect();
    headers.remove(SET_COOKIE);
    for cookie in cookies {
        let text = String::from_utf8_lossy(cookie.as_bytes());
        let alone = match of_host_alone(&text) {
            Cow::Borrowed(_) => Ok(cookie.clone()),
            Cow::Owned(alone) => HeaderValue::try_from(alone).inspect(|_| tracing::debug!(site, "the domain of a cookie is left out")),
        };
        headers.extend(alone.map(|alone| (SET_COOKIE, alone)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_of_its_host_alone() {
        let cookies = [
            ("a=1; Path=/; HttpOnly", "a=1; Path=/; HttpOnly"),
            ("djo_sessao=x; Domain=exemplo.com; Path=/entrar", "djo_sessao=x; Path=/entrar"),
            ("djo_sessao=x;domain = .exemplo.com", "djo_sessao=x"),
            ("=djo_sessao=x; DOMAIN=exemplo.com; dOmAiN=b.com; Secure", "=djo_sessao=x; Secure"),
            ("domain=1; Path=/", "domain=1; Path=/"),
            ("a=\"; Domain=exemplo.com\"; Path=/", "a=\"; Path=/"),
            ("a=1; Domain", "a=1"),
            ("", ""),
        ];
        for (cookie, alone) in cookies {
            assert_eq!(of_host_alone(cookie), alone, "{cookie}");
        }
        let mut headers = HeaderMap::new();
        for (name, value) in [("set-cookie", "a=1; Domain=b.com"), ("x", "a=1; Domain=b.com"), ("set-cookie", "b=2; Path=/")] {
            headers.append(name, HeaderValue::from_static(value));
        }
        hold_to_host(&mut headers, "um");
        assert_eq!(headers.get_all(SET_COOKIE).iter().collect::<Vec<_>>(), ["a=1", "b=2; Path=/"]);
        assert_eq!(headers["x"], "a=1; Domain=b.com");
    }
}
