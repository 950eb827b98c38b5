//! Reading.

use super::{ARR, FALSE, FLOAT, HIDDEN, INT, MAP, NIL, STR, STRUCT, TRUE, WireError};

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
    /// A struct's name, and so many fields, which follow as a map's members do, with [`Reader::hidden`] between name and value.
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

    /// Whether the field whose name was read never leaves the site.
    pub fn hidden(&mut self) -> bool {
        match self.rest.split_first() {
            Some((&HIDDEN, rest)) => {
                self.rest = rest;
                true
            }
            _ => false,
        }
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
