//! Parser value sets.

use bmv2_runtime::{Code, Kind, Refusal, Runtime, number_of};
use num_bigint::BigUint;
use v1model::ValueSetInfo;

use super::{Answer, Call, of};
use crate::fault::Fault;
use crate::value::{Fields, Value, byte_strings};

pub(super) const CALLS: &[Call] = &[
    of(Kind::ValueSet, "bm_parse_vset_add", |runtime, given| {
        let info = value_set(runtime, given)?;
        runtime.add_to_value_set(&info, &number(&info, given)?)?;
        Ok(Value::Void)
    }),
    of(Kind::ValueSet, "bm_parse_vset_remove", |runtime, given| {
        let info = value_set(runtime, given)?;
        runtime.remove_from_value_set(&info, &number(&info, given)?)?;
        Ok(Value::Void)
    }),
    of(Kind::ValueSet, "bm_parse_vset_get", get),
    of(Kind::ValueSet, "bm_parse_vset_clear", |runtime, given| {
        let info = value_set(runtime, given)?;
        runtime.clear_value_set(&info)?;
        Ok(Value::Void)
    }),
];

fn value_set(runtime: &Runtime<'_>, given: &Fields) -> Result<ValueSetInfo, Fault> {
    Ok(runtime.value_set(given.text(2)?).ok_or(Refusal::new(Kind::ValueSet, Code::InvalidName))?)
}

/// The number over all fields that field 3 is, in bytes.
fn number(info: &ValueSetInfo, given: &Fields) -> Result<BigUint, Fault> {
    let number = BigUint::from_bytes_be(given.bytes(3)?);
    if number.bits() > u64::from(info.width) {
        let why = format!("{} has {} bits: the value {number} does not fit", info.name, info.width);
        return Err(Refusal::explained(Kind::ValueSet, Code::Error, why).into());
    }
    Ok(number)
}

fn get(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = value_set(runtime, given)?;
    let length = info.width.div_ceil(8) as usize;
    let members = runtime.value_set_members(&info)?;
    Ok(byte_strings(members.iter().map(|member| {
        let digits = number_of(member, &info).to_bytes_be();
        [vec![0; length.saturating_sub(digits.len())], digits].concat()
    })))
}
