//! Diagnostics as JSON, for editors and tools (`--json`).

use std::fmt::Write as _;

use super::{Diagnostic, Severity, texts::Texts};
use crate::{
    ast::Span,
    program::SourceFile,
    source::{Lines, Position},
};

/// A JSON array of objects: `arquivo`, `linha`, `coluna`, `fim` (`linha`, `coluna`; one past the end), `gravidade`
/// (`erro` or `aviso`), `codigo`, `mensagem`, `dicas`, `relacionados` (places with their own `mensagem`).
/// Lines and columns count from 1; columns count code points.
pub fn to_json(files: &[SourceFile], diagnostics: &[Diagnostic]) -> String {
    let mut out = String::from("[");
    let mut texts = Texts::of(files);
    for (index, diagnostic) in diagnostics.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push('{');
        place(&mut out, &mut texts, diagnostic.span);
        let severity = match diagnostic.severity {
            Severity::Error => "erro",
            Severity::Warning => "aviso",
        };
        let _ = write!(out, r#","gravidade":"{severity}","codigo":"{}","mensagem":"#, diagnostic.code);
        string(&mut out, &diagnostic.message);
        out.push_str(r#","dicas":["#);
        for (index, hint) in diagnostic.hints.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            string(&mut out, hint);
        }
        out.push_str(r#"],"relacionados":["#);
        for (index, (span, label)) in diagnostic.related.iter().enumerate() {
            out.push_str(if index > 0 { ",{" } else { "{" });
            place(&mut out, &mut texts, *span);
            out.push_str(r#","mensagem":"#);
            string(&mut out, label);
            out.push('}');
        }
        out.push_str("]}");
    }
    out.push(']');
    out
}

fn place(out: &mut String, texts: &mut Texts<'_>, span: Span) {
    let found = texts.get(span.file);
    let at = |offset| found.map_or(Position { line: 1, column: 1 }, |(_, lines): (_, &Lines<'_>)| lines.position(offset));
    let (start, end) = (at(span.start), at(span.end));
    let file = found.map(|(file, _)| file);
    out.push_str(r#""arquivo":"#);
    string(out, file.map_or("", |file| &file.path));
    let _ = write!(out, r#","linha":{},"coluna":{},"fim":{{"linha":{},"coluna":{}}}"#, start.line, start.column, end.line, end.column);
}

fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
