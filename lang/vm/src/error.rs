//! What goes wrong in a run: raised, perhaps caught by the site's code, else turned into a `Failure`.

use alloc::{borrow::Cow, boxed::Box, format, string::String, vec::Vec};

/// An error on its way to a `catch`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Raise {
    /// As in `Failure::kind`.
    pub(crate) kind: Cow<'static, str>,
    /// In Portuguese, for the site's author.
    pub(crate) message: String,
    /// What `fail:` was given beside its message, as JSON.
    pub(crate) refusal: Option<Vec<u8>>,
    /// Code may catch it.
    pub(crate) catchable: bool,
}

/// The result of an operation that may raise.
pub(crate) type Fallible<T> = Result<T, Box<Raise>>;

/// Kinds of errors.
pub(crate) mod kind {
    /// A value of the wrong type.
    pub(crate) const TYPE: &str = "tipo";
    /// A name (local, field) that is not there.
    pub(crate) const NAME: &str = "nome";
    /// An index outside of what it indexes.
    pub(crate) const INDEX: &str = "indice";
    /// Arithmetic: overflow, division by zero.
    pub(crate) const ARITHMETIC: &str = "conta";
    /// A limit of the machine.
    pub(crate) const LIMIT: &str = "limite";
    /// Arguments that an action refuses, a value outside its constraints.
    pub(crate) const INPUT: &str = "entrada";
    /// The store.
    pub(crate) const STORE: &str = "store";
    /// The request or response.
    pub(crate) const HTTP: &str = "http";
    /// `fail:`
    pub(crate) const FAIL: &str = "erro";
    /// The image is not what lowering writes.
    pub(crate) const IMAGE: &str = "imagem";
    /// The step budget of a run that has one.
    pub(crate) const TIME: &str = "tempo";
}

/// A raised error.
#[cold]
pub(crate) fn raise(kind: &'static str, message: impl Into<String>) -> Box<Raise> {
    Box::new(Raise { kind: Cow::Borrowed(kind), message: message.into(), refusal: None, catchable: true })
}

/// The image holds something that lowering never writes.
#[cold]
pub(crate) fn invalid_image() -> Box<Raise> {
    let mut error = raise(kind::IMAGE, "imagem de programa inválida");
    error.catchable = false;
    error
}

/// The step budget is spent.
#[cold]
pub(crate) fn out_of_steps() -> Box<Raise> {
    let mut error = raise(kind::TIME, "tempo esgotado");
    error.catchable = false;
    error
}

/// An argument or operand of the wrong type.
#[cold]
pub(crate) fn expected(who: &str, wanted: &str, found: &str) -> Box<Raise> {
    raise(kind::TYPE, format!("{who} espera {wanted}, mas veio {found}"))
}

/// Something, with its article, grew over a limit.
#[cold]
pub(crate) fn too_large(what: &str) -> Box<Raise> {
    raise(kind::LIMIT, format!("{what} é grande demais"))
}
