//! Counters, meters and registers.

use bmv2_runtime::{Counters, Runtime, cell_of};
use v1model::{CounterValue, MeterConfig};

use crate::Command;
use crate::arguments::{Position, at_least, exactly, number, position};
use crate::commands::Done;
use crate::failure::{Failure, usage};
use crate::integer;

fn index(text: &str) -> Result<Position, Failure> {
    position(text, "index")
}

pub(crate) fn counter_read(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, at] = exactly(args)?;
    let at = index(at)?;
    let counters = work.counters(name)?;
    if let Counters::Direct(info) = &counters {
        work.print(format!("this is the direct counter for table {}", info.name));
    }
    let value = work.runtime.read_counter(&counters, at.number)?;
    work.print(format!("{name}[{}]= ({} bytes, {} packets)", at.shown, value.bytes, value.packets));
    Ok(None)
}

pub(crate) fn counter_write(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, at, packets, bytes] = exactly(args)?;
    let at = index(at)?;
    let value = CounterValue { packets: number(packets, "packets")?, bytes: number(bytes, "bytes")? };
    let counters = work.counters(name)?;
    if let Counters::Direct(info) = &counters {
        work.print(format!("writing to direct counter for table {}", info.name));
    }
    work.runtime.write_counter(&counters, at.number, value)?;
    work.print(format!("{name}[{}] has been updated", at.shown));
    Ok(None)
}

pub(crate) fn counter_reset(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let counters = work.counters(name)?;
    if let Counters::Direct(info) = &counters {
        work.print(format!("this is the direct counter for table {}", info.name));
    }
    work.runtime.reset_counters(&counters)?;
    Ok(None)
}

pub(crate) fn register_read(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 1)?;
    let info = work.register(args[0])?;
    if args.len() > 1 {
        let [name, at] = exactly(args)?;
        let at = index(at)?;
        let value = work.runtime.read_register(&info, at.number)?;
        work.print(format!("{name}[{}]= {value}", at.shown));
    } else {
        let cells: Vec<String> = work.runtime.read_registers(&info)?.iter().map(ToString::to_string).collect();
        work.print(format!("{}= {}", args[0], cells.join(", ")));
    }
    Ok(None)
}

pub(crate) fn register_write(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, at, value] = exactly(args)?;
    let info = work.register(name)?;
    let at = index(at)?;
    let value = integer::decimal(value).or_else(|| integer::of_any_base(value));
    let value = value.ok_or_else(|| usage("Bad format for value, must be an integer"))?;
    // The register takes the bits that have room in it.
    work.runtime.write_register(&info, at.number, &cell_of(&value, info.width))?;
    Ok(None)
}

pub(crate) fn register_reset(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let info = work.register(name)?;
    work.runtime.clear_register(&info)?;
    Ok(None)
}

/// `RATE:BURST RATE:BURST`: committed, then peak; rates in units a microsecond.
fn rates(words: &[&str]) -> Result<MeterConfig, Failure> {
    let [committed, peak] = words else {
        return Err(usage(format!("Invalid number of rates, expected 2 but got {}", words.len())));
    };
    let rate = |word: &str| -> Result<(f64, u64), Failure> {
        let wrong = || usage("Error while parsing rates");
        let (rate, burst) = word.split_once(':').ok_or_else(wrong)?;
        let rate: f64 = rate.parse().map_err(|_| wrong())?;
        if !(0.0..1e12).contains(&rate) {
            return Err(wrong());
        }
        Ok((rate, burst.parse().map_err(|_| wrong())?))
    };
    Ok(Runtime::meter_config(rate(committed)?, rate(peak)?)?)
}

pub(crate) fn meter_array_set_rates(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 1)?;
    let meters = work.meters(args[0])?;
    work.runtime.set_all_meter_rates(&meters, rates(&args[1..])?)?;
    Ok(None)
}

pub(crate) fn meter_set_rates(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 2)?;
    let meters = work.meters(args[0])?;
    let at = index(args[1])?;
    work.runtime.set_meter_rates(&meters, at.number, rates(&args[2..])?)?;
    Ok(None)
}

pub(crate) fn meter_get_rates(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, at] = exactly(args)?;
    let meters = work.meters(name)?;
    let Some(config) = work.runtime.meter_rates(&meters, index(at)?.number)? else {
        work.print("WARNING: expected 2 rates but only received 0");
        return Ok(None);
    };
    for (number, (rate, burst)) in [(config.cir, config.cburst), (config.pir, config.pburst)].into_iter().enumerate() {
        work.print(format!("{number}: info rate = {:?}, burst size = {burst}", rate as f64 / 1e6));
    }
    Ok(None)
}
