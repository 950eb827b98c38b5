//! What the `wasi:http` door decides and how it puts its answers: the HTTP contract, pure, by the crate that our host goes by.
#![cfg_attr(test, allow(dead_code))] // The component calls it.

pub(crate) mod dispatch;
mod inject;
pub(crate) mod refuse;
pub(crate) mod reply;
pub(crate) mod shape;
pub(crate) mod view;

#[cfg(test)]
mod tests;
