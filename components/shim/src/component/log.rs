//! The site's log, on stderr.

use alloc::{format, string::String};

use super::bindings::exports::djo::site::{log, progress};
use super::bindings::wasi::cli::stderr;
use super::exports::Shim;

/// What one blocking write of `wasi:io/streams` takes.
const WRITE: usize = 4096;

impl log::Guest for Shim {
    fn write(level: log::Level, message: String) {
        let mut line = String::from(match level {
            log::Level::Print => "",
            log::Level::Info => "info: ",
            log::Level::Warn => "warn: ",
            log::Level::Error => "error: ",
        });
        line.push_str(&message);
        put(line);
    }

    fn fault(message: String, file: String, line: u32) {
        put(format!("error: {file}:{line}: {message}"));
    }
}

fn put(mut line: String) {
    line.push('\n');
    let out = stderr::get_stderr();
    for part in line.as_bytes().chunks(WRITE) {
        if out.blocking_write_and_flush(part).is_err() {
            return;
        }
    }
}

impl progress::Guest for Shim {
    fn report(_done: f64, _total: Option<f64>, _message: Option<String>) {}
}
