//! Expressions: names, members, operators; each answers what is known of its value.

use djo_contract::{
    types::{Kind, Type},
    value::Value,
};

use super::{
    literal::repeated_keys,
    shape::{Given, Shape},
    symbols::{Symbol, is_language_name},
    unit::Unit,
};
use crate::{
    ast::{BinaryOp, Expr, ExprKind, Name, Span},
    diagnostic::{Diagnostic, MAX_SUGGESTIONS, codes, nearest},
    syntax::parser::foreign_call::methods,
};

impl Unit<'_, '_> {
    pub(super) fn expr(&mut self, expr: &Expr) -> Shape {
        match &expr.kind {
            ExprKind::Nil => Shape::Nil,
            ExprKind::Bool(_) => Shape::Bool,
            ExprKind::Int(_) => Shape::Int,
            ExprKind::Float(_) => Shape::Float,
            ExprKind::Str(_) => Shape::Str,
            ExprKind::Arr(items) => {
                let shapes: Vec<Shape> = items.iter().map(|item| self.expr(item)).collect();
                Shape::Arr(Box::new(shapes.into_iter().reduce(Shape::join).unwrap_or(Shape::Unknown)))
            }
            ExprKind::Map(entries) => {
                if !self.silent {
                    repeated_keys(entries, self.diagnostics);
                }
                for (key, value) in entries {
                    let shape = self.expr(key);
                    if !matches!(shape, Shape::Unknown | Shape::Str) {
                        let name = shape.name(self.world.types);
                        let message = format!("a chave de um Map deve ser String, mas veio {name}");
                        self.report(Diagnostic::error(codes::WRONG_TYPE, key.span, message));
                    }
                    let shape = self.expr(value);
                    self.shapes.insert(value.span, shape);
                }
                Shape::Map
            }
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Member(base, field) => self.member(base, field),
            ExprKind::Index(base, index) => self.index(base, index),
            ExprKind::Call(callee, arguments) => self.call(callee, arguments, expr.span),
            ExprKind::Not(operand) => {
                let shape = self.expr(operand);
                self.expect_bool(&shape, operand, "o operando de `not`");
                Shape::Bool
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                let what = if matches!(expr.kind, ExprKind::And(..)) { "cada lado de `and`" } else { "cada lado de `or`" };
                for side in [a, b] {
                    let shape = self.expr(side);
                    self.expect_bool(&shape, side, what);
                }
                Shape::Bool
            }
            ExprKind::Negate(operand) => {
                let shape = self.expr(operand);
                if !shape.is_number() && shape != Shape::Unknown {
                    let message = format!("`-` precisa de um número, mas veio {}", shape.name(self.world.types));
                    self.report(Diagnostic::error(codes::WRONG_TYPE, operand.span, message));
                    return Shape::Unknown;
                }
                shape
            }
            ExprKind::Coalesce(a, b) => match (self.expr(a), self.expr(b)) {
                (Shape::Nil, right) => right,
                (left, right) => left.join(right),
            },
            ExprKind::Text(parts) => {
                for part in parts {
                    let shape = self.expr(part);
                    self.expect_text(&shape, part.span);
                }
                Shape::Str
            }
            ExprKind::Lambda(params, body) => self.lambda(params, body, &[]),
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (self.expr(a), self.expr(b));
                self.binary(*op, left, right, expr.span)
            }
            ExprKind::Error => Shape::Unknown,
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Shape {
        if self.locals.contains_key(name) && !self.is_local(name) {
            // A local took a name that it may not take: that has been reported.
            return Shape::Unknown;
        }
        match self.world.declarations.find(name) {
            Some(Symbol::Function(index)) => {
                self.world.used.borrow_mut().insert(index);
                return Shape::Function;
            }
            Some(Symbol::Const(index)) => {
                return self.world.consts.iter().find(|(known, _)| known == name).map_or(Shape::Unknown, |(_, value)| {
                    let _ = index;
                    shape_of_value(value)
                });
            }
            Some(Symbol::Struct(_)) => {
                let message = format!("`{name}` é uma struct, não um valor");
                self.report(Diagnostic::error(codes::NOT_A_VALUE, span, message).hint(format!("para criar uma, escreva `{name}:{{…}}`")));
                return Shape::Unknown;
            }
            None => {}
        }
        if is_language_name(name) {
            return self.language_name(name, span);
        }
        if let Some(shape) = self.locals.get(name) {
            let shape = if self.settled { shape.clone() } else { shape.clone().without_items() };
            if !self.assigned.contains(name) {
                let message = format!("`{name}` é lido antes de receber um valor");
                self.report(Diagnostic::error(codes::READ_BEFORE_ASSIGNED, span, message));
            }
            return shape;
        }
        self.unknown_name(name, span);
        Shape::Unknown
    }

    fn language_name(&mut self, name: &str, span: Span) -> Shape {
        if djo_vm::builtins::Builtin::from_name(name).is_some() {
            return self.builtin_as_value(name, span);
        }
        let (message, hint) = if name == "Route" {
            ("`Route` só vale em `rotas.djo`".to_owned(), None)
        } else {
            (format!("`{name}` não é um valor"), Some(format!("use uma de suas funções: `{name}.…:`")))
        };
        self.report(Diagnostic::error(codes::NOT_A_VALUE, span, message).maybe_hint(hint));
        Shape::Unknown
    }

    /// What is written as text, in a page or in a String.
    pub(super) fn expect_text(&mut self, shape: &Shape, span: Span) {
        if *shape == Shape::Function {
            let diagnostic = Diagnostic::error(codes::WRONG_TYPE, span, "uma função não vira texto");
            self.report(diagnostic.hint("para chamar a função, ponha `:` depois do nome"));
        }
    }

    pub(super) fn unknown_name(&mut self, name: &str, span: Span) {
        if self.silent || self.includes_unread || self.world.declarations.is_broken(name) {
            return;
        }
        const FOREIGN: &[(&str, &str)] = &[
            ("null", "nil"),
            ("None", "nil"),
            ("undefined", "nil"),
            ("True", "true"),
            ("False", "false"),
            ("this", "os parâmetros"),
            ("self", "os parâmetros"),
        ];
        let modules = [
            "Http", "Session", "Store", "Arr", "Map", "String", "Int", "Float", "Json", "Time", "Random", "Hash", "Html", "Url", "Log",
            "print", "fail", "Pagina",
        ];
        let foreign = FOREIGN.iter().find(|(from, _)| *from == name).map(|(_, to)| *to);
        let locals = self.assigned.iter().map(String::as_str);
        let near = foreign.or_else(|| {
            let few = self.diagnostics.len() < MAX_SUGGESTIONS;
            few.then(|| nearest(name, locals.chain(self.world.declarations.names()).chain(modules)))?
        });
        let hint = match name {
            "conteudo" => Some("`conteudo` é o que um layout recebe: use a página com `{% layout \"…\" %}`".to_owned()),
            _ => near.map(|near| format!("você quis dizer `{near}`?")),
        };
        self.report(Diagnostic::error(codes::UNKNOWN_NAME, span, format!("`{name}` não existe")).maybe_hint(hint));
    }

    fn member(&mut self, base: &Expr, field: &Name) -> Shape {
        if let ExprKind::Name(module) = &base.kind
            && is_language_name(module)
            && self.world.declarations.find(module).is_none()
        {
            let full = format!("{module}.{}", field.text);
            let span = Span { end: field.span.end, ..base.span };
            if djo_vm::builtins::Builtin::from_name(&full).is_some() {
                return self.language_name(&full, span);
            }
            self.unknown_builtin(&full, span);
            return Shape::Unknown;
        }
        let shape = self.expr(base);
        self.field(&shape, field, base.span)
    }

    /// The field of a value of some shape.
    pub(super) fn field(&mut self, shape: &Shape, field: &Name, base: Span) -> Shape {
        match shape {
            Shape::Unknown | Shape::Map => Shape::Unknown,
            Shape::Struct(index) => {
                let structure = self.world.types.get(*index);
                if let Some(known) = structure.fields.iter().find(|known| known.name == field.text) {
                    // What its Arr was made with was checked; what has been written into it since was not.
                    return Shape::of_type(&known.ty).without_items();
                }
                if !self.world.declarations.is_broken(&structure.name) {
                    let diagnostic = unknown_field(&structure.name, structure.fields.iter().map(|known| known.name.as_str()), field);
                    self.report(diagnostic);
                }
                Shape::Unknown
            }
            other => {
                let name = other.name(self.world.types);
                let message = format!("{name} não tem campos");
                let hint = self.method_hint(&name, field, base);
                self.report(Diagnostic::error(codes::WRONG_TYPE, field.span, message).maybe_hint(hint));
                Shape::Unknown
            }
        }
    }

    /// For `xs.push:2`, a method elsewhere: the call of the module's own function, with the same arguments.
    fn method_hint(&self, module: &str, field: &Name, base: Span) -> Option<String> {
        let full = methods(&field.text).into_iter().find(|full| full.split('.').next() == Some(module))?;
        let slice = |start: u32, end: u32| self.world.files.slice(Span { start, end, ..base });
        let called =
            self.called.filter(|(callee, _)| callee.end == field.span.end).map_or("", |(callee, call)| slice(callee.end, call.end));
        Some(format!("escreva `{full}:{}{}`", slice(base.start, base.end), if called == ":" { "" } else { called }))
    }

    fn index(&mut self, base: &Expr, index: &Expr) -> Shape {
        self.indexed(base, index).1
    }

    /// What is known of the whole and of its part in `base[index]`.
    pub(super) fn indexed(&mut self, base: &Expr, index: &Expr) -> (Shape, Shape) {
        let shape = self.expr(base);
        if let Some(call) = self.slice_call(index) {
            let diagnostic = Diagnostic::error(codes::MISPLACED_COLON, call, "`:` fora de lugar");
            self.report(diagnostic.hint("para um pedaço de um Arr, use `Arr.slice:xs:inicio:fim`"));
            return (shape, Shape::Unknown);
        }
        let position = self.expr(index);
        if let (Shape::Struct(_), ExprKind::Str(field)) = (&shape, &index.kind) {
            let name = Name { text: field.clone(), span: index.span };
            let part = self.field(&shape, &name, base.span);
            return (shape, part);
        }
        let misplaced = match &shape {
            Shape::Int | Shape::Float | Shape::Bool | Shape::Nil | Shape::Function => {
                let message = format!("{} não tem itens", shape.name(self.world.types));
                self.report(Diagnostic::error(codes::WRONG_TYPE, base.span, message));
                None
            }
            Shape::Arr(_) if position != Shape::Int => Some("a posição de um Arr deve ser Int"),
            Shape::Str if position != Shape::Int => Some("a posição de uma String deve ser Int"),
            Shape::Map if position != Shape::Str => Some("a chave de um Map deve ser String"),
            Shape::Struct(_) if position != Shape::Str => Some("o nome de um campo deve ser String"),
            _ => None,
        };
        if let Some(message) = misplaced.filter(|_| position != Shape::Unknown) {
            let message = format!("{message}, mas veio {}", position.name(self.world.types));
            self.report(Diagnostic::error(codes::WRONG_TYPE, index.span, message));
        }
        if let ExprKind::Int(at) = index.kind {
            self.known_position(base, at, index.span);
        }
        let part = match &shape {
            Shape::Arr(item) => item.as_ref().clone(),
            _ => Shape::Unknown,
        };
        (shape, part)
    }

    /// Reports a position that a literal or a constant does not have.
    fn known_position(&mut self, base: &Expr, at: i64, span: Span) {
        let constant = |name: &String| self.world.consts.iter().find(|(known, _)| known == name).map(|(_, value)| value);
        let arr = |length: usize| ("o Arr", length, if length == 1 { "item" } else { "itens" });
        let string = |text: &str| match text.chars().count() {
            1 => ("a String", 1, "letra"),
            length => ("a String", length, "letras"),
        };
        let (what, length, unit) = match &base.kind {
            ExprKind::Arr(items) => arr(items.len()),
            ExprKind::Str(text) => string(text),
            ExprKind::Name(name) if !self.locals.contains_key(name) => match constant(name) {
                Some(Value::Arr(items)) => arr(items.len()),
                Some(Value::Str(text)) => string(text),
                _ => return,
            },
            _ => return,
        };
        if usize::try_from(at).map_or_else(|_| at.unsigned_abs() <= length as u64, |at| at < length) {
            return;
        }
        let message = format!("a posição {at} não existe: {what} tem {length} {unit}");
        let hint = if at < 0 { "as posições negativas contam do fim: a última é -1" } else { "as posições começam em 0" };
        self.report(Diagnostic::error(codes::BAD_INDEX, span, message).hint(hint));
    }

    /// `a[i:j]`, which reads as a call of the local `i`.
    fn slice_call(&self, index: &Expr) -> Option<Span> {
        let mut last = index;
        loop {
            match &last.kind {
                ExprKind::Binary(_, _, right) => last = right,
                ExprKind::Call(callee, _) => {
                    let written = !self.world.files.slice(last.span).starts_with('(') && callee.span.start == last.span.start;
                    let local = super::unit::base_name(callee).is_some_and(|name| self.is_local(name));
                    return (written && local).then_some(last.span);
                }
                _ => return None,
            }
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: Shape, right: Shape, span: Span) -> Shape {
        let number = |shape: &Shape| shape.is_number() || *shape == Shape::Unknown;
        let arithmetic = |a: &Shape, b: &Shape| match (a, b) {
            (Shape::Int, Shape::Int) => Shape::Int,
            (a, b) if a.is_number() && b.is_number() => Shape::Float,
            _ => Shape::Unknown,
        };
        let (fits, result) = match op {
            // A function equals no text or number: a call was meant.
            BinaryOp::Eq | BinaryOp::Ne => {
                let other = |shape: &Shape| !matches!(shape, Shape::Unknown | Shape::Nil | Shape::Function);
                let slip = left == Shape::Function && other(&right) || right == Shape::Function && other(&left);
                (!slip, Shape::Bool)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let text = |shape: &Shape| matches!(shape, Shape::Unknown | Shape::Str);
                (number(&left) && number(&right) || text(&left) && text(&right), Shape::Bool)
            }
            BinaryOp::In => (matches!(right, Shape::Unknown | Shape::Arr(_) | Shape::Map | Shape::Str), Shape::Bool),
            BinaryOp::Add => {
                let joins = |shape: &Shape| matches!(shape, Shape::Str | Shape::Int | Shape::Float | Shape::Bool | Shape::Unknown);
                match (&left, &right) {
                    (Shape::Arr(_), Shape::Arr(_)) => (true, left.clone().join(right.clone())),
                    (Shape::Arr(_), Shape::Unknown) | (Shape::Unknown, Shape::Arr(_)) => (true, Shape::Unknown),
                    (Shape::Str, other) | (other, Shape::Str) => (joins(other), Shape::Str),
                    (Shape::Bool, Shape::Unknown) | (Shape::Unknown, Shape::Bool) => (true, Shape::Str),
                    (a, b) => (number(a) && number(b), arithmetic(a, b)),
                }
            }
            BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Rem => (number(&left) && number(&right), arithmetic(&left, &right)),
            BinaryOp::Div => (number(&left) && number(&right), Shape::Float),
        };
        if !fits {
            let types = self.world.types;
            let message = format!("`{}` não vale entre {} e {}", symbol(op), left.name(types), right.name(types));
            let hint = match op {
                _ if left == Shape::Function || right == Shape::Function => Some("para chamar a função, ponha `:` depois do nome"),
                BinaryOp::Add => Some("`+` soma números, junta textos e junta Arrs"),
                _ => None,
            };
            self.report(Diagnostic::error(codes::WRONG_TYPE, span, message).maybe_hint(hint.map(str::to_owned)));
            return Shape::Unknown;
        }
        result
    }

    /// Reports a value that is surely not of a type.
    pub(super) fn expect_type(&mut self, shape: &Shape, ty: &Type, given: Given, expr: &Expr, what: &str) {
        if let Kind::Struct(index) = ty.kind
            && let ExprKind::Map(entries) = &expr.kind
        {
            self.struct_literal(index, entries, given, expr.span);
            return;
        }
        let no_int = ty.kind == Kind::Int && matches!(expr.kind, ExprKind::Float(value) if value.fract() != 0.0);
        if no_int || shape.clashes(ty, given) {
            let wanted = super::types::type_name(ty, self.world.types);
            let message = format!("{what} deve ser {wanted}, mas veio {}", shape.name(self.world.types));
            self.report(Diagnostic::error(codes::WRONG_TYPE, expr.span, message));
        }
    }
}

/// "não tem o campo", with the nearest that it has.
pub(super) fn unknown_field<'a>(structure: &str, fields: impl Iterator<Item = &'a str> + Clone, field: &Name) -> Diagnostic {
    let hint = match nearest(&field.text, fields.clone()) {
        Some(near) => format!("você quis dizer `{near}`?"),
        None => format!("os campos são {}", crate::diagnostic::quoted_list(fields).replace(" ou ", " e ")),
    };
    Diagnostic::error(codes::UNKNOWN_FIELD, field.span, format!("`{structure}` não tem o campo `{}`", field.text)).hint(hint)
}

fn shape_of_value(value: &Value) -> Shape {
    match value {
        Value::Nil => Shape::Nil,
        Value::Bool(_) => Shape::Bool,
        Value::Int(_) => Shape::Int,
        Value::Float(_) | Value::Huge(_) => Shape::Float,
        Value::Str(_) => Shape::Str,
        Value::Arr(items) => Shape::Arr(Box::new(items.iter().map(shape_of_value).reduce(Shape::join).unwrap_or(Shape::Unknown))),
        Value::Map(_) => Shape::Map,
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::In => "in",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
    }
}
