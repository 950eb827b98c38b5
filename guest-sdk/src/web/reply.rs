//! A reply before it is sent.

use alloc::{
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

    /// The first header of a name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.values(name).next()
    }

    /// All headers of a name.
    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(held, _)| held == name).map(|(_, value)| value.as_str())
    }

    /// Adds a header.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_string(), value.into()));
        self
    }

    /// Sets a header in place of all of its name.
    pub(crate) fn set(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.retain(|(held, _)| held != name);
        self.with(name, value)
    }

    /// Replaces the content.
    pub(crate) fn of(mut self, content: Content) -> Self {
        self.content = content;
        self
    }
}
