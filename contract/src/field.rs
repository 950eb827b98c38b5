//! Header fields of HTTP, as far as a site has a say over them.

/// Fields of an answer that belong to the host or to the connection, in lower case: a site may not set them by name. Cookies and
/// redirects have ways of their own.
pub const RESERVED: [&str; 13] = [
    "connection",
    "content-encoding",
    "content-length",
    "date",
    "host",
    "keep-alive",
    "location",
    "proxy-connection",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Whether only the host says this field of an answer, whose name is in lower case: it is about the connection, the message or the host.
/// What a site says of it is left out.
pub fn is_said_by_the_host(name: &str) -> bool {
    matches!(
        name,
        "connection"
            | "content-length"
            | "date"
            | "keep-alive"
            | "proxy-authenticate"
            | "proxy-authorization"
            | "proxy-connection"
            | "server"
            | "te"
            | "trailer"
            | "transfer-encoding"
            | "upgrade"
            | "x-request-id"
    )
}

/// Whether the text can be the name of a field, or any other token of HTTP (RFC 9110, 5.6.2).
pub fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_token_byte)
}

/// A byte of a token. Every request's `Accept` goes through here: a `match` is a look into a table.
pub(crate) fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_graphic()
        && !matches!(
            byte,
            b'"' | b'(' | b')' | b',' | b'/' | b':' | b';' | b'<' | b'=' | b'>' | b'?' | b'@' | b'[' | b'\\' | b']' | b'{' | b'}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_fields_are_tokens() {
        for name in RESERVED.into_iter().chain(["X-Meu_1", "!#$%&'*+-.^_`|~"]) {
            assert!(is_token(name), "{name}");
        }
        for name in ["", "a b", "a:b", "é", "a\u{7f}", "a\r\nb", "a/b", "\"a\""] {
            assert!(!is_token(name), "{name:?}");
        }
    }
}
