//! The flat program image: one relocatable block that the machine reads in place.
//!
//! ```text
//! magic "djoi"   version u32   length u32   pagina u32      header, little-endian throughout
//! (offset u32, count u32) × SECTIONS                        where each section lies and how many records it has
//! sections                                                  records of fixed size; the line table stands last
//! ```
//! Records refer to each other by index. Opening an image checks the header and that each section lies within the block, and nothing
//! else: every later read is checked where it happens, so a stranger's image can make a run fail, never the machine.

mod builder;
mod read;

#[cfg(test)]
mod tests;

pub use builder::{BuildError, Builder, FieldSpec, FunctionSpec};
pub use read::{Constant, Constraints, Field, Function, Program, Struct, Text, Type, TypeKind};

use core::fmt;

/// The first four bytes of an image.
pub const MAGIC: [u8; 4] = *b"djoi";
/// The format's version: an image of another is refused.
pub const VERSION: u32 = 2;
/// An index that points nowhere.
pub const NONE: u32 = u32::MAX;

pub(crate) const HEADER: usize = 16;

/// The sections, in the order of the section table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Section {
    /// (start in the blob, length)
    Strings,
    /// Bytes of all strings, each once.
    Blob,
    /// (tag, low, high)
    Constants,
    /// Numbers that constants and shapes list.
    Lists,
    /// (kind and flags, argument, constraints)
    Types,
    /// (minimum, maximum, least length, greatest length, pattern, its program, format, allowed, unique)
    Constraints,
    /// (name, first field, fields)
    Structs,
    /// (name, JSON key, type, default, flags, source); of structs and of parameters
    Fields,
    /// (struct, first in lists, count): which fields a struct literal gives, in which order
    Shapes,
    /// (name, file, sizes, first parameter, first word, words, first line, lines)
    Functions,
    /// (screen, agent, action)
    Entries,
    /// (status, function)
    ErrorPages,
    /// Names of files, as strings
    Files,
    /// Words of four bytes
    Code,
    /// (word, file and line)
    Lines,
}

pub(crate) const SECTIONS: usize = Section::Lines as usize + 1;

/// Bytes of one record of each section.
pub(crate) const RECORD: [usize; SECTIONS] = [8, 1, 12, 4, 12, 36, 12, 24, 12, 32, 12, 8, 4, 4, 8];

/// Tags of constants.
pub(crate) mod tag {
    pub(crate) const NIL: u32 = 0;
    pub(crate) const FALSE: u32 = 1;
    pub(crate) const TRUE: u32 = 2;
    pub(crate) const INT: u32 = 3;
    pub(crate) const FLOAT: u32 = 4;
    pub(crate) const STRING: u32 = 5;
    /// low: first in lists, high: how many constants
    pub(crate) const ARR: u32 = 6;
    /// low: first in lists, high: how many pairs of constants
    pub(crate) const MAP: u32 = 7;
}

/// Flags of fields.
pub(crate) mod flag {
    pub(crate) const HIDDEN: u32 = 1;
    pub(crate) const INJECTED: u32 = 2;
    /// Of functions.
    pub(crate) const ACTION: u8 = 1;
    /// Of functions: written as a template.
    pub(crate) const TEMPLATE: u8 = 2;
    /// Of functions: some parameter has a type.
    pub(crate) const TYPED: u8 = 4;
    /// Of types.
    pub(crate) const NULLABLE: u32 = 1 << 8;
    pub(crate) const CONSTRAINED: u32 = 1 << 9;
}

/// Why a block is no image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageError {
    /// It does not begin as one.
    NotAnImage,
    /// It is of another version of the format.
    Version(u32),
    /// It is shorter than it says, or a section lies outside of it.
    Truncated,
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnImage => f.write_str("not a program image"),
            Self::Version(version) => write!(f, "program image of version {version}, this machine reads {VERSION}"),
            Self::Truncated => f.write_str("program image is truncated"),
        }
    }
}

impl core::error::Error for ImageError {}
