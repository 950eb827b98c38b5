//! The smallest site in Rust.
#![cfg_attr(target_arch = "wasm32", no_std)]

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
