//! Text that stays text: what Markdown would read as markup is escaped, and no more.

/// Characters that mark something up wherever they stand.
const MARKUP: [char; 6] = ['\\', '`', '*', '[', ']', '|'];

/// Appends a character of text; `next` is the one after it.
pub(super) fn push(out: &mut String, letter: char, next: Option<char>) {
    let is_markup = match letter {
        // A pipe is markup in tables alone, but there it always is; elsewhere an escape does not show.
        letter if MARKUP.contains(&letter) => true,
        '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
        '&' => next.is_some_and(|next| next.is_ascii_alphanumeric() || next == '#'),
        '_' => {
            let joins = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
            !joins(out.chars().next_back()) || !joins(next)
        }
        '~' => next == Some('~') || out.ends_with('~'),
        _ => false,
    };
    if is_markup {
        out.push('\\');
    }
    out.push(letter);
}

/// Escapes what would make a block of a line by standing at its start.
pub(super) fn line_starts(text: &str) -> String {
    text.split('\n').map(line_start).collect::<Vec<_>>().join("\n")
}

fn line_start(line: &str) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    let mut letters = rest.chars();
    let (first, second) = (letters.next(), letters.next());
    let ends = |letter: Option<char>| letter.is_none_or(|letter| letter == ' ');
    let makes_block = match first {
        Some('.' | ')') => (1..=9).contains(&digits) && ends(second),
        Some('#') if digits == 0 => ends(second) || second == Some('#'),
        Some('-' | '+' | '=') if digits == 0 => ends(second) || second == first,
        Some('>') => digits == 0,
        _ => false,
    };
    if makes_block { format!("{number}\\{rest}") } else { line.to_owned() }
}

/// A piece of code within a line: `text` has no line breaks and is not empty.
pub(super) fn code_span(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Lines of code.
pub(super) fn fenced(code: &str, language: &str) -> String {
    let fence = "`".repeat((longest_run(code) + 1).max(3));
    let code = code.strip_prefix('\n').unwrap_or(code).trim_end();
    format!("{fence}{language}\n{code}\n{fence}")
}

fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}

/// An address as it stands in a link.
pub(super) fn address(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    for letter in address.trim().chars() {
        match letter {
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '|' => out.push_str("%7C"),
            '\\' => out.push_str("%5C"),
            letter if letter.is_whitespace() => out.push_str("%20"),
            letter if letter.is_control() => {}
            letter => out.push(letter),
        }
    }
    out
}
