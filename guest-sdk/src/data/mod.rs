//! Rust values and the contract's: what comes in decoded, what goes out as JSON, what the store keeps.

mod builtin;
mod sink;

use alloc::{borrow::Cow, format, string::String, vec::Vec};
use core::fmt;

pub use djo_contract::value::Value;
use djo_contract::wire;
pub use sink::Sink;

/// A type that the contract can name. `#[djo::data]` implements it for structs and for enums of names.
pub trait Data: Sized {
    /// Takes a value that fits the type. Doors decode by the contract, so theirs do; what the store holds may be of another revision.
    ///
    /// # Errors
    /// The first place where it does not fit.
    fn from_value(value: Value) -> Result<Self, Mismatch>;

    /// Puts the value out.
    fn write(&self, out: &mut dyn Sink);

    /// What a member that is not there holds.
    fn absent() -> Option<Self> {
        None
    }
}

/// A value that does not fit a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    path: String,
    wanted: Cow<'static, str>,
    found: &'static str,
}

impl Mismatch {
    /// Another kind of value than the one that is wanted.
    pub fn new(wanted: impl Into<Cow<'static, str>>, found: &Value) -> Self {
        Self { path: String::new(), wanted: wanted.into(), found: found.djo_kind() }
    }

    /// A member that is not there.
    pub fn missing(wanted: &'static str) -> Self {
        Self { path: String::new(), wanted: wanted.into(), found: "nada" }
    }

    /// The same one, inside a member of that name.
    #[must_use]
    pub fn within(mut self, name: &str) -> Self {
        self.path = match self.path.as_str() {
            "" => name.into(),
            path if path.starts_with('[') => format!("{name}{path}"),
            path => format!("{name}.{path}"),
        };
        self
    }

    fn at(mut self, index: usize) -> Self {
        let separator = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("[{index}]{separator}{}", self.path);
        self
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(out, "{}: ", self.path)?;
        }
        write!(out, "deve ser {}, mas veio {}", self.wanted, self.found)
    }
}

impl core::error::Error for Mismatch {}

/// The members of an object, taken one by one. Doors write them in the order of the type, so that the next one is nearly always first.
#[doc(hidden)]
pub struct Members(Vec<(String, Value)>);

impl Members {
    /// Of a struct's value.
    ///
    /// # Errors
    /// It is no object.
    pub fn of(value: Value, name: &'static str) -> Result<Self, Mismatch> {
        match value {
            Value::Map(mut members) => {
                members.reverse();
                Ok(Self(members))
            }
            other => Err(Mismatch::new(name, &other)),
        }
    }

    /// The member as its type. One that is not there is what `usual` says, else what its type says of absence.
    ///
    /// # Errors
    /// It does not fit, or has to be there.
    pub fn take<T: Data>(&mut self, name: &'static str, usual: Option<fn() -> Value>) -> Result<T, Mismatch> {
        let at = match self.0.last() {
            Some((next, _)) if next == name => Some(self.0.len() - 1),
            _ => self.0.iter().rposition(|(held, _)| held == name),
        };
        let value = at.map(|at| self.0.remove(at).1).or_else(|| usual.map(|usual| usual()));
        match value {
            Some(value) => T::from_value(value).map_err(|mismatch| mismatch.within(name)),
            None => T::absent().ok_or_else(|| Mismatch::missing("um valor").within(name)),
        }
    }
}

/// The value as compact JSON, hidden members left out.
pub fn to_json(data: &impl Data) -> String {
    let mut out = sink::Json(String::with_capacity(256));
    data.write(&mut out);
    out.0
}

/// The value as the store keeps it, hidden members included.
pub fn to_wire(data: &impl Data) -> Vec<u8> {
    let mut out = sink::Wire(wire::Writer::default());
    data.write(&mut out);
    out.0.finish()
}

/// What the store kept.
///
/// # Errors
/// The bytes are no value, or not one of this type.
pub fn from_wire<T: Data>(bytes: &[u8]) -> Result<T, Mismatch> {
    let value = wire::decode(bytes).map_err(|_| Mismatch { path: String::new(), wanted: "um valor".into(), found: "bytes ilegíveis" })?;
    T::from_value(value)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use alloc::{collections::BTreeMap, string::ToString};

    use super::*;

    #[test]
    fn values_come_back_from_the_store() {
        let data: BTreeMap<String, Vec<Option<f64>>> = [("a".to_string(), Vec::from([Some(1.0), None])), ("b".into(), Vec::new())].into();
        assert_eq!(from_wire::<BTreeMap<String, Vec<Option<f64>>>>(&to_wire(&data)).unwrap(), data);
        assert_eq!(to_json(&data), r#"{"a":[1,null],"b":[]}"#);
        let mismatch = from_wire::<BTreeMap<String, Vec<bool>>>(&to_wire(&data)).unwrap_err();
        assert_eq!(mismatch.to_string(), "a[0]: deve ser Bool, mas veio Float");
        assert!(from_wire::<i64>(b"\xFF").is_err());
    }

    #[test]
    fn integers_keep_their_ranges() {
        assert_eq!(u8::from_value(Value::Int(255)).unwrap(), 255);
        assert!(u8::from_value(Value::Int(256)).is_err());
        assert!(i32::from_value(Value::Float(1.0)).is_err());
        assert_eq!(f64::from_value(Value::Int(3)).unwrap(), 3.0);
    }

    #[test]
    fn members_are_found_in_any_order() {
        let value = Value::Map(Vec::from([("b".into(), Value::Int(2)), ("a".into(), Value::Int(1))]));
        let mut members = Members::of(value, "X").unwrap();
        assert_eq!(members.take::<i64>("a", None).unwrap(), 1);
        assert_eq!(members.take::<i64>("b", None).unwrap(), 2);
        assert_eq!(members.take::<Option<i64>>("c", None).unwrap(), None);
        assert_eq!(members.take::<i64>("d", Some(|| Value::Int(7))).unwrap(), 7);
        assert_eq!(members.take::<i64>("e", None).unwrap_err().to_string(), "e: deve ser um valor, mas veio nada");
        assert!(Members::of(Value::Nil, "X").is_err());
    }
}
