//! Patterns of Strings: RE2 syntax, matched in linear time, meaning what the published JSON Schema says.

use alloc::{boxed::Box, format, string::String};
use core::fmt;

use once_cell::race::OnceBox;
use regex_automata::{
    nfa::thompson::{self, pikevm::PikeVM},
    util::syntax,
};

/// Bytes of compiled program that a pattern may take.
const PROGRAM_LIMIT: usize = 1 << 18;
/// Longest pattern, in bytes.
const PATTERN_LIMIT: usize = 4096;
/// A match takes at most about as many steps as program states times bytes of text. Beyond this product a text counts as no match:
/// a pattern that its author made costly must not hold up a host.
const WORK_LIMIT: usize = 400_000_000;

/// What `\s` matches in ECMA-262, which the published schema's reader goes by.
const SPACE: &str = r"\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}";

/// A pattern's program, made when it is first needed and kept as long as the type it belongs to.
#[derive(Default)]
pub struct Compiled(OnceBox<Option<PikeVM>>);

impl Compiled {
    /// Whether the text matches somewhere. `pattern` must be the same each time. An invalid pattern, which no checked contract has,
    /// matches nothing.
    pub fn is_match(&self, pattern: &str, text: &str) -> bool {
        match self.0.get_or_init(|| Box::new(compile(pattern).ok())) {
            Some(regex) => {
                (regex.get_nfa().memory_usage() / 32).saturating_mul(text.len()) <= WORK_LIMIT
                    && regex.is_match(&mut regex.create_cache(), text)
            }
            None => false,
        }
    }
}

impl Clone for Compiled {
    fn clone(&self) -> Self {
        self.0.get().map_or_else(Self::default, |regex| Self(OnceBox::with_value(Box::new(regex.clone()))))
    }
}

/// Two types are equal by their patterns, whether these were needed yet or not.
impl PartialEq for Compiled {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Compiled")
    }
}

/// Checks a pattern.
///
/// # Errors
/// Why it can not be used, in one line.
pub fn check(pattern: &str) -> Result<(), String> {
    compile(pattern).map(|_| ())
}

fn compile(pattern: &str) -> Result<PikeVM, String> {
    if pattern.len() > PATTERN_LIMIT {
        return Err(format!("o padrão tem mais de {PATTERN_LIMIT} bytes"));
    }
    let hir = syntax::parse_with(&translate(pattern), &syntax::Config::new().nest_limit(50)).map_err(|error| {
        // The message spans lines: the pattern with a caret, then what is wrong.
        let text = format!("{error}");
        format!("padrão inválido: {}", text.lines().last().unwrap_or_default().trim_start_matches("error: "))
    })?;
    let config = thompson::Config::new().nfa_size_limit(Some(PROGRAM_LIMIT)).which_captures(thompson::WhichCaptures::None);
    let nfa = thompson::Compiler::new().configure(config).build_from_hir(&hir).map_err(|error| match error.size_limit() {
        Some(_) => "o padrão é grande demais",
        None => "padrão inválido",
    })?;
    PikeVM::new_from_nfa(nfa).map_err(|_| "padrão inválido".into())
}

/// RE2 syntax to the engine's: ASCII `\d \w \b`, the spaces and line ends of ECMA-262, `\Q…\E`, and no set operations in classes.
fn translate(pattern: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        assert_eq!(check(pattern), Ok(()), "{pattern}");
        Compiled::default().is_match(pattern, text)
    }

    #[test]
    fn classes_are_ascii_but_for_spaces() {
        assert!(matches(r"^\d{2}$", "42") && !matches(r"^\d$", "٣"));
        assert!(matches(r"^\w+$", "a_1") && !matches(r"^\w$", "é") && matches(r"^\W$", "é"));
        assert!(matches(r"^\s$", "\u{a0}") && matches(r"^[\s\d]+$", " 1\t") && !matches(r"^[^\s]$", " "));
        assert!(matches(r"\bola\b", "é ola!") && matches(r"a\Bb", "ab") && !matches(r"a\bb", "ab"));
        assert!(!matches("^.$", "\r") && !matches("^.$", "\n") && matches("(?s)^.$", "\n"));
    }

    #[test]
    fn searches_unless_anchored_and_dollar_is_the_very_end() {
        assert!(matches("b", "abc") && !matches("^b", "abc") && !matches("b$", "ab\n"));
        assert!(matches(r"\Aab\z", "ab") && matches(r"^\Qa.b\E$", "a.b") && !matches(r"^\Qa.b\E$", "axb"));
    }

    #[test]
    fn classes_hold_what_re2_reads_in_them() {
        assert!(matches("^[]a]+$", "]a") && matches("^[^]a]$", "b") && matches("^[a[]+$", "[a"));
        assert!(matches("^[a&&b]+$", "&ab") && matches("^[[:alpha:]_]+$", "a_") && matches(r"^[\]\-.]+$", "]-."));
    }

    #[test]
    #[cfg(feature = "unicode")]
    fn knows_unicode() {
        assert!(matches(r"^\p{Lu}\pL+$", "Éa") && matches("(?i)^É$", "é") && matches(r"^\p{Greek}$", "λ"));
    }

    #[test]
    fn what_cannot_be_used_is_said_in_one_line() {
        for (pattern, reason) in [
            ("(", "padrão inválido: unclosed group"),
            ("a{2,1}", "padrão inválido: invalid repetition count range, the start must be <= the end"),
            (r"(a)\1", "padrão inválido: backreferences are not supported"),
            ("(?=a)", "padrão inválido: look-around, including look-ahead and look-behind, is not supported"),
            ("(?:(?:a{100}){100}){100}", "o padrão é grande demais"),
        ] {
            assert_eq!(check(pattern), Err(reason.into()), "{pattern}");
        }
        assert!(check(&"a".repeat(5000)).is_err());
        assert!(check(&"(".repeat(4000)).is_err());
    }

    #[test]
    fn a_costly_match_is_cut_off() {
        let pattern = "(?:a|b)*a(?:a|b){400}";
        assert_eq!(check(pattern), Ok(()));
        let cell = Compiled::default();
        assert!(cell.is_match(pattern, &"ab".repeat(400)));
        assert!(!cell.is_match(pattern, &"ab".repeat(2_000_000)));
    }
}
