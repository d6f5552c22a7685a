//! Parameters of hashes.

use bmv2_runtime::{Code, Kind, Refusal, Runtime};
use v1model::CrcParameters;

use super::{Answer, Call, of};
use crate::value::{Fields, Value};

pub(super) const CALLS: &[Call] = &[
    of(Kind::Calculation, "bm_set_crc16_custom_parameters", |runtime, given| {
        set(runtime, given, 16, |config, number| Ok(config.i16(number)?.cast_unsigned().into()))
    }),
    of(Kind::Calculation, "bm_set_crc32_custom_parameters", |runtime, given| {
        set(runtime, given, 32, |config, number| Ok(config.i32(number)?.cast_unsigned().into()))
    }),
    // v1model has no such hash, so none has that name.
    of(Kind::Calculation, "bm_set_toeplitz_hash_key", |_, _| {
        Err(Refusal::new(Kind::Calculation, Code::InvalidName).into())
    }),
];

type Bits = fn(&Fields, i16) -> Result<u64, crate::fault::Fault>;

fn set(runtime: &mut Runtime<'_>, given: &Fields, width: u32, bits: Bits) -> Answer {
    let config = given.fields(3)?;
    let parameters = CrcParameters {
        polynomial: bits(config, 1)?,
        initial: bits(config, 2)?,
        final_xor: bits(config, 3)?,
        reflect_data: config.bool(4)?,
        reflect_remainder: config.bool(5)?,
    };
    let name = given.text(2)?;
    let is_other = runtime.switch.has_calculation(name);
    let code = if is_other { Code::WrongTypeCalculation } else { Code::InvalidName };
    let refused = |_| Refusal::new(Kind::Calculation, code);
    runtime.switch.crc_parameters_set(name, width, parameters).map_err(refused)?;
    Ok(Value::Void)
}
