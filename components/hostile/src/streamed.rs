//! The wasi:http door: heads and bodies that lie, stall, never end, or end in a trap.

use alloc::{format, string::String, vec, vec::Vec};

use crate::Hostile;
use crate::bindings::exports::wasi::http::incoming_handler::Guest;
use crate::bindings::wasi::http::types::{
    ErrorCode, Fields, IncomingBody, IncomingRequest, OutgoingBody, OutgoingResponse, ResponseOutparam,
};
use crate::bindings::wasi::io::streams::{OutputStream, StreamError};
use crate::exhaust::exhaust;

impl Guest for Hostile {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        let target = request.path_with_query().unwrap_or_default();
        let path = target.split('?').next().unwrap_or_default().trim_start_matches('/');
        let empty = &[][..];
        match path {
            "ok" => answer(out, 200, &[("content-type", b"text/plain")], |body| write(body, b"ok").is_some()),
            "echo" => {
                let method = format!("{:?}", request.method());
                answer(out, 200, &[("x-method", method.as_bytes())], |body| echo(&request, body));
            }
            "headers" => {
                let entries = request.headers().entries();
                let lines: Vec<_> = entries.iter().map(|(name, value)| format!("{name}: {}\n", String::from_utf8_lossy(value))).collect();
                answer(out, 200, empty, |body| write(body, lines.concat().as_bytes()).is_some());
            }
            "no-body" => answer(out, 204, &[("x-a", b"1")], |_| true),
            "nothing" => {}
            "gives-up" => ResponseOutparam::set(out, Err(ErrorCode::InternalError(None))),
            "many-headers" => {
                let fields = Fields::new();
                for number in 0..20_000 {
                    // Once there is no more room it stays as it is.
                    let _ = fields.append("x-bomb", format!("{number}").as_bytes());
                }
                send_head(out, 200, fields);
            }
            "long-header" => {
                let value = vec![b'x'; 100 << 10];
                answer(out, 200, &[("x-long", &value)], |_| true);
            }
            "says-too-much" => answer(
                out,
                200,
                &[("date", b"yesterday"), ("server", b"evil"), ("x-request-id", b"forged"), ("trailer", b"x-a"), ("x-kept", b"1")],
                |body| write(body, b"ok").is_some(),
            ),
            "trailers" => {
                let Some(body) = send_head(out, 200, Fields::new()) else { return };
                body.write().ok().and_then(|stream| write(&stream, b"ok"));
                let trailers = Fields::new();
                let _ = trailers.append("x-trailer", b"1");
                let _ = OutgoingBody::finish(body, Some(trailers));
            }
            "short" => answer(out, 200, &[("content-length", b"100")], |body| write(body, b"ten bytes.").is_some()),
            "long" => answer(out, 200, &[("content-length", b"10")], |body| write(body, &[b'x'; 1000]).is_some()),
            "announces-a-gigabyte" => answer(out, 200, &[("content-length", b"1073741824")], |_| true),
            "gigabyte" => answer(out, 200, empty, |body| (0..16_384).all(|_| write(body, &[b'x'; 65_536]).is_some())),
            "endless" => answer(out, 200, empty, |body| {
                while write(body, b"and so on ").is_some() {}
                true
            }),
            "begins-and-stalls" => answer(out, 200, empty, |body| after(body, "sleep")),
            "begins-and-spins" => answer(out, 200, empty, |body| after(body, "spin")),
            "begins-and-traps" => answer(out, 200, empty, |body| after(body, "trap")),
            "traps-before-the-body" => answer(out, 200, empty, |_| {
                exhaust("trap");
                true
            }),
            how => {
                exhaust(how);
                answer(out, 200, empty, |body| write(body, b"survived").is_some());
            }
        }
    }
}

fn send_head(out: ResponseOutparam, status: u16, fields: Fields) -> Option<OutgoingBody> {
    let response = OutgoingResponse::new(fields);
    let _ = response.set_status_code(status);
    let body = response.body().ok();
    ResponseOutparam::set(out, Ok(response));
    body
}

/// Answers; the body is finished only when it was said whole.
fn answer(out: ResponseOutparam, status: u16, headers: &[(&str, &[u8])], say: impl FnOnce(&OutputStream) -> bool) {
    let fields = Fields::new();
    for (name, value) in headers {
        // What the host forbids is simply not there.
        let _ = fields.append(name, value);
    }
    let Some(body) = send_head(out, status, fields) else { return };
    let whole = body.write().is_ok_and(|stream| say(&stream));
    if whole {
        let _ = OutgoingBody::finish(body, None);
    }
}

/// Something is said, and on its way to the client, before it happens.
fn after(body: &OutputStream, how: &str) -> bool {
    let begun = write(body, b"something").is_some() && body.blocking_flush().is_ok();
    exhaust(how);
    begun
}

fn write(stream: &OutputStream, mut bytes: &[u8]) -> Option<()> {
    while !bytes.is_empty() {
        let room = stream.check_write().ok()?;
        if room == 0 {
            stream.subscribe().block();
            continue;
        }
        let (now, later) = bytes.split_at(bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX)));
        stream.write(now).ok()?;
        bytes = later;
    }
    Some(())
}

/// Sends back what comes, as it comes.
fn echo(request: &IncomingRequest, out: &OutputStream) -> bool {
    let Ok(body) = request.consume() else { return false };
    let whole = body.stream().is_ok_and(|stream| {
        loop {
            match stream.blocking_read(65_536) {
                Ok(bytes) if write(out, &bytes).is_none() => return false,
                Ok(_) => {}
                Err(StreamError::Closed) => return true,
                Err(StreamError::LastOperationFailed(_)) => return false,
            }
        }
    });
    drop(IncomingBody::finish(body));
    whole
}
