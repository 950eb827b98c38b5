//! A request, as the `wasi:http` door and tests have it.

use alloc::{borrow::Cow, vec::Vec};

use djo_contract::model::Contract;

use crate::site::{Around, File};

/// What is asked of a request. Its body is read at most once, and only when something needs it.
pub(crate) trait Incoming: Around {
    /// Upper case, as a rule.
    fn method(&self) -> &str;
    /// Percent-encoded, without the query.
    fn path(&self) -> &str;
    /// Without `?`.
    fn query(&self) -> &str;
    /// The whole body, of so many bytes at most.
    fn body(&mut self, most: u64) -> Result<Vec<u8>, BodyError>;
    /// A static file by its path in `publico/`.
    fn file(&mut self, path: &str) -> Option<File>;
    /// A value of the site's store.
    fn stored(&mut self, collection: &str, key: &str) -> Option<Vec<u8>>;
    /// A line for the site's log.
    fn log(&mut self, message: &str);

    /// The site's manifest.
    fn manifest(&self, contract: &Contract) -> Cow<'static, str>;
    /// The site's greeting.
    fn greeting(&self, contract: &Contract) -> Cow<'static, str>;

    /// It only reads: a HEAD is answered as a GET.
    fn reads(&self) -> bool {
        matches!(self.method(), "GET" | "HEAD")
    }
}

/// Why there is no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// It is longer than a body may be.
    TooLarge,
    /// It ended before its end.
    Broken,
}
