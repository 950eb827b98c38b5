//! A JSON value as this product holds it: exact integers, insertion-ordered maps.

use alloc::{boxed::Box, string::String, vec::Vec};

/// One JSON value. `Int` and `Float` stay apart, as in the language.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`, djo's `nil`.
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// A number written without fraction or exponent that fits 64 bits.
    Int(i64),
    /// Any other number that a finite double holds.
    Float(f64),
    /// The text of a number that neither a 64-bit integer nor a finite double holds.
    /// Only the parser makes it; decoding refuses it (`invalid_range`).
    Huge(Box<str>),
    /// A string.
    Str(String),
    /// An array.
    Arr(Vec<Value>),
    /// An object, in the order in which its members were written.
    Map(Vec<(String, Value)>),
}
