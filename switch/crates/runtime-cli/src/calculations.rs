//! `set_crc16_parameters` and `set_crc32_parameters`.

use num_traits::ToPrimitive;
use v1model::CrcParameters;

use crate::Command;
use crate::arguments::exactly;
use crate::commands::Done;
use crate::failure::{Failure, usage};
use crate::values::big;

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
    let set = work.switch.crc_parameters_set(name, width, parameters);
    set.map_err(|_| usage(format!("Invalid crc{width}_custom name ({name})")))?;
    Ok(None)
}

fn bits(text: &str, what: &str, width: u32) -> Result<u64, Failure> {
    let number = big(text).ok_or_else(|| usage(format!("Bad format for {what}, expected integer")))?;
    number
        .to_u64()
        .filter(|value| value >> width == 0)
        .ok_or_else(|| usage(format!("Integer cannot fit within {width} bits")))
}

fn truth(text: &str) -> Result<bool, Failure> {
    match text {
        "true" | "True" => Ok(true),
        "false" | "False" => Ok(false),
        number => Ok(big(number).ok_or_else(|| usage("Invalid bool parameter"))?.bits() > 0),
    }
}
