//! Reads a request's body as it comes, no further than its limit.

use alloc::vec::Vec;

use super::asked::Asked;
use crate::bindings::wasi::http::types::IncomingRequest;
use crate::bindings::wasi::io::streams::StreamError;
use crate::web::request::BodyError;

/// Bytes asked for at once.
const CHUNK: u64 = 64 << 10;

/// The whole body, of so many bytes at most.
pub(super) fn read(request: &IncomingRequest, asked: &Asked, most: u64) -> Result<Vec<u8>, BodyError> {
    let announced = asked.header("content-length").and_then(|length| length.parse::<u64>().ok());
    if announced.is_some_and(|length| length > most) {
        return Err(BodyError::TooLarge);
    }
    let body = request.consume().map_err(|()| BodyError::Broken)?;
    let stream = body.stream().map_err(|()| BodyError::Broken)?;
    let mut content = Vec::new();
    loop {
        match stream.blocking_read(CHUNK) {
            Ok(chunk) if content.is_empty() => content = chunk,
            Ok(chunk) => content.extend_from_slice(&chunk),
            Err(StreamError::Closed) => return Ok(content),
            Err(StreamError::LastOperationFailed(_)) => return Err(BodyError::Broken),
        }
        if content.len() as u64 > most {
            return Err(BodyError::TooLarge);
        }
    }
}
