//! A cookie out of a request's `Cookie`, as everybody reads it who has to see the same one: guests, and hosts that know a session by it.

use alloc::string::String;

use crate::route::decode_leniently;

/// The value of the first cookie of a name, without quotes around it, decoded; `None` where there is none, or where it is no text.
pub fn cookie(header: &str, name: &str) -> Option<String> {
    let mut cookies = header.split(';').filter_map(|cookie| cookie.trim().split_once('='));
    let (_, value) = cookies.find(|(given, _)| *given == name)?;
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    String::from_utf8(decode_leniently(value.as_bytes(), false)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_name_counts_whatever_stands_beside_it() {
        let header = "x=é; vazio=; a=1 ; b=\"2 3\"; a=2; mal; c=%C3%A9%zz; d=%ff";
        for (name, value) in
            [("x", Some("é")), ("vazio", Some("")), ("a", Some("1")), ("b", Some("2 3")), ("c", Some("é%zz")), ("d", None), ("mal", None)]
        {
            assert_eq!(cookie(header, name).as_deref(), value, "{name}");
        }
    }
}
