//! The bounds of a value whose JSON type is right: enum, format, pattern, range, length, in this order.

use alloc::{format, string::String, vec::Vec};
use core::cmp::Ordering;

use crate::{
    format as formats,
    issue::{Code, Issue, Issues, Unit, enum_message, format_message, length_message, range_message},
    path::{Path, echo},
    route::{SEGMENT_MESSAGE, SEGMENT_PATTERN},
    types::{Constraints, Kind, Type},
    value::Value,
};

pub(super) fn check_constraints(ty: &Type, value: &Value, path: &Path<'_>, issues: &mut Issues) {
    let constraints = &ty.constraints;
    if let Some(allowed) = &constraints.allowed
        && !allowed.iter().any(|one| one.equals(value))
    {
        issues
            .add(|| Issue::at(path, Code::InvalidEnumValue, enum_message(allowed), Vec::from([("allowed", Value::Arr(allowed.clone()))])));
    }
    match value {
        Value::Str(text) => check_text(constraints, text, path, issues),
        Value::Int(_) | Value::Float(_) => check_range(constraints, value, path, issues),
        Value::Arr(items) => check_length(constraints, items.len(), Unit::Items, path, issues),
        _ => {}
    }
}

fn check_text(constraints: &Constraints, text: &str, path: &Path<'_>, issues: &mut Issues) {
    if let Some(format) = &constraints.format
        && !formats::is_valid(format, text)
    {
        issues.add(|| Issue::at(path, Code::InvalidFormat, format_message(format), Vec::from([("format", format.as_str().into())])));
    }
    if let Some(pattern) = &constraints.pattern
        && !constraints.compiled.is_match(pattern, text)
    {
        let message = || if pattern == SEGMENT_PATTERN { SEGMENT_MESSAGE.into() } else { format!("deve seguir o padrão {pattern}") };
        issues.add(|| Issue::at(path, Code::InvalidPattern, message(), Vec::from([("pattern", pattern.as_str().into())])));
    }
    if constraints.min_length.is_some() || constraints.max_length.is_some() {
        check_length(constraints, text.chars().count(), Unit::Characters, path, issues);
    }
}

fn check_range(constraints: &Constraints, value: &Value, path: &Path<'_>, issues: &mut Issues) {
    let (minimum, maximum) = (constraints.minimum.as_ref(), constraints.maximum.as_ref());
    let below = minimum.is_some_and(|bound| value.compare_numbers(bound) == Some(Ordering::Less));
    let above = maximum.is_some_and(|bound| value.compare_numbers(bound) == Some(Ordering::Greater));
    if below || above {
        issues.add(|| Issue::at(path, Code::InvalidRange, range_message(minimum, maximum), range_extras(minimum, maximum, value.clone())));
    }
}

fn range_extras(minimum: Option<&Value>, maximum: Option<&Value>, observed: Value) -> Vec<(&'static str, Value)> {
    let bounds = [("min", minimum), ("max", maximum)];
    let mut extras: Vec<_> = bounds.into_iter().filter_map(|(name, bound)| Some((name, bound?.clone()))).collect();
    extras.push(("observed", observed));
    extras
}

fn check_length(constraints: &Constraints, length: usize, unit: Unit, path: &Path<'_>, issues: &mut Issues) {
    let (least, most) = (constraints.min_length, constraints.max_length);
    let length = length as u64;
    if least.is_none_or(|least| length >= least) && most.is_none_or(|most| length <= most) {
        return;
    }
    let number = |n: u64| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
    issues.add(|| {
        let bounds = [("min_len", least), ("max_len", most), ("observed", Some(length))];
        let extras = bounds.into_iter().filter_map(|(name, bound)| Some((name, number(bound?)))).collect();
        Issue::at(path, Code::InvalidLength, length_message(least, most, unit), extras)
    });
}

/// A number that its type cannot hold: beyond 64 bits, or beyond finite doubles.
pub(super) fn out_of_range(ty: &Type, value: &Value, path: &Path<'_>) -> Issue {
    let integer = match ty.kind {
        Kind::Int => true,
        Kind::Float => false,
        _ => value.json_kind() == "integer",
    };
    let (name, least, most) = if integer {
        ("Int", Value::Int(i64::MIN), Value::Int(i64::MAX))
    } else {
        ("Float", Value::Float(f64::MIN), Value::Float(f64::MAX))
    };
    let minimum = ty.constraints.minimum.as_ref().unwrap_or(&least);
    let maximum = ty.constraints.maximum.as_ref().unwrap_or(&most);
    // What no number here holds is shown as the text that it is.
    let observed = match value {
        Value::Huge(digits) => Value::Str(String::from(echo(digits))),
        other => other.clone(),
    };
    Issue::at(path, Code::InvalidRange, format!("fora do intervalo de {name}"), range_extras(Some(minimum), Some(maximum), observed))
}
