//! JSON with a line for each member. Only white space is added: numbers and escapes stay as they came.

const STEP: &str = "  ";

/// Indents a JSON text. What is no JSON comes out with odd white space, nothing worse.
pub(super) fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0usize;
    let mut in_string = false;
    let mut escaped = false;
    // An opened bracket waits: an empty list or object stays on its line.
    let mut opened = false;
    for c in json.chars() {
        if in_string {
            out.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        if c.is_ascii_whitespace() {
            continue;
        }
        if matches!(c, ']' | '}') {
            depth = depth.saturating_sub(1);
            if !opened {
                new_line(&mut out, depth);
            }
            opened = false;
            out.push(c);
            continue;
        }
        if opened {
            new_line(&mut out, depth);
            opened = false;
        }
        out.push(c);
        match c {
            '"' => in_string = true,
            '[' | '{' => {
                depth += 1;
                opened = true;
            }
            ',' => new_line(&mut out, depth),
            ':' => out.push(' '),
            _ => {}
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    // Deeper than this nobody reads the indentation.
    for _ in 0..depth.min(64) {
        out.push_str(STEP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_in_lines_and_nothing_else_changes() {
        let text = r#"{"a":[1.50,{"b":"x, \"y\": {z}\\"}],"c":{},"d":[ ],"n":12345678901234567890}"#;
        let expected = "{\n  \"a\": [\n    1.50,\n    {\n      \"b\": \"x, \\\"y\\\": {z}\\\\\"\n    }\n  ],\n  \"c\": {},\n  \"d\": [],\n  \"n\": 12345678901234567890\n}";
        assert_eq!(indented(text), expected);
        assert_eq!(indented(expected), expected);
        assert_eq!(indented("\"oi\""), "\"oi\"");
    }

    #[test]
    fn any_text_is_survived() {
        for text in ["]]]]", "\"", "[[[[", "\\", "{\"a\"", ""] {
            let _ = indented(text);
        }
        assert!(indented(&"[".repeat(10_000)).len() < 3_000_000);
    }
}
