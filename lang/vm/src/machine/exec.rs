//! The interpreter's loop.

use super::{Handler, Machine, WINDOW, iterate};
use crate::{
    error::{Fallible, expected, invalid_image, kind, out_of_steps, raise},
    escape, library,
    op::{Escape, Op},
    ops::{
        arithmetic::{self, Operator},
        compare,
        equal::equal,
    },
    place,
    types::{self, constant},
    value::Value,
};
use alloc::{boxed::Box, format};
use core::cmp::Ordering;

/// Handlers that may be open at once.
const MAX_HANDLERS: usize = 4096;

#[cold]
fn not_bool(name: &str) -> Box<crate::error::Raise> {
    raise(kind::TYPE, format!("uma condição deve ser Bool, mas veio {name}"))
}

impl Machine<'_> {
    /// Runs until the outermost function returns. After an error the current frame's `pc` is just beyond the instruction that raised it.
    #[allow(clippy::too_many_lines)] // One arm for each instruction, in the order of the set.
    pub(super) fn step(&mut self) -> Fallible<Option<Value>> {
        'frame: loop {
            if self.ctx.steps == 0 {
                return Err(out_of_steps());
            }
            if self.ctx.heap.wants_collection() {
                self.collect();
            }
            let code = self.frame.code;
            let base = self.frame.base;
            let mut pc = self.frame.pc;
            place::enter(self.frame.function, pc);
            let Some(regs) = self.stack.get_mut(base..).and_then(<[Value]>::first_chunk_mut::<WINDOW>) else {
                self.grow();
                continue 'frame;
            };
            let ctx = &mut self.ctx;

            // A result, or the error with the place where it was raised.
            macro_rules! check {
                ($result:expr) => {{
                    place::reach(pc);
                    match $result {
                        Ok(value) => value,
                        Err(error) => {
                            self.frame.pc = pc;
                            return Err(error);
                        }
                    }
                }};
            }
            macro_rules! reg {
                ($register:expr) => {
                    regs[usize::from($register)]
                };
            }
            macro_rules! wide {
                () => {{
                    let Some(word) = code.get(pc) else {
                        self.frame.pc = pc;
                        return Err(invalid_image());
                    };
                    pc += 1;
                    u32::from_le_bytes(*word)
                }};
            }
            // Jumps; one back is counted, and is where a run may be stopped or its heap cleared.
            macro_rules! jump {
                ($offset:expr) => {{
                    let offset = $offset.cast_signed();
                    pc = pc.wrapping_add_signed(offset as isize);
                    if offset < 0 {
                        ctx.steps -= 1;
                        if ctx.steps == 0 || ctx.heap.wants_collection() {
                            self.frame.pc = pc;
                            continue 'frame;
                        }
                    }
                }};
            }
            macro_rules! less {
                ($x:expr, $y:expr, $int:tt, $wrong:pat) => {{
                    match (&$x, &$y) {
                        (Value::Int(x), Value::Int(y)) => x $int y,
                        (x, y) => !matches!(check!(compare::compare(&ctx.heap, *x, *y)), $wrong),
                    }
                }};
            }

            loop {
                let Some(&[op, a, b, c]) = code.get(pc) else {
                    self.frame.pc = pc;
                    return Err(invalid_image());
                };
                pc += 1;
                let Some(op) = Op::from_code(op) else {
                    self.frame.pc = pc;
                    return Err(invalid_image());
                };
                match op {
                    Op::Nop => {}
                    Op::Move => reg!(a) = reg!(b),
                    Op::LoadNil => reg!(a) = Value::Nil,
                    Op::LoadBool => reg!(a) = Value::Bool(b != 0),
                    Op::LoadInt => reg!(a) = Value::Int(i16::from_le_bytes([b, c]).into()),
                    Op::LoadWide => reg!(a) = Value::Int(wide!().cast_signed().into()),
                    Op::LoadConst => reg!(a) = check!(constant(&mut ctx.heap, u16::from_le_bytes([b, c]).into())),
                    Op::LoadText => {
                        let text = ctx.heap.program.text(u16::from_le_bytes([b, c]).into());
                        reg!(a) = Value::Text(check!(text.ok_or_else(invalid_image)));
                    }
                    Op::LoadFunction => reg!(a) = Value::Function(wide!()),
                    Op::LoadBuiltin => reg!(a) = Value::Builtin(u16::from_le_bytes([b, c])),
                    Op::Unset => {
                        for register in regs.iter_mut().skip(a.into()).take(b.into()) {
                            *register = Value::Unset;
                        }
                    }
                    Op::CheckSet => {
                        if matches!(reg!(a), Value::Unset) {
                            let name = ctx.heap.program.str(u16::from_le_bytes([b, c]).into());
                            check!(Err(raise(kind::NAME, format!("`{name}` ainda não tem valor aqui"))));
                        }
                    }
                    Op::CheckBool => {
                        if !matches!(reg!(a), Value::Bool(_)) {
                            check!(Err(not_bool(ctx.heap.type_name(reg!(a)))));
                        }
                    }
                    Op::CheckArr => {
                        if !matches!(reg!(a), Value::Arr(_)) {
                            let who = ctx.heap.program.str(u16::from_le_bytes([b, c]).into());
                            check!(Err(expected(who, "Arr", ctx.heap.type_name(reg!(a)))));
                        }
                    }
                    Op::Jump => {
                        let offset = wide!();
                        jump!(offset);
                    }
                    Op::JumpIf | Op::JumpIfNot => {
                        let offset = wide!();
                        match &reg!(a) {
                            Value::Bool(flag) => {
                                if *flag == (op == Op::JumpIf) {
                                    jump!(offset);
                                }
                            }
                            other => check!(Err(not_bool(ctx.heap.type_name(*other)))),
                        }
                    }
                    Op::JumpIfFunction => {
                        let offset = wide!();
                        if reg!(a).is_function() {
                            jump!(offset);
                        }
                    }
                    Op::JumpIfNotNil => {
                        let offset = wide!();
                        if !reg!(a).is_nil() {
                            jump!(offset);
                        }
                    }
                    Op::JumpIfLt => {
                        let offset = wide!();
                        if less!(reg!(a), reg!(b), <, Ordering::Equal | Ordering::Greater) {
                            jump!(offset);
                        }
                    }
                    Op::JumpIfLe => {
                        let offset = wide!();
                        if less!(reg!(a), reg!(b), <=, Ordering::Greater) {
                            jump!(offset);
                        }
                    }
                    Op::JumpIfEq | Op::JumpIfNe => {
                        let offset = wide!();
                        if check!(equal(&ctx.heap, reg!(a), reg!(b))) == (op == Op::JumpIfEq) {
                            jump!(offset);
                        }
                    }
                    Op::Eq => reg!(a) = Value::Bool(check!(equal(&ctx.heap, reg!(b), reg!(c)))),
                    Op::Ne => reg!(a) = Value::Bool(!check!(equal(&ctx.heap, reg!(b), reg!(c)))),
                    Op::Lt => reg!(a) = Value::Bool(less!(reg!(b), reg!(c), <, Ordering::Equal | Ordering::Greater)),
                    Op::Le => reg!(a) = Value::Bool(less!(reg!(b), reg!(c), <=, Ordering::Greater)),
                    Op::In => reg!(a) = Value::Bool(check!(compare::contains(&ctx.heap, reg!(b), reg!(c)))),
                    Op::Add => {
                        reg!(a) = match (&reg!(b), &reg!(c)) {
                            (Value::Int(x), Value::Int(y)) => match x.checked_add(*y) {
                                Some(number) => Value::Int(number),
                                None => check!(Err(arithmetic::overflow())),
                            },
                            (x, y) => check!(arithmetic::add(&mut ctx.heap, *x, *y)),
                        };
                    }
                    Op::Sub => {
                        reg!(a) = match (&reg!(b), &reg!(c)) {
                            (Value::Int(x), Value::Int(y)) => match x.checked_sub(*y) {
                                Some(number) => Value::Int(number),
                                None => check!(Err(arithmetic::overflow())),
                            },
                            (x, y) => check!(arithmetic::numeric(&ctx.heap, Operator::Sub, *x, *y)),
                        };
                    }
                    Op::Mul => {
                        reg!(a) = match (&reg!(b), &reg!(c)) {
                            (Value::Int(x), Value::Int(y)) => match arithmetic::multiply(*x, *y) {
                                Some(number) => Value::Int(number),
                                None => check!(Err(arithmetic::overflow())),
                            },
                            (x, y) => check!(arithmetic::numeric(&ctx.heap, Operator::Mul, *x, *y)),
                        };
                    }
                    Op::Div => reg!(a) = check!(arithmetic::numeric(&ctx.heap, Operator::Div, reg!(b), reg!(c))),
                    Op::Rem => {
                        reg!(a) = match (&reg!(b), &reg!(c)) {
                            (Value::Int(x), Value::Int(y)) => Value::Int(check!(arithmetic::floor_mod(*x, *y))),
                            (x, y) => check!(arithmetic::numeric(&ctx.heap, Operator::Rem, *x, *y)),
                        };
                    }
                    Op::AddByte => {
                        let step = i64::from(i8::from_le_bytes([c]));
                        reg!(a) = match &reg!(b) {
                            Value::Int(x) => match x.checked_add(step) {
                                Some(number) => Value::Int(number),
                                None => check!(Err(arithmetic::overflow())),
                            },
                            x if step < 0 => check!(arithmetic::numeric(&ctx.heap, Operator::Sub, *x, Value::Int(-step))),
                            x => check!(arithmetic::add(&mut ctx.heap, *x, Value::Int(step))),
                        };
                    }
                    Op::Not => match reg!(b) {
                        Value::Bool(flag) => reg!(a) = Value::Bool(!flag),
                        other => check!(Err(not_bool(ctx.heap.type_name(other)))),
                    },
                    Op::Neg => reg!(a) = check!(arithmetic::negate(&ctx.heap, reg!(b))),
                    Op::GetField => {
                        let name = wide!();
                        reg!(a) = check!(types::get_field(&ctx.heap, reg!(b), name, c));
                    }
                    Op::SetField => {
                        let name = wide!();
                        check!(types::set_field(&mut ctx.heap, reg!(a), name, c, reg!(b)));
                    }
                    Op::GetIndex => reg!(a) = check!(types::get_index(&mut ctx.heap, reg!(b), reg!(c))),
                    Op::SetIndex => check!(types::set_index(&mut ctx.heap, reg!(a), reg!(b), reg!(c))),
                    Op::NewArr => {
                        let room = u16::from_le_bytes([b, c]);
                        reg!(a) = ctx.heap.arr(alloc::vec::Vec::with_capacity(room.into()));
                    }
                    Op::Append => match reg!(a) {
                        Value::Arr(handle) => check!(ctx.heap.push(handle, reg!(b))),
                        _ => check!(Err(invalid_image())),
                    },
                    Op::NewMap => (_, reg!(a)) = ctx.heap.map(u16::from_le_bytes([b, c]).into()),
                    Op::MapPut => match (reg!(a), reg!(b)) {
                        (Value::Map(handle), key @ (Value::Text(_) | Value::Str(_) | Value::Raw(_))) => {
                            check!(ctx.heap.put(handle, key, reg!(c)));
                        }
                        (_, key) => check!(Err(expected("a chave de um Map", "String", ctx.heap.type_name(key)))),
                    },
                    Op::NewStruct => {
                        let shape = wide!();
                        let values = regs.get(usize::from(a)..).unwrap_or_default();
                        reg!(a) = check!(types::new_struct(&mut ctx.heap, shape, values));
                    }
                    Op::BuildStruct => {
                        let structure = wide!();
                        reg!(a) = check!(library::build_struct(&mut ctx.heap, structure, reg!(b)));
                    }
                    Op::Call => {
                        let id = wide!();
                        self.frame.pc = pc;
                        let first = base + usize::from(a);
                        self.enter(id, first, b, first)?;
                        continue 'frame;
                    }
                    Op::CallValue => {
                        self.frame.pc = pc;
                        place::reach(pc);
                        self.call_value(base + usize::from(a), b)?;
                        continue 'frame;
                    }
                    Op::CallBuiltin => {
                        let code = wide!();
                        let first = usize::from(a);
                        let arguments = check!(regs.get(first..first + usize::from(b)).ok_or_else(invalid_image));
                        reg!(a) = check!(library::call(ctx, code, arguments));
                    }
                    Op::Closure => {
                        let id = wide!();
                        let kept = check!(regs.get(usize::from(a)..usize::from(a) + usize::from(b)).ok_or_else(invalid_image));
                        reg!(a) = ctx.heap.closure(id, kept.into());
                    }
                    Op::Join => {
                        let parts = check!(regs.get(usize::from(a)..usize::from(a) + usize::from(b)).ok_or_else(invalid_image));
                        reg!(a) = check!(escape::join(&mut ctx.heap, parts));
                    }
                    Op::Return | Op::ReturnNothing => {
                        let value = if op == Op::Return { reg!(a) } else { Value::Nil };
                        while self.handlers.last().is_some_and(|handler| handler.depth >= self.frames.len()) {
                            self.handlers.pop();
                        }
                        let Some(caller) = self.frames.pop() else {
                            return Ok((op == Op::Return).then_some(value));
                        };
                        let result = self.frame.result;
                        self.frame = caller;
                        *self.stack.get_mut(result).ok_or_else(invalid_image)? = value;
                        continue 'frame;
                    }
                    Op::TryBegin => {
                        let offset = wide!().cast_signed();
                        if self.handlers.len() >= MAX_HANDLERS {
                            check!(Err(invalid_image()));
                        }
                        let handler = Handler {
                            depth: self.frames.len(),
                            pc: pc.wrapping_add_signed(offset as isize),
                            register: a,
                            captures: ctx.out.depth(),
                        };
                        self.handlers.push(handler);
                    }
                    Op::TryEnd => {
                        self.handlers.pop();
                    }
                    Op::ForPrep => {
                        let [items, position, map] = check!(iterate::prepare(&mut ctx.heap, reg!(a)));
                        reg!(a) = items;
                        reg!(a.wrapping_add(1)) = position;
                        reg!(a.wrapping_add(2)) = map;
                    }
                    Op::ForNext | Op::ForPair => {
                        let offset = wide!();
                        let state = [reg!(a), reg!(a.wrapping_add(1)), reg!(a.wrapping_add(2))];
                        match check!(iterate::next(&ctx.heap, state)) {
                            Some((index, item, position)) => {
                                reg!(a.wrapping_add(1)) = Value::Int(position);
                                if op == Op::ForPair {
                                    reg!(b) = index;
                                    reg!(c) = item;
                                } else {
                                    // One name takes an Arr's items, but a Map's keys.
                                    reg!(b) = if matches!(state[2], Value::Map(_)) { index } else { item };
                                }
                            }
                            None => jump!(offset),
                        }
                    }
                    Op::Text => {
                        let text = check!(ctx.heap.program.string_bytes(wide!()).ok_or_else(invalid_image));
                        check!(ctx.out.check());
                        ctx.out.bytes.extend_from_slice(text);
                    }
                    Op::Output => {
                        let escape = check!(Escape::from_code(b).ok_or_else(invalid_image));
                        check!(ctx.out.check());
                        check!(escape::write(&ctx.heap, reg!(a), escape, &mut ctx.out.bytes));
                    }
                    Op::CaptureBegin => check!(ctx.out.begin()),
                    Op::CaptureEnd => {
                        let bytes = check!(ctx.out.end().ok_or_else(invalid_image));
                        let text = check!(arithmetic::from_utf8(bytes));
                        reg!(a) = ctx.heap.raw(text);
                    }
                }
            }
        }
    }
}
