//! Where the colours of direct meters go.

use p4_ir::storage::FieldRef;
use std::collections::HashMap;

/// The field of each direct meter that is read.
#[derive(Default)]
pub struct DirectMeters {
    destinations: HashMap<String, FieldRef>,
}

impl DirectMeters {
    /// The field of a meter, if it is read.
    pub fn destination(&self, meter: &str) -> Option<FieldRef> {
        self.destinations.get(meter).copied()
    }

    /// A meter is read from that field.
    pub fn set_destination(&mut self, meter: String, field: FieldRef) {
        self.destinations.insert(meter, field);
    }
}
