//! Values: 16 bytes, copied freely. What is larger lies in the heap or in the image.

use crate::image::Text;

/// An index into the heap; as wide as any payload, so that a value is written and read in whole words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Handle(u64);

impl Handle {
    pub(crate) fn new(index: usize) -> Self {
        Self(index as u64)
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A value of the language. Its tag takes a word: a processor that reads a word just written in parts has to wait for it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(u64)]
pub(crate) enum Value {
    /// A local that no branch has set; code never gets hold of it.
    Unset,
    #[default]
    Nil,
    Bool(bool),
    Int(i64),
    /// Always finite.
    Float(f64),
    /// A String that lies in the image.
    Text(Text),
    /// A String in the heap.
    Str(Handle),
    /// Markup that `Html.raw:` vouches for, in the heap.
    Raw(Handle),
    Arr(Handle),
    Map(Handle),
    Struct(Handle),
    /// A function or action by index.
    Function(u32),
    /// A function with what it keeps of where it was made, in the heap.
    Closure(Handle),
    /// A builtin by code.
    Builtin(u16),
}

impl Value {
    /// The type's name for messages; a struct's own name needs the heap: `Heap::type_name`.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Unset | Self::Nil => "nil",
            Self::Bool(_) => "Bool",
            Self::Int(_) => "Int",
            Self::Float(_) => "Float",
            Self::Text(_) | Self::Str(_) | Self::Raw(_) => "String",
            Self::Arr(_) => "Arr",
            Self::Map(_) => "Map",
            Self::Struct(_) => "struct",
            Self::Function(_) | Self::Closure(_) | Self::Builtin(_) => "função",
        }
    }

    /// The heap object behind it.
    pub(crate) fn handle(self) -> Option<Handle> {
        match self {
            Self::Str(handle)
            | Self::Raw(handle)
            | Self::Arr(handle)
            | Self::Map(handle)
            | Self::Struct(handle)
            | Self::Closure(handle) => Some(handle),
            _ => None,
        }
    }

    /// Something that can be called.
    pub(crate) fn is_function(self) -> bool {
        matches!(self, Self::Function(_) | Self::Closure(_) | Self::Builtin(_))
    }

    /// nil, or a local never set.
    pub(crate) fn is_nil(self) -> bool {
        matches!(self, Self::Nil | Self::Unset)
    }
}
