//! Headers that are members of unions.
//!
//! When one becomes valid, the others become invalid: the switch sees to that. When one becomes *in*valid, all of them
//! become invalid, says the specification, also if another one was the valid one. BMv2 does that with each by itself.

use crate::storage::allocation::Storage;
use crate::storage::place::Place;
use p4_ir::ops::Op;
use p4_ir::storage::HeaderId;

impl Storage<'_> {
    /// The other members of the union that a header is in, if it is in one.
    pub fn other_members(&self, header: HeaderId) -> Vec<HeaderId> {
        let mut unions = self.program.unions.iter();
        let union = unions.find(|union| union.members.contains(&header));
        let members = union.map(|union| union.members.clone()).unwrap_or_default();
        members.into_iter().filter(|member| *member != header).collect()
    }

    /// Is a place a member of a union? A value copied back to one member may make the others invalid.
    pub fn is_union_member(&self, place: &Place) -> bool {
        matches!(place, Place::Header(header) if !self.other_members(*header).is_empty())
    }

    /// The operations that make a header invalid, and with it the others of its union.
    pub fn invalidation(&self, header: HeaderId) -> impl Iterator<Item = Op> + use<> {
        std::iter::once(header).chain(self.other_members(header)).map(Op::SetInvalid)
    }
}
