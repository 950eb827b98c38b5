//! Strings. One that grows in a loop is not copied each time: what is added goes behind it, in a text that all its stages share.

use alloc::{borrow::Cow, boxed::Box, string::String};

use super::{Heap, MAX_TEXT, OBJECT_COST, Object};
use crate::{
    error::{Fallible, invalid_image, too_large},
    value::{Handle, Value},
};

/// Bytes from which on a String is worth sharing: below, a copy costs less than to go by a second object.
const LONG: usize = 256;

/// The most room that a text grows ahead of what is needed, in bytes: its old and its new place are in memory at once, and a guest may
/// not have much.
const MOST_SLACK: usize = 1 << 20;

fn take_grown(object: &mut Object) -> Option<String> {
    match object {
        Object::Grown(text) => Some(core::mem::take(text)),
        _ => None,
    }
}

impl Heap<'_> {
    /// A new String.
    pub(crate) fn text(&mut self, text: impl Into<Box<str>>) -> Value {
        let text = text.into();
        self.account(text.len() + OBJECT_COST);
        Value::Str(self.insert(Object::Str(text)))
    }

    /// Markup that is written as it is.
    pub(crate) fn raw(&mut self, text: impl Into<Box<str>>) -> Value {
        match self.text(text) {
            Value::Str(handle) => Value::Raw(handle),
            other => other,
        }
    }

    /// What a joined String may go on from: its first part, where that is long and of the result's kind.
    pub(crate) fn long(&self, first: Value, raw: bool) -> Option<Handle> {
        match first {
            Value::Str(handle) if !raw => Some(handle),
            Value::Raw(handle) if raw => Some(handle),
            _ => None,
        }
        .filter(|handle| self.own(*handle).is_some_and(|text| text.len() >= LONG))
    }

    /// A String of its own.
    ///
    /// # Errors
    /// It is too long.
    pub(crate) fn joined(&mut self, text: String, raw: bool) -> Fallible<Value> {
        if text.len() > MAX_TEXT {
            return Err(too_large("a String"));
        }
        Ok(if raw { self.raw(text) } else { self.text(text) })
    }

    /// The String that is a long one and another behind it.
    ///
    /// # Errors
    /// It would be too long.
    pub(crate) fn extended(&mut self, from: Handle, more: Value, raw: bool) -> Fallible<Value> {
        let (whole, start) = match self.object(from) {
            Some(Object::Beginning(whole, length)) => (Some(*whole), *length),
            _ => (None, self.own(from).ok_or_else(invalid_image)?.len()),
        };
        let length = start + self.bytes(more).len();
        if length > MAX_TEXT {
            return Err(too_large("a String"));
        }
        let whole = match whole.filter(|whole| self.grown(*whole).is_some_and(|text| text.len() == start)) {
            Some(whole) => {
                // Out of the heap for a moment: what goes behind it may be in the heap, too, or a beginning of it.
                let mut text = self.object_mut(whole).and_then(take_grown).ok_or_else(invalid_image)?;
                let room = text.capacity();
                if room < length {
                    text.reserve_exact((length - start).max((start / 2).min(MOST_SLACK)).min(MAX_TEXT - start));
                }
                let ended = match more.handle().and_then(|handle| self.object(handle)) {
                    Some(&Object::Beginning(of, length)) if of == whole => {
                        text.extend_from_within(..length);
                        Ok(())
                    }
                    _ => self.str(more).map(|more| text.push_str(more)),
                };
                let grown = text.capacity() - room;
                if let Some(object) = self.object_mut(whole) {
                    *object = Object::Grown(text);
                }
                ended?;
                self.account(grown);
                whole
            }
            None => {
                let mut text = String::with_capacity(length);
                text.push_str(self.own(from).ok_or_else(invalid_image)?);
                text.push_str(self.str(more)?);
                self.account(length + OBJECT_COST);
                self.insert(Object::Grown(text))
            }
        };
        // Dearer than it is: little else is accounted in a loop, whose objects would come to as much as its text.
        self.account(4 * OBJECT_COST);
        let handle = self.insert(Object::Beginning(whole, length));
        Ok(if raw { Value::Raw(handle) } else { Value::Str(handle) })
    }

    fn grown(&self, handle: Handle) -> Option<&str> {
        match self.object(handle)? {
            Object::Grown(text) => Some(text),
            _ => None,
        }
    }

    /// The text of an object.
    #[inline]
    fn own(&self, handle: Handle) -> Option<&str> {
        match self.object(handle)? {
            Object::Str(text) => Some(text),
            Object::Beginning(whole, length) => self.grown(*whole)?.get(..*length),
            _ => None,
        }
    }

    /// A String's bytes, empty when the value is no String. Those of the heap are UTF-8; the image's need not be.
    #[inline]
    pub(crate) fn bytes(&self, value: Value) -> &[u8] {
        match value {
            Value::Text(text) => self.program.bytes(text),
            Value::Str(handle) | Value::Raw(handle) => self.own(handle).unwrap_or_default().as_bytes(),
            _ => &[],
        }
    }

    /// A String's text.
    pub(crate) fn str(&self, value: Value) -> Fallible<&str> {
        match value {
            Value::Text(text) => core::str::from_utf8(self.program.bytes(text)).map_err(|_| invalid_image()),
            Value::Str(handle) | Value::Raw(handle) => self.own(handle).ok_or_else(invalid_image),
            _ => Err(invalid_image()),
        }
    }

    /// A String's text for messages.
    pub(crate) fn lossy(&self, value: Value) -> Cow<'_, str> {
        String::from_utf8_lossy(self.bytes(value))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use alloc::{format, vec::Vec};

    use proptest::prelude::*;

    use super::*;
    use crate::{
        escape,
        image::{Builder, FunctionSpec, Program},
        op::{Op, encode},
        ops::arithmetic::add,
    };

    fn image() -> Vec<u8> {
        let mut builder = Builder::new();
        let code = Vec::from([encode(Op::LoadNil, 0, 0, 0), encode(Op::Return, 0, 0, 0)]);
        builder.function(&FunctionSpec { registers: 1, code, ..FunctionSpec::default() });
        builder.finish().unwrap()
    }

    #[test]
    fn what_is_added_to_the_last_stage_copies_nothing() {
        let image = image();
        let program = Program::new(&image).unwrap();
        let mut heap = Heap::new(&program);
        let (mut text, more) = (heap.text("é".repeat(LONG)), heap.text("x"));
        let mut moves = 0;
        let mut at = heap.bytes(text).as_ptr();
        for _ in 0..100_000 {
            text = add(&mut heap, text, more).unwrap();
            moves += usize::from(heap.bytes(text).as_ptr() != at);
            at = heap.bytes(text).as_ptr();
        }
        assert_eq!(heap.bytes(text).len(), 2 * LONG + 100_000);
        assert!(moves < 40, "{moves}");
    }

    #[test]
    fn no_string_is_too_long() {
        let image = image();
        let program = Program::new(&image).unwrap();
        let mut heap = Heap::new(&program);
        let (mut text, more) = (heap.text("a".repeat(MAX_TEXT - 2)), heap.text("x"));
        for _ in 0..2 {
            text = add(&mut heap, text, more).unwrap();
        }
        assert_eq!(heap.bytes(text).len(), MAX_TEXT);
        assert!(add(&mut heap, text, more).is_err());
        assert_eq!(heap.bytes(text).len(), MAX_TEXT);
    }

    proptest! {
        /// Whatever is joined to whatever, in whatever order, with collections in between: every String stays what it was.
        #[test]
        fn strings_never_change(
            first in prop::collection::vec("[a-zé<]{0,300}", 1..4),
            steps in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4_u8), 1..60),
        ) {
            let image = image();
            let program = Program::new(&image).unwrap();
            let mut heap = Heap::new(&program);
            let mut all: Vec<(Value, String)> =
                first.into_iter().enumerate().map(|(n, text)| (if n == 1 { heap.raw(&*text) } else { heap.text(&*text) }, text)).collect();
            for (a, b, how) in steps {
                let ((x, left), (y, right)) = (a.get(&all).clone(), b.get(&all).clone());
                let markup = |value| matches!(value, Value::Raw(_));
                let raw = markup(x) || markup(y);
                let shown = |value, text: &str| if raw && !markup(value) { text.replace('<', "&lt;") } else { text.into() };
                let expected = format!("{}{}", shown(x, &left), shown(y, &right));
                if expected.len() > 1 << 16 {
                    continue;
                }
                let joined = if how == 0 { escape::join(&mut heap, &[x, y]) } else { add(&mut heap, x, y) }.unwrap();
                prop_assert_eq!(markup(joined), raw);
                all.push((joined, expected));
                if how == 1 && all.len() > 3 {
                    all.remove(0);
                    let roots: Vec<Value> = all.iter().map(|(value, _)| *value).collect();
                    heap.collect(roots.iter());
                }
                for (value, text) in &all {
                    prop_assert_eq!(heap.str(*value).unwrap(), text.as_str());
                }
            }
        }
    }
}
