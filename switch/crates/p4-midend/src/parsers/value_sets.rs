//! Value sets that have been lowered: each is made once.

use p4_types::typed::ValueSetId;
use std::collections::HashMap;

/// Value sets so far; the first numbers are those of contexts.
#[derive(Default)]
pub struct ValueSets {
    known: HashMap<(usize, ValueSetId), p4_ir::parser::ValueSetId>,
    order: Vec<(usize, ValueSetId, u64)>,
}

impl ValueSets {
    /// One that has been made.
    pub fn get(&self, context: usize, id: ValueSetId) -> Option<p4_ir::parser::ValueSetId> {
        self.known.get(&(context, id)).copied()
    }

    /// Notes one that has been made, with its size.
    pub fn insert(&mut self, context: usize, id: ValueSetId, made: p4_ir::parser::ValueSetId, size: u64) {
        self.known.insert((context, id), made);
        self.order.push((context, id, size));
    }

    /// All, with their contexts and sizes, in the order in which they were made.
    pub fn in_order(&self) -> &[(usize, ValueSetId, u64)] {
        &self.order
    }
}
