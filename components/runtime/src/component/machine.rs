//! The way to the machine that both doors take.

use alloc::{boxed::Box, string::ToString};

use djo_vm::host::{Failure, Host, Request, Response};
use djo_vm::{Program, run as run_program};

/// Runs a request on a program image.
pub(super) fn run(image: &[u8], host: &mut dyn Host, request: &Request) -> Result<Response, Box<Failure>> {
    let program = Program::new(image)
        .map_err(|error| Box::new(Failure { message: error.to_string(), kind: "imagem".to_string(), ..Failure::default() }))?;
    run_program(&program, host, request)
}
