//! Cookies of guests. One with a `Domain` goes to every host beneath it, sites of others among them: whoever sets it could choose a
//! visitor's session there. Without that attribute it is of the host alone that it came from, as every cookie of a guest is.

use std::borrow::Cow;

/// The value of a `Set-Cookie` without its `Domain`. Attributes are read as RFC 6265 §5.2 has browsers do it.
pub(super) fn of_host_alone(cookie: &str) -> Cow<'_, str> {
    let is_domain = |part: &str| part.split('=').next().is_some_and(|name| name.trim().eq_ignore_ascii_case("domain"));
    let mut parts = cookie.split(';');
    // What comes first is the cookie itself, whatever its name.
    let Some(itself) = parts.next().filter(|_| cookie.split(';').skip(1).any(is_domain)) else { return cookie.into() };
    let kept = parts.filter(|part| !is_domain(part));
    std::iter::once(itself).chain(kept).collect::<Vec<_>>().join(";").into()
}

/// The same for all cookies among some headers; tells whether any had one.
pub(super) fn hold_to_host(headers: &mut [(String, String)]) -> bool {
    let mut held = false;
    for (name, value) in headers {
        if name.eq_ignore_ascii_case("set-cookie")
            && let Cow::Owned(alone) = of_host_alone(value)
        {
            *value = alone;
            held = true;
        }
    }
    held
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
        let mut headers = [("SET-COOKIE".to_owned(), "a=1; Domain=b.com".to_owned()), ("x".to_owned(), "a=1; Domain=b.com".to_owned())];
        assert!(hold_to_host(&mut headers) && !hold_to_host(&mut headers));
        assert_eq!((headers[0].1.as_str(), headers[1].1.as_str()), ("a=1", "a=1; Domain=b.com"));
    }
}
