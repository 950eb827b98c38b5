//! The parser: a whole document as one value.

use alloc::{borrow::Cow, collections::BTreeSet, string::String, vec::Vec};

use super::{
    cursor::{Cursor, Name, Names, Read, document},
    fault::SyntaxIssue,
};
use crate::value::Value;

/// What a document may hold at most.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Arrays and objects within each other. Reading recurses this deep: more than 256 counts as 256.
    pub depth: usize,
    /// Values of all kinds, the root included.
    pub values: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 64, values: 100_000 }
    }
}

/// How deep and how large a result may be that is looked into: what a site's `max_response` lets through, and no deeper than inputs.
pub const RESULT: Limits = Limits { depth: 64, values: 10_000_000 };

/// How deep and how large decoded input may be: within the limits of what is submitted, and defaults beyond them.
pub const DECODED: Limits = Limits { depth: 160, values: 400_000 };

/// Reads one JSON document within the limits that hold for everything that is submitted.
///
/// # Errors
/// The first thing that is wrong.
pub fn parse(bytes: &[u8]) -> Result<Value, SyntaxIssue> {
    parse_with(bytes, Limits::default())
}

/// Reads one JSON document within given limits.
///
/// A number without fraction and exponent is an `Int` when 64 bits hold it, others are `Float`s, and those that neither holds keep
/// their text as `Huge`. A whole number written with a fraction or exponent stays a `Float` unless the double would change it; one that
/// is not whole, but whose double is, keeps its text too.
///
/// # Errors
/// The first thing that is wrong.
pub fn parse_with(bytes: &[u8], limits: Limits) -> Result<Value, SyntaxIssue> {
    document(bytes, limits, value)
}

/// One JSON document as text in the form in which all is written here, without ever holding its values.
///
/// # Errors
/// The first thing that is wrong.
pub fn compact(bytes: &[u8], limits: Limits) -> Result<String, SyntaxIssue> {
    let mut out = String::with_capacity(bytes.len());
    document(bytes, limits, |cursor| cursor.copy(&mut out, Names::Unique))?;
    Ok(out)
}

/// How many items a document has that is an array; `None` of any other.
///
/// # Errors
/// The first thing that is wrong; but for a name that an object repeats, which is not looked for.
pub fn count_items(bytes: &[u8], limits: Limits) -> Result<Option<u64>, SyntaxIssue> {
    document(bytes, limits, |cursor| {
        if cursor.peek() != Some(b'[') {
            return cursor.skip().map(|()| None);
        }
        let mut count = 0;
        cursor.items(|cursor| {
            count += 1;
            cursor.skip()
        })?;
        Ok(Some(count))
    })
}

/// An object with more members than this keeps an ordered set of its names, so that a repeated one is found in n log n.
const FEW: usize = 16;

fn value(cursor: &mut Cursor<'_>) -> Read<Value> {
    match cursor.peek() {
        Some(b'{') => {
            let mut members: Vec<(String, Value)> = Vec::new();
            let mut names = None;
            cursor.members(|cursor, name| {
                if is_repeated(&members, &mut names, name) {
                    return Err(name.repeated());
                }
                let value = value(cursor)?;
                members.push((name.text.clone().into_owned(), value));
                Ok(())
            })?;
            Ok(Value::Map(members))
        }
        Some(b'[') => {
            let mut items = Vec::new();
            cursor.items(|cursor| {
                items.push(value(cursor)?);
                Ok(())
            })?;
            Ok(Value::Arr(items))
        }
        _ => cursor.scalar(),
    }
}

/// Whether the object has a member of that name already; remembers it.
#[inline]
fn is_repeated<'a>(members: &[(String, Value)], names: &mut Option<BTreeSet<Cow<'a, str>>>, name: Name<'_, 'a>) -> bool {
    if members.len() < FEW {
        return members.iter().any(|(known, _)| *known == **name.text);
    }
    let names = names.get_or_insert_with(|| members.iter().map(|(known, _)| Cow::Owned(known.clone())).collect());
    !names.insert(name.text.clone())
}
