//! Values as compact bytes: what the store keeps. Equal values written alike have equal bytes, which compare-and-swap relies on.
//!
//! A tag byte, then: an integer as a zigzag varint; a double as 8 bytes, little end first; a string as its length and UTF-8; an array as its
//! count and elements; a map as its count and members, each a string and a value; a struct as its name, then like a map, with a tag before
//! the value of a field that never leaves the site (`nocall`): who reads it without the struct still knows.

mod reader;
mod writer;

use alloc::{string::String, vec::Vec};
use core::fmt;

pub use reader::{Reader, Token};
pub use writer::Writer;

use crate::value::Value;

/// Arrays, maps and structs within each other.
pub const DEPTH_LIMIT: usize = 64;

const NIL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INT: u8 = 3;
const FLOAT: u8 = 4;
const STR: u8 = 5;
const ARR: u8 = 6;
const MAP: u8 = 7;
const STRUCT: u8 = 8;
const HIDDEN: u8 = 9;

/// Bytes that are no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireError;

impl fmt::Display for WireError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("valor guardado ilegível")
    }
}

impl core::error::Error for WireError {}

/// An integer alone: what the store's increments read and write.
pub fn encode_int(number: i64) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.int(number);
    writer.finish()
}

/// The integer that the bytes are; `None` when they are another value or none.
pub fn decode_int(bytes: &[u8]) -> Option<i64> {
    let mut reader = Reader::new(bytes);
    match (reader.token(), reader.finish()) {
        (Ok(Token::Int(number)), Ok(())) => Some(number),
        _ => None,
    }
}

/// A value as bytes. The text of a number that nothing holds is kept as a string.
pub fn encode(value: &Value) -> Vec<u8> {
    fn write(value: &Value, writer: &mut Writer) {
        match value {
            Value::Nil => writer.nil(),
            Value::Bool(flag) => writer.bool(*flag),
            Value::Int(number) => writer.int(*number),
            Value::Float(number) => writer.float(*number),
            Value::Huge(text) => match Value::rounded(text) {
                Some(number) => writer.float(number),
                None => writer.str(text),
            },
            Value::Str(text) => writer.str(text),
            Value::Arr(items) => {
                writer.arr(items.len());
                items.iter().for_each(|item| write(item, writer));
            }
            Value::Map(members) => {
                writer.map(members.len());
                for (name, member) in members {
                    writer.key(name);
                    write(member, writer);
                }
            }
        }
    }
    let mut writer = Writer::default();
    write(value, &mut writer);
    writer.finish()
}

/// Reads one value, which nests at most [`DEPTH_LIMIT`] deep. A struct becomes a map.
///
/// # Errors
/// The bytes are no value, nest deeper, or more follows.
pub fn decode(bytes: &[u8]) -> Result<Value, WireError> {
    decode_with(bytes, true)
}

/// The same without the fields that never leave the site, as a caller would send the value.
///
/// # Errors
/// As of [`decode`].
pub fn decode_shown(bytes: &[u8]) -> Result<Value, WireError> {
    decode_with(bytes, false)
}

fn decode_with(bytes: &[u8], all: bool) -> Result<Value, WireError> {
    fn read(reader: &mut Reader<'_>, depth: usize, all: bool) -> Result<Value, WireError> {
        let token = reader.token()?;
        if depth >= DEPTH_LIMIT && matches!(token, Token::Arr(_) | Token::Map(_) | Token::Struct(..)) {
            return Err(WireError);
        }
        Ok(match token {
            Token::Nil => Value::Nil,
            Token::Bool(flag) => Value::Bool(flag),
            Token::Int(number) => Value::Int(number),
            Token::Float(number) => Value::Float(number),
            Token::Str(text) => Value::Str(text.into()),
            Token::Arr(count) => Value::Arr((0..count).map(|_| read(reader, depth + 1, all)).collect::<Result<_, _>>()?),
            Token::Map(count) => {
                let member = |_| Ok((String::from(reader.key()?), read(reader, depth + 1, all)?));
                Value::Map((0..count).map(member).collect::<Result<_, _>>()?)
            }
            Token::Struct(_, count) => {
                let mut fields = Vec::new();
                for _ in 0..count {
                    let name = reader.key()?;
                    let shown = !reader.hidden();
                    let value = read(reader, depth + 1, all)?;
                    if shown || all {
                        fields.push((String::from(name), value));
                    }
                }
                Value::Map(fields)
            }
        })
    }
    let mut reader = Reader::new(bytes);
    let value = read(&mut reader, 0, all)?;
    reader.finish()?;
    Ok(value)
}

#[cfg(test)]
mod tests;
