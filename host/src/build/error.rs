//! Why a component could not be made or read.

use super::program::{MAX_CONTRACT_BYTES, MAX_IMAGE_BYTES};

/// A component could not be made or read. Messages are for operators and authors.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The compiled program is larger than a site can be.
    #[error("the program has {0} bytes; at most {MAX_IMAGE_BYTES} fit a site")]
    ImageTooLarge(usize),
    /// The contract is larger than a host reads.
    #[error("the contract has {0} bytes; at most {MAX_CONTRACT_BYTES} fit a site")]
    ContractTooLarge(usize),
    /// The parts did not fit together: a defect of this build of the host.
    #[error("the runtime and the program do not compose: {0:#}")]
    Compose(anyhow::Error),
    /// The file is no component.
    #[error("not a WebAssembly component")]
    NotAComponent,
    /// The file is no well-formed WebAssembly.
    #[error("not well-formed WebAssembly: {0}")]
    Malformed(#[from] wasmparser::BinaryReaderError),
    /// The file goes beyond what is read of a stranger's.
    #[error("the component has {found} {what}; at most {most} are read")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// How many there are, or at least how many.
        found: usize,
        /// How many are read.
        most: usize,
    },
}
