//! The constraints of a type, on values that code makes. What comes over HTTP is checked by the contract's decoder.

use alloc::{format, string::String, vec::Vec};
use core::cmp::Ordering;

use djo_contract::{
    issue::{Unit, enum_message, format_message, length_message, range_message},
    pattern::Program,
    value::Value as Plain,
};

use super::coerce::constant;
use crate::{
    error::{Fallible, invalid_image},
    heap::Heap,
    image::{Constraints, NONE},
    json::export,
    ops::{compare::order, equal::equal},
    value::Value,
};

/// Programs of patterns read in this run, by the string that they are.
#[derive(Debug, Default)]
pub(crate) struct Patterns(Vec<(u32, Program)>);

impl Patterns {
    /// Whether a text matches; `None` when the string is no program.
    fn matches(&mut self, id: u32, program: &str, text: &str) -> Option<bool> {
        if let Some((_, program)) = self.0.iter().find(|(known, _)| *known == id) {
            return Some(program.is_match(text));
        }
        let program = Program::from_text(program)?;
        let matches = program.is_match(text);
        self.0.push((id, program));
        Some(matches)
    }
}

/// What a value breaks first of its constraints, in the order and the words of the contract's decoder, as the end of a sentence that
/// begins with its name.
pub(super) fn check(heap: &mut Heap<'_>, value: Value, id: u32) -> Fallible<Option<String>> {
    let rules = heap.program.constraints(id).ok_or_else(invalid_image)?;
    if rules.allowed != NONE {
        let Value::Arr(allowed) = constant(heap, rules.allowed)? else { return Err(invalid_image()) };
        let mut found = false;
        for &item in heap.items(allowed)? {
            found |= equal(heap, item, value)?;
        }
        if !found {
            let Plain::Arr(allowed) = export(heap, Value::Arr(allowed))? else { return Err(invalid_image()) };
            return Ok(Some(enum_message(&allowed)));
        }
    }
    match value {
        Value::Int(_) | Value::Float(_) => range(heap, value, &rules),
        Value::Text(_) | Value::Str(_) | Value::Raw(_) => {
            let broken = text(heap, value, &rules)?;
            let text = heap.str(value)?;
            Ok(broken.or_else(|| length(&rules, || text.chars().count(), Unit::Characters)))
        }
        Value::Arr(handle) => {
            let items = heap.items(handle)?;
            let broken = length(&rules, || items.len(), Unit::Items);
            if broken.is_none() && rules.unique && has_twins(heap, items)? {
                return Ok(Some("tem itens repetidos".into()));
            }
            Ok(broken)
        }
        _ => Ok(None),
    }
}

fn has_twins(heap: &Heap<'_>, items: &[Value]) -> Fallible<bool> {
    for (index, &item) in items.iter().enumerate() {
        for &earlier in items.iter().take(index) {
            if equal(heap, item, earlier)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Minimum and maximum of a number.
fn range(heap: &mut Heap<'_>, value: Value, rules: &Constraints) -> Fallible<Option<String>> {
    let (minimum, maximum) = (bound(heap, rules.minimum)?, bound(heap, rules.maximum)?);
    let breaks = |bound: Option<Value>, wrong: Ordering| bound.is_some_and(|bound| order(heap, value, bound) == Some(wrong));
    if !breaks(minimum, Ordering::Less) && !breaks(maximum, Ordering::Greater) {
        return Ok(None);
    }
    let plain = |bound: Option<Value>| bound.map(|bound| export(heap, bound)).transpose();
    Ok(Some(range_message(plain(minimum)?.as_ref(), plain(maximum)?.as_ref())))
}

fn bound(heap: &mut Heap<'_>, id: u32) -> Fallible<Option<Value>> {
    if id == NONE { Ok(None) } else { constant(heap, id).map(Some) }
}

fn length(rules: &Constraints, count: impl FnOnce() -> usize, unit: Unit) -> Option<String> {
    let bound = |bound: u32| (bound != NONE).then_some(u64::from(bound));
    let (least, most) = (bound(rules.min_length), bound(rules.max_length));
    if least.is_none() && most.is_none() {
        return None;
    }
    let count = count() as u64;
    let fits = least.is_none_or(|least| count >= least) && most.is_none_or(|most| count <= most);
    (!fits).then(|| length_message(least, most, unit))
}

/// Format and pattern.
fn text(heap: &mut Heap<'_>, value: Value, rules: &Constraints) -> Fallible<Option<String>> {
    let program = heap.program;
    if rules.format != NONE {
        let format = program.str(rules.format);
        if !djo_contract::format::is_valid(format, heap.str(value)?) {
            return Ok(Some(format_message(format)));
        }
    }
    if rules.pattern != NONE {
        let mut patterns = core::mem::take(&mut heap.patterns);
        let matches = patterns.matches(rules.program, program.str(rules.program), heap.str(value)?);
        heap.patterns = patterns;
        if !matches.ok_or_else(invalid_image)? {
            return Ok(Some(format!("deve seguir o padrão {}", program.str(rules.pattern))));
        }
    }
    Ok(None)
}

/// The rules of a bounded result: what is cut off says how to go on, and there is a next page only after one that is cut off and not
/// empty. The fields are in the order in which lowering declares `Pagina`.
pub(super) fn check_page(heap: &Heap<'_>, fields: &[Value]) -> Option<&'static str> {
    let [items, truncated, cursor, total, hint] = fields else { return None };
    let truncated = matches!(truncated, Value::Bool(true));
    let empty = matches!(items, Value::Arr(handle) if heap.items(*handle).is_ok_and(<[_]>::is_empty));
    if truncated && cursor.is_nil() && hint.is_nil() {
        return Some("com `truncated: true` precisa de `next_cursor` ou `refinement_hint`");
    }
    if !cursor.is_nil() && !truncated {
        return Some("com `next_cursor` precisa de `truncated: true`");
    }
    if !cursor.is_nil() && empty {
        return Some("com `next_cursor` não pode vir vazia");
    }
    if matches!(total, Value::Int(number) if *number < 0) {
        return Some("não tem `total` negativo");
    }
    None
}
