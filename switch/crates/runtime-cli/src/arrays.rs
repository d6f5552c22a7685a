//! Counters, meters and registers.

use v1model::{CounterValue, MeterConfig, TableInfo};

use crate::Command;
use crate::arguments::{Position, at_least, exactly, number, position};
use crate::commands::Done;
use crate::failure::{Failure, array, table, usage};
use crate::integer;
use crate::values::{cell_of, decimal};

/// A counter array, or the entries of a table that has direct counters.
enum Counters {
    Array(v1model::CounterId, usize),
    Direct(TableInfo),
}

fn index(text: &str) -> Result<Position, Failure> {
    position(text, "index")
}

impl Command<'_> {
    /// Direct counters are found by their own name, as in BMv2, and by their table's.
    fn counters(&self, name: &str) -> Result<Counters, Failure> {
        match self.counter(name) {
            Ok((id, size)) => Ok(Counters::Array(id, size)),
            Err(failure) => match self.table(self.direct_counter_table(name).unwrap_or(name)) {
                Ok(info) if info.with_counters => Ok(Counters::Direct(info)),
                _ => Err(failure),
            },
        }
    }
}

pub(crate) fn counter_read(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, at] = exactly(args)?;
    let at = index(at)?;
    let value = match work.counters(name)? {
        Counters::Array(id, _) => work.switch.counter_read(id, at.index()).map_err(array("counter"))?,
        Counters::Direct(info) => {
            work.print(format!("this is the direct counter for table {}", info.name));
            let (key, priority) = work.place(&info, at.number)?;
            work.switch.direct_counter_read(info.id, Some((&key, priority))).map_err(table)?
        }
    };
    work.print(format!("{name}[{}]= ({} bytes, {} packets)", at.shown, value.bytes, value.packets));
    Ok(None)
}

pub(crate) fn counter_write(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, at, packets, bytes] = exactly(args)?;
    let at = index(at)?;
    let value = CounterValue { packets: number(packets, "packets")?, bytes: number(bytes, "bytes")? };
    match work.counters(name)? {
        Counters::Array(id, _) => work.switch.counter_write(id, at.index(), value).map_err(array("counter"))?,
        Counters::Direct(info) => {
            work.print(format!("writing to direct counter for table {}", info.name));
            let (key, priority) = work.place(&info, at.number)?;
            work.switch.direct_counter_write(info.id, Some((&key, priority)), value).map_err(table)?;
        }
    }
    work.print(format!("{name}[{}] has been updated", at.shown));
    Ok(None)
}

pub(crate) fn counter_reset(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let zero = CounterValue::default();
    match work.counters(name)? {
        Counters::Array(id, size) => {
            for at in 0..size {
                work.switch.counter_write(id, at, zero).map_err(array("counter"))?;
            }
        }
        Counters::Direct(info) => {
            work.print(format!("this is the direct counter for table {}", info.name));
            for view in work.switch.table_entries(info.id).map_err(table)? {
                let place = Some((&view.entry.key[..], view.entry.priority));
                work.switch.direct_counter_write(info.id, place, zero).map_err(table)?;
            }
            work.switch.direct_counter_write(info.id, None, zero).map_err(table)?;
        }
    }
    Ok(None)
}

pub(crate) fn register_read(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 1)?;
    let (id, size) = work.register(args[0])?;
    if args.len() > 1 {
        let [name, at] = exactly(args)?;
        let at = index(at)?;
        let value = work.switch.register_read(id, at.index()).map_err(array("register"))?;
        work.print(format!("{name}[{}]= {}", at.shown, decimal(&value)));
    } else {
        let cells = (0..size).map(|at| work.switch.register_read(id, at).map(|value| decimal(&value)));
        let cells: Vec<String> = cells.collect::<Result<_, _>>().map_err(array("register"))?;
        work.print(format!("{}= {}", args[0], cells.join(", ")));
    }
    Ok(None)
}

pub(crate) fn register_write(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, at, value] = exactly(args)?;
    let (id, _) = work.register(name)?;
    let at = index(at)?;
    let value = integer::decimal(value).or_else(|| integer::of_any_base(value));
    let value = value.ok_or_else(|| usage("Bad format for value, must be an integer"))?;
    // The register takes of it what has room.
    let width = work.program.registers().iter().find(|register| register.id == id).map_or(0, |register| register.width);
    work.switch.register_write(id, at.index(), &cell_of(&value, width).to_bytes_be()).map_err(array("register"))?;
    Ok(None)
}

pub(crate) fn register_reset(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name] = exactly(args)?;
    let (id, _) = work.register(name)?;
    work.switch.register_clear(id).map_err(array("register"))?;
    Ok(None)
}

/// `RATE:BURST RATE:BURST`: committed, then peak; rates in units a microsecond.
fn rates(words: &[&str]) -> Result<MeterConfig, Failure> {
    let [committed, peak] = words else {
        return Err(usage(format!("Invalid number of rates, expected 2 but got {}", words.len())));
    };
    let rate = |word: &str| -> Result<(u64, u64), Failure> {
        let wrong = || usage("Error while parsing rates");
        let (rate, burst) = word.split_once(':').ok_or_else(wrong)?;
        let rate: f64 = rate.parse().map_err(|_| wrong())?;
        if !(0.0..1e12).contains(&rate) {
            return Err(wrong());
        }
        Ok(((rate * 1e6).round() as u64, burst.parse().map_err(|_| wrong())?))
    };
    let ((cir, cburst), (pir, pburst)) = (rate(committed)?, rate(peak)?);
    if pir < cir {
        return Err(Failure::Operation("meter", "INVALID_INFO_RATE_VALUE"));
    }
    Ok(MeterConfig { cir, cburst, pir, pburst, eburst: 0 })
}

pub(crate) fn meter_array_set_rates(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 1)?;
    let info = work.meter(args[0])?;
    let config = rates(&args[1..])?;
    if let Some(id) = info.table {
        for view in work.switch.table_entries(id).map_err(table)? {
            let place = Some((&view.entry.key[..], view.entry.priority));
            work.switch.direct_meter_write(id, place, Some(config), work.now_ns).map_err(table)?;
        }
        return Ok(None);
    }
    for at in 0..info.size {
        work.switch.meter_write(info.id, at, Some(config), work.now_ns).map_err(array("meter"))?;
    }
    Ok(None)
}

pub(crate) fn meter_set_rates(work: &mut Command<'_>, args: &[&str]) -> Done {
    at_least(args, 2)?;
    let info = work.meter(args[0])?;
    let at = index(args[1])?;
    let config = rates(&args[2..])?;
    match info.table.and_then(|id| work.table_info(id)).cloned() {
        Some(owner) => {
            let (key, priority) = work.place(&owner, at.number)?;
            let place = Some((&key[..], priority));
            work.switch.direct_meter_write(owner.id, place, Some(config), work.now_ns).map_err(table)?;
        }
        None => work.switch.meter_write(info.id, at.index(), Some(config), work.now_ns).map_err(array("meter"))?,
    }
    Ok(None)
}

pub(crate) fn meter_get_rates(work: &mut Command<'_>, args: &[&str]) -> Done {
    let [name, at] = exactly(args)?;
    let info = work.meter(name)?;
    let at = index(at)?;
    let config = match info.table.and_then(|id| work.table_info(id)).cloned() {
        Some(owner) => {
            let (key, priority) = work.place(&owner, at.number)?;
            work.switch.direct_meter_read(owner.id, Some((&key, priority))).map_err(table)?
        }
        None => work.switch.meter_read(info.id, at.index()).map_err(array("meter"))?,
    };
    let Some(config) = config else {
        work.print("WARNING: expected 2 rates but only received 0");
        return Ok(None);
    };
    for (number, (rate, burst)) in [(config.cir, config.cburst), (config.pir, config.pburst)].into_iter().enumerate() {
        work.print(format!("{number}: info rate = {:?}, burst size = {burst}", rate as f64 / 1e6));
    }
    Ok(None)
}
