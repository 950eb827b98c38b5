//! A reply before it is sent, and the forms in which a refusal is put.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

/// What is sent.
#[derive(Debug)]
pub(crate) struct Reply {
    /// HTTP status.
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The body.
    pub(crate) content: Content,
}

/// A body.
#[derive(Debug, PartialEq)]
pub(crate) enum Content {
    /// In memory.
    Bytes(Vec<u8>),
    /// A static file, read as it is sent.
    File {
        /// For `files.read`.
        start: u32,
        /// Bytes.
        length: u32,
    },
}

impl Content {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::File { length, .. } => *length as usize,
        }
    }
}

impl Reply {
    /// A reply without content.
    pub(crate) fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), content: Content::Bytes(Vec::new()) }
    }

    /// A reply with content of a type.
    pub(crate) fn new(status: u16, content_type: &str, content: impl Into<Vec<u8>>) -> Self {
        Self::empty(status).with("content-type", content_type).of(Content::Bytes(content.into()))
    }

    /// JSON for programs.
    pub(crate) fn json(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::new(status, "application/json", body)
    }

    /// A small page for people. Neither text may hold markup.
    pub(crate) fn page(status: u16, title: &str, message: &str) -> Self {
        let page = format!(
            "<!doctype html>\n<html lang=\"pt-BR\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
<title>{title}</title></head>\n<body><h1>{title}</h1>\n<p>{message}.</p>\n</body>\n</html>\n"
        );
        Self::new(status, "text/html; charset=utf-8", page)
    }

    /// The first header of a name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
    }

    /// Adds a header.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_string(), value.into()));
        self
    }

    /// Replaces the content.
    pub(crate) fn of(mut self, content: Content) -> Self {
        self.content = content;
        self
    }
}
