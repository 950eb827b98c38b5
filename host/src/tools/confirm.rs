//! Confirmation by a person: a token for one call, which only the same call can redeem, once, within five minutes.
//!
//! A token is signed, not stored: asking for tokens costs nothing. Only those that were redeemed are remembered, until they expire.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::text::hex;

/// For how long a token can be redeemed.
const LIFE: Duration = Duration::from_secs(5 * 60);
/// Redeemed tokens that are remembered; beyond it none is redeemed for a while.
const MAX_REDEEMED: usize = 1 << 20;
const PREFIX: &str = "conf_";
const NONCE: usize = 16;
const SIGNATURE: usize = 32;

/// The tokens of a process.
pub struct Confirmations {
    key: [u8; 32],
    /// Nonce to the second in which it expires.
    redeemed: Mutex<HashMap<[u8; NONCE], u64>>,
}

/// A redeemed token. Dropped before its call has started, the token can be redeemed again.
pub(super) struct Redeemed<'a> {
    confirmations: &'a Confirmations,
    nonce: [u8; NONCE],
    pub(super) spent: bool,
}

impl Confirmations {
    /// Tokens under a key of this process alone.
    pub fn new() -> Self {
        let mut key = [0; 32];
        // Without randomness a token could be forged: then none is ever valid.
        let redeemed = HashMap::new();
        if let Err(error) = getrandom::fill(&mut key) {
            tracing::error!(%error, "confirmations");
        }
        Self { key, redeemed: Mutex::new(redeemed) }
    }

    /// A token for a call, named by what must be the same when it comes again.
    pub(super) fn issue(&self, call: &[&[u8]]) -> Option<String> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).ok()?;
        let expires = now() + LIFE.as_secs();
        let signature = self.sign(expires, &nonce, call)?;
        Some(format!("{PREFIX}{expires:x}_{}_{}", hex(&nonce), hex(&signature)))
    }

    /// Redeems a token for a call.
    pub(super) fn redeem(&self, token: &str, call: &[&[u8]]) -> Option<Redeemed<'_>> {
        let mut parts = token.strip_prefix(PREFIX)?.split('_');
        let (expires, nonce, signature) = (parts.next()?, parts.next()?, parts.next()?);
        let expires = u64::from_str_radix(expires, 16).ok().filter(|_| parts.next().is_none())?;
        let nonce: [u8; NONCE] = unhex(nonce)?;
        let signature: [u8; SIGNATURE] = unhex(signature)?;
        self.mac(expires, &nonce, call)?.verify_slice(&signature).ok()?;
        let now = now();
        if expires <= now {
            return None;
        }
        let mut redeemed = self.redeemed.lock().unwrap_or_else(PoisonError::into_inner);
        if redeemed.len() >= MAX_REDEEMED {
            redeemed.retain(|_, expires| *expires > now);
        }
        if redeemed.len() >= MAX_REDEEMED || redeemed.contains_key(&nonce) {
            return None;
        }
        redeemed.insert(nonce, expires);
        Some(Redeemed { confirmations: self, nonce, spent: false })
    }

    fn sign(&self, expires: u64, nonce: &[u8], call: &[&[u8]]) -> Option<[u8; SIGNATURE]> {
        Some(self.mac(expires, nonce, call)?.finalize().into_bytes().into())
    }

    fn mac(&self, expires: u64, nonce: &[u8], call: &[&[u8]]) -> Option<Hmac<Sha256>> {
        if self.key == [0; 32] {
            return None;
        }
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).ok()?;
        mac.update(&expires.to_le_bytes());
        mac.update(nonce);
        for part in call {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        Some(mac)
    }
}

impl Default for Confirmations {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Redeemed<'_> {
    fn drop(&mut self) {
        if !self.spent {
            self.confirmations.redeemed.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.nonce);
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs())
}

fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != 2 * N || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, at) in bytes.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_for_one_call_once() {
        let tokens = Confirmations::new();
        let call: &[&[u8]] = &[b"apagar", b"{\"id\":1}"];
        let token = tokens.issue(call).unwrap();
        for other in [&[&b"apagar"[..], b"{\"id\":2}"][..], &[b"apaga", b"r{\"id\":1}"], &[b"apagar"]] {
            assert!(tokens.redeem(&token, other).is_none());
        }
        assert!(Confirmations::new().redeem(&token, call).is_none(), "another process");
        // A call that did not start leaves the token as it was.
        drop(tokens.redeem(&token, call).unwrap());
        let mut redeemed = tokens.redeem(&token, call).unwrap();
        redeemed.spent = true;
        drop(redeemed);
        assert!(tokens.redeem(&token, call).is_none());
    }

    #[test]
    fn what_is_no_token_is_refused() {
        let tokens = Confirmations::new();
        let token = tokens.issue(&[b"a"]).unwrap();
        for text in [
            "",
            "conf_",
            "conf_1_2_3",
            &token[..token.len() - 1],
            &format!("{token}0"),
            &format!("{token}_"),
            &token.replace("conf_", "conf_0"),
        ] {
            // A leading zero of the time changes nothing that is signed.
            assert!(tokens.redeem(text, &[b"a"]).is_none() || text.starts_with("conf_0"), "{text}");
        }
    }
}
