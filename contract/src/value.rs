//! A JSON value as this product holds it: exact integers, insertion-ordered maps.

use alloc::{boxed::Box, string::String, vec::Vec};
use core::cmp::Ordering;

/// One JSON value. `Int` and `Float` stay apart, as in the language.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`, djo's `nil`.
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// A number written without fraction or exponent that fits 64 bits.
    Int(i64),
    /// Any other number that a finite double holds.
    Float(f64),
    /// The text of a number that neither a 64-bit integer nor a finite double holds, or one with a fraction of which the nearest double
    /// knows nothing: `9007199254740993.5`. Only the parser makes it. Decoding refuses what is out of range and makes a `Float` of the rest.
    Huge(Box<str>),
    /// A string.
    Str(String),
    /// An array.
    Arr(Vec<Value>),
    /// An object, in the order in which its members were written.
    Map(Vec<(String, Value)>),
}

impl Value {
    /// The member of that name, when this is an object that has it.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_map()?.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    /// An `Int`'s number. A `Float` is none, whatever its fraction.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The double nearest to a number that is kept as text, where there is one and the text writes no integer, of which it would lose digits.
    pub fn rounded(text: &str) -> Option<f64> {
        text.parse().ok().filter(|number: &f64| number.is_finite() && !is_integer_literal(text))
    }

    /// A boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    /// An array's elements.
    pub fn as_arr(&self) -> Option<&[Self]> {
        match self {
            Self::Arr(items) => Some(items),
            _ => None,
        }
    }

    /// An object's members.
    pub fn as_map(&self) -> Option<&[(String, Self)]> {
        match self {
            Self::Map(members) => Some(members),
            _ => None,
        }
    }

    /// The kind in JSON Schema's words: object, array, string, integer, number, boolean, null.
    pub fn json_kind(&self) -> &'static str {
        match self {
            Self::Nil => "null",
            Self::Bool(_) => "boolean",
            Self::Int(_) => "integer",
            Self::Float(_) => "number",
            Self::Huge(text) if is_integer_literal(text) => "integer",
            Self::Huge(_) => "number",
            Self::Str(_) => "string",
            Self::Arr(_) => "array",
            Self::Map(_) => "object",
        }
    }

    /// The kind in djo's words: Map, Arr, String, Int, Float, Bool, nil.
    pub fn djo_kind(&self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Bool(_) => "Bool",
            Self::Int(_) => "Int",
            Self::Float(_) => "Float",
            Self::Huge(text) if is_integer_literal(text) => "Int",
            Self::Huge(_) => "Float",
            Self::Str(_) => "String",
            Self::Arr(_) => "Arr",
            Self::Map(_) => "Map",
        }
    }

    /// Whether a number is somewhere in it that nothing holds.
    pub fn has_huge(&self) -> bool {
        match self {
            Self::Huge(_) => true,
            Self::Arr(items) => items.iter().any(Self::has_huge),
            Self::Map(members) => members.iter().any(|(_, member)| member.has_huge()),
            _ => false,
        }
    }

    /// How many values it holds, itself included; `None` when it is deeper than so many levels.
    pub fn size_within(&self, levels: u32) -> Option<usize> {
        let below = levels.checked_sub(1)?;
        match self {
            Self::Arr(items) => items.iter().try_fold(1, |sum, item| Some(sum + item.size_within(below)?)),
            Self::Map(members) => members.iter().try_fold(1, |sum, (_, member)| Some(sum + member.size_within(below)?)),
            _ => Some(1),
        }
    }

    /// Compares two numbers by their mathematical value; `None` when one is no number that can be held.
    pub fn compare_numbers(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::Float(a), Self::Float(b)) => a.partial_cmp(b),
            (Self::Int(a), Self::Float(b)) => compare_int_float(*a, *b),
            (Self::Float(a), Self::Int(b)) => compare_int_float(*b, *a).map(Ordering::reverse),
            _ => None,
        }
    }

    /// Equality as JSON Schema has it: `1` equals `1.0`, the order of members does not count.
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Arr(a), Self::Arr(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b)),
            (Self::Map(a), Self::Map(b)) => {
                a.len() == b.len() && a.iter().all(|(name, value)| other.get(name).is_some_and(|found| value.equals(found)))
            }
            (Self::Int(_) | Self::Float(_), Self::Int(_) | Self::Float(_)) => self.compare_numbers(other) == Some(Ordering::Equal),
            _ => self == other,
        }
    }
}

impl Value {
    /// The same value with the members of every object by their names: equal objects have one text.
    #[must_use]
    pub fn sorted(self) -> Self {
        match self {
            Self::Arr(items) => Self::Arr(items.into_iter().map(Self::sorted).collect()),
            Self::Map(members) => {
                let mut members: Vec<_> = members.into_iter().map(|(name, member)| (name, member.sorted())).collect();
                members.sort_by(|(one, _), (other, _)| one.cmp(other));
                Self::Map(members)
            }
            other => other,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Str(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Str(text)
    }
}

/// Whether the text of a number has neither fraction nor exponent.
pub(crate) fn is_integer_literal(text: &str) -> bool {
    !text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
}

/// The integer that a double holds exactly; `None` when it has a fraction or is outside 64 bits.
pub fn exact_int(number: f64) -> Option<i64> {
    // 2^63 is a double, i64::MAX is not: the upper bound is exclusive.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&number) {
        let whole = number as i64;
        (whole as f64 == number).then_some(whole)
    } else {
        None
    }
}

/// Whether a number is so far out that every double there is whole, and none is an `Int`.
pub(crate) fn is_beyond_int(number: f64) -> bool {
    !(-9e18..9e18).contains(&number)
}

fn compare_int_float(int: i64, float: f64) -> Option<Ordering> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        return None;
    }
    if float >= LIMIT {
        return Some(Ordering::Less);
    }
    if float < -LIMIT {
        return Some(Ordering::Greater);
    }
    // Truncation is exact here; what it drops decides only among equals.
    let whole = float as i64;
    let rest = float - whole as f64;
    Some(int.cmp(&whole).then(if rest > 0.0 {
        Ordering::Less
    } else if rest < 0.0 {
        Ordering::Greater
    } else {
        Ordering::Equal
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_across_kinds_exactly() {
        let big = Value::Int(9_007_199_254_740_993);
        assert_eq!(big.compare_numbers(&Value::Float(9_007_199_254_740_992.0)), Some(Ordering::Greater));
        assert_eq!(Value::Int(i64::MAX).compare_numbers(&Value::Float(9.3e18)), Some(Ordering::Less));
        assert_eq!(Value::Int(i64::MIN).compare_numbers(&Value::Float(-9_223_372_036_854_775_808.0)), Some(Ordering::Equal));
        assert_eq!(Value::Float(-1.5).compare_numbers(&Value::Int(-1)), Some(Ordering::Less));
    }

    #[test]
    fn equality_ignores_the_order_of_members_and_the_kind_of_number() {
        let a = Value::Map(alloc::vec![("x".into(), Value::Int(1)), ("y".into(), Value::Nil)]);
        let b = Value::Map(alloc::vec![("y".into(), Value::Nil), ("x".into(), Value::Float(1.0))]);
        assert!(a.equals(&b));
        assert!(!Value::Bool(false).equals(&Value::Int(0)));
    }

    #[test]
    fn only_whole_doubles_within_64_bits_are_integers() {
        assert_eq!(exact_int(4.0), Some(4));
        assert_eq!(exact_int(-0.0), Some(0));
        assert_eq!(exact_int(4.5), None);
        assert_eq!(exact_int(9_223_372_036_854_775_808.0), None);
        assert_eq!(exact_int(-9_223_372_036_854_775_808.0), Some(i64::MIN));
        assert_eq!(exact_int(f64::NAN), None);
    }
}
