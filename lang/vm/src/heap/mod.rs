//! The heap of one run: objects behind handles. What nothing reaches is found by marking from the registers, now and then, between
//! two instructions; so values copy without counting, cycles are no leak, and nothing is dropped by deep recursion.

mod collect;
mod map;
mod text;

use alloc::{boxed::Box, string::String, vec::Vec};

pub(crate) use map::Map;

use crate::{
    error::{Fallible, invalid_image, too_large},
    image::{Program, Text},
    types::Patterns,
    value::{Handle, Value},
};

/// No String and no output is longer, in bytes.
pub(crate) const MAX_TEXT: usize = 32 << 20;
/// No Arr or Map has more items.
pub(crate) const MAX_ITEMS: usize = 4 << 20;
/// Bytes allocated since the last collection that start one, at least. A guest's allocator keeps freed blocks by size, so that what is
/// made anew in a loop, a little longer each time, leaves about so many bytes behind in each size that it passes through.
const COLLECT_AFTER: usize = 1 << 20;
/// What an object costs beside its content, for accounting.
const OBJECT_COST: usize = size_of::<Object>();

/// What a handle stands for.
#[derive(Debug)]
pub(crate) enum Object {
    /// Nothing: the next free place, or `usize::MAX`.
    Free(usize),
    Str(Box<str>),
    /// A text that grows at its end, for the Strings that are beginnings of it.
    Grown(String),
    /// A String that is so many bytes at the beginning of a grown text.
    Beginning(Handle, usize),
    Arr(Vec<Value>),
    Map(Map),
    /// A struct of the image and its fields, in the order of the type.
    Struct(u32, Box<[Value]>),
    /// A function of the image and the values it keeps.
    Closure(u32, Box<[Value]>),
}

/// All objects of a run.
#[derive(Debug)]
pub(crate) struct Heap<'p> {
    pub(crate) program: &'p Program<'p>,
    objects: Vec<Object>,
    free: usize,
    /// Bytes allocated since the last collection.
    allocated: usize,
    threshold: usize,
    /// Keys the hashes of large Maps; 0 until one is needed.
    seed: u64,
    /// Patterns of types, read when a value is first checked by them.
    pub(crate) patterns: Patterns,
}

impl<'p> Heap<'p> {
    /// An empty heap for a program.
    pub(crate) fn new(program: &'p Program<'p>) -> Self {
        Self {
            program,
            objects: Vec::with_capacity(64),
            free: usize::MAX,
            allocated: 0,
            threshold: COLLECT_AFTER,
            seed: 0,
            patterns: Patterns::default(),
        }
    }

    /// Whether enough was allocated to look for what is no longer reached.
    #[inline]
    pub(crate) fn wants_collection(&self) -> bool {
        self.allocated > self.threshold
    }

    #[inline]
    fn account(&mut self, bytes: usize) {
        self.allocated = self.allocated.saturating_add(bytes);
    }

    fn insert(&mut self, object: Object) -> Handle {
        if let Some(place @ &mut Object::Free(next)) = self.objects.get_mut(self.free) {
            *place = object;
            return Handle::new(core::mem::replace(&mut self.free, next));
        }
        let handle = Handle::new(self.objects.len());
        self.objects.push(object);
        handle
    }

    #[inline]
    fn object(&self, handle: Handle) -> Option<&Object> {
        self.objects.get(handle.index())
    }

    #[inline]
    fn object_mut(&mut self, handle: Handle) -> Option<&mut Object> {
        self.objects.get_mut(handle.index())
    }

    /// A new Arr.
    pub(crate) fn arr(&mut self, items: Vec<Value>) -> Value {
        self.account(items.capacity() * size_of::<Value>() + OBJECT_COST);
        Value::Arr(self.insert(Object::Arr(items)))
    }

    /// A new Map without members, with room for some.
    pub(crate) fn map(&mut self, capacity: usize) -> (Handle, Value) {
        self.account(capacity * 2 * size_of::<Value>() + OBJECT_COST);
        let handle = self.insert(Object::Map(Map::with_capacity(capacity)));
        (handle, Value::Map(handle))
    }

    /// A new struct.
    pub(crate) fn structure(&mut self, ty: u32, fields: Box<[Value]>) -> Value {
        self.account(fields.len() * size_of::<Value>() + OBJECT_COST);
        Value::Struct(self.insert(Object::Struct(ty, fields)))
    }

    /// A new function with values that it keeps.
    pub(crate) fn closure(&mut self, function: u32, kept: Box<[Value]>) -> Value {
        self.account(kept.len() * size_of::<Value>() + OBJECT_COST);
        Value::Closure(self.insert(Object::Closure(function, kept)))
    }

    /// A function and the values it keeps.
    pub(crate) fn kept(&self, handle: Handle) -> Fallible<(u32, &[Value])> {
        match self.object(handle) {
            Some(Object::Closure(function, kept)) => Ok((*function, kept)),
            _ => Err(invalid_image()),
        }
    }

    /// An Arr's items.
    #[inline]
    pub(crate) fn items(&self, handle: Handle) -> Fallible<&[Value]> {
        match self.object(handle) {
            Some(Object::Arr(items)) => Ok(items),
            _ => Err(invalid_image()),
        }
    }

    /// Adds an item to an Arr.
    #[inline]
    pub(crate) fn push(&mut self, handle: Handle, item: Value) -> Fallible<()> {
        self.account(size_of::<Value>());
        match self.object_mut(handle) {
            Some(Object::Arr(items)) if items.len() < MAX_ITEMS => {
                items.push(item);
                Ok(())
            }
            Some(Object::Arr(_)) => Err(too_large("o Arr")),
            _ => Err(invalid_image()),
        }
    }

    /// Sets an item that an Arr has.
    pub(crate) fn set_item(&mut self, handle: Handle, index: usize, item: Value) -> Fallible<()> {
        match self.object_mut(handle) {
            Some(Object::Arr(items)) => {
                *items.get_mut(index).ok_or_else(invalid_image)? = item;
                Ok(())
            }
            _ => Err(invalid_image()),
        }
    }

    /// A struct's type and fields.
    #[inline]
    pub(crate) fn fields(&self, handle: Handle) -> Fallible<(u32, &[Value])> {
        match self.object(handle) {
            Some(Object::Struct(ty, fields)) => Ok((*ty, fields)),
            _ => Err(invalid_image()),
        }
    }

    /// Sets a field of a struct.
    pub(crate) fn set_field(&mut self, handle: Handle, index: usize, value: Value) -> Fallible<()> {
        match self.object_mut(handle) {
            Some(Object::Struct(_, fields)) => {
                *fields.get_mut(index).ok_or_else(invalid_image)? = value;
                Ok(())
            }
            _ => Err(invalid_image()),
        }
    }

    /// The name of a value's type, a struct's own included.
    pub(crate) fn type_name(&self, value: Value) -> &'p str {
        match value {
            Value::Struct(handle) => match self.fields(handle).ok().and_then(|(ty, _)| self.program.structure(ty)) {
                Some(structure) => self.program.str(structure.name),
                None => "struct",
            },
            other => other.kind(),
        }
    }
}

/// Whether two Strings of the image are the same: each distinct one is there once.
#[inline]
pub(crate) fn same_text(a: Text, b: Text) -> bool {
    a.start == b.start && a.len == b.len
}
