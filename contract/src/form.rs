//! What a browser sends of a form, and queries, as the code of a site reads them: leniently, since there is nobody to correct them.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{route::decode_leniently, tool::CURSOR};

/// Fields of a form or query that are looked at.
const MAX_FIELDS: usize = 10_000;

/// The pairs of a query or of a form sent like one, decoded. What is no valid escape stays as it is, and what is no UTF-8 is replaced.
pub fn pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    let decode = |part: &str| String::from_utf8_lossy(&decode_leniently(part.as_bytes(), true)).into_owned();
    query.split('&').filter(|pair| !pair.is_empty()).take(MAX_FIELDS).map(move |pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    })
}

/// The page of a bounded result that a query asks for: none at first.
pub fn cursor(query: &str) -> Option<String> {
    pairs(query).find(|(name, _)| name == CURSOR).map(|(_, value)| value).filter(|value| !value.is_empty())
}

/// The text fields of a form that was submitted, by the body's `Content-Type`; of other bodies none.
pub fn fields(content_type: &str, body: &[u8]) -> Vec<(String, String)> {
    let (kind, parameters) = content_type.split_once(';').unwrap_or((content_type, ""));
    match kind.trim().to_ascii_lowercase().as_str() {
        "application/x-www-form-urlencoded" => pairs(&String::from_utf8_lossy(body)).collect(),
        "multipart/form-data" => boundary(parameters).map(|boundary| multipart(body, &boundary)).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// The boundary of a multipart body.
fn boundary(parameters: &str) -> Option<String> {
    parameter(parameters, "boundary").filter(|boundary| !boundary.is_empty() && boundary.len() <= 70)
}

/// A parameter of a header's value, out of its quotes.
fn parameter(parameters: &str, wanted: &str) -> Option<String> {
    let mut rest = parameters;
    while let Some((name, after)) = rest.split_once('=') {
        let name = name.trim_matches(|letter: char| letter == ';' || letter.is_whitespace());
        let (value, tail) = match after.strip_prefix('"') {
            Some(quoted) => unquote(quoted),
            None => {
                let (value, tail) = after.split_once(';').unwrap_or((after, ""));
                (value.trim().to_string(), tail)
            }
        };
        if name.eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = tail;
    }
    None
}

/// What stands before the closing quote, and what after it. Browsers write a quote as `%22`.
fn unquote(quoted: &str) -> (String, &str) {
    let (value, tail) = quoted.split_once('"').unwrap_or((quoted, ""));
    (value.replace("%22", "\"").replace("%0D%0A", "\r\n"), tail)
}

/// The position of a part in bytes.
fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len().max(1)).position(|window| window == part)
}

/// The fields of a multipart body that are text: files are left out.
fn multipart(body: &[u8], boundary: &str) -> Vec<(String, String)> {
    let first = format!("--{boundary}");
    let delimiter = format!("\r\n--{boundary}");
    let mut fields = Vec::new();
    let Some(start) = find(body, first.as_bytes()) else { return fields };
    let mut rest = body.get(start + first.len()..).unwrap_or_default();
    while !rest.starts_with(b"--") && fields.len() < MAX_FIELDS {
        let Some(end) = find(rest, delimiter.as_bytes()) else { break };
        let (part, after) = rest.split_at(end);
        rest = after.get(delimiter.len()..).unwrap_or_default();
        let Some(blank) = find(part, b"\r\n\r\n") else { continue };
        let (head, value) = part.split_at(blank);
        let head: Cow<'_, str> = String::from_utf8_lossy(head);
        let disposition = head.split("\r\n").filter_map(|line| line.split_once(':'));
        let mut disposition = disposition.filter(|(name, _)| name.trim().eq_ignore_ascii_case("content-disposition"));
        let Some((_, disposition)) = disposition.next() else { continue };
        let parameters = disposition.split_once(';').map_or("", |(_, parameters)| parameters);
        if parameter(parameters, "filename").is_none()
            && let Some(name) = parameter(parameters, "name")
        {
            let value = String::from_utf8_lossy(value.get(4..).unwrap_or_default()).into_owned();
            fields.push((name, value));
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(fields: &[(&str, &str)]) -> Vec<(String, String)> {
        fields.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn one_bad_pair_spoils_no_other() {
        let read: Vec<_> = pairs("a=%zz&b=1+2&c=%ff&&d&e=%C3%A9=").collect();
        assert_eq!(read, owned(&[("a", "%zz"), ("b", "1 2"), ("c", "\u{fffd}"), ("d", ""), ("e", "é=")]));
    }

    #[test]
    fn a_page_is_asked_for_by_a_cursor_that_says_which() {
        for (query, page) in
            [("", None), ("cursor=", None), ("cursor", None), ("a=1&cursor=x%20y&cursor=z", Some("x y")), ("%63ursor=1", Some("1"))]
        {
            assert_eq!(cursor(query).as_deref(), page, "{query}");
        }
    }

    #[test]
    fn a_form_is_what_says_that_it_is_one() {
        let multipart = b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n\
--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"g\"\r\n\r\n2\r\n--x--\r\n";
        assert_eq!(fields("multipart/form-data; boundary=x", multipart), owned(&[("a", "1")]));
        assert_eq!(fields("Application/X-www-form-urlencoded; charset=utf-8", b"a=1"), owned(&[("a", "1")]));
        for other in ["", "text/plain", "application/json", "multipart/form-data"] {
            assert_eq!(fields(other, b"a=1"), [], "{other}");
        }
    }
}
