//! What the servers that a site calls have in common in tests.

use std::io::{self, Read};

/// Reads a request up to the end of its head, and what of the body came with it; `None` when its client went away before.
///
/// # Errors
/// When the connection breaks.
pub fn head(stream: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut asked = Vec::new();
    let mut buffer = [0; 4096];
    while !asked.windows(4).any(|window| window == b"\r\n\r\n") {
        match stream.read(&mut buffer)? {
            0 => return Ok(None),
            read => asked.extend_from_slice(&buffer[..read]),
        }
    }
    Ok(Some(asked))
}
