//! Temporaries: storage that is free again after the statement.

use p4_ir::expr::Ty;
use p4_ir::storage::FieldRef;
use std::collections::HashMap;

/// The temporaries made so far.
#[derive(Default)]
pub struct Temporaries {
    free: HashMap<Ty, Vec<FieldRef>>,
    used: Vec<(Ty, FieldRef)>,
}

impl Temporaries {
    /// One of this type that is free, if there is one.
    pub fn take(&mut self, ty: Ty) -> Option<FieldRef> {
        self.free.entry(ty).or_default().pop()
    }

    /// Notes that one is in use until [`release`](Self::release).
    pub fn note_used(&mut self, ty: Ty, field: FieldRef) {
        self.used.push((ty, field));
    }

    /// How many are in use.
    pub fn mark(&self) -> usize {
        self.used.len()
    }

    /// Frees those that came into use since [`mark`](Self::mark) gave this number.
    pub fn release(&mut self, mark: usize) {
        for (ty, field) in self.used.drain(mark..) {
            self.free.entry(ty).or_default().push(field);
        }
    }
}
