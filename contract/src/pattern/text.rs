//! Programs as text, for contracts and images: sets by `;`, a bar, steps by `,`; numbers and characters in hexadecimal.

use alloc::{string::String, vec::Vec};
use core::fmt::Write;

use super::program::{Look, Program, STEP_LIMIT, Set, Step};

impl Program {
    /// The program as text.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> core::fmt::Result {
        for (index, set) in self.sets.iter().enumerate() {
            out.push_str(if index > 0 { ";" } else { "" });
            // A set that nothing is in; without a sign of its own, one alone would read as no set.
            out.push_str(if set.is_empty() { "-" } else { "" });
            for (index, (first, last)) in set.iter().enumerate() {
                out.push_str(if index > 0 { " " } else { "" });
                write!(out, "{:x}", *first as u32)?;
                if first != last {
                    write!(out, "-{:x}", *last as u32)?;
                }
            }
        }
        out.push('|');
        for (index, step) in self.steps.iter().enumerate() {
            out.push_str(if index > 0 { "," } else { "" });
            match step {
                Step::Char(character) => write!(out, "c{:x}", *character as u32)?,
                Step::Set(set) => write!(out, "s{set:x}")?,
                Step::Look(look) => write!(out, "l{:x}", *look as usize)?,
                Step::Split(a, b) => write!(out, "b{a:x}.{b:x}")?,
                Step::Jump(to) => write!(out, "j{to:x}")?,
                Step::Match => out.push('m'),
            }
        }
        Ok(())
    }

    /// Reads a program from text; `None` when it is none. Whatever it is, running it is safe and bounded.
    pub fn from_text(text: &str) -> Option<Self> {
        let (sets, steps) = text.split_once('|')?;
        let sets = if sets.is_empty() { Vec::new() } else { sets.split(';').map(read_set).collect::<Option<_>>()? };
        let steps: Vec<Step> = steps.split(',').take(STEP_LIMIT + 1).map(read_step).collect::<Option<_>>()?;
        Self::new(sets, steps)
    }
}

/// A number as it is written here: no sign, no leading zero, lower case.
fn number(text: &str) -> Option<usize> {
    let is_plain = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) && (text.len() == 1 || !text.starts_with('0'));
    usize::from_str_radix(text, 16).ok().filter(|_| is_plain)
}

fn character(text: &str) -> Option<char> {
    char::from_u32(u32::try_from(number(text)?).ok()?)
}

fn read_set(text: &str) -> Option<Set> {
    let range = |text: &str| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        Some((character(first)?, character(last)?))
    };
    if text == "-" { Some(Set::new()) } else { text.split(' ').map(range).collect() }
}

fn read_step(text: &str) -> Option<Step> {
    let kind = text.chars().next()?;
    let rest = &text[kind.len_utf8()..];
    Some(match kind {
        'c' => Step::Char(character(rest)?),
        's' => Step::Set(number(rest)?),
        'l' => Step::Look(*Look::ALL.get(number(rest)?)?),
        'b' => {
            let (a, b) = rest.split_once('.')?;
            Step::Split(number(a)?, number(b)?)
        }
        'j' => Step::Jump(number(rest)?),
        'm' if rest.is_empty() => Step::Match,
        _ => return None,
    })
}
