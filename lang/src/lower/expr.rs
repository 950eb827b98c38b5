//! Expressions. The parser bounds how deep they nest.

use djo_vm::op::{Op, encode, encode_wide};

use super::{body::Body, literal::constant, shared::Global};
use crate::ast::{BinaryOp, Expr, ExprKind, Name, Span};

/// Parts of a `$"…"` that wait to be joined.
const MAX_PARTS: u8 = 16;

impl Body<'_, '_> {
    /// The register that holds an expression's value: a local's own, or a new one.
    pub(super) fn operand(&mut self, expr: &Expr) -> u8 {
        if let ExprKind::Name(name) = &expr.kind
            && self.shared.global(name).is_none()
            && let Some(register) = self.local(name)
        {
            self.mark(expr.span);
            self.check_set(name, register);
            return register;
        }
        let register = self.reserve();
        self.expr(expr, register);
        register
    }

    /// Puts an expression's value into a register. One that belongs to a local changes only when all is evaluated.
    pub(super) fn expr(&mut self, expr: &Expr, to: u8) {
        if let Some(value) = constant(expr) {
            return self.load(&value, to);
        }
        let watermark = self.watermark();
        match &expr.kind {
            ExprKind::Name(name) => self.name(name, expr, to),
            ExprKind::Member(..) if self.builtin_value(expr, to) => {}
            ExprKind::Lambda(params, value) => self.lambda(params, value, expr.span, to),
            ExprKind::Text(parts) => self.text(parts, to),
            ExprKind::Member(base, name) => {
                let base = self.operand(base);
                self.mark(expr.span);
                self.member(base, name, to);
            }
            ExprKind::Index(base, index) => {
                let (base, index) = (self.operand(base), self.operand(index));
                self.mark(expr.span);
                self.emit(encode(Op::GetIndex, to, base, index));
            }
            ExprKind::Call(callee, arguments) => self.call(callee, arguments, expr.span, to),
            ExprKind::Not(operand) => {
                let operand = self.operand(operand);
                self.mark(expr.span);
                self.emit(encode(Op::Not, to, operand, 0));
            }
            ExprKind::Negate(operand) => {
                let operand = self.operand(operand);
                self.mark(expr.span);
                self.emit(encode(Op::Neg, to, operand, 0));
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, expr, to),
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Coalesce(..) | ExprKind::Arr(_) | ExprKind::Map(_) => {
                let whole = if self.is_named(to) { self.reserve() } else { to };
                match &expr.kind {
                    ExprKind::And(a, b) => self.both(a, b, Op::JumpIfNot, whole),
                    ExprKind::Or(a, b) => self.both(a, b, Op::JumpIf, whole),
                    ExprKind::Coalesce(a, b) => self.coalesce(a, b, whole),
                    ExprKind::Arr(items) => self.arr(items, whole),
                    ExprKind::Map(entries) => self.map(entries, whole),
                    _ => {}
                }
                self.copy(whole, to);
            }
            // The others are constants.
            _ => self.emit(encode(Op::LoadNil, to, 0, 0)),
        }
        self.release(watermark);
    }

    pub(super) fn copy(&mut self, from: u8, to: u8) {
        if from != to {
            self.emit(encode(Op::Move, to, from, 0));
        }
    }

    pub(super) fn member(&mut self, base: u8, name: &Name, to: u8) {
        let guess = self.shared.guess(&name.text);
        let name = self.shared.builder.string(&name.text);
        self.emit_pair(encode(Op::GetField, to, base, guess), name);
    }

    fn name(&mut self, name: &str, expr: &Expr, to: u8) {
        match self.shared.global(name) {
            Some(Global::Const(value)) => self.load(value, to),
            Some(Global::Function(id)) => self.emit_pair(encode(Op::LoadFunction, to, 0, 0), id),
            Some(Global::Struct(_)) => self.emit(encode(Op::LoadNil, to, 0, 0)),
            None => match self.local(name) {
                Some(register) => {
                    self.mark(expr.span);
                    self.check_set(name, register);
                    self.copy(register, to);
                }
                None => {
                    if !self.builtin_value(expr, to) {
                        self.emit(encode(Op::LoadNil, to, 0, 0));
                    }
                }
            },
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, expr: &Expr, to: u8) {
        let x = self.operand(a);
        self.operate(op, x, b, expr.span, to);
    }

    /// An operator whose left side is in a register.
    pub(super) fn operate(&mut self, op: BinaryOp, x: u8, b: &Expr, span: Span, to: u8) {
        let small = match b.kind {
            ExprKind::Int(number @ 0..=127) => Some(number as i8),
            _ => None,
        };
        if let Some(small) = small
            && matches!(op, BinaryOp::Add | BinaryOp::Sub)
        {
            self.mark(span);
            let step = if op == BinaryOp::Add { small } else { -small };
            // `x - 0` still wants a number, which only the general form checks.
            if step != 0 || op == BinaryOp::Add {
                return self.emit(encode(Op::AddByte, to, x, step.cast_unsigned()));
            }
        }
        let y = self.operand(b);
        self.mark(span);
        let (op, x, y) = match op {
            BinaryOp::Eq => (Op::Eq, x, y),
            BinaryOp::Ne => (Op::Ne, x, y),
            BinaryOp::Lt => (Op::Lt, x, y),
            BinaryOp::Le => (Op::Le, x, y),
            BinaryOp::Gt => (Op::Lt, y, x),
            BinaryOp::Ge => (Op::Le, y, x),
            BinaryOp::In => (Op::In, x, y),
            BinaryOp::Add => (Op::Add, x, y),
            BinaryOp::Sub => (Op::Sub, x, y),
            BinaryOp::Mul => (Op::Mul, x, y),
            BinaryOp::Div => (Op::Div, x, y),
            BinaryOp::Rem => (Op::Rem, x, y),
        };
        self.emit(encode(op, to, x, y));
    }

    /// `a and b`, `a or b`: the second is evaluated only when the first does not decide.
    fn both(&mut self, a: &Expr, b: &Expr, decided: Op, to: u8) {
        self.expr(a, to);
        self.mark(a.span);
        let end = self.jump(decided, to, 0);
        self.expr(b, to);
        self.mark(b.span);
        self.emit(encode(Op::CheckBool, to, 0, 0));
        self.land([end]);
    }

    /// `a ?? b`: the second is evaluated only when the first is nil.
    fn coalesce(&mut self, a: &Expr, b: &Expr, to: u8) {
        self.expr(a, to);
        let end = self.jump(Op::JumpIfNotNil, to, 0);
        self.expr(b, to);
        self.land([end]);
    }

    /// `$"…"`: its parts side by side, a stretch at a time, then as one.
    fn text(&mut self, parts: &[Expr], to: u8) {
        let first = if self.is_top(to) { to } else { self.reserve() };
        let mut count = 0;
        for part in parts {
            if count == MAX_PARTS {
                self.emit(encode(Op::Join, first, count, 0));
                self.release(u16::from(first) + 1);
                count = 1;
            }
            let register = if count == 0 { first } else { self.reserve() };
            self.expr(part, register);
            self.mark(part.span);
            count += 1;
        }
        self.emit(encode(Op::Join, first, count, 0));
        self.copy(first, to);
    }

    fn arr(&mut self, items: &[Expr], to: u8) {
        let room = u16::try_from(items.len()).unwrap_or(u16::MAX);
        self.emit(encode_wide(Op::NewArr, to, room));
        for item in items {
            let watermark = self.watermark();
            let item = self.operand(item);
            self.emit(encode(Op::Append, to, item, 0));
            self.release(watermark);
        }
    }

    fn map(&mut self, entries: &[(Expr, Expr)], to: u8) {
        let room = u16::try_from(entries.len()).unwrap_or(u16::MAX);
        self.emit(encode_wide(Op::NewMap, to, room));
        for (key, value) in entries {
            let watermark = self.watermark();
            let name = self.operand(key);
            let value = self.operand(value);
            self.mark(key.span);
            self.emit(encode(Op::MapPut, to, name, value));
            self.release(watermark);
        }
    }
}
