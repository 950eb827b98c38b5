//! Functions of one expression, each a function of the image. What it sees of the locals around it is kept with it when it is
//! made, and lies behind its parameters when it runs. And builtins that are values.

use djo_vm::{
    builtins::Builtin,
    op::{Op, encode, encode_wide},
};

use super::{body::Body, call::path, prelude};
use crate::ast::{Expr, ExprKind, Name, Span};

impl Body<'_, '_> {
    /// `(a, b -> e)`
    pub(super) fn lambda(&mut self, params: &[Name], value: &Expr, span: Span, to: u8) {
        let mut bound: Vec<&str> = params.iter().map(|param| param.text.as_str()).collect();
        let mut free: Vec<&str> = Vec::new();
        names(value, &mut bound, &mut |name| {
            if !free.contains(&name) && self.shared.global(name).is_none() && self.local(name).is_some() {
                free.push(name);
            }
        });
        let id = self.lambda_function(params, &free, value, span);
        if free.is_empty() {
            return self.emit_pair(encode(Op::LoadFunction, to, 0, 0), id);
        }
        let first = if self.is_top(to) { to } else { self.reserve() };
        self.mark(span);
        for (index, name) in free.iter().enumerate() {
            let register = if index == 0 { first } else { self.reserve() };
            if let Some(local) = self.local(name) {
                self.check_set(name, local);
                self.copy(local, register);
            }
        }
        self.emit_pair(encode(Op::Closure, first, free.len() as u8, 0), id);
        self.copy(first, to);
    }

    fn lambda_function(&mut self, params: &[Name], free: &[&str], value: &Expr, span: Span) -> u32 {
        let written: Vec<&str> = params.iter().map(|param| param.text.as_str()).collect();
        let title = format!("({} -> …)", written.join(", "));
        let mut body = Body::closed(self.shared, &title, span.file, written.iter().chain(free).copied());
        body.mark(value.span);
        let result = body.operand(value);
        body.mark(value.span);
        body.emit(encode(Op::Return, result, 0, 0));
        match body.finish() {
            Ok(mut spec) => {
                spec.params = written.into_iter().map(prelude::any).collect();
                self.shared.prelude.lambda(spec)
            }
            Err(error) => {
                self.fail(|_| error);
                0
            }
        }
    }

    /// A builtin that is named without being called; tells whether it was one.
    pub(super) fn builtin_value(&mut self, expr: &Expr, to: u8) -> bool {
        let base = match &expr.kind {
            ExprKind::Name(name) => name,
            ExprKind::Member(base, _) => match &base.kind {
                ExprKind::Name(name) => name,
                _ => return false,
            },
            _ => return false,
        };
        if self.shared.global(base).is_some() || self.local(base).is_some() {
            return false;
        }
        let Some(builtin) = path(expr).and_then(|path| Builtin::from_name(&path)).map(|signature| signature.builtin) else {
            return false;
        };
        if builtin == Builtin::Pagina {
            // Its struct is made by an instruction: a function that does that stands for it.
            let param = Name { text: "x".into(), span: expr.span };
            let argument = Expr { kind: ExprKind::Name("x".into()), span: expr.span };
            let kind = ExprKind::Call(Box::new(expr.clone()), vec![argument]);
            self.lambda(&[param], &Expr { kind, span: expr.span }, expr.span, to);
        } else if let Some(id) = self.shared.prelude.function(builtin) {
            self.emit_pair(encode(Op::LoadFunction, to, 0, 0), id);
        } else {
            self.emit(encode_wide(Op::LoadBuiltin, to, builtin as u16));
        }
        true
    }
}

/// Calls `visit` with each name that an expression reads and that nothing within it binds. The parser bounds the depth.
fn names<'e>(expr: &'e Expr, bound: &mut Vec<&'e str>, visit: &mut impl FnMut(&'e str)) {
    match &expr.kind {
        ExprKind::Name(name) => {
            if !bound.contains(&name.as_str()) {
                visit(name);
            }
        }
        ExprKind::Lambda(params, value) => {
            let outer = bound.len();
            bound.extend(params.iter().map(|param| param.text.as_str()));
            names(value, bound, visit);
            bound.truncate(outer);
        }
        ExprKind::Arr(items) | ExprKind::Text(items) => items.iter().for_each(|item| names(item, bound, visit)),
        ExprKind::Map(entries) => {
            for (key, value) in entries {
                names(key, bound, visit);
                names(value, bound, visit);
            }
        }
        ExprKind::Call(callee, arguments) => {
            names(callee, bound, visit);
            arguments.iter().for_each(|argument| names(argument, bound, visit));
        }
        ExprKind::Member(base, _) | ExprKind::Not(base) | ExprKind::Negate(base) => names(base, bound, visit),
        ExprKind::Index(a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Coalesce(a, b) | ExprKind::Binary(_, a, b) => {
            names(a, bound, visit);
            names(b, bound, visit);
        }
        ExprKind::Nil | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) | ExprKind::Error => {}
    }
}
