//! How a run ends badly: a defect, an answer with an error's status, or a tool's own refusal.

use alloc::{boxed::Box, format, string::String, string::ToString, vec::Vec};
use core::fmt;
use core::panic::Location;

use djo_contract::json;
pub use djo_contract::tool::RefusalKind as Refusal;
use djo_contract::value::Value;

use crate::site::Failure;

/// Why there is no result. Every error of another type becomes one by `?`: a defect, of which clients learn nothing.
pub struct Error(Box<Inner>);

pub(crate) enum Inner {
    /// For the log; 500 to the client.
    Failure(Failure),
    /// An answer like any other.
    Answer { status: u16, message: String },
}

/// What `?` gives.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// What a refused caller should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// Send the call again, corrected. For [`Refusal::InvalidCall`] and [`Refusal::DomainRejection`].
    CorrectCall,
    /// Reach the goal in another way.
    Replan,
    /// Stop: there is nothing more to do.
    Finish,
}

impl Error {
    /// A defect: the message is for the log, with the place where this was called.
    #[track_caller]
    pub fn new(message: impl fmt::Display) -> Self {
        let place = Location::caller();
        Self(Box::new(Inner::Failure(Failure {
            message: message.to_string(),
            kind: "erro".to_string(),
            file: place.file().to_string(),
            line: place.line(),
            trace: Vec::new(),
            refusal: None,
        })))
    }

    /// An answer with a status of its own: `{"erro": message}` for programs, a small page for people.
    pub fn status(status: u16, message: impl Into<String>) -> Self {
        Self(Box::new(Inner::Answer { status: if (400..600).contains(&status) { status } else { 500 }, message: message.into() }))
    }

    /// 404.
    pub fn not_found() -> Self {
        Self::status(404, "não encontrado")
    }

    /// A tool's own refusal: the message is for the caller.
    #[track_caller]
    pub fn refuse(kind: Refusal, message: impl fmt::Display) -> Self {
        let mut error = Self::new(message);
        if let Inner::Failure(failure) = &mut *error.0 {
            failure.kind = kind.as_str().to_string();
            failure.refusal = Some(format!("{{\"kind\":\"{}\"}}", kind.as_str()).into_bytes());
        }
        error
    }

    /// Says what the refused caller should do. Of no effect on what is no refusal.
    #[must_use]
    pub fn and(mut self, directive: Directive) -> Self {
        let name = match directive {
            Directive::CorrectCall => "correct_call",
            Directive::Replan => "replan",
            Directive::Finish => "finish",
        };
        if let Inner::Failure(Failure { kind, refusal: Some(refusal), .. }) = &mut *self.0 {
            *refusal = format!("{{\"kind\":\"{kind}\",\"acao\":\"{name}\"}}").into_bytes();
        }
        self
    }

    pub(crate) fn into_inner(self) -> Inner {
        *self.0
    }
}

impl Inner {
    /// The body that says so to a program.
    pub(crate) fn json(message: &str) -> String {
        json::to_string(&Value::Map(Vec::from([("erro".to_string(), Value::from(message))])))
    }
}

impl<E: core::error::Error> From<E> for Error {
    #[track_caller]
    fn from(error: E) -> Self {
        Self::new(error)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Inner::Failure(failure) => write!(out, "{} ({}): {}:{}", failure.message, failure.kind, failure.file, failure.line),
            Inner::Answer { status, message } => write!(out, "{status}: {message}"),
        }
    }
}
