//! The smallest site in Rust.
#![no_std]

#[djo::site]
mod ola {
    use djo::prelude::*;

    /// O cumprimento
    #[djo::data]
    struct Ola {
        ola: String,
    }

    /// Cumprimenta
    #[djo::agent("/ola")]
    fn ola() -> Ola {
        Ola { ola: "mundo".into() }
    }
}
