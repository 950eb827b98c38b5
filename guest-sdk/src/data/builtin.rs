//! The types that the contract knows without being told.

use alloc::{boxed::Box, collections::BTreeMap, string::String, vec::Vec};

use super::{Data, Mismatch, Sink, Value};

impl Data for bool {
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        value.as_bool().ok_or_else(|| Mismatch::new("Bool", &value))
    }

    fn write(&self, out: &mut dyn Sink) {
        out.bool(*self);
    }
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Data for $integer {
            fn from_value(value: Value) -> Result<Self, Mismatch> {
                value.as_int().and_then(|number| Self::try_from(number).ok()).ok_or_else(|| Mismatch::new(stringify!($integer), &value))
            }

            fn write(&self, out: &mut dyn Sink) {
                out.int(i64::from(*self));
            }
        }
    )*};
}

// Those that 64 bits with a sign hold: nothing is cut off on its way into JSON.
integers! { i8 i16 i32 i64 u8 u16 u32 }

impl Data for f64 {
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Float(number) => Ok(number),
            // As in the language, an Int is taken where a Float is wanted.
            Value::Int(number) => Ok(number as Self),
            other => Err(Mismatch::new("Float", &other)),
        }
    }

    fn write(&self, out: &mut dyn Sink) {
        out.float(*self);
    }
}

impl Data for String {
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Str(text) => Ok(text),
            other => Err(Mismatch::new("String", &other)),
        }
    }

    fn write(&self, out: &mut dyn Sink) {
        out.str(self);
    }
}

/// Anything.
impl Data for Value {
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        Ok(value)
    }

    fn write(&self, out: &mut dyn Sink) {
        match self {
            Self::Nil => out.nil(),
            Self::Bool(flag) => out.bool(*flag),
            Self::Int(number) => out.int(*number),
            Self::Float(number) => out.float(*number),
            Self::Huge(text) => match Self::rounded(text) {
                Some(number) => out.float(number),
                None => out.str(text),
            },
            Self::Str(text) => out.str(text),
            Self::Arr(items) => write_items(items, out),
            Self::Map(members) => {
                out.map(members.len());
                for (name, member) in members {
                    out.key(name);
                    member.write(out);
                }
                out.end('}');
            }
        }
    }
}

fn write_items<T: Data>(items: &[T], out: &mut dyn Sink) {
    out.arr(items.len());
    for item in items {
        out.item();
        item.write(out);
    }
    out.end(']');
}

impl<T: Data> Data for Vec<T> {
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Arr(items) => {
                items.into_iter().enumerate().map(|(index, item)| T::from_value(item).map_err(|mismatch| mismatch.at(index))).collect()
            }
            other => Err(Mismatch::new("Arr", &other)),
        }
    }

    fn write(&self, out: &mut dyn Sink) {
        write_items(self, out);
    }
}

impl<T: Data> Data for BTreeMap<String, T> {
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Map(members) => {
                let member = |(name, value): (String, Value)| match T::from_value(value) {
                    Ok(value) => Ok((name, value)),
                    Err(mismatch) => Err(mismatch.within(&name)),
                };
                members.into_iter().map(member).collect()
            }
            other => Err(Mismatch::new("Map", &other)),
        }
    }

    fn write(&self, out: &mut dyn Sink) {
        out.map(self.len());
        for (name, member) in self {
            out.key(name);
            member.write(out);
        }
        out.end('}');
    }
}

impl<T: Data> Data for Option<T> {
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        match value {
            Value::Nil => Ok(None),
            value => T::from_value(value).map(Some),
        }
    }

    fn write(&self, out: &mut dyn Sink) {
        match self {
            Some(value) => value.write(out),
            None => out.nil(),
        }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Data> Data for Box<T> {
    fn from_value(value: Value) -> Result<Self, Mismatch> {
        T::from_value(value).map(Self::new)
    }

    fn write(&self, out: &mut dyn Sink) {
        T::write(self, out);
    }

    fn absent() -> Option<Self> {
        T::absent().map(Self::new)
    }
}
