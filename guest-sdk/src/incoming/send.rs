//! Sends a reply through `wasi:io`, a piece at a time as the host takes it.

use alloc::string::ToString;

use crate::Site;
use crate::bindings::wasi::http::types::{Fields, OutgoingBody, OutgoingResponse, ResponseOutparam};
use crate::bindings::wasi::io::streams::OutputStream;
use crate::web::reply::{Content, Reply};

/// Bytes of a static file that are in memory at once.
const PIECE: u32 = 64 << 10;

/// Sends the reply. A client that goes away ends it, silently.
///
/// The answer to a HEAD has the body of a GET: hosts leave it out on the wire, and refuse one that is shorter than its length says.
pub(super) fn send<S: Site>(out: ResponseOutparam, reply: Reply) {
    let Reply { status, mut headers, content } = reply;
    let bodiless = matches!(status, 204 | 205 | 304);
    if !bodiless {
        headers.push(("content-length".to_string(), content.len().to_string()));
    }
    let fields = Fields::new();
    for (name, value) in headers {
        // One that the host does not allow is left out: the others still say what the answer is.
        let _ = fields.append(&name, value.as_bytes());
    }
    let response = OutgoingResponse::new(fields);
    if response.set_status_code(status).is_err() {
        // Not a status of HTTP, and 500 is one.
        let _ = response.set_status_code(500);
    }
    let body = response.body();
    ResponseOutparam::set(out, Ok(response));
    let Ok(body) = body else { return };
    let whole = bodiless || write_all::<S>(&body, &content).is_some();
    if whole {
        // An error here means that the client is gone.
        let _ = OutgoingBody::finish(body, None);
    }
}

fn write_all<S: Site>(body: &OutgoingBody, content: &Content) -> Option<()> {
    let stream = body.write().ok()?;
    match content {
        Content::Bytes(bytes) => write(&stream, bytes)?,
        Content::File { start, length } => {
            let mut sent = 0;
            while sent < *length {
                let piece = (*length - sent).min(PIECE);
                write(&stream, &S::read(start + sent, piece))?;
                sent += piece;
            }
        }
    }
    stream.blocking_flush().ok()
}

/// Writes as much as the host takes, waits, goes on.
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
