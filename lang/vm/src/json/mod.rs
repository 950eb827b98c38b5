//! JSON: values of the run written as compact text, and documents read into values.

mod encode;
mod import;

pub(crate) use encode::{MAX_DEPTH, encode};
pub(crate) use import::{decode, export};
