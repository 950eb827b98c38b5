//! Components: how one is made of a compiled site, recognised as ours, and read without being run.

mod compose;
mod contract_section;
mod error;
mod inspect;
mod program;
mod public_section;
mod recognise;
mod runtime;
mod sections;

pub use compose::{Reach, compose, make_portable};
pub use contract_section::{SECTION, append_contract, peek_contract, read_contract};
pub use error::{BuildError, Part};
pub use inspect::{Inspection, Kind, inspect};
pub use program::{MAX_CONTRACT_BYTES, MAX_FILES, MAX_FILES_BYTES, MAX_IMAGE_BYTES, Parts};
pub use public_section::{append_files, read_files};
pub use recognise::{Recognised, recognise, site_of_portable};
pub use runtime::RUNTIME;

#[cfg(test)]
mod tests;
