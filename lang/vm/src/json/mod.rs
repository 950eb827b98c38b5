//! JSON: values of the run written as compact text, and documents read into values.

mod encode;
mod import;

pub(crate) use djo_contract::json::{DECODED, Limits};
pub(crate) use encode::{MAX_DEPTH, encode};
#[cfg(test)]
pub(crate) use import::import;
pub(crate) use import::{decode, export};
