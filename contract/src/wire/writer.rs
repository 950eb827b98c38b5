//! Writing.

use alloc::vec::Vec;

use super::{ARR, FALSE, FLOAT, HIDDEN, INT, MAP, NIL, STR, STRUCT, TRUE};

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

    /// Between a field's name and its value: it never leaves the site.
    pub fn hidden(&mut self) {
        self.out.push(HIDDEN);
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
