//! Formats of Strings, as JSON Schema 2020-12 defines them: email (RFC 5321), uri (RFC 3986), date and date-time (RFC 3339), uuid (RFC 9562).

use core::net::{Ipv4Addr, Ipv6Addr};

/// The names that a `format` constraint knows.
pub const NAMES: [&str; 5] = ["email", "uri", "date", "date-time", "uuid"];

/// Whether a text has the format. A format that is not known holds for every text, as JSON Schema has it.
pub fn is_valid(format: &str, text: &str) -> bool {
    match format {
        "email" => is_email(text),
        "uri" => is_uri(text),
        "date" => is_date(text.as_bytes()),
        "date-time" => is_date_time(text.as_bytes()),
        "uuid" => is_uuid(text.as_bytes()),
        _ => true,
    }
}

fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    is_local_part(local) && is_email_domain(domain)
}

fn is_local_part(local: &str) -> bool {
    if local.is_empty() || local.len() > 64 || !local.is_ascii() {
        return false;
    }
    match local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(quoted) => is_quoted(quoted.as_bytes()),
        None => local.split('.').all(|atom| !atom.is_empty() && atom.bytes().all(is_atom_byte)),
    }
}

fn is_quoted(content: &[u8]) -> bool {
    let mut bytes = content.iter();
    while let Some(&byte) = bytes.next() {
        let plain = matches!(byte, b' ' | b'\t' | 0x21 | 0x23..=0x5B | 0x5D..=0x7E);
        let escaped = byte == b'\\' && bytes.next().is_some_and(u8::is_ascii_graphic);
        if !plain && !escaped {
            return false;
        }
    }
    true
}

fn is_atom_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

fn is_email_domain(domain: &str) -> bool {
    let Some(literal) = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return is_host_name(domain);
    };
    match literal.as_bytes().split_at_checked(5) {
        Some((tag, _)) if tag.eq_ignore_ascii_case(b"IPv6:") => literal[5..].parse::<Ipv6Addr>().is_ok(),
        _ => literal.parse::<Ipv4Addr>().is_ok(),
    }
}

/// RFC 1123, with A-labels taken as they stand.
fn is_host_name(name: &str) -> bool {
    name.len() <= 253 && name.split('.').all(|label| is_label(label.as_bytes()))
}

fn is_label(label: &[u8]) -> bool {
    let alphanumeric_ends = |ends: [Option<&u8>; 2]| ends.into_iter().all(|end| end.is_some_and(u8::is_ascii_alphanumeric));
    // Hyphens in the third and fourth place are kept for A-labels.
    let reserved = label.get(2..4) == Some(b"--") && !(label.starts_with(b"xn--") && label.len() > 4);
    label.len() <= 63
        && !reserved
        && alphanumeric_ends([label.first(), label.last()])
        && label.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// A URI with its scheme; a reference without one is none.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let scheme = scheme.as_bytes();
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|&byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    is_scheme && is_authority(authority) && is_encoded(path, b":@/") && is_encoded(query, b":@/?") && is_encoded(fragment, b":@/?")
}

fn is_authority(authority: &str) -> bool {
    let (user, host_port) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (is_host, port) = if let Some(rest) = host_port.strip_prefix('[') {
        let Some((literal, port)) = rest.split_once(']') else {
            return false;
        };
        (is_ip_literal(literal), port)
    } else {
        let (host, port) = host_port.split_at(host_port.find(':').unwrap_or(host_port.len()));
        (is_encoded(host, b""), port)
    };
    let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    is_encoded(user, b":") && is_host && is_port
}

fn is_ip_literal(literal: &str) -> bool {
    match literal.strip_prefix(['v', 'V']).and_then(|rest| rest.split_once('.')) {
        Some((version, address)) => {
            !version.is_empty()
                && version.bytes().all(|byte| byte.is_ascii_hexdigit())
                && !address.is_empty()
                && address.bytes().all(|byte| byte == b':' || is_unreserved_or_sub_delim(byte))
        }
        None => literal.parse::<Ipv6Addr>().is_ok(),
    }
}

/// Unreserved characters, sub-delimiters, percent-encodings and the bytes of `more`.
fn is_encoded(text: &str, more: &[u8]) -> bool {
    let mut bytes = text.as_bytes();
    while let Some((&byte, rest)) = bytes.split_first() {
        bytes = match byte {
            b'%' => match rest.split_at_checked(2) {
                Some((digits, rest)) if digits.iter().all(u8::is_ascii_hexdigit) => rest,
                _ => return false,
            },
            _ if is_unreserved_or_sub_delim(byte) || more.contains(&byte) => rest,
            _ => return false,
        };
    }
    true
}

fn is_unreserved_or_sub_delim(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte)
}

/// The number that `count` digits at `at` write.
fn digits(text: &[u8], at: usize, count: usize) -> Option<u32> {
    let digits = text.get(at..at + count)?;
    digits.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0')))
}

fn is_date(text: &[u8]) -> bool {
    let fields = (digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2));
    let (Some(year), Some(month), Some(day)) = fields else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    text.len() == 10 && text[4] == b'-' && text[7] == b'-' && (1..=last).contains(&day)
}

fn is_date_time(text: &[u8]) -> bool {
    match text.split_at_checked(10) {
        Some((date, [b'T' | b't', time @ ..])) => is_date(date) && is_time(time).unwrap_or(false),
        _ => false,
    }
}

fn is_time(text: &[u8]) -> Option<bool> {
    let (hour, minute, second) = (digits(text, 0, 2)?, digits(text, 3, 2)?, digits(text, 6, 2)?);
    if text[2] != b':' || text[5] != b':' || hour > 23 || minute > 59 || second > 60 {
        return Some(false);
    }
    let mut zone = &text[8..];
    if let [b'.', fraction @ ..] = zone {
        let count = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Some(false);
        }
        zone = &fraction[count..];
    }
    let offset = match zone {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (digits(zone, 1, 2)?, digits(zone, 4, 2)?);
            if hours > 23 || minutes > 59 {
                return Some(false);
            }
            let offset = (hours * 60 + minutes) as i32;
            if *sign == b'+' { offset } else { -offset }
        }
        _ => return Some(false),
    };
    // A leap second ends a day of UTC.
    let utc = ((hour * 60 + minute) as i32 - offset).rem_euclid(24 * 60);
    Some(second < 60 || utc == 24 * 60 - 1)
}

fn is_uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests;
