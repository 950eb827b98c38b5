//! From RE2's syntax, with the meanings that the published schema's reader goes by, to that of the parser.

use alloc::{format, string::String};

/// What `\s` matches in ECMA-262.
const SPACE: &str = r"\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}";

/// RE2 syntax to the engine's: ASCII `\d \w \b`, the spaces and line ends of ECMA-262, `\Q…\E`, and no set operations in classes.
pub(super) fn translate(pattern: &str) -> String {
    let dot = if has_flag_s(pattern) { "." } else { r"[^\n\r\x{2028}\x{2029}]" };
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    // Within a class: how many of its first characters are still to come that make `]` an ordinary one.
    let mut class: Option<u8> = None;
    while let Some(found) = rest.chars().next() {
        rest = &rest[found.len_utf8()..];
        match (found, class) {
            ('\\', _) => rest = escape(rest, class.is_some(), &mut out),
            ('.', None) => out.push_str(dot),
            ('[', None) => {
                out.push('[');
                class = Some(2);
                continue;
            }
            ('^', Some(2)) => {
                out.push('^');
                class = Some(1);
                continue;
            }
            (']', Some(0)) => {
                out.push(']');
                class = None;
                continue;
            }
            ('[', Some(_)) if rest.starts_with(':') && rest.contains(":]") => {
                let end = rest.find(":]").map_or(rest.len(), |at| at + 2);
                out.push('[');
                out.push_str(&rest[..end]);
                rest = &rest[end..];
            }
            // These have a meaning of their own in the engine's classes.
            ('[' | '&' | '~', Some(_)) => {
                out.push('\\');
                out.push(found);
            }
            _ => out.push(found),
        }
        class = class.map(|_| 0);
    }
    out
}

/// Writes the escape whose backslash stood before `rest`; answers what follows it.
fn escape<'a>(rest: &'a str, in_class: bool, out: &mut String) -> &'a str {
    let Some(escaped) = rest.chars().next() else {
        out.push('\\');
        return rest;
    };
    let after = &rest[escaped.len_utf8()..];
    match escaped {
        'd' => out.push_str("[0-9]"),
        'D' => out.push_str("[^0-9]"),
        'w' => out.push_str("[0-9A-Za-z_]"),
        'W' => out.push_str("[^0-9A-Za-z_]"),
        's' => out.push_str(&format!("[{SPACE}]")),
        'S' => out.push_str(&format!("[^{SPACE}]")),
        'b' | 'B' if !in_class => out.push_str(&format!(r"(?-u:\{escaped})")),
        'Q' => {
            let (literal, after) = after.split_once(r"\E").unwrap_or((after, ""));
            for character in literal.chars() {
                if character.is_ascii_punctuation() {
                    out.push('\\');
                }
                out.push(character);
            }
            return after;
        }
        _ => {
            out.push('\\');
            out.push(escaped);
        }
    }
    after
}

/// Whether a group sets the flag `s`, with which `.` matches line ends too.
fn has_flag_s(pattern: &str) -> bool {
    pattern.match_indices("(?").any(|(at, _)| {
        let flags = &pattern[at + 2..];
        let end = flags.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(flags.len());
        flags[..end].contains('s')
    })
}
