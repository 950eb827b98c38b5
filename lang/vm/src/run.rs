//! One request from entry to response.

use alloc::{boxed::Box, vec::Vec};

use crate::{
    action,
    context::Context,
    error::{Fallible, Raise, invalid_image, kind, raise},
    heap::Heap,
    host::{Entry, Failure, Host, Request, Response},
    image::{Function, NONE, Program},
    machine::Machine,
    place,
    value::Value,
};

/// Runs what the request names.
///
/// # Errors
/// An error of the site's code that nothing caught, or an image that does not hold what it should.
pub fn run(program: &Program<'_>, host: &mut dyn Host, request: &Request) -> Result<Response, Box<Failure>> {
    run_within(program, host, request, u64::MAX)
}

/// The same within a budget of steps (jumps back and calls), for hosts that cannot interrupt a run.
///
/// # Errors
/// As [`run`]; of kind `tempo` when the budget is spent.
pub fn run_within(program: &Program<'_>, host: &mut dyn Host, request: &Request, steps: u64) -> Result<Response, Box<Failure>> {
    place::clear();
    let mut ctx = Context::new(Heap::new(program), request, host, steps);
    let (id, function, arguments) = begin(&mut ctx).map_err(|error| outside(*error))?;
    let mut machine = Machine::new(ctx, id, &arguments).map_err(|error| outside(*error))?;
    let result = machine.run()?;
    machine.ctx.respond(&function, result).map_err(|error| Box::new(machine.failure(*error)))
}

/// The function that a request names, with its arguments.
fn begin(ctx: &mut Context<'_>) -> Fallible<(u32, Function, Vec<Value>)> {
    let program = ctx.heap.program;
    let face = |route: u32, face: usize| program.entry(route).and_then(|faces| faces.get(face).copied());
    let id = match ctx.request.entry {
        Entry::Screen(route) => face(route, 0),
        Entry::Agent(route) => face(route, 1),
        Entry::Action(route) => face(route, 2),
        Entry::ErrorPage(status) => program.error_page(status),
    };
    let id = id.filter(|id| *id != NONE).ok_or_else(|| raise(kind::IMAGE, "o programa não tem o que o pedido nomeia"))?;
    let function = program.function(id).ok_or_else(invalid_image)?;
    let arguments = if function.params > 0 { action::requested(ctx, &function)? } else { Vec::new() };
    Ok((id, function, arguments))
}

/// An error before any code ran.
fn outside(error: Raise) -> Box<Failure> {
    Box::new(Failure { message: error.message, kind: error.kind.into_owned(), refusal: error.refusal, ..Failure::default() })
}
