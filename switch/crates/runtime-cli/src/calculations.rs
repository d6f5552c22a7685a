//! `set_crc16_parameters` and `set_crc32_parameters`.

use num_traits::{ToPrimitive, Zero};
use v1model::CrcParameters;

use crate::Command;
use crate::arguments::exactly;
use crate::commands::Done;
use crate::failure::{Failure, usage};
use crate::integer::of_any_base;

pub(crate) fn set_crc16(work: &mut Command<'_>, args: &[&str]) -> Done {
    set_parameters(work, args, 16)
}

pub(crate) fn set_crc32(work: &mut Command<'_>, args: &[&str]) -> Done {
    set_parameters(work, args, 32)
}

fn set_parameters(work: &mut Command<'_>, args: &[&str], width: u32) -> Done {
    let [name, polynomial, initial, final_xor, reflect_data, reflect_remainder] = exactly(args)?;
    let parameters = CrcParameters {
        polynomial: bits(polynomial, "polynomial", width)?,
        initial: bits(initial, "initial remainder", width)?,
        final_xor: bits(final_xor, "final xor value", width)?,
        reflect_data: truth(reflect_data)?,
        reflect_remainder: truth(reflect_remainder)?,
    };
    let set = work.runtime.switch.crc_parameters_set(name, width, parameters);
    set.map_err(|_| usage(format!("Invalid crc{width}_custom name ({name})")))?;
    Ok(None)
}

fn bits(text: &str, what: &str, width: u32) -> Result<u64, Failure> {
    let number = of_any_base(text).ok_or_else(|| usage(format!("Bad format for {what}, expected integer")))?;
    let (least, most) = (-(1i64 << (width - 1)), (1i64 << width) - 1);
    let value = number.to_i64().filter(|value| (least..=most).contains(value));
    // A negative one is its two's complement.
    value
        .map(|value| value.cast_unsigned() & most.cast_unsigned())
        .ok_or_else(|| usage(format!("Integer cannot fit within {width} bits")))
}

fn truth(text: &str) -> Result<bool, Failure> {
    match text {
        "true" | "True" => Ok(true),
        "false" | "False" => Ok(false),
        number => Ok(!of_any_base(number).ok_or_else(|| usage("Invalid bool parameter"))?.is_zero()),
    }
}
