//! JSON, strictly: what is read is exactly one document of RFC 8259 within limits, and what is written is compact raw UTF-8.

mod cursor;
mod fault;
mod number;
mod parse;
mod text;
mod write;

pub(crate) use cursor::{Cursor, Names, Read, document, separate};
pub use fault::{SyntaxCode, SyntaxIssue};
pub use parse::{DECODED, Limits, RESULT, compact, count_items, parse, parse_with};
pub use write::{to_string, write, write_exact, write_float, write_int, write_str};

#[cfg(test)]
pub(crate) mod tests;
