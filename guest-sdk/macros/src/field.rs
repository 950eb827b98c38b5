//! Members of structs and parameters of actions: type, constraints, default, where it comes from.

use djo_contract::types::{Field, Kind, Presence, Source, Type};
use djo_contract::value::Value;
use djo_contract::{decode, pattern};
use proc_macro2::Span;
use syn::{Error, Result};

use crate::literal::Literal;
use crate::options::{Given, Options, unknown};

const CONSTRAINTS: &[&str] = &["min", "max", "pattern", "format", "enum", "unicos"];
const FORMATS: &[&str] = &["email", "uri", "date", "date-time", "uuid"];

/// A field, with what is checked once all types are known.
pub(crate) struct Read {
    pub(crate) field: Field,
    /// Where its default stands.
    pub(crate) default: Option<Span>,
}

/// Where a field stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    Struct,
    Action,
    Query,
}

/// Reads a field's options into it.
///
/// # Errors
/// An option that does not exist or does not fit the type.
pub(crate) fn read(name: String, mut ty: Type, mut options: Options, description: Option<String>, owner: Owner) -> Result<Read> {
    let default = options.take("default").map(|given| given.value().cloned()).transpose()?;
    let hidden = options.take("nocall");
    let inject = options.take("inject");
    let known: Vec<&str> = match owner {
        Owner::Struct => CONSTRAINTS.iter().chain(&["default", "nocall", "name"]).copied().collect(),
        Owner::Action => CONSTRAINTS.iter().chain(&["default", "inject"]).copied().collect(),
        Owner::Query => CONSTRAINTS.iter().chain(&["default"]).copied().collect(),
    };
    let misplaced = [hidden.as_ref().filter(|_| owner != Owner::Struct), inject.as_ref().filter(|_| owner != Owner::Action)];
    if let Some(given) = misplaced.into_iter().flatten().next() {
        return Err(unknown(given, &known));
    }
    for given in options.drain() {
        if !CONSTRAINTS.contains(&given.name.as_str()) {
            return Err(unknown(&given, &known));
        }
        constrain(&mut ty, &given)?;
    }
    let source = match inject {
        Some(given) => Source::Inject(source(&given)?),
        None => Source::Input,
    };
    let hidden = match hidden {
        Some(given) => given.bool()?.then_some(given.span),
        None => None,
    };
    let span = default.as_ref().map(|literal| literal.span);
    let presence = match default {
        Some(Literal { value, .. }) => Presence::Default(value),
        None if ty.nullable => Presence::Optional,
        None => Presence::Required,
    };
    if let (Some(span), Presence::Required) = (hidden, &presence) {
        return Err(Error::new(span, format!("`{name}` é nocall e nunca vem de fora: dê a ele um `default`, ou faça dele um `Option`")));
    }
    Ok(Read { field: Field { name, ty, presence, description, hidden: hidden.is_some(), source }, default: span })
}

/// Where an injected parameter comes from.
fn source(given: &Given) -> Result<String> {
    let text = given.text()?;
    let token = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte));
    let known = matches!(text.as_str(), "site.nome" | "request.id" | "client.ip")
        || text.strip_prefix("session.").is_some_and(|key| !key.is_empty())
        || text.strip_prefix("header.").is_some_and(|name| !name.is_empty() && token(name));
    if known {
        return Ok(text);
    }
    let hint = "as fontes são session.chave, header.Nome, site.nome, request.id e client.ip";
    Err(Error::new(given.value()?.span, format!("a fonte `{text}` não existe: {hint}")))
}

fn constrain(ty: &mut Type, given: &Given) -> Result<()> {
    let Literal { value, span } =
        if given.name == "unicos" { Literal { value: Value::Bool(given.bool()?), span: given.span } } else { given.value()?.clone() };
    let fail = |message: String| Err(Error::new(span, message));
    let name = given.name.as_str();
    let bounds = &mut ty.constraints;
    match (name, &ty.kind, value) {
        ("min", Kind::Int, bound @ Value::Int(_)) | ("min", Kind::Float, bound @ (Value::Int(_) | Value::Float(_))) => {
            bounds.minimum = Some(as_kind(&ty.kind, bound));
        }
        ("max", Kind::Int, bound @ Value::Int(_)) | ("max", Kind::Float, bound @ (Value::Int(_) | Value::Float(_))) => {
            bounds.maximum = Some(as_kind(&ty.kind, bound));
        }
        ("min", Kind::String | Kind::Arr(_), Value::Int(length @ 0..)) => bounds.min_length = Some(length.unsigned_abs()),
        ("max", Kind::String | Kind::Arr(_), Value::Int(length @ 0..)) => bounds.max_length = Some(length.unsigned_abs()),
        ("pattern", Kind::String, Value::Str(text)) => {
            if let Err(problem) = pattern::check(&text) {
                return fail(problem);
            }
            bounds.pattern = Some(text);
        }
        ("format", Kind::String, Value::Str(text)) if FORMATS.contains(&text.as_str()) => bounds.format = Some(text),
        ("format", Kind::String, _) => return fail(format!("os formatos são {}", FORMATS.join(", "))),
        ("enum", Kind::String | Kind::Int, Value::Arr(values)) if !values.is_empty() => {
            let fits = |value: &Value| matches!((&ty.kind, value), (Kind::Int, Value::Int(_)) | (Kind::String, Value::Str(_)));
            if !values.iter().all(fits) {
                return fail("os valores de `enum` devem ser do tipo do campo".into());
            }
            if (1..values.len()).any(|at| values[..at].contains(&values[at])) {
                return fail("um valor aparece duas vezes em `enum`".into());
            }
            bounds.allowed = Some(values);
        }
        ("unicos", Kind::Arr(_), Value::Bool(unique)) => bounds.unique = unique,
        ("min" | "max", Kind::String | Kind::Arr(_), _) => return fail(format!("`{name}` é um comprimento: um Int de 0 para cima")),
        ("min" | "max", Kind::Int | Kind::Float, value) => {
            return fail(format!("`{name}` deve ser um número do tipo do campo, mas veio {}", value.djo_kind()));
        }
        (_, _, value) => {
            let takes = match name {
                "min" | "max" => "Int, Float, String e Arr",
                "pattern" | "format" => "String",
                "enum" => "String e Int, com uma lista de valores",
                _ => "Arr",
            };
            return Err(Error::new(given.span, format!("`{name}` não vale aqui (veio {}): vale para {takes}", value.djo_kind())));
        }
    }
    let crossed = match (&bounds.minimum, &bounds.maximum) {
        (Some(least), Some(most)) => least.compare_numbers(most).is_some_and(std::cmp::Ordering::is_gt),
        _ => matches!((bounds.min_length, bounds.max_length), (Some(least), Some(most)) if least > most),
    };
    if crossed { Err(Error::new(given.span, "`min` é maior que `max`: nenhum valor serve")) } else { Ok(()) }
}

fn as_kind(kind: &Kind, bound: Value) -> Value {
    match (kind, bound) {
        (Kind::Float, Value::Int(number)) => Value::Float(number as f64),
        (_, bound) => bound,
    }
}

/// Largest default, complete: defaults of structs that hold each other double at every step.
const MAX_VALUES: usize = 10_000;
/// Deepest default, complete: as deep as JSON may be.
const MAX_DEPTH: u32 = 64;

/// A default as its type has it, nested defaults filled; what is wrong with it.
pub(crate) fn complete(types: &djo_contract::types::Types, ty: &Type, value: Value) -> std::result::Result<Value, String> {
    let value = decode::decode(types, ty, value).map_err(|issues| describe(&issues))?;
    if value.size_within(MAX_DEPTH).is_none_or(|size| size > MAX_VALUES) {
        return Err("com os valores padrão do que contém, é grande demais, ou contém a si mesmo".into());
    }
    Ok(value)
}

/// The first issues, in a line.
pub(crate) fn describe(issues: &djo_contract::issue::Issues) -> String {
    let one = |issue: &djo_contract::issue::Issue| match issue.path.as_str() {
        "" => issue.message.clone(),
        path => format!("`{path}` {}", issue.message),
    };
    issues.list.iter().take(5).map(one).collect::<Vec<_>>().join("; ")
}
