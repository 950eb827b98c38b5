//! From JSON to typed values: nothing is repaired, coerced, truncated or renamed. Source: the tool boundary, §1.
//!
//! One walk collects every issue in the order of the type; only without issues a second one fills defaults and makes the final value.

mod action;
mod check;
mod constraint;
mod context;
mod text;
mod transform;

use transform::Transform;

pub use action::{InputError, decode_action, decode_arguments, decode_query};
pub use context::{InjectError, fill_injected};
pub use transform::Room;

use crate::{
    issue::Issues,
    path::Path,
    types::{Type, Types},
    value::Value,
};

/// Checks a value and gives it its final form: structs have their fields in the order of the type, with defaults where fields are absent,
/// an Int is an `Int` however it was written, and a Float is a `Float`.
///
/// # Errors
/// All issues, in the order of the type; or one, when defaults make too much of it.
pub fn decode(types: &Types, ty: &Type, value: Value) -> Result<Value, Issues> {
    let value = check(types, ty, &value).or(|| value)?;
    let mut transform = Transform::new(types);
    let made = transform.value(ty, value);
    transform.finish(made)
}

/// Checks a value without taking it.
pub fn check(types: &Types, ty: &Type, value: &Value) -> Issues {
    check_at(types, ty, value, &Path::ROOT)
}

/// Checks a value that stands somewhere in a larger one.
pub fn check_at(types: &Types, ty: &Type, value: &Value, path: &Path<'_>) -> Issues {
    let mut walk = check::Walk::new(types);
    walk.value(ty, value, path);
    walk.issues
}

/// Checks a result against the declared type, as its published schema does: nothing is required (HTTP contract, 5.5).
pub fn check_result(types: &Types, ty: &Type, value: &Value) -> Issues {
    let mut walk = check::Walk { requires: false, ..check::Walk::new(types) };
    walk.value(ty, value, &Path::ROOT);
    walk.issues
}

#[cfg(test)]
mod tests;
