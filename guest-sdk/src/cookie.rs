//! Cookies that a site sets.

use alloc::{format, string::String};

use djo_contract::route::percent_encoded;

/// When a browser sends a cookie along from other sites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SameSite {
    #[default]
    Lax,
    Strict,
    None,
}

/// A cookie: for the whole site, out of reach of scripts, over TLS only where the request came so, unless it says otherwise.
#[derive(Clone, Debug)]
pub struct Cookie<'a> {
    /// Letters, digits and hyphens.
    pub name: &'a str,
    /// Anything: it is encoded.
    pub value: &'a str,
    /// Seconds that it lives; without, until the browser closes.
    pub max_age: Option<u32>,
    /// Scripts can't read it.
    pub http_only: bool,
    /// When it is sent along from other sites.
    pub same_site: SameSite,
}

impl<'a> Cookie<'a> {
    /// The usual one.
    #[must_use]
    pub fn new(name: &'a str, value: &'a str) -> Self {
        Self { name, value, max_age: None, http_only: true, same_site: SameSite::default() }
    }

    pub(crate) fn to_header(&self, secure: bool) -> String {
        let mut header = format!("{}=", self.name);
        header.push_str(&percent_encoded(self.value, b"!#$&'()*+/:<=>?@[]^`{|}"));
        header.push_str("; Path=/");
        if let Some(seconds) = self.max_age {
            header.push_str(&format!("; Max-Age={seconds}"));
        }
        if self.http_only {
            header.push_str("; HttpOnly");
        }
        header.push_str(match self.same_site {
            SameSite::Lax => "; SameSite=Lax",
            SameSite::Strict => "; SameSite=Strict",
            SameSite::None => "; SameSite=None",
        });
        // A cookie for other sites is accepted over TLS alone.
        if secure || self.same_site == SameSite::None {
            header.push_str("; Secure");
        }
        header
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_encoded_and_attributes_written() {
        assert_eq!(Cookie::new("tema", "azul claro; é").to_header(false), "tema=azul%20claro%3B%20%C3%A9; Path=/; HttpOnly; SameSite=Lax");
        let cookie = Cookie { max_age: Some(60), http_only: false, same_site: SameSite::None, ..Cookie::new("a", "b") };
        assert_eq!(cookie.to_header(false), "a=b; Path=/; Max-Age=60; SameSite=None; Secure");
    }
}
