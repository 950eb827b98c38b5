//! What the compiler is given: the site's sources as bytes. It does no I/O of its own.

use std::{collections::BTreeMap, ops::Range};

use crate::{
    ast::{FileId, Span},
    diagnostic::{Diagnostic, codes},
    program::SourceFile,
};

/// Longest source file, in bytes: positions are 32 bits, and a site is written by hand.
pub const MAX_FILE_BYTES: usize = 4 << 20;

/// The site's route table.
pub(crate) const ROUTES: &str = "rotas.djo";

/// Where declarations live.
pub(crate) const CORE: &str = "core/";

/// Whether a file is code: what is served as it is, whatever its name, is none.
pub(crate) fn is_source(path: &str) -> bool {
    (path.ends_with(".djo") || path.ends_with(".djo.html")) && !path.starts_with("publico/")
}

/// The `.djo` and `.djo.html` files of a site.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Contents by path, relative to the site's root, with `/`.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Sources {
    /// Adds a file.
    pub fn with(mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.into(), content.into());
        self
    }
}

/// The decoded files, in order of path; a [`FileId`] is an index into them.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) list: Vec<SourceFile>,
    /// Files that can be parsed at all.
    readable: Vec<bool>,
}

impl Files {
    /// Decodes all sources; what is not UTF-8, or too long, is reported and kept unreadable. A site without a route
    /// table gets an empty one, so that there is a place to say so.
    pub(crate) fn decode(sources: &Sources, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut files = Self { list: Vec::new(), readable: Vec::new() };
        let mut all: BTreeMap<&str, &[u8]> = sources.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
        let missing = !all.contains_key(ROUTES);
        all.entry(ROUTES).or_default();
        for (path, bytes) in all {
            let file = FileId(files.list.len() as u32);
            let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
            let mut readable = true;
            let text = if bytes.len() > MAX_FILE_BYTES {
                readable = false;
                let message = format!("o arquivo tem {} bytes; o limite é de {MAX_FILE_BYTES}", bytes.len());
                diagnostics.push(Diagnostic::error(codes::FILE_TOO_LARGE, Span { file, start: 0, end: 0 }, message));
                String::new()
            } else {
                match std::str::from_utf8(bytes) {
                    Ok(text) => text.to_owned(),
                    Err(error) => {
                        readable = false;
                        let start = error.valid_up_to() as u32;
                        let end = start + char::REPLACEMENT_CHARACTER.len_utf8() as u32;
                        diagnostics.push(
                            Diagnostic::error(codes::NOT_UTF8, Span { file, start, end }, "o arquivo não está em UTF-8")
                                .hint("salve-o como UTF-8 no seu editor"),
                        );
                        String::from_utf8_lossy(bytes).into_owned()
                    }
                }
            };
            files.list.push(SourceFile { path: path.to_owned(), text });
            files.readable.push(readable);
        }
        if missing && let Some(file) = files.find(ROUTES) {
            let diagnostic = Diagnostic::error(codes::MISSING_FILE, Span { file, start: 0, end: 0 }, "o site não tem `rotas.djo`");
            let hint = "crie `rotas.djo` na raiz do site, com uma linha por rota: `Route.get:\"/\":\"paginas/inicio.djo.html\"`";
            diagnostics.push(diagnostic.hint(hint));
        }
        files
    }

    /// The file at a path.
    pub(crate) fn find(&self, path: &str) -> Option<FileId> {
        self.list.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|index| FileId(index as u32))
    }

    pub(crate) fn path(&self, file: FileId) -> &str {
        self.list.get(file.0 as usize).map_or("", |file| &file.path)
    }

    pub(crate) fn text(&self, file: FileId) -> &str {
        self.list.get(file.0 as usize).map_or("", |file| &file.text)
    }

    /// Whether the file decoded.
    pub(crate) fn is_readable(&self, file: FileId) -> bool {
        self.readable.get(file.0 as usize).copied().unwrap_or(false)
    }

    /// The text of a span.
    pub(crate) fn slice(&self, span: Span) -> &str {
        self.text(span.file).get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.list.len() as u32).map(FileId)
    }
}

/// Line and column, from 1; columns count code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

/// The lines of a text, found once: whoever asks for many places does not read it from its start for each.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, starts: std::iter::once(0).chain(text.match_indices('\n').map(|(index, _)| index + 1)).collect() }
    }

    /// The line, from 0, of a byte offset.
    fn index(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// Where a byte offset stands.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let end = on_boundary(self.text, offset);
        let line = self.index(end);
        let column = self.text[self.starts[line]..end].chars().count();
        Position { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// The number, from 1, of the line of one offset, and all lines from there to that of another. The end of the text is that of its last
    /// line, not a line of its own.
    pub(crate) fn around(&self, range: &Range<usize>) -> (usize, Range<usize>) {
        let within = |offset: usize| self.index(if offset == self.text.len() { offset.saturating_sub(1) } else { offset });
        let (first, last) = (within(range.start), within(range.end));
        (first + 1, self.starts[first]..self.starts.get(last + 1).copied().unwrap_or(self.text.len()))
    }
}

/// The last code point boundary up to an offset.
pub(crate) fn on_boundary(text: &str, offset: u32) -> usize {
    let mut end = (offset as usize).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// Where a byte offset stands in a text.
pub fn position(text: &str, offset: u32) -> Position {
    Lines::of(text).position(offset)
}
