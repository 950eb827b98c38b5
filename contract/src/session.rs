//! The names that everybody who reads a session agrees on: guests that keep one, doors and hosts that fill parameters out of it.

/// The cookie that holds a session's id.
pub const COOKIE: &str = "djo_sessao";
/// The store's collection that holds sessions, by id: each a Map in the store's wire format.
pub const COLLECTION: &str = "_djo.sessao";
/// Collections of the product itself begin so; a site's code cannot name them.
pub const RESERVED_PREFIX: &str = "_djo.";
/// Bytes of a session's id.
pub const ID_BYTES: usize = 16;

/// Whether a text can be the id of a session: what a cookie holds besides is nobody's.
pub fn is_id(text: &str) -> bool {
    text.len() == ID_BYTES * 2 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_so_many_hexadecimal_digits() {
        assert!(is_id("0123456789abcdef0123456789abcdef"));
        for text in ["", "x", "0123456789abcdef", "0123456789ABCDEF0123456789abcdef"] {
            assert!(!is_id(text), "{text}");
        }
    }
}
