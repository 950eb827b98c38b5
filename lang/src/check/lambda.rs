//! Functions of one expression, and functions that are values.

use djo_vm::builtins::Builtin;

use super::{shape::Shape, unit::Unit};
use crate::{
    ast::{Expr, ExprKind, Name, Span},
    diagnostic::{Diagnostic, codes},
};

impl Unit<'_, '_> {
    /// `(a, b -> e)`, with what is known of the arguments it will be given.
    pub(super) fn lambda(&mut self, params: &[Name], body: &Expr, given: &[Shape]) -> Shape {
        let mut hidden = Vec::with_capacity(params.len());
        for (index, param) in params.iter().enumerate() {
            if let Some(first) = params[..index].iter().find(|first| first.text == param.text) {
                let message = format!("dois parâmetros se chamam `{}`", param.text);
                self.report(Diagnostic::error(codes::DUPLICATE_NAME, param.span, message).related(first.span, "o primeiro"));
            }
            self.declare(param);
            let shape = given.get(index).cloned().unwrap_or(Shape::Unknown);
            // A parameter hides the local of its name.
            let before = self.locals.insert(param.text.clone(), shape);
            let fresh = self.assigned.insert(param.text.clone());
            let arity = self.arities.remove(&param.text);
            hidden.push((param.text.as_str(), before, fresh, arity));
        }
        self.expr(body);
        for (name, before, fresh, arity) in hidden.into_iter().rev() {
            self.arities.extend(arity.map(|arity| (name.to_owned(), arity)));
            match before {
                Some(shape) => self.locals.insert(name.to_owned(), shape),
                None => self.locals.remove(name),
            };
            if fresh {
                self.assigned.remove(name);
            }
        }
        Shape::Function
    }

    /// The arguments of a builtin; of a function given to one that goes through an Arr, what its items are is known.
    pub(super) fn builtin_argument_shapes(&mut self, builtin: Builtin, arguments: &[Expr]) -> Vec<Shape> {
        let mut shapes: Vec<Shape> = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let item = || match shapes.first() {
                Some(Shape::Arr(item)) => item.as_ref().clone(),
                _ => Shape::Unknown,
            };
            let shape = match (&argument.kind, builtin) {
                (ExprKind::Lambda(params, body), Builtin::ArrMap | Builtin::ArrFilter | Builtin::ArrSortBy | Builtin::ArrFind) => {
                    let item = item();
                    self.lambda(params, body, &[item])
                }
                (ExprKind::Lambda(params, body), Builtin::ArrReduce) => {
                    let item = item();
                    self.lambda(params, body, &[Shape::Unknown, item])
                }
                _ => self.expr(argument),
            };
            shapes.push(shape);
        }
        shapes
    }

    /// A builtin that is named without being called: a value like any function, unless it takes nothing, where a call was
    /// surely meant.
    pub(super) fn builtin_as_value(&mut self, name: &str, span: Span) -> Shape {
        let Some(signature) = Builtin::from_name(name) else { return Shape::Unknown };
        if signature.least == 0 && signature.most == 0 {
            let message = format!("`{name}` é uma função da linguagem");
            self.report(Diagnostic::error(codes::NOT_A_VALUE, span, message).hint(format!("para chamar, escreva `{name}:`")));
            return Shape::Unknown;
        }
        Shape::Function
    }

    /// How many arguments a function takes, least and most, where it is named or written right here, or is all that its local is
    /// ever given; and its name.
    pub(super) fn arity(&self, function: &Expr) -> Option<(String, usize, usize)> {
        match &function.kind {
            ExprKind::Lambda(params, _) => Some(("esta função".into(), params.len(), params.len())),
            ExprKind::Name(name) if self.is_local(name) => self.arities.get(name).map(|(least, most)| (format!("`{name}`"), *least, *most)),
            ExprKind::Name(name) => {
                // Of one that could not be read there may be more parameters.
                if self.world.declarations.is_broken(name) {
                    return None;
                }
                if let Some(super::symbols::Symbol::Function(index)) = self.world.declarations.find(name) {
                    let signature = self.world.signatures.get(index)?;
                    return Some((format!("`{name}`"), signature.least, signature.given.len()));
                }
                builtin_arity(name)
            }
            ExprKind::Member(base, member) => match &base.kind {
                ExprKind::Name(module) if !self.is_local(module) => builtin_arity(&format!("{module}.{}", member.text)),
                _ => None,
            },
            _ => None,
        }
    }
}

fn builtin_arity(name: &str) -> Option<(String, usize, usize)> {
    let signature = Builtin::from_name(name)?;
    Some((format!("`{name}`"), signature.least.into(), signature.most.into()))
}
