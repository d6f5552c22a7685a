//! Parser value sets.

use bmv2_runtime::number_of;
use num_bigint::BigUint;
use v1model::ValueSetInfo;

use crate::Command;
use crate::arguments::exactly;
use crate::commands::Done;
use crate::failure::{Failure, only_reason, usage};
use crate::integer::of_any_base;

/// A number over all fields.
fn number(text: &str, info: &ValueSetInfo) -> Result<BigUint, Failure> {
    let number = of_any_base(text)
        .ok_or_else(|| usage("Invalid input, could not cast to integer, try in hex with 0x prefix"))?;
    let number = number.to_biguint().ok_or_else(|| usage("Parameter is negative"))?;
    if number.bits() > u64::from(info.width) {
        return Err(usage(format!("Input is too large, it should fit within {} bits", info.width)));
    }
    Ok(number)
}

pub(crate) fn show(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [] = exactly(args)?;
    let sets = work.runtime.program.value_sets();
    let mut lines: Vec<String> =
        sets.iter().map(|set| format!("{:30} [compressed bitwidth:{}]", set.name, set.width)).collect();
    lines.sort();
    lines.into_iter().for_each(|line| work.print(line));
    Ok(None)
}

pub(crate) fn add(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, value] = exactly(args)?;
    let info = work.value_set(name)?;
    work.runtime.add_to_value_set(&info, &number(value, &info)?).map_err(only_reason)?;
    Ok(None)
}

pub(crate) fn remove(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, value] = exactly(args)?;
    let info = work.value_set(name)?;
    work.runtime.remove_from_value_set(&info, &number(value, &info)?).map_err(only_reason)?;
    Ok(None)
}

pub(crate) fn get(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let info = work.value_set(name)?;
    for member in work.runtime.value_set_members(&info).map_err(only_reason)? {
        let digits = 2 * info.width.div_ceil(8) as usize;
        work.print(format!("{:0digits$x}", number_of(&member, &info)));
    }
    Ok(None)
}

pub(crate) fn clear(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let info = work.value_set(name)?;
    work.runtime.clear_value_set(&info).map_err(only_reason)?;
    Ok(None)
}
