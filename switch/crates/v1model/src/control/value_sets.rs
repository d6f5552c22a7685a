//! Parser value sets.

use super::error::ControlError;
use super::info::ValueSetId;
use crate::switch::Switch;

/// A member: value and mask over the set's fields, each field rounded up to bytes, in order. An all-ones mask is an exact
/// match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueSetMember {
    /// Value; bits outside the mask are ignored.
    pub value: Vec<u8>,
    /// Mask; `None`: exact.
    pub mask: Option<Vec<u8>>,
}

impl Switch {
    /// Replaces all members of a value set.
    pub fn value_set_write(&mut self, set: ValueSetId, members: Vec<ValueSetMember>) -> Result<(), ControlError> {
        let _ = (set, members);
        Err(ControlError::NoProgram)
    }

    /// The members of a value set.
    pub fn value_set_read(&self, set: ValueSetId) -> Result<Vec<ValueSetMember>, ControlError> {
        let _ = set;
        Err(ControlError::NoProgram)
    }
}
