//! Diagnostics for a terminal: file, line, column, the source line, a caret range, message and hints.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Level, Message, Renderer, Snippet, renderer::DecorStyle};

use super::{Diagnostic, Severity};
use crate::{ast::Span, program::SourceFile};

/// All diagnostics as text, a blank line between them.
pub fn render(files: &[SourceFile], diagnostics: &[Diagnostic], color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }.decor_style(DecorStyle::Ascii).term_width(160);
    let rendered: Vec<String> = diagnostics.iter().map(|diagnostic| one(&renderer, files, diagnostic)).collect();
    rendered.join("\n\n")
}

fn one(renderer: &Renderer, files: &[SourceFile], diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR.with_name("erro"),
        Severity::Warning => Level::WARNING.with_name("aviso"),
    };
    let mut group = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code).elements(Vec::<Message<'_>>::new());
    let mut snippets: Vec<(Span, Snippet<'_, Annotation<'_>>)> = Vec::new();
    let primary = (diagnostic.span, AnnotationKind::Primary, None);
    let others = diagnostic.related.iter().map(|(span, label)| (*span, AnnotationKind::Context, Some(label.as_str())));
    for (span, kind, label) in std::iter::once(primary).chain(others) {
        let Some(file) = files.get(span.file.0 as usize) else { continue };
        let annotation = kind.span(range(&file.text, span)).label(label);
        match snippets.iter().position(|(first, _)| first.file == span.file) {
            Some(index) => {
                let (first, snippet) = snippets.remove(index);
                snippets.insert(index, (first, snippet.annotation(annotation)));
            }
            None => {
                let snippet = Snippet::source(file.text.as_str()).path(file.path.as_str()).line_start(1).annotation(annotation);
                snippets.push((span, snippet));
            }
        }
    }
    group = group.elements(snippets.into_iter().map(|(_, snippet)| snippet));
    group = group.elements(diagnostic.hints.iter().map(|hint| Level::HELP.with_name("dica").message(hint.as_str())));
    renderer.render(&[group])
}

/// The span within the text, on code point boundaries, whatever it says.
fn range(text: &str, span: Span) -> Range<usize> {
    let clamp = |offset: u32| {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let start = clamp(span.start);
    start..clamp(span.end).max(start)
}
