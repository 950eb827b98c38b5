//! Literal expressions as values: constants, defaults, constraints, the arguments of routes.

use djo_contract::value::Value;

use crate::{
    ast::{Expr, ExprKind},
    diagnostic::{Diagnostic, codes},
};

/// The value of a literal; reports what is none. `None` once something has been reported.
pub(crate) fn literal_value(expr: &Expr, diagnostics: &mut Vec<Diagnostic>) -> Option<Value> {
    Some(match &expr.kind {
        ExprKind::Nil => Value::Nil,
        ExprKind::Bool(value) => Value::Bool(*value),
        ExprKind::Int(value) => Value::Int(*value),
        ExprKind::Float(value) => Value::Float(*value),
        ExprKind::Str(value) => Value::Str(value.clone()),
        ExprKind::Arr(items) => {
            let values: Vec<Option<Value>> = items.iter().map(|item| literal_value(item, diagnostics)).collect();
            Value::Arr(values.into_iter().collect::<Option<_>>()?)
        }
        ExprKind::Map(entries) => {
            let mut members: Option<Vec<(String, Value)>> = Some(Vec::new());
            repeated_keys(entries, diagnostics);
            for (key, value) in entries {
                let value = literal_value(value, diagnostics);
                let ExprKind::Str(key) = &key.kind else {
                    diagnostics.push(Diagnostic::error(codes::NOT_A_LITERAL, key.span, "aqui a chave precisa ser uma String entre aspas"));
                    members = None;
                    continue;
                };
                match (&mut members, value) {
                    (Some(members), Some(value)) => members.push((key.clone(), value)),
                    _ => members = None,
                }
            }
            Value::Map(members?)
        }
        ExprKind::Error => return None,
        _ => {
            let diagnostic = Diagnostic::error(codes::NOT_A_LITERAL, expr.span, "aqui cabe só um valor literal");
            diagnostics.push(diagnostic.hint("escreva o próprio valor: um número, um texto, `true`, `false`, `nil`, um Arr ou um Map"));
            return None;
        }
    })
}

/// Reports literal keys that a Map names twice.
pub(crate) fn repeated_keys(entries: &[(Expr, Expr)], diagnostics: &mut Vec<Diagnostic>) {
    let mut seen = std::collections::HashMap::new();
    for (key, _) in entries {
        let ExprKind::Str(text) = &key.kind else { continue };
        if let Some(first) = seen.insert(text.as_str(), key.span) {
            let message = format!("a chave `{text}` aparece duas vezes");
            diagnostics.push(Diagnostic::error(codes::DUPLICATE_NAME, key.span, message).related(first, "a primeira"));
            seen.insert(text, first);
        }
    }
}

/// The type of a value, as messages name it.
pub(crate) fn value_type(value: &Value) -> &'static str {
    match value {
        Value::Nil => "nil",
        Value::Bool(_) => "Bool",
        Value::Int(_) => "Int",
        Value::Float(_) | Value::Huge(_) => "Float",
        Value::Str(_) => "String",
        Value::Arr(_) => "Arr",
        Value::Map(_) => "Map",
    }
}
