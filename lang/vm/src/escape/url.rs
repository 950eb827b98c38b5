//! Values in URL attributes, and percent-encoding.

use alloc::vec::Vec;

/// Schemes that only point somewhere; any other could run something.
const PASSIVE: [&[u8]; 4] = [b"http", b"https", b"mailto", b"tel"];

/// The start of a URL attribute: a value with another scheme than the passive ones becomes `#`.
pub(super) fn start(out: &mut Vec<u8>, bytes: &[u8]) {
    if !is_passive(bytes) {
        out.push(b'#');
        return;
    }
    let mut url = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            0..=b' ' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | 0x7f => percent_byte(&mut url, byte),
            _ => url.push(byte),
        }
    }
    super::text(out, &url);
}

/// Whether what a browser would take for the scheme (it drops leading control characters and spaces, and tabs and newlines anywhere)
/// is a passive one, or there is none.
fn is_passive(bytes: &[u8]) -> bool {
    let mut scheme = [0_u8; 8];
    let mut length = 0;
    for &byte in bytes.iter().skip_while(|byte| **byte <= b' ') {
        match byte {
            b'\t' | b'\n' | b'\r' => {}
            b'/' | b'?' | b'#' => return true,
            b':' => return PASSIVE.contains(&scheme.get(..length).unwrap_or_default()),
            _ => {
                // One that is too long for any passive scheme stays too long.
                if let Some(place) = scheme.get_mut(length) {
                    *place = byte.to_ascii_lowercase();
                    length += 1;
                }
            }
        }
    }
    true
}

/// After the `/` that starts a URL. Two slashes would start a host: that of a value, or of what follows an empty one. `/./` is `/`.
pub(super) fn root(out: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.is_empty() {
        out.extend_from_slice(b"./");
    }
    root_end(out, bytes);
}

/// The same, where what follows an empty value starts no host.
pub(super) fn root_end(out: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.starts_with(b"/") {
        out.extend_from_slice(b"./");
    }
    percent(out, bytes, b"/");
}

/// Percent-encodes all but unreserved characters and those given.
pub(crate) fn percent(out: &mut Vec<u8>, bytes: &[u8], keep: &[u8]) {
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') || keep.contains(&byte) {
            out.push(byte);
        } else {
            percent_byte(out, byte);
        }
    }
}

fn percent_byte(out: &mut Vec<u8>, byte: u8) {
    const DIGITS: [u8; 16] = *b"0123456789ABCDEF";
    out.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}
