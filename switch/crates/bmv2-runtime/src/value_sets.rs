//! Parser value sets: a number over all fields there, the bytes of each field here.

use num_bigint::BigUint;
use v1model::{ControlError, ValueSetInfo, ValueSetMember};

use crate::{Code, Kind, Refusal, Runtime};

/// A number over all fields, as the switch keeps it: each field rounded up to bytes.
#[must_use]
pub fn member_of(number: &BigUint, info: &ValueSetInfo) -> ValueSetMember {
    let mut value = Vec::new();
    let mut left = info.width;
    for bits in &info.fields {
        left = left.saturating_sub(*bits);
        let field = (number >> left) & ((BigUint::from(1u8) << *bits) - 1u8);
        let digits = field.to_bytes_be();
        let length = bits.div_ceil(8) as usize;
        value.extend(std::iter::repeat_n(0, length.saturating_sub(digits.len())));
        value.extend(digits);
    }
    ValueSetMember { value, mask: None, ranges: vec![] }
}

/// The number over all fields that a member is.
#[must_use]
pub fn number_of(member: &ValueSetMember, info: &ValueSetInfo) -> BigUint {
    let mut number = BigUint::ZERO;
    let mut rest = &member.value[..];
    for bits in &info.fields {
        let (field, others) = rest.split_at(rest.len().min(bits.div_ceil(8) as usize));
        number = (number << *bits) | BigUint::from_bytes_be(field);
        rest = others;
    }
    number
}

fn refused(error: ControlError) -> Refusal {
    Refusal::explained(Kind::ValueSet, Code::Error, error.to_string())
}

impl Runtime<'_> {
    /// All members of a set.
    ///
    /// # Errors
    /// There is no such set.
    pub fn value_set_members(&self, info: &ValueSetInfo) -> Result<Vec<ValueSetMember>, Refusal> {
        self.switch.value_set_read(info.id).map_err(refused)
    }

    /// Adds a number, if it is not in there.
    ///
    /// # Errors
    /// The set is full.
    pub fn add_to_value_set(&mut self, info: &ValueSetInfo, number: &BigUint) -> Result<(), Refusal> {
        let new = member_of(number, info);
        let mut members = self.value_set_members(info)?;
        if !members.contains(&new) {
            members.push(new);
        }
        self.switch.value_set_write(info.id, members).map_err(refused)
    }

    /// Takes a number out, if it is in there.
    ///
    /// # Errors
    /// There is no such set.
    pub fn remove_from_value_set(&mut self, info: &ValueSetInfo, number: &BigUint) -> Result<(), Refusal> {
        let gone = member_of(number, info);
        let mut members = self.value_set_members(info)?;
        members.retain(|other| other.value != gone.value);
        self.switch.value_set_write(info.id, members).map_err(refused)
    }

    /// Takes all numbers out.
    ///
    /// # Errors
    /// There is no such set.
    pub fn clear_value_set(&mut self, info: &ValueSetInfo) -> Result<(), Refusal> {
        self.switch.value_set_write(info.id, vec![]).map_err(refused)
    }
}

#[cfg(test)]
mod tests {
    use v1model::ValueSetId;

    use super::*;

    #[test]
    fn a_number_and_its_fields() {
        let info =
            ValueSetInfo { id: ValueSetId(0), name: "kinds".to_owned(), width: 25, fields: vec![9, 16], max_size: 0 };
        let number = BigUint::from(0x1ff_8034_u32);
        let member = member_of(&number, &info);
        assert_eq!(member.value, [1, 0xff, 0x80, 0x34]);
        assert_eq!(number_of(&member, &info), number);
    }
}
