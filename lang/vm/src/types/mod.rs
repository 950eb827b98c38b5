//! Types at run time: a value where a type is wanted, structs built and checked, fields read and set.

mod coerce;
mod constraints;
pub(crate) mod describe;
mod fields;

pub(crate) use coerce::{Trust, accept, build, constant, new_struct, usual};
pub(crate) use constraints::Patterns;
pub(crate) use fields::{get_field, get_index, set_field, set_index};
