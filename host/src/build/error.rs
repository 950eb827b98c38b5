//! Why a component could not be made or read.

use std::fmt;

/// Something of a component that is counted or measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Part {
    Image,
    Contract,
    StaticFiles,
    Contracts,
    FileSections,
    Imports,
    Exports,
    NestedParts,
    Levels,
    Sections,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Image => "image",
            Self::Contract => "contract",
            Self::StaticFiles => "static files",
            Self::Contracts => "contracts",
            Self::FileSections => "sections of static files",
            Self::Imports => "imports",
            Self::Exports => "exports",
            Self::NestedParts => "nested parts",
            Self::Levels => "levels of nesting",
            Self::Sections => "sections",
        })
    }
}

/// A component could not be made or read. Messages are for operators and authors.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A part of the site is larger than a site can be.
    #[error("the {what} of the site: {found} bytes; at most {most} fit a component")]
    TooLarge {
        /// Which part.
        what: Part,
        /// Its bytes.
        found: usize,
        /// How many fit.
        most: usize,
    },
    /// Two static files of one path.
    #[error("two static files are called `{0}`")]
    SameFile(String),
    /// The section of static files is not as `build` writes it.
    #[error("the static files of the component cannot be read")]
    Files,
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
        what: Part,
        /// How many there are, or at least how many.
        found: usize,
        /// How many are possible.
        most: usize,
    },
}
