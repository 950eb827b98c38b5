//! What the `wasi:http` door decides and how it puts its answers: the HTTP contract, pure, by the crate that our host goes by.

pub(crate) mod dispatch;
mod file;
mod inject;
pub(crate) mod refuse;
pub(crate) mod reply;
pub(crate) mod request;
pub(crate) mod shape;
pub(crate) mod view;
pub(crate) mod visit;

#[cfg(test)]
mod tests;
