//! The constraints of a type, on values that code makes. What comes over HTTP is checked by the contract's decoder.

use alloc::{format, string::String, vec::Vec};
use core::cmp::Ordering;

use djo_contract::pattern::Program;

use super::coerce::constant;
use crate::{
    error::{Fallible, invalid_image},
    heap::Heap,
    image::{Constraints, NONE},
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

/// What a value breaks of its constraints, as the end of a sentence that begins with its name.
pub(super) fn check(heap: &mut Heap<'_>, value: Value, id: u32) -> Fallible<Option<String>> {
    let rules = heap.program.constraints(id).ok_or_else(invalid_image)?;
    if let Some(message) = bounds(heap, value, &rules)? {
        return Ok(Some(message));
    }
    if rules.allowed != NONE {
        let Value::Arr(allowed) = constant(heap, rules.allowed)? else { return Err(invalid_image()) };
        let mut found = false;
        for &item in heap.items(allowed)? {
            found |= equal(heap, item, value)?;
        }
        if !found {
            let mut list = Vec::new();
            crate::json::encode(heap, Value::Arr(allowed), &mut list)?;
            return Ok(Some(format!("deve ser um de {}", String::from_utf8_lossy(&list))));
        }
    }
    match value {
        Value::Text(_) | Value::Str(_) | Value::Raw(_) => text(heap, value, &rules),
        Value::Arr(handle) if rules.unique => {
            let items = heap.items(handle)?;
            for (index, &item) in items.iter().enumerate() {
                for &earlier in items.iter().take(index) {
                    if equal(heap, item, earlier)? {
                        return Ok(Some("tem itens repetidos".into()));
                    }
                }
            }
            Ok(None)
        }
        _ => Ok(None),
    }
}

/// Minimum, maximum and lengths.
fn bounds(heap: &mut Heap<'_>, value: Value, rules: &Constraints) -> Fallible<Option<String>> {
    for (bound, wrong, word) in [(rules.minimum, Ordering::Less, "no mínimo"), (rules.maximum, Ordering::Greater, "no máximo")] {
        if bound != NONE {
            let bound = constant(heap, bound)?;
            if order(heap, value, bound) == Some(wrong) {
                let mut shown = Vec::new();
                crate::escape::display(heap, bound, &mut shown)?;
                return Ok(Some(format!("deve ser {word} {}", String::from_utf8_lossy(&shown))));
            }
        }
    }
    let (length, unit) = match value {
        Value::Text(_) | Value::Str(_) | Value::Raw(_) => (heap.str(value)?.chars().count(), "caracteres"),
        Value::Arr(handle) => (heap.items(handle)?.len(), "itens"),
        _ => return Ok(None),
    };
    if rules.min_length != NONE && length < rules.min_length as usize {
        return Ok(Some(format!("deve ter no mínimo {} {unit}", rules.min_length)));
    }
    if rules.max_length != NONE && length > rules.max_length as usize {
        return Ok(Some(format!("deve ter no máximo {} {unit}", rules.max_length)));
    }
    Ok(None)
}

/// Format and pattern.
fn text(heap: &mut Heap<'_>, value: Value, rules: &Constraints) -> Fallible<Option<String>> {
    let program = heap.program;
    if rules.format != NONE {
        let format = program.str(rules.format);
        if !djo_contract::format::is_valid(format, heap.str(value)?) {
            return Ok(Some(format!("deve ter o formato {format}")));
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
