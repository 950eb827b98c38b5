//! What may stand after the type in `nome[Tipo, …]`.

use djo_contract::{
    types::{Kind, Type},
    value::Value,
};

use super::{
    literal::{literal_value, value_type},
    types::Owner,
};
use crate::{
    ast::{Expr, Name},
    diagnostic::{Diagnostic, codes, nearest, quoted_list},
};

const NAMES: &[&str] = &["min", "max", "pattern", "format", "enum", "unicos", "inject"];
const FORMATS: &[&str] = &["email", "uri", "date", "date-time", "uuid"];

/// Puts constraints into a type; answers what `inject` says.
pub(crate) fn apply(written: &[(Name, Expr)], ty: &mut Type, owner: Owner, diagnostics: &mut Vec<Diagnostic>) -> Option<String> {
    let mut inject = None;
    for (index, (name, expr)) in written.iter().enumerate() {
        if let Some((first, _)) = written[..index].iter().find(|(first, _)| first.text == name.text) {
            let message = format!("a restrição `{}` aparece duas vezes", name.text);
            diagnostics.push(Diagnostic::error(codes::DUPLICATE_NAME, name.span, message).related(first.span, "a primeira"));
            continue;
        }
        let Some(value) = literal_value(expr, diagnostics) else { continue };
        if let Err(problem) = one(name, value, ty, owner, &mut inject) {
            let span = if problem.at_value { expr.span } else { name.span };
            diagnostics.push(Diagnostic::error(codes::BAD_CONSTRAINT, span, problem.message).maybe_hint(problem.hint));
        }
    }
    let bounds = &ty.constraints;
    let crossed = match (&bounds.minimum, &bounds.maximum) {
        (Some(Value::Int(least)), Some(Value::Int(most))) => least > most,
        (Some(Value::Float(least)), Some(Value::Float(most))) => least > most,
        _ => matches!((bounds.min_length, bounds.max_length), (Some(least), Some(most)) if least > most),
    };
    if crossed && let Some((name, _)) = written.iter().rfind(|(name, _)| matches!(name.text.as_str(), "min" | "max")) {
        diagnostics.push(Diagnostic::error(codes::BAD_CONSTRAINT, name.span, "`min` é maior que `max`: nenhum valor serve"));
    }
    inject
}

struct Problem {
    message: String,
    hint: Option<String>,
    at_value: bool,
}

fn at_name(message: String, hint: Option<String>) -> Result<(), Problem> {
    Err(Problem { message, hint, at_value: false })
}

fn at_value(message: String, hint: Option<String>) -> Result<(), Problem> {
    Err(Problem { message, hint, at_value: true })
}

fn one(name: &Name, value: Value, ty: &mut Type, owner: Owner, inject: &mut Option<String>) -> Result<(), Problem> {
    let constraints = &mut ty.constraints;
    let observed = value_type(&value);
    match (name.text.as_str(), &ty.kind, value) {
        // The type is unknown, and that has been reported.
        (known, Kind::Any, _) if NAMES.contains(&known) && known != "inject" => {}
        ("min", Kind::Int, Value::Int(bound)) => constraints.minimum = Some(Value::Int(bound)),
        ("max", Kind::Int, Value::Int(bound)) => constraints.maximum = Some(Value::Int(bound)),
        ("min", Kind::Float, Value::Int(bound)) => constraints.minimum = Some(Value::Float(bound as f64)),
        ("max", Kind::Float, Value::Int(bound)) => constraints.maximum = Some(Value::Float(bound as f64)),
        ("min", Kind::Float, Value::Float(bound)) => constraints.minimum = Some(Value::Float(bound)),
        ("max", Kind::Float, Value::Float(bound)) => constraints.maximum = Some(Value::Float(bound)),
        ("min", Kind::String | Kind::Arr(_), Value::Int(bound @ 0..)) => constraints.min_length = Some(bound.unsigned_abs()),
        ("max", Kind::String | Kind::Arr(_), Value::Int(bound @ 0..)) => constraints.max_length = Some(bound.unsigned_abs()),
        ("min" | "max", Kind::String | Kind::Arr(_), _) => {
            return at_value(format!("`{}` é um comprimento: um Int de 0 para cima", name.text), None);
        }
        ("min" | "max", Kind::Int | Kind::Float, _) => {
            let wanted = if ty.kind == Kind::Int { "Int" } else { "número" };
            return at_value(format!("`{}` deve ser um {wanted}, mas veio {observed}", name.text), None);
        }
        ("pattern", Kind::String, Value::Str(pattern)) => {
            if let Err(problem) = djo_contract::pattern::check(&pattern) {
                let problem = problem.strip_prefix("padrão inválido: ").unwrap_or(&problem);
                return at_value("`pattern` não é uma expressão regular válida".into(), Some(format!("na sintaxe RE2: {problem}")));
            }
            constraints.pattern = Some(pattern);
        }
        ("format", Kind::String, Value::Str(format)) => {
            if !FORMATS.contains(&format.as_str()) {
                let hint = match nearest(&format, FORMATS.iter().copied()) {
                    Some(near) => format!("você quis dizer `\"{near}\"`?"),
                    None => format!("os formatos são {}", quoted_list(FORMATS.iter().copied())),
                };
                return at_value(format!("o formato `{format}` não existe"), Some(hint));
            }
            constraints.format = Some(format);
        }
        ("pattern" | "format", Kind::String, _) => {
            return at_value(format!("`{}` deve ser uma String, mas veio {observed}", name.text), None);
        }
        ("enum", Kind::String | Kind::Int, Value::Arr(values)) => {
            if values.is_empty() {
                return at_value("`enum` precisa de ao menos um valor".into(), None);
            }
            let wanted = if ty.kind == Kind::Int { "Int" } else { "String" };
            if let Some(other) = values.iter().find(|value| value_type(value) != wanted) {
                return at_value(format!("os valores de `enum` devem ser {wanted}, mas veio {}", value_type(other)), None);
            }
            if let Some(index) = (1..values.len()).find(|&index| values[..index].contains(&values[index])) {
                let shown = shown(&values[index]);
                return at_value(format!("o valor `{shown}` aparece duas vezes em `enum`"), None);
            }
            constraints.allowed = Some(values);
        }
        ("enum", Kind::String | Kind::Int, _) => {
            return at_value(
                format!("`enum` deve ser um Arr com os valores, mas veio {observed}"),
                Some("escreva `enum: [\"a\", \"b\"]`".into()),
            );
        }
        ("unicos", Kind::Arr(_), Value::Bool(unique)) => constraints.unique = unique,
        ("unicos", Kind::Arr(_), _) => return at_value(format!("`unicos` deve ser Bool, mas veio {observed}"), None),
        ("inject", _, value) => return injected(value, owner, inject),
        (known, ..) if NAMES.contains(&known) => {
            let takes = match known {
                "min" | "max" => "Int, Float, String e Arr",
                "pattern" | "format" => "String",
                "enum" => "String e Int",
                _ => "Arr",
            };
            return at_name(format!("`{known}` não vale para este tipo"), Some(format!("`{known}` vale para {takes}")));
        }
        (unknown, ..) => {
            let hint = match nearest(unknown, NAMES.iter().copied()) {
                Some(near) => format!("você quis dizer `{near}`?"),
                None => format!("as restrições são {}", quoted_list(NAMES.iter().copied())),
            };
            return at_name(format!("a restrição `{unknown}` não existe"), Some(hint));
        }
    }
    Ok(())
}

fn injected(value: Value, owner: Owner, inject: &mut Option<String>) -> Result<(), Problem> {
    if owner != Owner::Action {
        return at_name("`inject` só vale em parâmetros de action".into(), None);
    }
    let Value::Str(source) = value else {
        return at_value("`inject` deve ser uma String".into(), None);
    };
    let known = matches!(source.as_str(), "site.nome" | "request.id" | "client.ip")
        || source.strip_prefix("session.").is_some_and(|key| !key.is_empty())
        || source.strip_prefix("header.").is_some_and(is_header_name);
    if !known {
        let hint = "as fontes são `session.chave`, `header.Nome`, `site.nome`, `request.id` e `client.ip`";
        return at_value(format!("a fonte `{source}` não existe"), Some(hint.into()));
    }
    *inject = Some(source);
    Ok(())
}

/// A token of RFC 9110.
fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Int(value) => value.to_string(),
        Value::Str(value) => value.clone(),
        _ => String::new(),
    }
}
