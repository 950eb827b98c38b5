//! Host names, as settings name them.

use std::net::IpAddr;

use djo_contract::fetch::is_name;

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
}
