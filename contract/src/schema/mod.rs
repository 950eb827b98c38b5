//! JSON Schema 2020-12 out of the type model, and back. The published schema accepts exactly what the decoder accepts.

#[cfg(feature = "compile")]
mod read;
mod shape;
mod shared;
mod write;

#[cfg(feature = "compile")]
pub use read::{SchemaError, from_schema};
pub use shape::is_shown;
pub use shared::Shared;
pub use write::{input_schema, parameter_schema, returns_schema, to_schema, tool_schema};

#[cfg(test)]
mod tests;
