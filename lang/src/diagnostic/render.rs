//! Diagnostics for a terminal: file, line, column, the source line, a caret range, message and hints.

use std::{borrow::Cow, ops::Range};

use annotate_snippets::{Annotation, AnnotationKind, Level, Message, Renderer, Snippet, renderer::DecorStyle};

use super::{Diagnostic, Severity, texts::Texts};
use crate::{ast::Span, program::SourceFile, source::on_boundary};

/// All diagnostics as text, a blank line between them.
pub fn render(files: &[SourceFile], diagnostics: &[Diagnostic], color: bool) -> String {
    render_first(files, diagnostics, color, usize::MAX)
}

/// The first `most` of them, errors before warnings, and how many more errors there are.
pub fn render_first(files: &[SourceFile], diagnostics: &[Diagnostic], color: bool, most: usize) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }.decor_style(DecorStyle::Ascii).term_width(160);
    let mut texts = Texts::of(files);
    let mut one = |diagnostic: &Diagnostic| one(&renderer, &mut texts, diagnostic);
    if diagnostics.len() <= most {
        return diagnostics.iter().map(one).collect::<Vec<_>>().join("\n\n");
    }
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
    let errors = diagnostics.iter().filter(is_error).count();
    let warnings = diagnostics.iter().filter(|diagnostic| !is_error(diagnostic));
    let mut rendered: Vec<String> = diagnostics.iter().filter(is_error).chain(warnings).take(most).map(&mut one).collect();
    match errors.saturating_sub(most) {
        0 => {}
        1 => rendered.push("… e mais 1 erro".to_owned()),
        more => rendered.push(format!("… e mais {more} erros")),
    }
    rendered.join("\n\n")
}

fn one(renderer: &Renderer, texts: &mut Texts<'_>, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR.with_name("erro"),
        Severity::Warning => Level::WARNING.with_name("aviso"),
    };
    let mut group = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code).elements(Vec::<Message<'_>>::new());
    let primary = (diagnostic.span, AnnotationKind::Primary, None);
    let others = diagnostic.related.iter().map(|(span, label)| (*span, AnnotationKind::Context, Some(label.as_str())));
    let all: Vec<_> = std::iter::once(primary).chain(others).collect();
    let mut snippets: Vec<(Span, Snippet<'_, Annotation<'_>>)> = Vec::new();
    for (index, (span, ..)) in all.iter().enumerate() {
        if all[..index].iter().any(|(other, ..)| other.file == span.file) {
            continue;
        }
        let Some((file, lines)) = texts.get(span.file) else { continue };
        let here: Vec<_> = all.iter().filter(|(other, ..)| other.file == span.file).collect();
        let ranges: Vec<_> = here.iter().map(|(span, ..)| range(&file.text, *span)).collect();
        let ends = ranges.iter().cloned().reduce(|ends, range| ends.start.min(range.start)..ends.end.max(range.end)).unwrap_or_default();
        // The renderer reads all that it is given, which may be a long file with as many mistakes as lines.
        let (number, shown) = lines.around(&ends);
        let mut snippet = Snippet::source(&file.text[shown.clone()]).path(path(&file.path)).line_start(number);
        for ((_, kind, label), range) in here.into_iter().zip(ranges) {
            snippet = snippet.annotation(kind.span(range.start - shown.start..range.end - shown.start).label(*label));
        }
        snippets.push((*span, snippet));
    }
    group = group.elements(snippets.into_iter().map(|(_, snippet)| snippet));
    group = group.elements(diagnostic.hints.iter().map(|hint| Level::HELP.with_name("dica").message(hint.as_str())));
    renderer.render(&[group])
}

/// The span within the text, on code point boundaries, whatever it says.
fn range(text: &str, span: Span) -> Range<usize> {
    let start = on_boundary(text, span.start);
    start..on_boundary(text, span.end).max(start)
}

/// A path that stays within its line: a file may be named by anyone.
fn path(path: &str) -> Cow<'_, str> {
    if path.chars().any(char::is_control) {
        path.chars().map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() }).collect::<String>().into()
    } else {
        path.into()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::{ast::FileId, diagnostic::codes};

    fn file(path: &str, text: String) -> [SourceFile; 1] {
        [SourceFile { path: path.to_owned(), text }]
    }

    fn error(start: usize) -> Diagnostic {
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        Diagnostic::error(codes::UNKNOWN_NAME, Span { file: FileId(0), start, end: start + 1 }, "não")
    }

    #[test]
    fn many_mistakes_in_a_long_file_cost_their_own_lines() {
        let files = file("core/a.djo", "x = naoexiste\n".repeat(200_000));
        let found: Vec<_> = (0..10_000).map(|line| error(line * 14)).collect();
        let started = Instant::now();
        let rendered = render(&files, &found, false);
        assert!(rendered.contains("core/a.djo:10000:1") && started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    }

    #[test]
    fn of_too_many_the_first_are_told_and_how_many_more() {
        let files = file("a.djo", "a\n".repeat(10));
        let warning = Diagnostic { severity: Severity::Warning, ..error(0) };
        let found: Vec<_> = std::iter::once(warning).chain((1..10).map(|line| error(line * 2))).collect();
        let told = render_first(&files, &found, false, 3);
        assert!(told.contains("a.djo:2:1") && told.contains("a.djo:4:1") && !told.contains("a.djo:5:1"), "{told}");
        assert!(!told.contains("aviso") && told.ends_with("\n\n… e mais 6 erros"), "{told}");
        assert!(render_first(&files, &found, false, 8).ends_with("… e mais 1 erro"));
        assert_eq!(render_first(&files, &found, false, 10), render(&files, &found, false));
    }

    #[test]
    fn a_files_name_forges_no_line() {
        let told = render(&file("a\nerro: b\u{1b}[31m.djo", "a\n".to_owned()), &[error(0)], false);
        assert!(told.contains("a\\nerro: b\\u{1b}[31m.djo:1:1"), "{told}");
    }
}
