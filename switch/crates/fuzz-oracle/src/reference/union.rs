//! Header unions: one member at most is valid.

use crate::reference::place::Place;
use crate::reference::{Machine, Result, Value};

impl Machine<'_> {
    /// After a member of a union was written, made valid or invalid: no other one is valid. (An invalid member too makes all of
    /// them invalid, as the specification says of `setInvalid`.)
    pub(super) fn one_member(&mut self, place: &Place) -> Result<()> {
        let Some((union, written)) = place.parent() else { return Ok(()) };
        if let Some(Value::Union(members)) = self.target(&union)? {
            let known = members[written] != Value::Undefined;
            for (position, member) in members.iter_mut().enumerate() {
                match member {
                    Value::Header { valid, fields } if known && position != written => {
                        *valid = false;
                        fields.fill(Value::Undefined);
                    }
                    member if !known => *member = Value::Undefined,
                    _ => {}
                }
            }
        }
        Ok(())
    }
}
