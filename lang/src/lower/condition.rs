//! Conditions: expressions whose value decides where to go on, without being put into a register where that can be avoided.

use djo_vm::op::Op;

use super::body::{Body, Jump};
use crate::ast::{BinaryOp, Expr, ExprKind};

impl Body<'_, '_> {
    /// Jumps taken when the condition is (`when`) true or false; else control goes on.
    pub(super) fn condition(&mut self, expr: &Expr, when: bool) -> Vec<Jump> {
        let watermark = self.watermark();
        let jumps = match &expr.kind {
            ExprKind::Not(operand) => self.condition(operand, !when),
            ExprKind::And(a, b) => self.either(a, b, false, when),
            ExprKind::Or(a, b) => self.either(a, b, true, when),
            ExprKind::Binary(op, a, b) if !matches!(op, BinaryOp::In) && is_comparison(*op) => {
                let (x, y) = (self.operand(a), self.operand(b));
                self.mark(expr.span);
                // Numbers are never NaN: what is not less is greater or equal.
                let (jump, x, y) = match (op, when) {
                    (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => (Op::JumpIfEq, x, y),
                    (BinaryOp::Eq, false) | (BinaryOp::Ne, true) => (Op::JumpIfNe, x, y),
                    (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => (Op::JumpIfLt, x, y),
                    (BinaryOp::Le, true) | (BinaryOp::Gt, false) => (Op::JumpIfLe, x, y),
                    (BinaryOp::Gt, true) | (BinaryOp::Le, false) => (Op::JumpIfLt, y, x),
                    _ => (Op::JumpIfLe, y, x),
                };
                vec![self.jump(jump, x, y)]
            }
            ExprKind::Bool(flag) if *flag == when => vec![self.jump(Op::Jump, 0, 0)],
            ExprKind::Bool(_) => Vec::new(),
            _ => {
                let value = self.operand(expr);
                self.mark(expr.span);
                vec![self.jump(if when { Op::JumpIf } else { Op::JumpIfNot }, value, 0)]
            }
        };
        self.release(watermark);
        jumps
    }

    /// `a or b` (`decided` by true) and `a and b` (`decided` by false).
    fn either(&mut self, a: &Expr, b: &Expr, decided: bool, when: bool) -> Vec<Jump> {
        if decided == when {
            let mut jumps = self.condition(a, when);
            jumps.extend(self.condition(b, when));
            return jumps;
        }
        let past = self.condition(a, decided);
        let jumps = self.condition(b, when);
        self.land(past);
        jumps
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}
