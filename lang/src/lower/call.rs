//! Calls: of functions, structs, builtins, and of functions that are values.

use djo_vm::{
    builtins::Builtin,
    op::{Op, encode},
};

use super::{LowerError, body::Body, literal, prelude::PAGINA_FIELDS, shared::Global};
use crate::ast::{Expr, ExprKind, Span};

/// `Module.name` or `name`, when an expression is nothing else.
pub(super) fn path(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Member(base, member) => match &base.kind {
            ExprKind::Name(module) => Some(format!("{module}.{}", member.text)),
            _ => None,
        },
        _ => None,
    }
}

impl Body<'_, '_> {
    /// A call, its result in a register.
    pub(super) fn call(&mut self, callee: &Expr, arguments: &[Expr], span: Span, to: u8) {
        if arguments.len() > 200 {
            self.fail(|name| LowerError::Arguments(name.to_owned()));
            return;
        }
        let base = match &callee.kind {
            ExprKind::Name(name) => Some(name),
            ExprKind::Member(base, _) => match &base.kind {
                ExprKind::Name(name) => Some(name),
                _ => None,
            },
            _ => None,
        };
        let global = base.and_then(|name| self.shared.global(name));
        match (&callee.kind, global) {
            (ExprKind::Name(_), Some(Global::Function(id))) => self.call_function(id, arguments, span, to),
            (ExprKind::Name(_), Some(Global::Struct(id))) => self.build_struct(id, arguments, span, to),
            (_, None) if base.is_some_and(|name| self.local(name).is_none()) => self.call_builtin(callee, arguments, span, to),
            _ => self.call_value(callee, arguments, span, to),
        }
    }

    /// Evaluates arguments into registers that follow each other, from the first on, which may be the one that the result goes to.
    fn arguments(&mut self, arguments: &[Expr], to: u8) -> u8 {
        let first = if self.is_top(to) { to } else { self.reserve() };
        for (index, argument) in arguments.iter().enumerate() {
            let register = if index == 0 { first } else { self.reserve() };
            self.expr(argument, register);
        }
        first
    }

    fn call_function(&mut self, id: u32, arguments: &[Expr], span: Span, to: u8) {
        let first = self.arguments(arguments, to);
        self.mark(span);
        self.emit_pair(encode(Op::Call, first, arguments.len() as u8, 0), id);
        self.copy(first, to);
    }

    fn call_value(&mut self, callee: &Expr, arguments: &[Expr], span: Span, to: u8) {
        let function = if self.is_top(to) { to } else { self.reserve() };
        self.expr(callee, function);
        for argument in arguments {
            let register = self.reserve();
            self.expr(argument, register);
        }
        self.mark(span);
        self.emit(encode(Op::CallValue, function, arguments.len() as u8, 0));
        self.copy(function, to);
    }

    fn call_builtin(&mut self, callee: &Expr, arguments: &[Expr], span: Span, to: u8) {
        let Some(signature) = path(callee).and_then(|path| Builtin::from_name(&path)) else {
            return self.call_value(callee, arguments, span, to);
        };
        let builtin = signature.builtin;
        if builtin == Builtin::Pagina {
            let id = self.shared.prelude.pagina;
            return self.build_struct(id, arguments, span, to);
        }
        if let Some(id) = self.shared.prelude.function(builtin) {
            return self.call_function(id, arguments, span, to);
        }
        let first = self.arguments(arguments, to);
        self.mark(span);
        self.emit_pair(encode(Op::CallBuiltin, first, arguments.len() as u8, 0), builtin as u32);
        self.copy(first, to);
    }

    /// `Post:{…}`: a literal's values go straight to their fields.
    fn build_struct(&mut self, id: u32, arguments: &[Expr], span: Span, to: u8) {
        let [argument] = arguments else { return };
        if let ExprKind::Map(entries) = &argument.kind
            && let Some(fields) = self.literal_fields(id, entries)
        {
            let shape = self.shared.builder.shape(id, &fields);
            let values: Vec<&Expr> = entries.iter().map(|(_, value)| value).collect();
            let first = if self.is_top(to) { to } else { self.reserve() };
            for (index, value) in values.into_iter().enumerate() {
                let register = if index == 0 { first } else { self.reserve() };
                self.expr(value, register);
            }
            self.mark(span);
            self.emit_pair(encode(Op::NewStruct, first, 0, 0), shape);
            return self.copy(first, to);
        }
        let value = self.operand(argument);
        self.mark(span);
        self.emit_pair(encode(Op::BuildStruct, to, value, 0), id);
    }

    /// The fields that a literal gives, when each is known and given once.
    fn literal_fields(&self, id: u32, entries: &[(Expr, Expr)]) -> Option<Vec<u32>> {
        let names: Vec<&str> = if id == self.shared.prelude.pagina {
            PAGINA_FIELDS.to_vec()
        } else {
            let structure = self.shared.program.contract.types.structs.get(id as usize)?;
            structure.fields.iter().map(|field| field.name.as_str()).collect()
        };
        let mut fields = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let ExprKind::Str(key) = &key.kind else { return None };
            let field = u32::try_from(names.iter().position(|name| name == key)?).ok()?;
            // Past some values in a row, registers are better saved; a literal that is a constant builds no faster this way either.
            if fields.contains(&field) || (entries.len() > 100 && literal::constant(value).is_none()) {
                return None;
            }
            fields.push(field);
        }
        Some(fields)
    }
}
