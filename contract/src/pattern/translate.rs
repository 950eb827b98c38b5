//! From RE2's syntax, with the meanings that the published schema's reader goes by, to that of the parser.

use alloc::{format, string::String};

/// What `\s` matches in ECMA-262.
const SPACE: &str = r"\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}";

/// What stands before a place within a class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A character that may begin a range.
    Character,
    /// The same, and the `-` of the range.
    Dash,
    /// Nothing of that: the class or a range is just over, or has just begun.
    Other,
}

/// RE2 syntax to the engine's: ASCII `\d \w \b`, the spaces and line ends of ECMA-262, `\Q…\E`, and no set operations in classes.
pub(super) fn translate(pattern: &str) -> String {
    let dot = if has_flag_s(pattern) { "." } else { r"[^\n\r\x{2028}\x{2029}]" };
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut rest = pattern;
    // Within a class: how many of its first characters are still to come that make `]` an ordinary one.
    let mut class: Option<u8> = None;
    let mut before = Before::Other;
    while let Some(found) = rest.chars().next() {
        rest = &rest[found.len_utf8()..];
        let item = if before == Before::Dash { Before::Other } else { Before::Character };
        match (found, class) {
            ('\\', _) => {
                let is_set = rest.starts_with(['d', 'D', 'w', 'W', 's', 'S', 'p', 'P']);
                rest = escape(rest, class.is_some(), &mut out);
                before = if is_set { Before::Other } else { item };
            }
            ('.', None) => out.push_str(dot),
            ('[', None) => {
                out.push('[');
                class = Some(2);
                before = Before::Other;
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
                before = Before::Other;
            }
            // Two of them are an operation in the engine's classes: one that makes no range is written as the character that it is.
            ('-', Some(_)) if before == Before::Character && !rest.starts_with(']') => {
                out.push('-');
                before = Before::Dash;
            }
            ('-', Some(_)) => {
                out.push_str(r"\-");
                before = item;
            }
            // These have a meaning of their own in the engine's classes.
            ('[' | '&' | '~', Some(_)) => {
                out.push('\\');
                out.push(found);
                before = item;
            }
            _ => {
                out.push(found);
                before = item;
            }
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
            // A character by its number is one item, digits and all.
            let digits = if escaped == 'x' { number(after) } else { 0 };
            out.push('\\');
            out.push(escaped);
            out.push_str(&after[..digits]);
            return &after[digits..];
        }
    }
    after
}

/// How long the number of `\x41` or `\x{41}` is.
fn number(text: &str) -> usize {
    match text.strip_prefix('{') {
        Some(braced) => braced.find('}').map_or(0, |end| end + 2),
        None => text.bytes().take(2).take_while(u8::is_ascii_hexdigit).count(),
    }
}

/// Whether a group sets the flag `s`, with which `.` matches line ends too.
fn has_flag_s(pattern: &str) -> bool {
    pattern.match_indices("(?").any(|(at, _)| {
        let flags = &pattern[at + 2..];
        let end = flags.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(flags.len());
        flags[..end].contains('s')
    })
}
