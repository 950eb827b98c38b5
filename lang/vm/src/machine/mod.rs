//! The machine: frames over one register stack. Calls of the language never use the native stack.

mod call;
mod exec;
mod iterate;
mod unwind;

pub(crate) use call::check_count;

use alloc::{boxed::Box, vec::Vec};

use crate::{
    context::Context,
    error::{Fallible, Raise, invalid_image, kind, raise},
    host::Failure,
    image::{Function, Program},
    value::Value,
};

/// Calls within each other.
pub(crate) const MAX_CALLS: usize = 200;
/// Registers that any function may name.
const WINDOW: usize = 256;
/// Registers beyond a window that are made with it, for the frames of the next calls. Each one made is memory touched, which is what
/// a fresh instance pays for.
const AHEAD: usize = 64;
/// Registers that are written one by one before the others are copied from them.
const BLOCK: usize = 20;

/// A function that is running.
#[derive(Clone, Copy)]
struct Frame<'r> {
    function: u32,
    registers: u8,
    code: &'r [[u8; 4]],
    /// The next word.
    pc: usize,
    /// Where its registers start in the stack.
    base: usize,
    /// Where in the stack its result goes.
    result: usize,
}

impl<'r> Frame<'r> {
    #[inline]
    fn new(id: u32, function: &Function, program: &Program<'r>, base: usize, result: usize) -> Self {
        Self { function: id, registers: function.registers, code: program.code(function), pc: 0, base, result }
    }
}

/// A `try` that is open.
#[derive(Clone, Copy)]
struct Handler {
    /// How many frames wait below its function.
    depth: usize,
    /// Where its `catch` is.
    pc: usize,
    /// Takes the description of the error.
    register: u8,
    /// Captures that were open.
    captures: usize,
}

/// One run of a program.
pub(crate) struct Machine<'r> {
    pub(crate) ctx: Context<'r>,
    stack: Vec<Value>,
    frames: Vec<Frame<'r>>,
    frame: Frame<'r>,
    handlers: Vec<Handler>,
}

impl<'r> Machine<'r> {
    /// A machine about to run a function with arguments, which are of its types already.
    pub(crate) fn new(ctx: Context<'r>, function: u32, arguments: &[Value]) -> Fallible<Self> {
        let program = ctx.heap.program;
        let found = program.function(function).ok_or_else(invalid_image)?;
        let mut stack = nils();
        stack.get_mut(..arguments.len()).ok_or_else(invalid_image)?.copy_from_slice(arguments);
        let frame = Frame::new(function, &found, program, 0, 0);
        Ok(Self { ctx, stack, frames: Vec::new(), frame, handlers: Vec::new() })
    }

    /// Runs to the end. `None` when the function returned nothing.
    pub(crate) fn run(&mut self) -> Result<Option<Value>, Box<Failure>> {
        loop {
            match self.step() {
                Ok(result) => return Ok(result),
                Err(error) => {
                    if let Err(error) = self.catch(error) {
                        return Err(Box::new(self.failure(*error)));
                    }
                }
            }
        }
    }

    /// Makes room for a whole window above `base`.
    #[cold]
    fn grow(&mut self) {
        self.stack.resize(self.frame.base + WINDOW + AHEAD, Value::Nil);
    }

    /// Frees what nothing reaches.
    #[cold]
    fn collect(&mut self) {
        let top = self.frame.base + usize::from(self.frame.registers);
        let ctx = &mut self.ctx;
        let registers = self.stack.iter().take(top);
        let others: Vec<Value> = ctx.roots().copied().collect();
        ctx.heap.collect(registers.chain(&others));
    }
}

/// The first registers. Copied in blocks, which takes a fifth of what writing them one by one does.
fn nils() -> Vec<Value> {
    let mut stack = Vec::with_capacity(WINDOW + AHEAD);
    stack.extend([Value::Nil; BLOCK]);
    while stack.len() < WINDOW + AHEAD {
        stack.extend_from_within(..stack.len().min(WINDOW + AHEAD - stack.len()));
    }
    stack
}

#[cold]
fn too_many_calls() -> Box<Raise> {
    raise(kind::LIMIT, alloc::format!("mais de {MAX_CALLS} chamadas uma dentro da outra"))
}
