//! Which locals surely have a value at a point of a function.

/// A set of registers. Where control cannot come, all are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Assigned([u64; 4]);

impl Assigned {
    /// What holds after `return`, `break` or `continue`.
    pub(super) const UNREACHABLE: Self = Self([u64::MAX; 4]);

    /// Adds a register.
    pub(super) fn insert(&mut self, register: u8) {
        self.0[usize::from(register >> 6)] |= 1 << (register & 63);
    }

    /// Tells whether a register is in it.
    pub(super) fn contains(&self, register: u8) -> bool {
        self.0[usize::from(register >> 6)] & 1 << (register & 63) != 0
    }

    /// What holds where two ways meet.
    pub(super) fn meet(self, other: Self) -> Self {
        let [a, b, c, d] = self.0;
        let [w, x, y, z] = other.0;
        Self([a & w, b & x, c & y, d & z])
    }
}
