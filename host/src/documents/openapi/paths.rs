//! Paths as OpenAPI writes them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What a segment of a path does not have to encode (RFC 3986 §3.3), and the braces of a name.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@')
    .remove(b'/');

/// A declared path, and its names in order.
pub(super) struct Template<'p> {
    segments: Vec<Segment<'p>>,
}

enum Segment<'p> {
    Literal(String),
    Name(&'p str),
}

impl<'p> Template<'p> {
    /// Of a declared path.
    pub(super) fn of(path: &'p str) -> Self {
        Self::read(path, |literal| utf8_percent_encode(literal, SEGMENT).to_string())
    }

    /// Of a path that stands in a document.
    pub(super) fn written(path: &'p str) -> Self {
        Self::read(path, str::to_owned)
    }

    fn read(path: &'p str, literal: impl Fn(&str) -> String) -> Self {
        let segment = |part: &'p str| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) => Segment::Name(name),
            None => Segment::Literal(literal(part)),
        };
        Self { segments: path.split('/').map(segment).collect() }
    }

    /// Its names.
    pub(super) fn names(&self) -> impl Iterator<Item = &'p str> + '_ {
        self.segments.iter().filter_map(|segment| if let Segment::Name(name) = segment { Some(*name) } else { None })
    }

    /// As it is written with these names. OpenAPI takes two paths that differ in names alone for one.
    pub(super) fn text(&self, mut name: impl FnMut(usize, &str) -> String) -> String {
        let mut at = 0;
        let parts = self.segments.iter().map(|segment| match segment {
            Segment::Literal(text) => text.clone(),
            Segment::Name(own) => {
                at += 1;
                format!("{{{}}}", name(at - 1, own))
            }
        });
        parts.collect::<Vec<_>>().join("/")
    }

    /// The same for paths that differ in names alone.
    pub(super) fn shape(&self) -> String {
        self.text(|_, _| String::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_encoded_and_names_kept() {
        let template = Template::of("/ação/{nome}/fim");
        assert_eq!(template.text(|_, name| name.to_owned()), "/a%C3%A7%C3%A3o/{nome}/fim");
        assert_eq!(template.names().collect::<Vec<_>>(), ["nome"]);
        assert_eq!(template.shape(), Template::of("/ação/{x}/fim").shape());
        assert_ne!(template.shape(), Template::of("/ação/x/fim").shape());
    }
}
