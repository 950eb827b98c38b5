//! Literals that are constants as they stand.

use djo_contract::value::Value;
use djo_vm::op::{Op, encode, encode_wide};

use super::body::Body;
use crate::ast::{Expr, ExprKind};

/// The value of an expression that is a literal through and through.
pub(super) fn constant(expr: &Expr) -> Option<Value> {
    Some(match &expr.kind {
        ExprKind::Nil => Value::Nil,
        ExprKind::Bool(flag) => Value::Bool(*flag),
        ExprKind::Int(number) => Value::Int(*number),
        ExprKind::Float(number) => Value::Float(*number),
        ExprKind::Str(text) => Value::Str(text.clone()),
        ExprKind::Negate(operand) => match operand.kind {
            ExprKind::Int(number) => Value::Int(number.checked_neg()?),
            ExprKind::Float(number) => Value::Float(-number),
            _ => return None,
        },
        ExprKind::Arr(items) => Value::Arr(items.iter().map(constant).collect::<Option<_>>()?),
        ExprKind::Map(entries) => {
            let mut members: Vec<(String, Value)> = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                let ExprKind::Str(key) = &key.kind else { return None };
                if members.iter().any(|(known, _)| known == key) {
                    return None;
                }
                members.push((key.clone(), constant(value)?));
            }
            Value::Map(members)
        }
        _ => return None,
    })
}

impl Body<'_, '_> {
    /// Loads a constant; an Arr or Map is a fresh one each time.
    pub(super) fn load(&mut self, value: &Value, register: u8) {
        match value {
            Value::Nil => self.emit(encode(Op::LoadNil, register, 0, 0)),
            Value::Bool(flag) => self.emit(encode(Op::LoadBool, register, u8::from(*flag), 0)),
            Value::Int(number) if i16::try_from(*number).is_ok() => {
                self.emit(encode_wide(Op::LoadInt, register, (*number as i16).cast_unsigned()));
            }
            Value::Int(number) if i32::try_from(*number).is_ok() => {
                self.emit_pair(encode(Op::LoadWide, register, 0, 0), (*number as i32).cast_unsigned());
            }
            Value::Str(text) => {
                let id = self.shared.builder.string(text);
                self.emit_indexed(Op::LoadText, register, id);
            }
            Value::Arr(items) if items.is_empty() => self.emit(encode(Op::NewArr, register, 0, 0)),
            Value::Map(members) if members.is_empty() => self.emit(encode(Op::NewMap, register, 0, 0)),
            other => {
                let id = self.shared.builder.constant(other);
                self.emit_indexed(Op::LoadConst, register, id);
            }
        }
    }
}
