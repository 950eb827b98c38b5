//! Absolute `http` and `https` URLs, read strictly: there is one reading of a URL, and a call is judged by it and made by it.

use alloc::{
    borrow::ToOwned,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::{
    fmt,
    net::{Ipv4Addr, Ipv6Addr},
};

/// Bytes of a URL.
const MAX_URL: usize = 8 << 10;

/// A scheme, host and port: who is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// TLS or not.
    pub secure: bool,
    /// Lower case; an IPv6 address without brackets.
    pub host: String,
    /// The port, the scheme's own when it was left out.
    pub port: u16,
}

/// Who is called, and for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// Who is called.
    pub origin: Origin,
    /// Path and query as they go over the wire: they start with `/`, and all that a request line cannot hold is percent-encoded.
    pub target: String,
}

/// Why a text is no URL that can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadUrl {
    /// Neither `http://` nor `https://`.
    Scheme,
    /// A user or a password in it.
    User,
    /// A host beyond ASCII.
    NotAscii,
    /// No host name.
    Host,
    /// An IP address in another form than the usual one: short, octal, hexadecimal, a single number.
    Address,
    /// No port.
    Port,
    /// Control characters.
    Control,
    /// Longer than any server takes.
    TooLong,
}

impl fmt::Display for BadUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scheme => "o endereço deve começar com `https://` ou `http://`",
            Self::User => "o endereço não pode levar usuário nem senha: use o cabeçalho `authorization`",
            Self::NotAscii => "um host com acento se escreve na forma `xn--…`",
            Self::Host => "o host do endereço não é válido",
            Self::Address => "um endereço IP se escreve com quatro números decimais, ou como IPv6 entre colchetes",
            Self::Port => "a porta do endereço não é válida",
            Self::Control => "o endereço não pode ter quebras de linha nem caracteres de controle",
            Self::TooLong => "o endereço é longo demais",
        })
    }
}

impl Origin {
    /// Reads `https://api.exemplo.com`, `http://10.0.0.5:9000`, `https://[2001:db8::1]`: without path, query or user.
    ///
    /// # Errors
    /// [`BadUrl`]
    pub fn parse(text: &str) -> Result<Self, BadUrl> {
        let (secure, authority) = scheme(text)?;
        Self::read(secure, authority)
    }

    fn read(secure: bool, authority: &str) -> Result<Self, BadUrl> {
        if authority.contains('@') {
            return Err(BadUrl::User);
        }
        if !authority.is_ascii() {
            return Err(BadUrl::NotAscii);
        }
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (address, port) = rest.split_once(']').ok_or(BadUrl::Host)?;
                let address: Ipv6Addr = address.parse().map_err(|_| BadUrl::Address)?;
                let port = if port.is_empty() { None } else { Some(port.strip_prefix(':').ok_or(BadUrl::Host)?) };
                (address.to_string(), port)
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (name(host)?, Some(port)),
                None => (name(authority)?, None),
            },
        };
        let port = match port {
            None => usual_port(secure),
            // `parse` alone would take a sign.
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
                port.parse().ok().filter(|port| *port != 0).ok_or(BadUrl::Port)?
            }
            Some(_) => return Err(BadUrl::Port),
        };
        Ok(Self { secure, host, port })
    }

    /// Host and port as a `Host` header has them: without the scheme's own port.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == usual_port(self.secure) { host } else { format!("{host}:{}", self.port) }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.secure { "https://" } else { "http://" }, self.authority())
    }
}

impl Url {
    /// Reads a URL. A fragment is left out: it is never sent.
    ///
    /// # Errors
    /// [`BadUrl`]
    pub fn parse(text: &str) -> Result<Self, BadUrl> {
        check(text)?;
        let (secure, rest) = scheme(text)?;
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let slash = if target.starts_with('/') { "" } else { "/" };
        Ok(Self { origin: Origin::read(secure, authority)?, target: encoded(&format!("{slash}{target}")) })
    }

    /// The URL that a `Location` of this one's answer leads to (RFC 3986 §5.2).
    ///
    /// # Errors
    /// [`BadUrl`]
    pub fn join(&self, location: &str) -> Result<Self, BadUrl> {
        check(location)?;
        let location = location.split('#').next().unwrap_or_default();
        if has_scheme(location) {
            return Self::parse(location);
        }
        if location.starts_with("//") {
            return Self::parse(&format!("{}:{location}", if self.origin.secure { "https" } else { "http" }));
        }
        let path = self.target.split('?').next().unwrap_or("/");
        let target = match location.chars().next() {
            None => self.target.clone(),
            Some('?') => format!("{path}{location}"),
            Some('/') => location.to_owned(),
            Some(_) => format!("{}{location}", path.get(..=path.rfind('/').unwrap_or_default()).unwrap_or("/")),
        };
        let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
        let target = encoded(&format!("{}{query}", without_dots(path)));
        check(&target)?;
        Ok(Self { origin: self.origin.clone(), target })
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.target)
    }
}

fn usual_port(secure: bool) -> u16 {
    if secure { 443 } else { 80 }
}

/// Labels of letters, digits, `-` and `_`, 1 to 63 long, joined by dots, at most 253 in all.
pub fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        (1..=63).contains(&label.len()) && label.bytes().all(inner) && !label.starts_with('-') && !label.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(label)
}

/// A host name in lower case. One that ends in a number is an address to most resolvers, in whatever form: only the usual form is taken.
fn name(text: &str) -> Result<String, BadUrl> {
    let name = text.to_ascii_lowercase();
    if !is_name(&name) {
        return Err(BadUrl::Host);
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    let number = match last.strip_prefix("0x") {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => last.bytes().all(|byte| byte.is_ascii_digit()),
    };
    if number && name.parse::<Ipv4Addr>().is_err() { Err(BadUrl::Address) } else { Ok(name) }
}

fn scheme(text: &str) -> Result<(bool, &str), BadUrl> {
    match text.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => Ok((true, rest)),
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => Ok((false, rest)),
        _ => Err(BadUrl::Scheme),
    }
}

/// Whether a reference starts with a scheme of its own.
fn has_scheme(reference: &str) -> bool {
    let Some((scheme, _)) = reference.split_once(':') else { return false };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

fn check(text: &str) -> Result<(), BadUrl> {
    match text {
        _ if text.len() > MAX_URL => Err(BadUrl::TooLong),
        _ if text.chars().any(char::is_control) => Err(BadUrl::Control),
        _ => Ok(()),
    }
}

/// What a request line cannot hold, percent-encoded; what is encoded already stays.
fn encoded(target: &str) -> String {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = String::with_capacity(target.len());
    for byte in target.bytes() {
        if byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(DIGITS[usize::from(byte >> 4)]));
            out.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
    out
}

/// RFC 3986 §5.2.4, of a path that starts with `/`.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut parts = path.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        match part {
            "." | ".." => {
                if part == ".." {
                    kept.pop();
                }
                if parts.peek().is_none() {
                    kept.push("");
                }
            }
            part => kept.push(part),
        }
    }
    format!("/{}", kept.join("/"))
}
