//! The list of three posts, in Rust.
#![cfg_attr(target_arch = "wasm32", no_std)]

#[djo::site]
mod posts {
    use djo::prelude::*;

    /// Um texto
    #[djo::data]
    struct Post {
        id: i64,
        titulo: String,
        nota: f64,
        publicado: bool,
    }

    fn post(id: i64, titulo: &str, nota: f64, publicado: bool) -> Post {
        Post { id, titulo: titulo.into(), nota, publicado }
    }

    /// Três posts
    #[djo::agent("/posts")]
    fn posts() -> Vec<Post> {
        vec![
            post(1, "Primeiro post", 4.5, true),
            post(2, "Segundo post", 3.0, true),
            post(3, "Terceiro post", 5.0, false),
        ]
    }
}
