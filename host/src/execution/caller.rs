//! Who calls, as far as that tells callers apart: a session, a credential or, for want of both, an address.

use djo_contract::json;
use http::header::AUTHORIZATION;
use sha2::{Digest, Sha256};

use crate::sandbox::Context;

/// A caller, as a hash: it is kept with what only this caller may ask for again, and tells nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Caller([u8; 32]);

impl Caller {
    /// Whoever sent a request.
    pub fn of(context: &Context) -> Self {
        let (kind, value): (&str, Vec<u8>) = if let Some(session) = context.session() {
            ("session", session.into())
        } else if let Some(credential) = context.headers.get(AUTHORIZATION) {
            ("authorization", credential.as_bytes().to_vec())
        } else {
            ("client", context.client.to_canonical().to_string().into())
        };
        Self(hash(&[kind.as_bytes(), &value]))
    }

    /// The hash.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A hash of parts, told apart by their lengths.
pub fn hash(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// Decoded arguments as the text that all equal ones have: the order of an object's members means nothing. Numbers are as their types made them.
pub fn canonical(arguments: &[u8]) -> Vec<u8> {
    let Ok(value) = json::parse_with(arguments, json::DECODED) else { return arguments.to_vec() };
    let mut text = String::new();
    json::write_exact(&value.sorted(), &mut text);
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_arguments_have_one_text() {
        let text = |json: &str| canonical(json.as_bytes());
        assert_eq!(text(r#"{"a":{"p":1,"q":[{"x":1,"y":2}]}}"#), text(r#"{"a":{"q":[{"y":2,"x":1}],"p":1}}"#));
        assert_ne!(text("[1,2]"), text("[2,1]"));
        assert_ne!(text("[1]"), text("[1.0]"), "an untyped Int is no Float for the code that gets it");
    }
}
