//! What a panic of a guest ends in: a line in the site's log, then a trap.

use core::fmt::{self, Write};
use core::panic::PanicInfo;

use crate::bindings::djo::site::log;

/// Holds the message without allocating: memory may be what ran out. Longer ones are cut.
struct Line {
    bytes: [u8; 480],
    len: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut room = (self.bytes.len() - self.len).min(text.len());
        while !text.is_char_boundary(room) {
            room -= 1;
        }
        self.bytes[self.len..self.len + room].copy_from_slice(&text.as_bytes()[..room]);
        self.len += room;
        if room < text.len() { Err(fmt::Error) } else { Ok(()) }
    }
}

/// Ends the instance; the message is in the log, with the place in the site's sources where that is known. What
/// [`component!`](crate::component) installs as the panic handler.
pub fn panic(info: &PanicInfo<'_>, place: Option<(&str, u32)>) -> ! {
    let mut line = Line { bytes: [0; 480], len: 0 };
    // A cut message is as good as it gets. Where the machine was, its own place in our sources says nothing to anybody.
    let _ = match place {
        Some(_) => write!(line, "{}", info.message()),
        None => write!(line, "{info}"),
    };
    let message = core::str::from_utf8(&line.bytes[..line.len]).unwrap_or("panic");
    match place {
        Some((file, number)) => log::fault(message, file, number),
        None => log::write(log::Level::Error, message),
    }
    core::arch::wasm32::unreachable()
}
