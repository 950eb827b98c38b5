//! The way to the machine that both doors take.

use alloc::{boxed::Box, string::ToString};

use djo_vm::host::{Failure, Host, Request, Response};
use djo_vm::{Program, run_within};

/// Runs a request on a program image, within a budget of steps.
pub(super) fn run(image: &[u8], host: &mut dyn Host, request: &Request, steps: u64) -> Result<Response, Box<Failure>> {
    let program = Program::new(image)
        .map_err(|error| Box::new(Failure { message: error.to_string(), kind: "imagem".to_string(), ..Failure::default() }))?;
    run_within(&program, host, request, steps)
}
