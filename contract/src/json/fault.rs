//! What is wrong with bytes that are no JSON document.

use alloc::{borrow::Cow, boxed::Box, format, string::String, vec::Vec};
use core::fmt;

use crate::{
    path::{Segment, push_dotted, push_pointer},
    value::Value,
};

/// The codes of syntax problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxCode {
    /// Not JSON, or not UTF-8.
    InvalidJson,
    /// An object names a member twice.
    DuplicateMember,
    /// Something follows the document.
    ExtraDocument,
    /// Nested deeper than allowed.
    TooDeep,
    /// More values than allowed.
    TooLarge,
}

impl SyntaxCode {
    /// As it stands in `code`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidJson => "invalid_json",
            Self::DuplicateMember => "duplicate_member",
            Self::ExtraDocument => "extra_document",
            Self::TooDeep => "too_deep",
            Self::TooLarge => "too_large",
        }
    }
}

/// The first thing that is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntaxIssue {
    /// Its code.
    pub code: SyntaxCode,
    /// What is wrong, in Portuguese, without the place.
    pub message: String,
    /// From 1.
    pub line: usize,
    /// In code points, from 1.
    pub column: usize,
    /// The value at which reading stopped, dotted.
    pub path: String,
    /// The same as a JSON pointer.
    pub pointer: String,
}

impl SyntaxIssue {
    /// The message with its place: `membro repetido: "a", linha 1, coluna 17`.
    pub fn detail(&self) -> String {
        format!("{self}")
    }

    /// As an entry of `problemas`.
    pub fn to_json(&self) -> Value {
        let number = |n: usize| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
        Value::Map(Vec::from([
            ("code".into(), self.code.as_str().into()),
            ("path".into(), self.path.as_str().into()),
            ("pointer".into(), self.pointer.as_str().into()),
            ("message".into(), self.detail().into()),
            ("line".into(), number(self.line)),
            ("column".into(), number(self.column)),
        ]))
    }
}

impl fmt::Display for SyntaxIssue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, linha {}, coluna {}", self.message, self.line, self.column)
    }
}

impl core::error::Error for SyntaxIssue {}

/// A step of the path to a fault, collected while the parser unwinds: innermost first.
#[derive(Debug)]
pub(super) enum Step {
    Name(String),
    Index(usize),
}

/// A fault before its place is known in lines and paths. Boxed where it is returned: results stay as small as values.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(super) code: SyntaxCode,
    pub(super) message: Cow<'static, str>,
    pub(super) offset: usize,
    pub(super) steps: Vec<Step>,
}

impl Fault {
    pub(super) fn new(code: SyntaxCode, message: impl Into<Cow<'static, str>>, offset: usize) -> Box<Self> {
        Box::new(Self { code, message: message.into(), offset, steps: Vec::new() })
    }

    pub(super) fn syntax(message: impl Into<Cow<'static, str>>, offset: usize) -> Box<Self> {
        Self::new(SyntaxCode::InvalidJson, message, offset)
    }

    /// Places the fault in the text whose bytes were read.
    pub(super) fn locate(self, bytes: &[u8]) -> SyntaxIssue {
        let before = bytes.get(..self.offset).unwrap_or(bytes);
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let continuation = |byte: &&u8| **byte & 0xC0 != 0x80;
        let mut issue = SyntaxIssue {
            code: self.code,
            message: self.message.into_owned(),
            line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(),
            column: 1 + before[line_start..].iter().filter(continuation).count(),
            path: String::new(),
            pointer: String::new(),
        };
        for step in self.steps.iter().rev() {
            let segment = match step {
                Step::Name(name) => Segment::Name(name),
                Step::Index(index) => Segment::Index(*index),
            };
            push_dotted(&mut issue.path, segment);
            push_pointer(&mut issue.pointer, segment);
        }
        issue
    }
}
