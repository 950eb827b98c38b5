//! One way in to the machine for both doors.

use alloc::{string::String, vec};

use djo_vm::host::{Failure, Host, Request, Response};

/// Runs a request on a program image.
pub(crate) fn run(image: &[u8], host: &mut dyn Host, request: Request) -> Result<Response, Failure> {
    let _ = host;
    let mut body = request.path.into_bytes();
    body.extend_from_slice(image);
    Ok(Response { status: 200, headers: vec![(String::from("content-type"), String::from("text/plain"))], body, page: None })
}
