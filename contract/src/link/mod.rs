//! URLs in the attributes of a page: where in one a value stands, and how it is written there so that it stays in its place. Source: the
//! language, §7. Templates of djo and pages of Rust go by the same.
//!
//! What writes is `#[inline]`: guests have this crate compiled to be small, and those that write pages themselves to be quick.

mod part;

use alloc::vec::Vec;

pub use part::Part;

use crate::route::percent_encode;

/// The place of a value in a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A whole URL, or the start of one: a scheme that could run something makes it `#`.
    Whole,
    /// In host or path.
    Path,
    /// After the `/` that starts a URL, where another would start a host.
    Root,
    /// The same, where what follows makes no host of an empty value.
    RootEnd,
    /// After `mailto:` or `tel:`.
    Address,
    /// In the query or the fragment.
    Query,
}

/// Why a value cannot stand where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What is wrong, in Portuguese.
    pub message: &'static str,
    /// What to do instead.
    pub hint: &'static str,
}

/// Attributes whose value is a URL. As in the field's template engines, whatever the element.
const ATTRIBUTES: [&str; 17] = [
    "action",
    "archive",
    "background",
    "cite",
    "classid",
    "codebase",
    "data",
    "formaction",
    "href",
    "icon",
    "longdesc",
    "manifest",
    "ping",
    "poster",
    "profile",
    "src",
    "usemap",
];

/// Whether the value of an attribute of this lower-case name, without a prefix like `xlink:`, is a URL.
pub fn is_url(attribute: &str) -> bool {
    ATTRIBUTES.contains(&attribute)
}

/// Whether an empty value between the `/` that starts a URL and this text of the page starts no host.
pub fn starts_no_host(text: &str) -> bool {
    // Browsers drop tabs and newlines within a URL, and an entity may stand for anything.
    text.chars().next().is_some_and(|c| !matches!(c, '/' | '\\' | '&' | '\t' | '\n' | '\r'))
}

/// Schemes that only point somewhere; any other could run something.
const PASSIVE: [&[u8]; 4] = [b"http", b"https", b"mailto", b"tel"];

/// Writes a value into a URL. What is written still has to be escaped for the attribute: of [`Place::Whole`] it may have `&` and `'`.
#[inline]
pub fn write(place: Place, value: &[u8], out: &mut Vec<u8>) {
    match place {
        Place::Whole => whole(value, out),
        Place::Path => path(value, b"/", out),
        Place::Root => {
            // `/./` is `/`.
            if value.is_empty() {
                out.extend_from_slice(b"./");
            }
            root_end(value, out);
        }
        Place::RootEnd => root_end(value, out),
        Place::Address => percent_encode(value, b"/@+", out),
        Place::Query => percent_encode(value, b"", out),
    }
}

#[inline]
fn whole(value: &[u8], out: &mut Vec<u8>) {
    if !is_passive(value) {
        out.push(b'#');
        return;
    }
    for &byte in value {
        match byte {
            0..=b' ' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' | 0x7f => percent_encode(&[byte], b"", out),
            _ => out.push(byte),
        }
    }
}

/// Two slashes would start a host.
#[inline]
fn root_end(value: &[u8], out: &mut Vec<u8>) {
    if value.starts_with(b"/") {
        out.extend_from_slice(b"./");
    }
    path(value, b"/", out);
}

/// A value of several segments is several. One with segments of dots would climb out of its place, and percent-encoded they are dots all the
/// same: of that the slashes are encoded too, so that it is a name, if one that leads nowhere.
#[inline]
fn path(value: &[u8], keep: &[u8], out: &mut Vec<u8>) {
    let is_dots = |segment: &[u8]| matches!(segment, b"." | b"..");
    if !value.split(|byte| *byte == b'/').any(is_dots) {
        return percent_encode(value, keep, out);
    }
    percent_encode(value, b"", out);
    if is_dots(value) {
        percent_encode(b"/", b"", out);
    }
}

/// Whether what a browser would take for the scheme (it drops leading control characters and spaces, and tabs and newlines anywhere)
/// is a passive one, or there is none.
#[inline]
fn is_passive(value: &[u8]) -> bool {
    let mut scheme = [0_u8; 8];
    let mut length = 0;
    for &byte in value.iter().skip_while(|byte| **byte <= b' ') {
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

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    fn at(place: Place, value: &str) -> String {
        let mut out = Vec::new();
        write(place, value.as_bytes(), &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn a_value_of_a_path_stays_in_its_place() {
        for (value, written) in [
            ("a/b", "a/b"),
            ("a.b/..c/...", "a.b/..c/..."),
            ("../..", "..%2F.."),
            ("a/../b", "a%2F..%2Fb"),
            ("./a", ".%2Fa"),
            ("..", "..%2F"),
            (".", ".%2F"),
            ("..\\..", "..%5C.."),
        ] {
            assert_eq!(at(Place::Path, value), written, "{value}");
        }
        assert_eq!((at(Place::Root, "..").as_str(), at(Place::RootEnd, "/../a").as_str()), ("..%2F", "./%2F..%2Fa"));
        assert_eq!((at(Place::Query, "..").as_str(), at(Place::Address, "ana+a@x/y").as_str()), ("..", "ana+a@x/y"));
        assert_eq!(at(Place::Whole, "../.."), "../..");
    }

    #[test]
    fn names_are_those_of_urls() {
        assert!(is_url("href") && is_url("usemap") && !is_url("title") && !is_url("hrefs"));
        assert!(starts_no_host("?a") && !starts_no_host("/a") && !starts_no_host("") && !starts_no_host("\n/"));
    }
}
