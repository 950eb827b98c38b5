//! The djo language: source to a checked program to bytecode.
//!
//! `syntax` and `template` read files, `routes` and `check` decide what they mean, `lower` writes the image. The compiler does
//! no I/O: it is given [`Sources`] and answers with everything that is wrong with them, or with a [`Compiled`] site.
//!
//! ```
//! use djo_lang::{Sources, compile, diagnostic};
//!
//! let sources = Sources::default()
//!     .with("core/oi.djo", "action saudar\n    params[nome[String]]\n    return \"Olá, \" + nome\n")
//!     .with("rotas.djo", "Route.action:\"/oi\":\"saudr\"\n");
//! let failed = compile(&sources).unwrap_err();
//! assert_eq!(failed.diagnostics[0].message, "a action `saudr` não existe");
//! assert_eq!(failed.diagnostics[0].hints, ["você quis dizer `saudar`?"]);
//! println!("{}", diagnostic::render(&failed.files, &failed.diagnostics, false));
//! ```

pub mod ast;
mod check;
mod compile;
pub mod diagnostic;
pub mod lower;
pub mod program;
mod routes;
pub mod source;
mod syntax;
mod template;
mod walk;

pub use crate::{
    check::{Checked, check},
    compile::{Compiled, Failed, compile},
    diagnostic::{Diagnostic, Severity},
    source::Sources,
};
