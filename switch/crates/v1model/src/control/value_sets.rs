//! Parser value sets.

use crate::state::to_limbs;
use crate::switch::Switch;
use crate::types::{ControlError, ValueSetId, ValueSetMember, ValueSetRange};

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
