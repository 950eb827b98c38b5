//! Values as compact bytes: what the store keeps. Equal values written alike have equal bytes, which compare-and-swap relies on.
//!
//! A tag byte, then: an integer as a zigzag varint; a double as 8 bytes, little end first; a string as its length and UTF-8; an array as its
//! count and elements; a map as its count and members, each a string and a value; a struct as its name, then like a map.

use alloc::{string::String, vec::Vec};
use core::fmt;

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

/// Bytes that are no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireError;

impl fmt::Display for WireError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("valor guardado ilegível")
    }
}

impl core::error::Error for WireError {}

/// Writes values piece by piece. Who says that an array has three elements must write three.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    out: Vec<u8>,
}

impl Writer {
    /// The bytes written.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }

    /// How many bytes are written so far.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Nothing is written yet.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// `nil`.
    pub fn nil(&mut self) {
        self.out.push(NIL);
    }

    /// A boolean.
    pub fn bool(&mut self, flag: bool) {
        self.out.push(if flag { TRUE } else { FALSE });
    }

    /// An integer.
    pub fn int(&mut self, number: i64) {
        self.out.push(INT);
        // Zigzag: small numbers of either sign are short.
        self.varint(((number << 1) ^ (number >> 63)) as u64);
    }

    /// A double.
    pub fn float(&mut self, number: f64) {
        self.out.push(FLOAT);
        self.out.extend_from_slice(&number.to_bits().to_le_bytes());
    }

    /// A string.
    pub fn str(&mut self, text: &str) {
        self.out.push(STR);
        self.key(text);
    }

    /// Starts an array of so many elements.
    pub fn arr(&mut self, count: usize) {
        self.out.push(ARR);
        self.varint(count as u64);
    }

    /// Starts a map of so many members: each a key and a value.
    pub fn map(&mut self, count: usize) {
        self.out.push(MAP);
        self.varint(count as u64);
    }

    /// Starts a struct of so many fields: each a key and a value.
    pub fn record(&mut self, name: &str, count: usize) {
        self.out.push(STRUCT);
        self.key(name);
        self.varint(count as u64);
    }

    /// The name of a member or field.
    pub fn key(&mut self, name: &str) {
        self.varint(name.len() as u64);
        self.out.extend_from_slice(name.as_bytes());
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }
}

/// A piece of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'b> {
    /// `nil`.
    Nil,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A double.
    Float(f64),
    /// A string.
    Str(&'b str),
    /// An array of so many values, which follow.
    Arr(usize),
    /// A map of so many members, which follow: [`Reader::key`], then a value.
    Map(usize),
    /// A struct's name, and so many fields, which follow as a map's members do.
    Struct(&'b str, usize),
}

/// Reads values piece by piece. Counts are at most as large as the bytes that are left, so that they can be trusted with an allocation;
/// how deep values nest is the caller's to bound.
#[derive(Clone, Debug)]
pub struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    /// Starts at the first byte.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next piece.
    ///
    /// # Errors
    /// The bytes are no value.
    pub fn token(&mut self) -> Result<Token<'b>, WireError> {
        Ok(match self.byte()? {
            NIL => Token::Nil,
            FALSE => Token::Bool(false),
            TRUE => Token::Bool(true),
            INT => {
                let zigzag = self.varint()?;
                Token::Int((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
            }
            FLOAT => {
                let (bits, rest) = self.rest.split_first_chunk::<8>().ok_or(WireError)?;
                self.rest = rest;
                Token::Float(f64::from_bits(u64::from_le_bytes(*bits)))
            }
            STR => Token::Str(self.key()?),
            ARR => Token::Arr(self.count()?),
            MAP => Token::Map(self.count()?),
            STRUCT => Token::Struct(self.key()?, self.count()?),
            _ => return Err(WireError),
        })
    }

    /// The name of the next member or field.
    ///
    /// # Errors
    /// The bytes are no name.
    pub fn key(&mut self) -> Result<&'b str, WireError> {
        let length = self.count()?;
        let (text, rest) = self.rest.split_at_checked(length).ok_or(WireError)?;
        self.rest = rest;
        core::str::from_utf8(text).map_err(|_| WireError)
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// Bytes are left.
    pub fn finish(self) -> Result<(), WireError> {
        if self.rest.is_empty() { Ok(()) } else { Err(WireError) }
    }

    fn byte(&mut self) -> Result<u8, WireError> {
        let (byte, rest) = self.rest.split_first().ok_or(WireError)?;
        self.rest = rest;
        Ok(*byte)
    }

    fn varint(&mut self) -> Result<u64, WireError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7F);
            if part << shift >> shift != part {
                return Err(WireError);
            }
            number |= part << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(WireError)
    }

    /// A count of things that take a byte each at least.
    fn count(&mut self) -> Result<usize, WireError> {
        let count = self.varint()?;
        usize::try_from(count).ok().filter(|count| *count <= self.rest.len()).ok_or(WireError)
    }
}

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
            Value::Huge(text) => writer.str(text),
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
    fn read(reader: &mut Reader<'_>, depth: usize) -> Result<Value, WireError> {
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
            Token::Arr(count) => Value::Arr((0..count).map(|_| read(reader, depth + 1)).collect::<Result<_, _>>()?),
            Token::Map(count) | Token::Struct(_, count) => {
                let member = |_| Ok((String::from(reader.key()?), read(reader, depth + 1)?));
                Value::Map((0..count).map(member).collect::<Result<_, _>>()?)
            }
        })
    }
    let mut reader = Reader::new(bytes);
    let value = read(&mut reader, 0)?;
    reader.finish()?;
    Ok(value)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::tests::any_value;

    #[test]
    fn integers_are_small_and_exact() {
        assert_eq!(encode_int(0), [INT, 0]);
        assert_eq!(encode_int(-1), [INT, 1]);
        for number in [i64::MIN, -64, 63, 64, i64::MAX] {
            assert_eq!(decode_int(&encode_int(number)), Some(number));
        }
        assert_eq!(decode_int(&[STR, 0]), None);
        assert_eq!(decode_int(&[INT, 0, 0]), None);
        assert_eq!(decode_int(&[INT, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02]), None);
    }

    #[test]
    fn a_struct_keeps_its_name_and_reads_as_a_map() {
        let mut writer = Writer::default();
        writer.record("Post", 1);
        writer.key("id");
        writer.int(7);
        let bytes = writer.finish();
        assert_eq!(Reader::new(&bytes).token(), Ok(Token::Struct("Post", 1)));
        assert_eq!(decode(&bytes), Ok(Value::Map([("id".into(), Value::Int(7))].into())));
    }

    #[test]
    fn lies_are_refused() {
        // A count beyond the bytes, a string cut in two, depth beyond the limit, a tag that is none, more than one value.
        let deep: Vec<u8> = [ARR, 1].repeat(DEPTH_LIMIT + 1).into_iter().chain([NIL]).collect();
        for bytes in [&[ARR, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F][..], &[STR, 1, 0xC3], &deep, &[9], &[NIL, NIL], &[], &[FLOAT, 0]] {
            assert_eq!(decode(bytes), Err(WireError));
        }
        let limit: Vec<u8> = [ARR, 1].repeat(DEPTH_LIMIT).into_iter().chain([NIL]).collect();
        assert!(decode(&limit).is_ok());
    }

    proptest! {
        #[test]
        fn round_trip(value in any_value()) {
            prop_assert_eq!(decode(&encode(&value)).unwrap(), value);
        }

        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(value) = decode(&bytes) {
                let _ = encode(&value);
            }
        }
    }
}
