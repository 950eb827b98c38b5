//! What is wrong with an input, as data for programs and as Portuguese for people. Source: the tool boundary, §2.

mod message;
mod nearest;

use alloc::{string::String, vec::Vec};
use core::fmt;

pub use message::{Unit, enum_message, format_message, length_message, range_message};
pub use nearest::{distance, nearest};

use crate::{
    path::Path,
    types::{Type, Types},
    value::Value,
};

/// Issues that are kept; what is beyond is counted.
pub const ISSUE_LIMIT: usize = 100;

/// The codes of issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Code {
    MissingField,
    UnknownField,
    InvalidFieldType,
    InvalidEnumValue,
    InvalidRange,
    InvalidLength,
    InvalidPattern,
    InvalidFormat,
    DuplicateItem,
}

impl Code {
    /// As it stands in `code`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MissingField => "missing_field",
            Self::UnknownField => "unknown_field",
            Self::InvalidFieldType => "invalid_field_type",
            Self::InvalidEnumValue => "invalid_enum_value",
            Self::InvalidRange => "invalid_range",
            Self::InvalidLength => "invalid_length",
            Self::InvalidPattern => "invalid_pattern",
            Self::InvalidFormat => "invalid_format",
            Self::DuplicateItem => "duplicate_item",
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Issue {
    /// What kind.
    pub code: Code,
    /// Where, dotted: `itens[0].sku`; empty for the whole input.
    pub path: String,
    /// Where, as a JSON pointer.
    pub pointer: String,
    /// What is wrong, in Portuguese.
    pub message: String,
    /// The fields that the code has beside these, in order: `expected`, `allowed`, `min`, …
    pub extras: Vec<(&'static str, Value)>,
}

impl Issue {
    /// An issue at a place.
    pub fn at(path: &Path<'_>, code: Code, message: impl Into<String>, extras: Vec<(&'static str, Value)>) -> Self {
        Self { code, path: path.dotted(), pointer: path.pointer(), message: message.into(), extras }
    }

    /// A required member that is absent.
    pub fn missing(path: &Path<'_>, ty: &Type) -> Self {
        let expected = ty.kind.json_name().map(|name| ("expected", Value::from(name)));
        Self::at(path, Code::MissingField, "obrigatório", expected.into_iter().collect())
    }

    /// A value of another JSON type.
    pub fn wrong_type(path: &Path<'_>, types: &Types, ty: &Type, found: &Value) -> Self {
        let message = alloc::format!("deve ser {}, mas veio {}", types.djo_name(ty), found.djo_kind());
        let expected = ty.kind.json_name().unwrap_or("value");
        Self::at(path, Code::InvalidFieldType, message, Vec::from([("expected", expected.into()), ("observed", found.json_kind().into())]))
    }

    /// A member that the type does not have. `allowed` is sorted.
    pub fn unknown(path: &Path<'_>, name: &str, allowed: &[&str], message: &str) -> Self {
        let list = allowed.iter().map(|name| Value::from(*name)).collect();
        let mut extras = Vec::from([("allowed", Value::Arr(list))]);
        if let Some(near) = nearest(name, allowed.iter().copied()) {
            extras.push(("suggestion", near.into()));
        }
        Self::at(path, Code::UnknownField, message, extras)
    }

    /// As an entry of `problemas`.
    pub fn to_json(&self) -> Value {
        let mut members = Vec::with_capacity(4 + self.extras.len());
        for (name, text) in [("code", self.code.as_str()), ("path", &self.path), ("pointer", &self.pointer), ("message", &self.message)] {
            members.push((name.into(), text.into()));
        }
        members.extend(self.extras.iter().map(|(name, value)| ((*name).into(), value.clone())));
        Value::Map(members)
    }
}

/// Everything that is wrong with an input, in the order of its type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Issues {
    /// The first of them, at most [`ISSUE_LIMIT`].
    pub list: Vec<Issue>,
    /// How many more there are.
    pub more: u64,
}

impl Issues {
    /// Adds an issue, which is not even made when the list is full.
    pub fn add(&mut self, issue: impl FnOnce() -> Issue) {
        if self.list.len() < ISSUE_LIMIT {
            self.list.push(issue());
        } else {
            self.more += 1;
        }
    }

    /// Nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// `campos`: the first message of each path, in order.
    pub fn campos(&self) -> Value {
        let mut members: Vec<(String, Value)> = Vec::new();
        for issue in &self.list {
            if !members.iter().any(|(path, _)| *path == issue.path) {
                members.push((issue.path.clone(), issue.message.as_str().into()));
            }
        }
        Value::Map(members)
    }

    /// `problemas`.
    pub fn to_json(&self) -> Value {
        Value::Arr(self.list.iter().map(Issue::to_json).collect())
    }

    /// `campos`, `problemas` and, where issues were left out, `mais`: the members of a refusal.
    pub fn members(&self) -> Vec<(String, Value)> {
        let mut members = Vec::from([("campos".into(), self.campos()), ("problemas".into(), self.to_json())]);
        if self.more > 0 {
            members.push(("mais".into(), Value::Int(i64::try_from(self.more).unwrap_or(i64::MAX))));
        }
        members
    }

    /// The issues, or the value when there are none.
    ///
    /// # Errors
    /// These issues.
    pub fn or<T>(self, value: impl FnOnce() -> T) -> Result<T, Self> {
        if self.is_empty() { Ok(value()) } else { Err(self) }
    }
}

impl fmt::Display for Issues {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, issue) in self.list.iter().enumerate() {
            let separator = if index > 0 { "; " } else { "" };
            match issue.path.as_str() {
                "" => write!(out, "{separator}{}", issue.message)?,
                path => write!(out, "{separator}{path}: {}", issue.message)?,
            }
        }
        if self.more > 0 { write!(out, "; e mais {}", self.more) } else { Ok(()) }
    }
}

impl core::error::Error for Issues {}
