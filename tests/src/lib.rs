//! What the end-to-end tests share: cases as data and their runner, a raw HTTP client, the server under test, a browser.

pub mod case;
pub mod check;
pub mod client;
pub mod guest;
pub mod run;
pub mod server;
pub mod suites;
pub mod upstream;
pub mod webdriver;
pub mod workspace;
