//! The `djo-host` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    djo_host::cli::run(std::env::args_os())
}
