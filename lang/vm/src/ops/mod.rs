//! What operators do: arithmetic, comparison, membership, joining.

pub(crate) mod arithmetic;
pub(crate) mod compare;
pub(crate) mod equal;
pub(crate) mod number;
