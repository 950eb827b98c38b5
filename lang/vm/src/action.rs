//! Arguments of an action: those of a request, and those of a call from code, which are checked exactly as over HTTP.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use djo_contract::{decode, value::Value as Plain};

use crate::{
    context::Context,
    error::{Fallible, Raise, invalid_image, kind, raise},
    image::{Field, Function, NONE, Program, TypeKind},
    json,
    machine::check_count,
    types::{Trust, accept, describe, usual},
    value::Value,
};

/// Types within each other that are looked through for a struct.
const MAX_NESTED: usize = 64;

fn param(ctx: &Context<'_>, function: &Function, index: u8) -> Fallible<Field> {
    let id = function.first_param.checked_add(index.into()).ok_or_else(invalid_image)?;
    ctx.heap.program.field(id).ok_or_else(invalid_image)
}

/// The arguments that a request brings: decoded and checked before the run, so they are only shaped.
pub(crate) fn requested(ctx: &mut Context<'_>, function: &Function) -> Fallible<Vec<Value>> {
    let given = ctx.declared()?;
    let program = ctx.heap.program;
    let mut values = Vec::with_capacity(function.params.into());
    for index in 0..function.params {
        let param = param(ctx, function, index)?;
        let name = program.text(param.name).ok_or_else(invalid_image)?;
        let found = match given {
            Some(handle) => ctx.heap.member(handle, Value::Text(name))?,
            None => None,
        };
        let who = || (String::from(program.str(function.name)), String::from(program.str(param.name)));
        let found = match found {
            Some(found) => Some(of_session(ctx, &param)?.unwrap_or(found)),
            none => none,
        };
        values.push(match found {
            Some(value) => accept(&mut ctx.heap, value, param.ty, Trust::Decoded, who)?,
            None if param.default != NONE => usual(&mut ctx.heap, &param)?,
            None if program.ty(param.ty).is_some_and(|ty| ty.nullable) => Value::Nil,
            None => {
                let (who, name) = who();
                return Err(raise(kind::INPUT, format!("{who}: falta `{name}`")));
            }
        });
    }
    ctx.arguments = None;
    Ok(values)
}

/// What the session keeps for a parameter that takes structs, alone or as elements: what the host found there and checked is without their
/// `nocall` fields, since no document has them. None where it is of another type than what is kept, of which the host has made one.
fn of_session(ctx: &mut Context<'_>, param: &Field) -> Fallible<Option<Value>> {
    let program = ctx.heap.program;
    if param.source == NONE || !takes_structs(program, param.ty) {
        return Ok(None);
    }
    let Some(key) = program.str(param.source).strip_prefix("session.") else { return Ok(None) };
    let key = ctx.heap.text(key);
    let kept = ctx.session_get(key)?;
    if kept.is_nil() {
        return Ok(None);
    }
    match accept(&mut ctx.heap, kept, param.ty, Trust::Checked, || (String::new(), String::new())) {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.catchable => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a type is a struct, or has some as elements.
fn takes_structs(program: &Program<'_>, ty: u32) -> bool {
    let mut ty = ty;
    for _ in 0..MAX_NESTED {
        match program.ty(ty).map(|ty| ty.kind) {
            Some(TypeKind::Struct(_)) => return true,
            Some(TypeKind::Arr(element) | TypeKind::Map(element)) => ty = element,
            _ => return false,
        }
    }
    false
}

/// The arguments of a call from code: by position, those that are injected left out.
pub(crate) fn arguments(ctx: &mut Context<'_>, function: &Function, given: &[Value]) -> Fallible<Vec<Value>> {
    let program = ctx.heap.program;
    let name = program.str(function.name);
    let params = (0..function.params).map(|index| param(ctx, function, index)).collect::<Fallible<Vec<_>>>()?;
    let positional: Vec<&Field> = params.iter().filter(|param| param.is_given()).collect();
    check_count(name, function.required.into(), positional.len(), given.len())?;
    let mut members = Vec::with_capacity(given.len());
    for (param, value) in positional.iter().zip(given) {
        members.push((String::from(program.str(param.name)), json::export(&ctx.heap, *value)?));
    }
    check(ctx, function, name, Plain::Map(members))?;
    // What passed is taken as it is where it is of the type: structs stay the same ones, with their `nocall` fields.
    let mut given = given.iter();
    let mut values = Vec::with_capacity(params.len());
    for param in &params {
        if param.source != NONE {
            values.push(injected(ctx, name, param)?);
            continue;
        }
        let who = || (String::from(name), String::from(program.str(param.name)));
        values.push(match if param.hidden { None } else { given.next() } {
            Some(value) => accept(&mut ctx.heap, *value, param.ty, Trust::Decoded, who)?,
            None if param.default != NONE => usual(&mut ctx.heap, param)?,
            None => Value::Nil,
        });
    }
    Ok(values)
}

/// Raises what the contract's decoder finds. Types and parameters are those of the image, which also has actions that no route publishes.
fn check(ctx: &mut Context<'_>, function: &Function, name: &str, input: Plain) -> Fallible<()> {
    let program = ctx.heap.program;
    let types = match &mut ctx.types {
        Some(types) => types,
        none => none.insert(Box::new(describe::types(program)?)),
    };
    match decode::decode_arguments(types, &describe::action(program, function)?, None, input) {
        Ok(_) => Ok(()),
        Err(issues) => Err(raise(kind::INPUT, format!("{name}: {issues}"))),
    }
}

/// What `Route.site` calls the site, which only the contract knows.
fn site_name(ctx: &mut Context<'_>) -> Fallible<Option<String>> {
    let contract = djo_contract::section::decode(&ctx.host.contract()).map_err(|_| raise(kind::IMAGE, "contrato inválido"))?;
    Ok(contract.site.map(|site| site.nome))
}

/// A parameter that the caller does not give: from the session, the request or the site.
fn injected(ctx: &mut Context<'_>, action: &str, param: &Field) -> Fallible<Value> {
    let program = ctx.heap.program;
    let source = program.str(param.source);
    let text = match source.split_once('.') {
        Some(("session", key)) => {
            let key = ctx.heap.text(key);
            let value = ctx.session_get(key)?;
            return finish(ctx, action, param, source, Some(value));
        }
        Some(("header", name)) => ctx.host.header(&name.to_ascii_lowercase()),
        Some(("site", "nome")) => site_name(ctx)?,
        Some(("request", "id")) => Some(ctx.host.request_id()),
        Some(("client", "ip")) => Some(ctx.host.client_ip()),
        _ => None,
    };
    let value = match text {
        Some(text) => Some(convert(ctx, param, text)?),
        None => None,
    };
    finish(ctx, action, param, source, value)
}

/// Text of a header and the like, as the parameter's type.
fn convert(ctx: &mut Context<'_>, param: &Field, text: String) -> Fallible<Value> {
    let ty = ctx.heap.program.ty(param.ty).ok_or_else(invalid_image)?;
    let converted = match ty.kind {
        TypeKind::Int => crate::ops::number::parse_int(&text).map(Value::Int),
        TypeKind::Float => crate::ops::number::parse_float(&text).map(Value::Float),
        TypeKind::Bool => match text.as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        _ => None,
    };
    Ok(converted.unwrap_or_else(|| ctx.heap.text(text)))
}

fn finish(ctx: &mut Context<'_>, action: &str, param: &Field, source: &str, value: Option<Value>) -> Fallible<Value> {
    let program = ctx.heap.program;
    let nullable = program.ty(param.ty).is_some_and(|ty| ty.nullable);
    match value.filter(|value| !value.is_nil()) {
        Some(value) => {
            let who = || (String::from(action), String::from(program.str(param.name)));
            // Shaped as over HTTP, where a struct is an object, which a Map takes.
            let value = accept(&mut ctx.heap, value, param.ty, Trust::Decoded, who)?;
            accept(&mut ctx.heap, value, param.ty, Trust::Checked, who)
        }
        None if param.default != NONE => usual(&mut ctx.heap, param),
        None if nullable => Ok(Value::Nil),
        None => Err(absent(action, program.str(param.name), source)),
    }
}

#[cold]
fn absent(action: &str, param: &str, source: &str) -> Box<Raise> {
    raise(kind::INPUT, format!("{action}: `{param}` vem de {source}, que não existe neste pedido"))
}
