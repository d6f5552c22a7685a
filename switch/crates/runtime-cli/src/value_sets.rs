//! Parser value sets.

use num_bigint::BigUint;
use v1model::{ValueSetId, ValueSetMember};

use crate::Command;
use crate::arguments::exactly;
use crate::commands::Done;
use crate::failure::{Failure, usage};
use crate::integer::of_any_base;
use crate::values::hex;

/// A number over all fields, as the switch keeps it: each field rounded up to bytes.
fn member(text: &str, width: u32, fields: &[u32]) -> Result<ValueSetMember, Failure> {
    let number = of_any_base(text)
        .ok_or_else(|| usage("Invalid input, could not cast to integer, try in hex with 0x prefix"))?;
    let number = number.to_biguint().ok_or_else(|| usage("Parameter is negative"))?;
    if number.bits() > u64::from(width) {
        return Err(usage(format!("Input is too large, it should fit within {width} bits")));
    }
    let mut value = Vec::new();
    let mut left = width;
    for bits in fields {
        left = left.saturating_sub(*bits);
        let field = (&number >> left) & ((BigUint::from(1u8) << *bits) - 1u8);
        let digits = field.to_bytes_be();
        let length = bits.div_ceil(8) as usize;
        value.extend(std::iter::repeat_n(0, length.saturating_sub(digits.len())));
        value.extend(digits);
    }
    Ok(ValueSetMember { value, mask: None, ranges: vec![] })
}

impl Command<'_> {
    fn members(&self, id: ValueSetId) -> Result<Vec<ValueSetMember>, Failure> {
        self.switch.value_set_read(id).map_err(|error| usage(error.to_string()))
    }

    fn write_members(&mut self, id: ValueSetId, members: Vec<ValueSetMember>) -> Done {
        self.switch.value_set_write(id, members).map_err(|error| usage(error.to_string()))?;
        Ok(None)
    }
}

pub(crate) fn show(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [] = exactly(args)?;
    let sets = work.program.value_sets();
    let mut lines: Vec<String> =
        sets.iter().map(|set| format!("{:30} [compressed bitwidth:{}]", set.name, set.width)).collect();
    lines.sort();
    lines.into_iter().for_each(|line| work.print(line));
    Ok(None)
}

pub(crate) fn add(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, value] = exactly(args)?;
    let (id, width, fields) = work.value_set(name)?;
    let new = member(value, width, &fields)?;
    let mut members = work.members(id)?;
    if !members.contains(&new) {
        members.push(new);
    }
    work.write_members(id, members)
}

pub(crate) fn remove(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, value] = exactly(args)?;
    let (id, width, fields) = work.value_set(name)?;
    let gone = member(value, width, &fields)?;
    let mut members = work.members(id)?;
    members.retain(|other| other.value != gone.value);
    work.write_members(id, members)
}

pub(crate) fn get(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let (id, ..) = work.value_set(name)?;
    for member in work.members(id)? {
        work.print(hex(&member.value));
    }
    Ok(None)
}

pub(crate) fn clear(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let (id, ..) = work.value_set(name)?;
    work.write_members(id, vec![])
}
