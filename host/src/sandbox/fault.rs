//! A run that can go no further and says where: the machine of djo sites, when it is refused memory.

use wasmtime::Error;

use super::RunError;
use super::bindings::exports::djo::site::handler::Failure;

/// What a guest told of its end before it trapped.
#[derive(Debug, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub(super) struct Fault {
    message: String,
    file: String,
    line: u32,
}

impl Fault {
    /// The trap that ends the guest.
    pub(super) fn trap(message: String, file: String, line: u32) -> Error {
        Error::new(Self { message, file, line })
    }
}

impl RunError {
    /// What a run that met a limit or trapped told of it, as an author reads it; `None` where it told nothing.
    pub fn fault(&self) -> Option<Failure> {
        let (error, kind) = match self {
            Self::Memory(error) => (error, "memoria"),
            Self::Trap(error) => (error, "defeito"),
            _ => return None,
        };
        let Fault { message, file, line } = error.downcast_ref()?;
        let message = match self {
            Self::Memory(_) => "o pedido passou da memória que pode usar (`memory_mb`)".to_owned(),
            _ => message.clone(),
        };
        Some(Failure { message, kind: kind.to_owned(), file: file.clone(), line: *line, trace: Vec::new(), refusal: None })
    }
}
