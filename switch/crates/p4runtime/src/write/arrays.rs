//! Indirect counters, meters and registers.

use p4runtime_proto::runtime::{self, update::Type};
use v1model::{CounterValue, MeterConfig, MeterCounts};

use super::{Context, Step, only_modify, unsigned};
use crate::entity::unknown;
use crate::failure::{Failure, Outcome};
use crate::schema::{MeterKind, Schema};
use crate::status::control_failure;

/// Reads an index into an array; `None` means all cells.
///
/// # Errors
/// INVALID_ARGUMENT if it is negative, OUT_OF_RANGE behind the end.
pub fn read_index(index: Option<&runtime::Index>, size: usize, name: &str) -> Outcome<Option<usize>> {
    let Some(index) = index else { return Ok(None) };
    let position = usize::try_from(index.index)
        .map_err(|_| Failure::invalid(format!("\"{name}\": index {} is negative", index.index)))?;
    if position >= size {
        return Err(Failure::out_of_range(format!("\"{name}\" has {size} cells: there is no index {position}")));
    }
    Ok(Some(position))
}

/// The cells that an optional index names.
pub fn cells(index: Option<usize>, size: usize) -> std::ops::Range<usize> {
    match index {
        Some(index) => index..index + 1,
        None => 0..size,
    }
}

pub(super) fn plan_counter(schema: &Schema, kind: Type, entry: runtime::CounterEntry) -> Outcome<Step> {
    only_modify(kind, "a counter")?;
    let counter = schema.counters.get(&entry.counter_id).ok_or_else(|| unknown("counter", entry.counter_id))?;
    let index = read_index(entry.index.as_ref(), counter.size, &counter.name)?;
    let Some(data) = &entry.data else { return Ok(Box::new(|_| Ok(()))) };
    let value = counter_value(data)?;
    let (slot, cells) = (counter.slot, cells(index, counter.size));
    Ok(Box::new(move |context| {
        for cell in cells {
            context.switch.counter_write(slot, cell, value).map_err(control_failure)?;
        }
        Ok(())
    }))
}

pub(super) fn plan_meter(schema: &Schema, kind: Type, entry: runtime::MeterEntry) -> Outcome<Step> {
    only_modify(kind, "a meter")?;
    let meter = schema.meters.get(&entry.meter_id).ok_or_else(|| unknown("meter", entry.meter_id))?;
    let index = read_index(entry.index.as_ref(), meter.size, &meter.name)?;
    let counts = entry.counter_data.as_ref().map(meter_counts).transpose()?;
    let config = entry.config.as_ref().map(|config| meter_config(config, meter.kind)).transpose()?;
    let (slot, cells) = (meter.slot, cells(index, meter.size));
    Ok(Box::new(move |context| {
        check_counts(context, counts.as_ref())?;
        for cell in cells {
            context.switch.meter_write(slot, cell, config, context.now_ns).map_err(control_failure)?;
            if let Some(counts) = counts {
                context.switch.meter_counts_write(slot, cell, counts).map_err(control_failure)?;
            }
        }
        Ok(())
    }))
}

pub(super) fn plan_register(schema: &Schema, kind: Type, entry: runtime::RegisterEntry) -> Outcome<Step> {
    only_modify(kind, "a register")?;
    let register = schema.registers.get(&entry.register_id).ok_or_else(|| unknown("register", entry.register_id))?;
    let index = read_index(entry.index.as_ref(), register.size, &register.name)?;
    let data =
        entry.data.as_ref().ok_or_else(|| Failure::invalid(format!("\"{}\": data is not set", register.name)))?;
    let value = register
        .cell
        .read_leaf(data, register.width, &schema.translations)
        .map_err(|f| f.within(format_args!("register \"{}\"", register.name)))?;
    let (slot, cells) = (register.slot, cells(index, register.size));
    Ok(Box::new(move |context| {
        for cell in cells {
            context.switch.register_write(slot, cell, &value).map_err(control_failure)?;
        }
        Ok(())
    }))
}

/// Reads the value of a counter.
///
/// # Errors
/// INVALID_ARGUMENT if it is negative.
pub fn counter_value(data: &runtime::CounterData) -> Outcome<CounterValue> {
    Ok(CounterValue {
        packets: unsigned(data.packet_count, "packet_count")?,
        bytes: unsigned(data.byte_count, "byte_count")?,
    })
}

/// Reads what a meter has coloured.
///
/// # Errors
/// INVALID_ARGUMENT if it is negative.
pub fn meter_counts(data: &runtime::MeterCounterData) -> Outcome<MeterCounts> {
    let mut counts = MeterCounts::default();
    for (count, color) in counts.iter_mut().zip([&data.green, &data.yellow, &data.red]) {
        *count = color.as_ref().map(counter_value).transpose()?.unwrap_or_default();
    }
    Ok(counts)
}

/// Clients may only reset what a meter has coloured.
///
/// # Errors
/// INVALID_ARGUMENT if a count is not zero.
pub fn check_counts(context: &Context<'_>, counts: Option<&MeterCounts>) -> Outcome<()> {
    match counts {
        Some(counts) if !context.restoring && *counts != MeterCounts::default() => {
            Err(Failure::invalid("the counts of a meter's colours can only be set to 0"))
        }
        _ => Ok(()),
    }
}

/// Reads the configuration of a meter.
///
/// # Errors
/// INVALID_ARGUMENT where it is negative, against the meter's type, or of rates that do not belong together.
pub fn meter_config(config: &runtime::MeterConfig, kind: MeterKind) -> Outcome<MeterConfig> {
    let single_rate = matches!(kind, MeterKind::SingleRateThreeColor | MeterKind::SingleRateTwoColor);
    if single_rate && (config.pir != config.cir || config.pburst != config.cburst) {
        return Err(Failure::invalid("a single-rate meter needs pir = cir and pburst = cburst"));
    }
    if config.eburst != 0 && kind != MeterKind::SingleRateThreeColor {
        return Err(Failure::invalid("eburst is only for single-rate three-colour meters"));
    }
    let config = MeterConfig {
        cir: unsigned(config.cir, "cir")?,
        cburst: unsigned(config.cburst, "cburst")?,
        pir: unsigned(config.pir, "pir")?,
        pburst: unsigned(config.pburst, "pburst")?,
        eburst: unsigned(config.eburst, "eburst")?,
    };
    config.check().map_err(control_failure)?;
    Ok(config)
}
