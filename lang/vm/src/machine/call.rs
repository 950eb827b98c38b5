//! Calls: a new frame over the caller's arguments, checked first where the function wants it.

use alloc::{format, string::String, vec::Vec};

use super::{Frame, MAX_CALLS, Machine, too_many_calls};
use crate::{
    action,
    context::Context,
    error::{Fallible, invalid_image, kind, raise},
    image::{Function, NONE},
    library,
    types::{Trust, accept, usual},
    value::{Handle, Value},
};

impl<'r> Machine<'r> {
    /// Enters a function whose `count` arguments lie in the stack from `first` on.
    #[inline]
    pub(super) fn enter(&mut self, id: u32, first: usize, count: u8, result: usize) -> Fallible<()> {
        let program = self.ctx.heap.program;
        let function = program.function(id).ok_or_else(invalid_image)?;
        if self.frames.len() >= MAX_CALLS {
            return Err(too_many_calls());
        }
        if function.params != count || function.is_typed() {
            self.arguments(&function, first, count)?;
        }
        let callee = Frame::new(id, &function, program, first, result);
        let caller = core::mem::replace(&mut self.frame, callee);
        self.frames.push(caller);
        self.ctx.steps = self.ctx.steps.saturating_sub(1);
        Ok(())
    }

    /// Fills defaults and checks types.
    #[cold]
    fn arguments(&mut self, function: &Function, first: usize, count: u8) -> Fallible<()> {
        let given = self.stack.get(first..first + usize::from(count)).ok_or_else(invalid_image)?;
        let given = Vec::from(given);
        let values = if function.is_action() {
            action::arguments(&mut self.ctx, function, &given)?
        } else {
            arguments(&mut self.ctx, function, &given)?
        };
        let end = first + values.len();
        if self.stack.len() < end {
            self.stack.resize(end, Value::Nil);
        }
        self.stack.get_mut(first..end).ok_or_else(invalid_image)?.copy_from_slice(&values);
        Ok(())
    }

    /// Puts what a closure keeps behind the parameters of its frame, which has just begun.
    fn place_kept(&mut self, closure: Handle) -> Fallible<()> {
        let (id, kept) = self.ctx.heap.kept(closure)?;
        let function = self.ctx.heap.program.function(id).ok_or_else(invalid_image)?;
        let first = self.frame.base + usize::from(function.params);
        let end = first + kept.len();
        if self.stack.len() < end {
            self.stack.resize(end, Value::Nil);
        }
        self.stack.get_mut(first..end).ok_or_else(invalid_image)?.copy_from_slice(kept);
        Ok(())
    }

    /// Calls the value in the stack at `callee` with the arguments after it; a builtin's result is there at once.
    pub(super) fn call_value(&mut self, callee: usize, count: u8) -> Fallible<()> {
        match self.stack.get(callee).copied() {
            Some(Value::Function(id)) => self.enter(id, callee + 1, count, callee),
            Some(Value::Closure(closure)) => {
                let (id, _) = self.ctx.heap.kept(closure)?;
                self.enter(id, callee + 1, count, callee)?;
                self.place_kept(closure)
            }
            Some(Value::Builtin(code)) => {
                let arguments = self.stack.get(callee + 1..callee + 1 + usize::from(count)).ok_or_else(invalid_image)?;
                let value = library::call_checked(&mut self.ctx, code, arguments)?;
                *self.stack.get_mut(callee).ok_or_else(invalid_image)? = value;
                Ok(())
            }
            other => {
                let found = self.ctx.heap.type_name(other.unwrap_or_default());
                Err(raise(kind::TYPE, format!("só uma função pode ser chamada, mas veio {found}")))
            }
        }
    }
}

/// Raises unless a function takes so many arguments.
pub(crate) fn check_count(name: &str, least: usize, most: usize, given: usize) -> Fallible<()> {
    if (least..=most).contains(&given) {
        return Ok(());
    }
    let wanted = if least == most { format!("{least}") } else { format!("de {least} a {most}") };
    let noun = if most == 1 { "argumento" } else { "argumentos" };
    let came = match given {
        0 => "não veio nenhum".into(),
        1 => "veio 1".into(),
        given => format!("vieram {given}"),
    };
    Err(raise(kind::TYPE, format!("`{name}` recebe {wanted} {noun}, mas {came}")))
}

/// The arguments of an `f`, each of its parameter's type, trailing defaults filled.
fn arguments(ctx: &mut Context<'_>, function: &Function, given: &[Value]) -> Fallible<Vec<Value>> {
    let program = ctx.heap.program;
    let name = program.str(function.name);
    let param = |index: u8| function.first_param.checked_add(index.into()).and_then(|id| program.field(id)).ok_or_else(invalid_image);
    let params = (0..function.params).map(param).collect::<Fallible<Vec<_>>>()?;
    let most = params.iter().filter(|param| param.is_given()).count();
    check_count(name, function.required.into(), most, given.len())?;
    let mut given = given.iter();
    let mut values = Vec::with_capacity(params.len());
    for param in params {
        let who = || (String::from(name), String::from(program.str(param.name)));
        let value = match if param.is_given() { given.next() } else { None } {
            Some(value) => accept(&mut ctx.heap, *value, param.ty, Trust::Checked, who)?,
            None if param.default != NONE => usual(&mut ctx.heap, &param)?,
            None => Value::Nil,
        };
        values.push(value);
    }
    Ok(values)
}
