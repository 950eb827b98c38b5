//! Host names and origins, as settings name them.

use std::{fmt, net::IpAddr};

/// Why a text is no host of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadHost {
    Scheme,
    Port,
    Wildcard,
    NotAscii,
    Loopback,
    Malformed,
}

impl BadHost {
    /// What is wrong, for the author.
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Scheme => "um host se escreve sem `http://` e sem caminho",
            Self::Port => "um host se escreve sem porta",
            Self::Wildcard => "um host não pode ter `*`: escreva cada nome",
            Self::NotAscii => "um host com acento se escreve na forma `xn--…`",
            Self::Loopback => "este host não escolhe um site: use `NOME.localhost` ou `--default NOME`",
            Self::Malformed => "isto não é um nome de host",
        }
    }
}

/// Checks a host name and gives it in lower case. Names of the machine itself are refused: they choose no site.
pub(super) fn host(text: &str) -> Result<String, BadHost> {
    if text.contains('/') {
        return Err(BadHost::Scheme);
    }
    if text.contains('*') {
        return Err(BadHost::Wildcard);
    }
    if !text.is_ascii() {
        return Err(BadHost::NotAscii);
    }
    if text.contains('[') || text.parse::<std::net::Ipv6Addr>().is_ok() {
        return Err(BadHost::Malformed);
    }
    if text.contains(':') {
        return Err(BadHost::Port);
    }
    let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
    if !is_name(&name) {
        return Err(BadHost::Malformed);
    }
    if name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()) {
        return Err(BadHost::Loopback);
    }
    Ok(name)
}

/// Labels of letters, digits, `-` and `_`, 1 to 63 long, joined by dots, at most 253 in all.
fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=63).contains(&label.len()) && label.bytes().all(inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(label)
}

/// A scheme, host and port that a site may call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// TLS or not.
    pub secure: bool,
    /// Lower case; an IPv6 address without brackets.
    pub host: String,
    /// The port, the scheme's own when it was left out.
    pub port: u16,
}

impl Origin {
    /// Reads `https://api.exemplo.com`, `http://10.0.0.5:9000`, `https://[2001:db8::1]`: without path, query or user.
    pub fn parse(text: &str) -> Option<Self> {
        let (secure, rest) = match text.split_once("://")? {
            (scheme, rest) if scheme.eq_ignore_ascii_case("https") => (true, rest),
            (scheme, rest) if scheme.eq_ignore_ascii_case("http") => (false, rest),
            _ => return None,
        };
        let (host, port) = match rest.strip_prefix('[') {
            Some(rest) => {
                let (address, port) = rest.split_once(']')?;
                let address: std::net::Ipv6Addr = address.parse().ok()?;
                (address.to_string(), if port.is_empty() { None } else { Some(port.strip_prefix(':')?) })
            }
            None => match rest.split_once(':') {
                Some((host, port)) => (host.to_ascii_lowercase(), Some(port)),
                None => (rest.to_ascii_lowercase(), None),
            },
        };
        let port = match port {
            // `parse` alone would take a sign.
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => port.parse().ok().filter(|port| *port != 0)?,
            Some(_) => return None,
            None => {
                if secure {
                    443
                } else {
                    80
                }
            }
        };
        (host.contains(':') || is_name(&host)).then_some(Self { secure, host, port })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, usual) = if self.secure { ("https", 443) } else { ("http", 80) };
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        write!(f, "{scheme}://{host}")?;
        if self.port == usual { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_lower_case_names() {
        for (text, name) in [("Exemplo.COM.br", "exemplo.com.br"), ("a.", "a"), ("10.0.0.1", "10.0.0.1"), ("x_y.test", "x_y.test")] {
            assert_eq!(host(text).as_deref(), Ok(name));
        }
        let bad = [
            ("https://a.com", BadHost::Scheme),
            ("a.com/x", BadHost::Scheme),
            ("a.com:80", BadHost::Port),
            ("*.a.com", BadHost::Wildcard),
            ("são.com", BadHost::NotAscii),
            ("localhost", BadHost::Loopback),
            ("127.0.0.1", BadHost::Loopback),
            ("::1", BadHost::Malformed),
            ("[::1]", BadHost::Malformed),
            ("", BadHost::Malformed),
            ("a..b", BadHost::Malformed),
            ("-a", BadHost::Malformed),
            ("a b", BadHost::Malformed),
        ];
        for (text, why) in bad {
            assert_eq!(host(text), Err(why), "{text}");
        }
        assert_eq!(host(&"a".repeat(64)), Err(BadHost::Malformed));
        assert_eq!(host(&["a"; 128].join(".")), Err(BadHost::Malformed));
    }

    #[test]
    fn origins_have_scheme_host_and_port() {
        let same = ["https://api.exemplo.com", "http://10.0.0.5:9000", "https://[2001:db8::1]", "http://[::1]:81"];
        for text in same {
            assert_eq!(Origin::parse(text).map(|origin| origin.to_string()).as_deref(), Some(text));
        }
        assert_eq!(Origin::parse("HTTPS://API.exemplo.com:443"), Origin::parse("https://api.exemplo.com"));
        let bad = [
            "api.exemplo.com",
            "ftp://a.com",
            "https://",
            "https://a.com/",
            "https://a.com/x",
            "https://u@a.com",
            "https://a.com:0",
            "https://a.com:+1",
            "https://a.com:99999",
            "https://a.com:",
            "https://[::1",
            "https://[::1]x",
            "https://[zz]",
            "https://a b",
            "https://*.a.com",
        ];
        for text in bad {
            assert_eq!(Origin::parse(text), None, "{text}");
        }
    }
}
