//! Why a component could not be made or read.

/// A component could not be made or read. Messages are for operators and authors.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A part of the site is larger than a site can be.
    #[error("the {what} of the site: {found} bytes; at most {most} fit a component")]
    TooLarge {
        /// Which part.
        what: &'static str,
        /// Its bytes.
        found: usize,
        /// How many fit.
        most: usize,
    },
    /// Two static files of one path.
    #[error("two static files are called `{0}`")]
    SameFile(String),
    /// The parts did not fit together: a defect of this build of the host.
    #[error("the runtime and the program do not compose: {0:#}")]
    Compose(anyhow::Error),
    /// The file is no component.
    #[error("not a WebAssembly component")]
    NotAComponent,
    /// The file is no well-formed WebAssembly.
    #[error("not well-formed WebAssembly: {0}")]
    Malformed(#[from] wasmparser::BinaryReaderError),
    /// More than a component can have, or than is read of a stranger's.
    #[error("{found} {what}; at most {most} are possible")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// How many there are, or at least how many.
        found: usize,
        /// How many are possible.
        most: usize,
    },
}
