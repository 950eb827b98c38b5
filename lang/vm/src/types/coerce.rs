//! A value where a type is wanted: taken as it is, or made into one (a Map into a struct, an Int into a Float), or refused.
//!
//! What is made is new; the caller's value is never changed. Recursion is bounded like JSON's depth.

use alloc::{boxed::Box, format, string::String, vec, vec::Vec};

use super::constraints;
use crate::{
    error::{Fallible, Raise, invalid_image, kind, raise},
    heap::Heap,
    image::{Constant, Field, NONE, Struct, TypeKind},
    json::{DECODED, MAX_DEPTH},
    value::{Handle, Value},
};

/// Values that one constant may hold: lowering's stay far below, a stranger's could double at every level.
const MAX_CONSTANT: usize = 1 << 20;

/// Whether constraints are still to be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The code's own values: all is checked.
    Checked,
    /// Decoded by the contract: only shaped.
    Decoded,
}

/// Why a value does not fit: where in it, and the message.
struct Misfit {
    /// Steps from the value down, innermost first.
    path: Vec<Step>,
    kind: &'static str,
    message: String,
}

enum Step {
    Name(String),
    Index(usize),
}

/// `Err` is boxed, so that the recursion's frames stay small.
type Fit<T> = Result<T, Box<Misfit>>;

#[cold]
fn misfit<T>(kind: &'static str, message: String) -> Fit<T> {
    Err(Box::new(Misfit { path: Vec::new(), kind, message }))
}

#[cold]
fn broken(_: Box<Raise>) -> Box<Misfit> {
    Box::new(Misfit { path: Vec::new(), kind: kind::IMAGE, message: "imagem de programa inválida".into() })
}

fn broken_image() -> Box<Misfit> {
    broken(invalid_image())
}

impl Misfit {
    fn within(mut self: Box<Self>, step: Step) -> Box<Self> {
        self.path.push(step);
        self
    }

    /// As an error of `who`, whose value of that name it is.
    fn raise(self, who: &str, name: &str) -> Box<Raise> {
        let mut path = String::from(name);
        for step in self.path.iter().rev() {
            match step {
                Step::Name(name) if path.is_empty() => path.push_str(name),
                Step::Name(name) => path.push_str(&format!(".{name}")),
                Step::Index(index) => path.push_str(&format!("[{index}]")),
            }
        }
        let message = if path.is_empty() { format!("{who}: {}", self.message) } else { format!("{who}: `{path}` {}", self.message) };
        let mut error = raise(self.kind, message);
        error.catchable = self.kind != kind::IMAGE;
        error
    }
}

/// A value of a type, for `who` under a name.
#[inline]
pub(crate) fn accept(heap: &mut Heap<'_>, value: Value, ty: u32, trust: Trust, who: impl Fn() -> (String, String)) -> Fallible<Value> {
    let kind = heap.program.ty(ty).ok_or_else(invalid_image)?;
    if kind.constraints == NONE {
        match (kind.kind, value) {
            (TypeKind::Int, Value::Int(_))
            | (TypeKind::Float, Value::Float(_))
            | (TypeKind::String, Value::Text(_) | Value::Str(_))
            | (TypeKind::Bool, Value::Bool(_))
            | (TypeKind::Arr(NONE), Value::Arr(_))
            | (TypeKind::Map(NONE), Value::Map(_))
            | (TypeKind::Any, _) => return Ok(value),
            (TypeKind::Struct(wanted), Value::Struct(handle)) if heap.fields(handle)?.0 == wanted => return Ok(value),
            _ => {}
        }
    }
    fit(heap, value, ty, trust, 0).map_err(|misfit| {
        let (who, name) = who();
        misfit.raise(&who, &name)
    })
}

fn fit(heap: &mut Heap<'_>, value: Value, ty: u32, trust: Trust, depth: usize) -> Fit<Value> {
    let kind = heap.program.ty(ty).ok_or_else(broken_image)?;
    if kind.nullable && value.is_nil() {
        return Ok(Value::Nil);
    }
    let deepest = if trust == Trust::Decoded { DECODED.depth } else { MAX_DEPTH };
    if depth > deepest {
        return misfit(kind::LIMIT, format!("tem mais de {deepest} níveis"));
    }
    let value = match (kind.kind, value) {
        (TypeKind::Any, _)
        | (TypeKind::Int, Value::Int(_))
        | (TypeKind::Float, Value::Float(_))
        | (TypeKind::String, Value::Text(_) | Value::Str(_))
        | (TypeKind::Bool, Value::Bool(_))
        | (TypeKind::Arr(NONE), Value::Arr(_))
        | (TypeKind::Map(NONE), Value::Map(_)) => value,
        (TypeKind::Float, Value::Int(number)) => Value::Float(number as f64),
        (TypeKind::Int, Value::Float(number)) if trust == Trust::Decoded => match crate::ops::number::to_int(number) {
            Some(number) => Value::Int(number),
            None => return wrong(heap, "Int", value),
        },
        // Markup loses its privilege where a String is stored.
        (TypeKind::String, Value::Raw(handle)) => Value::Str(handle),
        (TypeKind::Arr(element), Value::Arr(handle)) => items(heap, handle, element, trust, depth)?,
        (TypeKind::Map(element), Value::Map(handle)) => members(heap, handle, element, trust, depth)?,
        // Over HTTP a struct is an object, which a Map takes.
        (TypeKind::Map(_), Value::Struct(handle)) if trust == Trust::Decoded => shown_members(heap, handle)?,
        (TypeKind::Struct(wanted), Value::Struct(handle)) if heap.fields(handle).map_err(broken)?.0 == wanted => value,
        (TypeKind::Struct(wanted), Value::Map(handle)) => build_at(heap, wanted, handle, trust, depth)?,
        (wanted, _) => {
            let name = match wanted {
                TypeKind::Int => "Int",
                TypeKind::Float => "Float",
                TypeKind::String => "String",
                TypeKind::Bool => "Bool",
                TypeKind::Arr(_) => "Arr",
                TypeKind::Map(_) => "Map",
                TypeKind::Struct(wanted) => heap.program.structure(wanted).map_or("struct", |found| heap.program.str(found.name)),
                TypeKind::Any => "outro valor",
            };
            return wrong(heap, name, value);
        }
    };
    if kind.constraints != NONE && trust == Trust::Checked {
        let broken_rule = constraints::check(heap, value, kind.constraints).map_err(broken)?;
        if let Some(message) = broken_rule {
            return misfit(kind::INPUT, message);
        }
    }
    Ok(value)
}

#[cold]
fn wrong<T>(heap: &Heap<'_>, wanted: &str, value: Value) -> Fit<T> {
    misfit(kind::TYPE, format!("deve ser {wanted}, mas veio {}", heap.type_name(value)))
}

/// Tells whether two values are the very same, not merely equal.
fn same(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::Int(_), Value::Float(_)) | (Value::Map(_), Value::Struct(_)) | (Value::Raw(_), Value::Str(_)) => false,
        (a, b) => a.handle() == b.handle(),
    }
}

fn items(heap: &mut Heap<'_>, handle: Handle, element: u32, trust: Trust, depth: usize) -> Fit<Value> {
    let given = Vec::from(heap.items(handle).map_err(broken)?);
    let mut fitted = Vec::with_capacity(given.len());
    let mut changed = false;
    for (index, &item) in given.iter().enumerate() {
        let value = fit(heap, item, element, trust, depth + 1).map_err(|misfit| misfit.within(Step::Index(index)))?;
        changed |= !same(item, value);
        fitted.push(value);
    }
    Ok(if changed { heap.arr(fitted) } else { Value::Arr(handle) })
}

fn members(heap: &mut Heap<'_>, handle: Handle, element: u32, trust: Trust, depth: usize) -> Fit<Value> {
    let given = Vec::from(heap.entries(handle).map_err(broken)?);
    let mut fitted = Vec::with_capacity(given.len());
    let mut changed = false;
    for &(key, member) in &given {
        let value =
            fit(heap, member, element, trust, depth + 1).map_err(|misfit| misfit.within(Step::Name(heap.lossy(key).into_owned())))?;
        changed |= !same(member, value);
        fitted.push((key, value));
    }
    if !changed {
        return Ok(Value::Map(handle));
    }
    let (handle, map) = heap.map(fitted.len());
    for (key, value) in fitted {
        heap.put_new(handle, key, value).map_err(broken)?;
    }
    Ok(map)
}

/// A struct's fields as a Map, without `nocall` ones.
fn shown_members(heap: &mut Heap<'_>, handle: Handle) -> Fit<Value> {
    let (ty, fields) = heap.fields(handle).map_err(broken)?;
    let fields = Vec::from(fields);
    let structure = heap.program.structure(ty).ok_or_else(broken_image)?;
    let (handle, map) = heap.map(fields.len());
    for (index, value) in (structure.first..=u32::MAX).zip(fields) {
        let field = heap.program.field(index).ok_or_else(broken_image)?;
        if !field.hidden {
            let name = heap.program.text(field.name).ok_or_else(broken_image)?;
            heap.put_new(handle, Value::Text(name), value).map_err(broken)?;
        }
    }
    Ok(map)
}

/// A struct out of a Map: every field checked, defaults filled, no key too many.
pub(crate) fn build(heap: &mut Heap<'_>, structure: u32, map: Handle) -> Fallible<Value> {
    build_at(heap, structure, map, Trust::Checked, 0).map_err(|misfit| {
        let who = heap.program.structure(structure).map_or("", |found| heap.program.str(found.name));
        misfit.raise(who, "")
    })
}

fn build_at(heap: &mut Heap<'_>, id: u32, map: Handle, trust: Trust, depth: usize) -> Fit<Value> {
    let structure = heap.program.structure(id).ok_or_else(broken_image)?;
    let given = Vec::from(heap.entries(map).map_err(broken)?);
    let mut fields = vec![Value::Unset; structure.count as usize];
    for (key, value) in given {
        let Some(index) = field_index(heap, &structure, key) else {
            return misfit(kind::NAME, format!("não tem o campo `{}`", heap.lossy(key)));
        };
        let field = heap.program.field(structure.first + index).ok_or_else(broken_image)?;
        let value = fit(heap, value, field.ty, trust, depth + 1)
            .map_err(|misfit| misfit.within(Step::Name(heap.program.str(field.name).into())))?;
        if let Some(place) = fields.get_mut(index as usize) {
            *place = value;
        }
    }
    finish(heap, id, &structure, fields)
}

/// The index of a field by its name as a String.
fn field_index(heap: &Heap<'_>, structure: &Struct, key: Value) -> Option<u32> {
    let wanted = heap.bytes(key);
    (0..structure.count).find(|index| {
        let name = structure.first.checked_add(*index).and_then(|id| heap.program.field_name(id));
        name.and_then(|name| heap.program.string_bytes(name)) == Some(wanted)
    })
}

/// Fills what was not given, and makes the struct.
fn finish(heap: &mut Heap<'_>, id: u32, structure: &Struct, mut fields: Vec<Value>) -> Fit<Value> {
    for (index, place) in (structure.first..=u32::MAX).zip(&mut fields) {
        if !matches!(place, Value::Unset) {
            continue;
        }
        let field = heap.program.field(index).ok_or_else(broken_image)?;
        *place = if field.default != NONE {
            usual(heap, &field).map_err(broken)?
        } else if heap.program.ty(field.ty).is_some_and(|ty| ty.nullable) {
            Value::Nil
        } else {
            return misfit(kind::TYPE, "é obrigatório".into())
                .map_err(|misfit| misfit.within(Step::Name(heap.program.str(field.name).into())));
        };
    }
    if id == heap.program.pagina() {
        constraints::check_page(heap, &fields).map_or(Ok(()), |message| misfit(kind::INPUT, message.into()))?;
    }
    Ok(heap.structure(id, fields.into_boxed_slice()))
}

/// A struct literal: the values of a shape's fields, in its order.
pub(crate) fn new_struct(heap: &mut Heap<'_>, shape: u32, values: &[Value]) -> Fallible<Value> {
    let program = heap.program;
    let (id, first, count) = program.shape(shape).ok_or_else(invalid_image)?;
    let values = values.get(..count as usize).ok_or_else(invalid_image)?;
    let structure = program.structure(id).ok_or_else(invalid_image)?;
    let mut fields = vec![Value::Unset; structure.count as usize];
    for (position, &value) in (first..=u32::MAX).zip(values) {
        let index = program.list(position).ok_or_else(invalid_image)?;
        let field = structure.first.checked_add(index).and_then(|id| program.field(id)).ok_or_else(invalid_image)?;
        let who = || (String::from(program.str(structure.name)), String::from(program.str(field.name)));
        let value = accept(heap, value, field.ty, Trust::Checked, who)?;
        *fields.get_mut(index as usize).ok_or_else(invalid_image)? = value;
    }
    finish(heap, id, &structure, fields).map_err(|misfit| misfit.raise(program.str(structure.name), ""))
}

/// The default of a field or parameter, as its type has it: of a struct it tells what a caller could have sent.
pub(crate) fn usual(heap: &mut Heap<'_>, field: &Field) -> Fallible<Value> {
    let value = constant(heap, field.default)?;
    let program = heap.program;
    accept(heap, value, field.ty, Trust::Decoded, || (String::from("um valor padrão"), String::from(program.str(field.name))))
}

/// A constant as a value; Arrs and Maps are fresh.
pub(crate) fn constant(heap: &mut Heap<'_>, id: u32) -> Fallible<Value> {
    let mut budget = MAX_CONSTANT;
    constant_at(heap, id, MAX_DEPTH, &mut budget)
}

fn constant_at(heap: &mut Heap<'_>, id: u32, depth: usize, budget: &mut usize) -> Fallible<Value> {
    *budget = budget.checked_sub(1).ok_or_else(invalid_image)?;
    let below = |depth: usize| depth.checked_sub(1).ok_or_else(invalid_image);
    Ok(match heap.program.constant(id).ok_or_else(invalid_image)? {
        Constant::Nil => Value::Nil,
        Constant::Bool(flag) => Value::Bool(flag),
        Constant::Int(number) => Value::Int(number),
        Constant::Float(number) if number.is_finite() => Value::Float(number),
        Constant::Float(_) => return Err(invalid_image()),
        Constant::Text(text) => Value::Text(text),
        Constant::Arr(first, count) => {
            let mut items = Vec::new();
            for position in 0..count {
                let item = first.checked_add(position).and_then(|at| heap.program.list(at)).ok_or_else(invalid_image)?;
                items.push(constant_at(heap, item, below(depth)?, budget)?);
            }
            heap.arr(items)
        }
        Constant::Map(first, count) => {
            let (handle, map) = heap.map(0);
            for position in 0..count {
                let at = position.checked_mul(2).and_then(|at| first.checked_add(at)).ok_or_else(invalid_image)?;
                let pair = heap.program.list(at).zip(at.checked_add(1).and_then(|at| heap.program.list(at)));
                let (key, member) = pair.ok_or_else(invalid_image)?;
                let Some(Constant::Text(key)) = heap.program.constant(key) else { return Err(invalid_image()) };
                let member = constant_at(heap, member, below(depth)?, budget)?;
                heap.put(handle, Value::Text(key), member)?;
            }
            map
        }
    })
}
