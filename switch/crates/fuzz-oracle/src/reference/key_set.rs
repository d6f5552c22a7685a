//! Sets of values in `select` and in tables' entries.

use crate::reference::arithmetic::signed;
use crate::reference::operators::equal;
use crate::reference::{Machine, Result, Value};
use p4_types::typed::{KeySet, Type};

impl Machine<'_> {
    /// Is the value (of that type) in the set?
    pub(super) fn contains(&mut self, set: &KeySet, value: &Value, ty: &Type) -> Result<bool> {
        match set {
            KeySet::Any => Ok(true),
            KeySet::Value(element) => equal(&self.evaluate(element)?, value),
            KeySet::Mask(element, mask) => {
                let (element, mask) = (self.evaluate(element)?.bits()?, self.evaluate(mask)?.bits()?);
                Ok(value.bits()? & mask == element & mask)
            }
            KeySet::Range(low, high) => {
                let (low, high) = (self.evaluate(low)?.bits()?, self.evaluate(high)?.bits()?);
                let (value, format) = (value.bits()?, self.format(ty)?);
                Ok(if format.signed {
                    let number = |bits| signed(bits, format.width);
                    (number(low)..=number(high)).contains(&number(value))
                } else {
                    (low..=high).contains(&value)
                })
            }
            KeySet::ValueSet(id) => {
                let number = value.bits()?;
                let members = self.memory.control_plane.value_sets.get(&id.index());
                Ok(members.is_some_and(|members| members.contains(&number)))
            }
        }
    }

    /// Are the values in all of the sets? A single `default` stands for all keys.
    pub(super) fn contains_all(&mut self, sets: &[KeySet], values: &[(Value, Type)]) -> Result<bool> {
        if let [KeySet::Any] = sets {
            return Ok(true);
        }
        let mut inside = true;
        for (set, (value, ty)) in sets.iter().zip(values) {
            inside = inside && self.contains(set, value, ty)?;
        }
        Ok(inside)
    }
}
