//! Parser value sets.

use super::encode::to_limbs;
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
    /// Fields that are matched as ranges; the mask is zero there.
    pub ranges: Vec<ValueSetRange>,
}

/// A field of a member that is matched as a range: the bytes from `start` on are between `low` and `high`, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueSetRange {
    /// First byte of the field.
    pub start: usize,
    /// Smallest value, as long as the field.
    pub low: Vec<u8>,
    /// Largest value, as long as the field.
    pub high: Vec<u8>,
}

impl ValueSetRange {
    /// Whether a key lies in it.
    pub(crate) fn holds(&self, key: &[u8]) -> bool {
        let part = key.get(self.start..self.start.saturating_add(self.low.len()));
        part.is_some_and(|part| part >= self.low.as_slice() && part <= self.high.as_slice())
    }
}

impl Switch {
    /// Replaces all members of a value set.
    pub fn value_set_write(&mut self, set: ValueSetId, members: Vec<ValueSetMember>) -> Result<(), ControlError> {
        let program = self.program.as_deref().ok_or(ControlError::NoProgram)?;
        let unknown = || ControlError::Unknown { kind: "value set", name: set.0.to_string() };
        let info = program.value_sets.get(set.index()).ok_or_else(unknown)?;
        if info.max_size > 0 && members.len() > info.max_size {
            return Err(ControlError::Full { what: format!("value set {}", info.name), size: info.max_size });
        }
        let bytes: u32 = info.fields.iter().map(|width| width.div_ceil(8)).sum();
        for member in &members {
            let fits = |range: &ValueSetRange| {
                range.low.len() == range.high.len() && range.start.saturating_add(range.low.len()) <= bytes as usize
            };
            if !member.ranges.iter().all(fits) {
                return Err(ControlError::Invalid(format!("value set {}: a range is not a field", info.name)));
            }
            for value in [Some(&member.value), member.mask.as_ref()].into_iter().flatten() {
                to_limbs(value, bytes * 8, || format!("value set {}", info.name))?;
            }
        }
        self.memory.value_sets.get_mut(set.index()).ok_or_else(unknown)?.members = members;
        Ok(())
    }

    /// The members of a value set.
    pub fn value_set_read(&self, set: ValueSetId) -> Result<Vec<ValueSetMember>, ControlError> {
        let unknown = || ControlError::Unknown { kind: "value set", name: set.0.to_string() };
        Ok(self.memory.value_sets.get(set.index()).ok_or_else(unknown)?.members.clone())
    }
}
