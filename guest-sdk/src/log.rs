//! The site's log: `djo::info!("pedido {id}")`.

use alloc::{fmt::format, string::String};
use core::fmt::Arguments;

pub use crate::bindings::djo::site::log::Level;

use crate::outside::log;

/// One line into the site's log.
pub fn write(level: Level, message: Arguments<'_>) {
    match message.as_str() {
        Some(message) => log::write(level, message),
        None => {
            let message: String = format(message);
            log::write(level, &message);
        }
    }
}

/// Logs what is worth knowing.
#[macro_export]
macro_rules! info {
    ($($argument:tt)+) => { $crate::log::write($crate::log::Level::Info, ::core::format_args!($($argument)+)) };
}

/// Logs what somebody should look at.
#[macro_export]
macro_rules! warn {
    ($($argument:tt)+) => { $crate::log::write($crate::log::Level::Warn, ::core::format_args!($($argument)+)) };
}

/// Logs what went wrong.
#[macro_export]
macro_rules! error {
    ($($argument:tt)+) => { $crate::log::write($crate::log::Level::Error, ::core::format_args!($($argument)+)) };
}
