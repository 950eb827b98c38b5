//! Where in a document something is: dotted (`itens[0].sku`) for people, RFC 6901 pointers for programs.

use alloc::{format, string::String};

/// Submitted text is echoed up to this many code points.
pub const ECHO_LIMIT: usize = 64;

/// One step down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Segment<'a> {
    /// Into a member.
    Name(&'a str),
    /// Into an element.
    Index(usize),
}

/// A place on the way down a document, kept on the stack of the walk: it costs nothing until it is written out.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    step: Option<(&'a Path<'a>, Segment<'a>)>,
}

impl<'a> Path<'a> {
    /// The whole document.
    pub const ROOT: Path<'static> = Path { step: None };

    /// The member `name` of the value here.
    pub fn name(&'a self, name: &'a str) -> Self {
        Self { step: Some((self, Segment::Name(name))) }
    }

    /// The element `index` of the array here.
    pub fn index(&'a self, index: usize) -> Self {
        Self { step: Some((self, Segment::Index(index))) }
    }

    /// `itens[0].sku`; empty for the whole document.
    pub fn dotted(&self) -> String {
        let mut out = String::new();
        self.visit(&mut |segment| push_dotted(&mut out, segment));
        out
    }

    /// `/itens/0/sku`; empty for the whole document.
    pub fn pointer(&self) -> String {
        let mut out = String::new();
        self.visit(&mut |segment| push_pointer(&mut out, segment));
        out
    }

    fn visit(&self, each: &mut dyn FnMut(Segment<'_>)) {
        if let Some((parent, segment)) = self.step {
            parent.visit(each);
            each(segment);
        }
    }
}

/// Appends a step to a dotted path.
pub(crate) fn push_dotted(out: &mut String, segment: Segment<'_>) {
    match segment {
        Segment::Name(name) => {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(&echo(name));
        }
        Segment::Index(index) => out.push_str(&format!("[{index}]")),
    }
}

/// Appends a step to a JSON pointer.
pub(crate) fn push_pointer(out: &mut String, segment: Segment<'_>) {
    out.push('/');
    match segment {
        Segment::Name(name) => {
            for character in echo(name).chars() {
                match character {
                    '~' => out.push_str("~0"),
                    '/' => out.push_str("~1"),
                    other => out.push(other),
                }
            }
        }
        Segment::Index(index) => out.push_str(&format!("{index}")),
    }
}

/// Submitted text as it may be shown: at most [`ECHO_LIMIT`] code points, the last an ellipsis when something is left out.
pub fn echo(text: &str) -> alloc::borrow::Cow<'_, str> {
    if text.len() <= ECHO_LIMIT || text.chars().nth(ECHO_LIMIT).is_none() {
        return text.into();
    }
    let mut out: String = text.chars().take(ECHO_LIMIT - 1).collect();
    out.push('…');
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_both_forms() {
        let list = Path::ROOT.name("itens");
        let element = list.index(3);
        let leaf = element.name("a/b~c");
        assert_eq!(leaf.dotted(), "itens[3].a/b~c");
        assert_eq!(leaf.pointer(), "/itens/3/a~1b~0c");
        assert_eq!(Path::ROOT.dotted(), "");
        assert_eq!(Path::ROOT.index(1).pointer(), "/1");
    }

    #[test]
    fn echoes_at_most_64_code_points() {
        let long = "é".repeat(65);
        assert_eq!(echo(&long).chars().count(), 64);
        assert!(echo(&long).ends_with('…'));
        assert_eq!(echo(&long[..128]), "é".repeat(64));
    }
}
