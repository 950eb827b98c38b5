//! Reading an image in place: each accessor checks its own bounds and answers `None` outside of them.

use super::{HEADER, ImageError, MAGIC, NONE, RECORD, SECTIONS, Section, VERSION, flag, tag};

/// An opened image.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    bytes: &'a [u8],
    code: &'a [[u8; 4]],
    sections: [(u32, u32); SECTIONS],
    pagina: u32,
}

/// A string of the image: a range of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// Offset in the image.
    pub start: u32,
    /// Length in bytes.
    pub len: u32,
}

/// A constant.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Constant {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Text),
    /// Constants in the lists: first and how many.
    Arr(u32, u32),
    /// Pairs of constants in the lists: first and how many.
    Map(u32, u32),
}

/// The kinds of types, with an element's type (`NONE` when unchecked) or a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TypeKind {
    Any,
    Int,
    Float,
    String,
    Bool,
    Arr(u32),
    Map(u32),
    Struct(u32),
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// What kind of value.
    pub kind: TypeKind,
    /// nil is one too.
    pub nullable: bool,
    /// Its constraints, or `NONE`.
    pub constraints: u32,
}

/// Bounds on a value; `NONE` where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraints {
    /// A constant.
    pub minimum: u32,
    /// A constant.
    pub maximum: u32,
    /// A number.
    pub min_length: u32,
    /// A number.
    pub max_length: u32,
    /// A string.
    pub pattern: u32,
    /// A string: what the pattern is compiled to.
    pub program: u32,
    /// A string.
    pub format: u32,
    /// A constant Arr.
    pub allowed: u32,
    /// No two equal elements.
    pub unique: bool,
}

/// A struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Struct {
    /// A string.
    pub name: u32,
    /// Its first field.
    pub first: u32,
    /// How many fields.
    pub count: u32,
}

/// A field of a struct, or a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// A string.
    pub name: u32,
    /// A string: the name as a JSON member, `"nome":`.
    pub key: u32,
    /// A type.
    pub ty: u32,
    /// A constant, or `NONE`.
    pub default: u32,
    /// `nocall`.
    pub hidden: bool,
    /// Where the host or the machine takes an injected parameter from; a string, or `NONE`.
    pub source: u32,
}

/// A function, action, page or agent face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// A string.
    pub name: u32,
    /// A string.
    pub file: u32,
    /// How many parameters.
    pub params: u8,
    /// How many of them a caller must give.
    pub required: u8,
    /// How many registers.
    pub registers: u8,
    /// `flag::ACTION`, `flag::TEMPLATE`, `flag::TYPED`.
    pub flags: u8,
    /// The first parameter among the fields.
    pub first_param: u32,
    /// Its first word of code.
    pub start: u32,
    /// How many words.
    pub words: u32,
    /// Its first entry of the line table.
    pub first_line: u32,
    /// How many entries.
    pub lines: u32,
}

impl Field {
    /// A caller gives it: it is neither injected nor `nocall`.
    pub fn is_given(&self) -> bool {
        self.source == NONE && !self.hidden
    }
}

impl Function {
    /// Declared with `action`.
    pub fn is_action(&self) -> bool {
        self.flags & flag::ACTION != 0
    }

    /// What it writes is an HTML body.
    pub fn is_template(&self) -> bool {
        self.flags & flag::TEMPLATE != 0
    }

    /// Some parameter has a type.
    pub fn is_typed(&self) -> bool {
        self.flags & flag::TYPED != 0
    }
}

#[inline]
fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*word))
}

/// The `N` words of a record.
#[inline]
fn words<const N: usize>(record: &[u8]) -> [u32; N] {
    let (chunks, _) = record.as_chunks::<4>();
    core::array::from_fn(|i| chunks.get(i).map_or(0, |word| u32::from_le_bytes(*word)))
}

impl<'a> Program<'a> {
    /// Opens an image: checks its header and the ranges of its sections.
    ///
    /// # Errors
    /// The block is no image of this version, or is cut short.
    pub fn new(bytes: &'a [u8]) -> Result<Self, ImageError> {
        if bytes.first_chunk::<4>() != Some(&MAGIC) {
            return Err(ImageError::NotAnImage);
        }
        let version = u32_at(bytes, 4).ok_or(ImageError::Truncated)?;
        if version != VERSION {
            return Err(ImageError::Version(version));
        }
        let length = u32_at(bytes, 8).ok_or(ImageError::Truncated)?;
        let pagina = u32_at(bytes, 12).ok_or(ImageError::Truncated)?;
        let bytes = bytes.get(..length as usize).ok_or(ImageError::Truncated)?;
        let table = bytes.get(HEADER..HEADER + SECTIONS * 8).ok_or(ImageError::Truncated)?;
        let mut sections = [(0, 0); SECTIONS];
        for ((section, record), size) in sections.iter_mut().zip(table.as_chunks::<8>().0).zip(RECORD) {
            let [offset, count] = words(record);
            let end = (count as usize).checked_mul(size).and_then(|span| span.checked_add(offset as usize));
            if end.is_none_or(|end| end > bytes.len()) {
                return Err(ImageError::Truncated);
            }
            *section = (offset, count);
        }
        let (offset, count) = sections[Section::Code as usize];
        let code = bytes.get(offset as usize..offset as usize + count as usize * 4).ok_or(ImageError::Truncated)?;
        Ok(Self { bytes, code: code.as_chunks::<4>().0, sections, pagina })
    }

    /// The record at an index of a section.
    #[inline]
    fn record<const N: usize>(&self, section: Section, index: u32) -> Option<[u32; N]> {
        let (offset, count) = self.sections[section as usize];
        if index >= count {
            return None;
        }
        let size = RECORD[section as usize];
        let start = offset as usize + index as usize * size;
        Some(words(self.bytes.get(start..start + size)?))
    }

    /// How many records a section has.
    #[inline]
    fn count(&self, section: Section) -> u32 {
        self.sections[section as usize].1
    }

    /// How many functions there are.
    pub fn functions(&self) -> u32 {
        self.count(Section::Functions)
    }

    /// How many structs there are.
    pub fn structs(&self) -> u32 {
        self.count(Section::Structs)
    }

    /// The struct that `Pagina:` builds.
    pub(crate) fn pagina(&self) -> u32 {
        self.pagina
    }

    /// A string.
    #[inline]
    pub fn text(&self, id: u32) -> Option<Text> {
        let [start, len] = self.record(Section::Strings, id)?;
        let (offset, size) = self.sections[Section::Blob as usize];
        if start.checked_add(len)? > size {
            return None;
        }
        Some(Text { start: offset + start, len })
    }

    /// The bytes of a string that this image gave.
    #[inline]
    pub fn bytes(&self, text: Text) -> &'a [u8] {
        let start = text.start as usize;
        self.bytes.get(start..start.saturating_add(text.len as usize)).unwrap_or_default()
    }

    /// The bytes of a string.
    #[inline]
    pub fn string_bytes(&self, id: u32) -> Option<&'a [u8]> {
        Some(self.bytes(self.text(id)?))
    }

    /// A string as text; empty when it is none.
    pub fn str(&self, id: u32) -> &'a str {
        self.string_bytes(id).and_then(|bytes| core::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// A constant.
    pub fn constant(&self, id: u32) -> Option<Constant> {
        let [kind, low, high] = self.record(Section::Constants, id)?;
        let wide = u64::from(low) | u64::from(high) << 32;
        Some(match kind {
            tag::NIL => Constant::Nil,
            tag::FALSE => Constant::Bool(false),
            tag::TRUE => Constant::Bool(true),
            tag::INT => Constant::Int(wide.cast_signed()),
            tag::FLOAT => Constant::Float(f64::from_bits(wide)),
            tag::STRING => Constant::Text(self.text(low)?),
            tag::ARR => Constant::Arr(low, high),
            tag::MAP => Constant::Map(low, high),
            _ => return None,
        })
    }

    /// A number of the lists.
    #[inline]
    pub fn list(&self, index: u32) -> Option<u32> {
        self.record::<1>(Section::Lists, index).map(|[item]| item)
    }

    /// A type.
    #[inline]
    pub fn ty(&self, id: u32) -> Option<Type> {
        let [head, argument, constraints] = self.record(Section::Types, id)?;
        let kind = match head & 0xff {
            0 => TypeKind::Any,
            1 => TypeKind::Int,
            2 => TypeKind::Float,
            3 => TypeKind::String,
            4 => TypeKind::Bool,
            5 => TypeKind::Arr(argument),
            6 => TypeKind::Map(argument),
            7 => TypeKind::Struct(argument),
            _ => return None,
        };
        let constraints = if head & flag::CONSTRAINED != 0 { constraints } else { NONE };
        Some(Type { kind, nullable: head & flag::NULLABLE != 0, constraints })
    }

    /// Bounds of a type.
    pub fn constraints(&self, id: u32) -> Option<Constraints> {
        let [minimum, maximum, min_length, max_length, pattern, program, format, allowed, unique] =
            self.record(Section::Constraints, id)?;
        Some(Constraints { minimum, maximum, min_length, max_length, pattern, program, format, allowed, unique: unique != 0 })
    }

    /// A struct.
    #[inline]
    pub fn structure(&self, id: u32) -> Option<Struct> {
        let [name, first, count] = self.record(Section::Structs, id)?;
        (first.checked_add(count)? <= self.count(Section::Fields)).then_some(Struct { name, first, count })
    }

    /// A field of the field table.
    #[inline]
    pub fn field(&self, id: u32) -> Option<Field> {
        let [name, key, ty, default, flags, source] = self.record(Section::Fields, id)?;
        let source = if flags & flag::INJECTED != 0 { source } else { NONE };
        Some(Field { name, key, ty, default, hidden: flags & flag::HIDDEN != 0, source })
    }

    /// The name of a field, and nothing else of it.
    #[inline]
    pub(crate) fn field_name(&self, id: u32) -> Option<u32> {
        let (offset, count) = self.sections[Section::Fields as usize];
        if id >= count {
            return None;
        }
        u32_at(self.bytes, offset as usize + id as usize * RECORD[Section::Fields as usize])
    }

    /// A shape: its struct, where its fields start in the lists and how many there are.
    #[inline]
    pub fn shape(&self, id: u32) -> Option<(u32, u32, u32)> {
        let [structure, first, count] = self.record(Section::Shapes, id)?;
        Some((structure, first, count))
    }

    /// A function.
    #[inline]
    pub fn function(&self, id: u32) -> Option<Function> {
        let [name, file, sizes, first_param, start, words, first_line, lines] = self.record(Section::Functions, id)?;
        let [params, required, registers, flags] = sizes.to_le_bytes();
        Some(Function { name, file, params, required, registers, flags, first_param, start, words, first_line, lines })
    }

    /// A function's code.
    #[inline]
    pub fn code(&self, function: &Function) -> &'a [[u8; 4]] {
        let start = function.start as usize;
        self.code.get(start..start.saturating_add(function.words as usize)).unwrap_or_default()
    }

    /// The functions of a route: screen, agent, action; `NONE` where it has no such face.
    pub fn entry(&self, route: u32) -> Option<[u32; 3]> {
        self.record(Section::Entries, route)
    }

    /// The function of the site's own page for a status.
    pub fn error_page(&self, status: u16) -> Option<u32> {
        (0..self.count(Section::ErrorPages)).find_map(|index| {
            let [page, function] = self.record(Section::ErrorPages, index)?;
            (page == u32::from(status)).then_some(function)
        })
    }

    /// The file (a string) and line of a word of a function.
    pub fn line(&self, function: &Function, word: usize) -> Option<(u32, u32)> {
        let mut low = 0;
        let mut high = function.lines;
        while low < high {
            let middle = low + (high - low) / 2;
            let [start, _] = self.record(Section::Lines, function.first_line.checked_add(middle)?)?;
            if start as usize <= word {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let [_, place] = self.record(Section::Lines, function.first_line.checked_add(low.checked_sub(1)?)?)?;
        let [file] = self.record(Section::Files, place >> 20)?;
        Some((file, place & 0xf_ffff))
    }
}
