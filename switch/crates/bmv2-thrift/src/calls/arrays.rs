//! Counters, meters and registers, those of entries too.

use bmv2_runtime::{Code, Counters, Kind, Meters, Refusal, Runtime, cell_of};
use num_bigint::{BigInt, BigUint};
use thrift::protocol::TType;
use v1model::{CounterValue, MeterConfig, RegisterInfo};

use super::tables::table;
use super::{Answer, Call, of, of_table};
use crate::arguments::position;
use crate::fault::Fault;
use crate::value::{Fields, Value, structs};

pub(super) const CALLS: &[Call] = &[
    of_table("bm_mt_read_counter", |runtime, given| {
        let counters = Counters::Direct(table(runtime, given)?);
        read_counter(runtime, &counters, given)
    }),
    of_table("bm_mt_reset_counters", |runtime, given| {
        let counters = Counters::Direct(table(runtime, given)?);
        reset_counters(runtime, &counters)
    }),
    of_table("bm_mt_write_counter", |runtime, given| {
        let counters = Counters::Direct(table(runtime, given)?);
        write_counter(runtime, &counters, given)
    }),
    of_table("bm_mt_set_meter_rates", |runtime, given| {
        let meters = Meters::Direct(table(runtime, given)?);
        set_rates(runtime, &meters, given).map_err(as_of_table)
    }),
    of_table("bm_mt_get_meter_rates", |runtime, given| {
        let meters = Meters::Direct(table(runtime, given)?);
        get_rates(runtime, &meters, given)
    }),
    of(Kind::Counter, "bm_counter_read", |runtime, given| {
        let counters = counter_array(runtime, given)?;
        read_counter(runtime, &counters, given)
    }),
    of(Kind::Counter, "bm_counter_reset_all", |runtime, given| {
        let counters = counter_array(runtime, given)?;
        reset_counters(runtime, &counters)
    }),
    of(Kind::Counter, "bm_counter_write", |runtime, given| {
        let counters = counter_array(runtime, given)?;
        write_counter(runtime, &counters, given)
    }),
    of(Kind::Meter, "bm_meter_array_set_rates", |runtime, given| {
        let meters = meter_array(runtime, given)?;
        let done = runtime.set_all_meter_rates(&meters, rates(given, 3)?).map_err(Fault::from);
        done.map(|()| Value::Void).map_err(as_of_meter)
    }),
    of(Kind::Meter, "bm_meter_set_rates", |runtime, given| {
        let meters = meter_array(runtime, given)?;
        set_rates(runtime, &meters, given).map_err(as_of_meter)
    }),
    of(Kind::Meter, "bm_meter_get_rates", |runtime, given| {
        let meters = meter_array(runtime, given)?;
        get_rates(runtime, &meters, given).map_err(as_of_meter)
    }),
    of(Kind::Register, "bm_register_read", register_read),
    of(Kind::Register, "bm_register_read_all", register_read_all),
    of(Kind::Register, "bm_register_write", register_write),
    of(Kind::Register, "bm_register_write_range", register_write_range),
    of(Kind::Register, "bm_register_reset", register_reset),
];

fn counter_array(runtime: &Runtime<'_>, given: &Fields) -> Result<Counters, Fault> {
    let array = runtime.counter_array(given.text(2)?);
    let (id, size) = array.ok_or(Refusal::new(Kind::Counter, Code::InvalidName))?;
    Ok(Counters::Array(id, size))
}

/// Direct meters have a name as well, by which all of them can be set.
fn meter_array(runtime: &Runtime<'_>, given: &Fields) -> Result<Meters, Fault> {
    Ok(runtime.meters(given.text(2)?).ok_or(Refusal::new(Kind::Meter, Code::InvalidName))?)
}

fn read_counter(runtime: &mut Runtime<'_>, counters: &Counters, given: &Fields) -> Answer {
    let CounterValue { packets, bytes } = runtime.read_counter(counters, position(given.i32(3)?))?;
    Ok(Fields::of([(1, Value::I64(bytes.cast_signed())), (2, Value::I64(packets.cast_signed()))]).into())
}

fn write_counter(runtime: &mut Runtime<'_>, counters: &Counters, given: &Fields) -> Answer {
    let value = given.fields(4)?;
    let value = CounterValue { bytes: value.i64(1)?.cast_unsigned(), packets: value.i64(2)?.cast_unsigned() };
    runtime.write_counter(counters, position(given.i32(3)?), value)?;
    Ok(Value::Void)
}

fn reset_counters(runtime: &mut Runtime<'_>, counters: &Counters) -> Answer {
    runtime.reset_counters(counters)?;
    Ok(Value::Void)
}

/// Committed rate, then peak rate, in units a microsecond.
fn rates(given: &Fields, number: i16) -> Result<MeterConfig, Fault> {
    let [committed, peak] = given.structs(number)?[..] else {
        return Err(Refusal::new(Kind::Meter, Code::BadRatesList).into());
    };
    let rate = |fields: &Fields| -> Result<(f64, u64), Fault> {
        let burst = u64::try_from(fields.i32(2)?);
        Ok((fields.double(1)?, burst.map_err(|_| Refusal::new(Kind::Meter, Code::InvalidBurstSizeValue))?))
    };
    Ok(Runtime::meter_config(rate(committed)?, rate(peak)?)?)
}

fn set_rates(runtime: &mut Runtime<'_>, meters: &Meters, given: &Fields) -> Answer {
    runtime.set_meter_rates(meters, position(given.i32(3)?), rates(given, 4)?)?;
    Ok(Value::Void)
}

fn get_rates(runtime: &mut Runtime<'_>, meters: &Meters, given: &Fields) -> Answer {
    let config = runtime.meter_rates(meters, position(given.i32(3)?))?;
    let rate = |a_second: u64, burst: u64| {
        let burst = i32::try_from(burst).unwrap_or(i32::MAX);
        Fields::of([(1, Value::Double(a_second as f64 / 1e6)), (2, Value::I32(burst))])
    };
    Ok(structs(config.into_iter().flat_map(|c| [rate(c.cir, c.cburst), rate(c.pir, c.pburst)])))
}

/// Makes an error in the rates of an entry's meter a wrong operation on its table.
fn as_of_table(fault: Fault) -> Fault {
    match fault {
        Fault::Refused(refusal) if refusal.kind == Kind::Meter => {
            Refusal { kind: Kind::Table, code: Code::InvalidMeterOperation, ..refusal }.into()
        }
        other => other,
    }
}

/// Makes a table's refusal an error of its direct meter, for calls by the meter's name.
fn as_of_meter(fault: Fault) -> Fault {
    match fault {
        Fault::Refused(refusal) if refusal.kind != Kind::Meter => {
            Refusal::explained(Kind::Meter, Code::Error, refusal.to_string()).into()
        }
        other => other,
    }
}

fn register(runtime: &Runtime<'_>, given: &Fields) -> Result<RegisterInfo, Fault> {
    Ok(runtime.register(given.text(2)?).ok_or(Refusal::new(Kind::Register, Code::InvalidName))?)
}

/// The last 64 bits of a cell.
fn last_64_bits(cell: &BigUint) -> Value {
    Value::I64(cell.iter_u64_digits().next().unwrap_or_default().cast_signed())
}

fn register_read(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = register(runtime, given)?;
    Ok(last_64_bits(&runtime.read_register(&info, position(given.i32(3)?))?))
}

fn register_read_all(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = register(runtime, given)?;
    Ok(Value::List(TType::I64, runtime.read_registers(&info)?.iter().map(last_64_bits).collect()))
}

fn register_write(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = register(runtime, given)?;
    let value = cell_of(&BigInt::from(given.i64(4)?), info.width);
    runtime.write_register(&info, position(given.i32(3)?), &value)?;
    Ok(Value::Void)
}

/// From the first index up to the one before the second.
fn register_write_range(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = register(runtime, given)?;
    let (start, end) = (position(given.i32(3)?), position(given.i32(4)?));
    if start > end || end > info.size as u64 {
        return Err(Refusal::new(Kind::Register, Code::InvalidIndex).into());
    }
    let value = cell_of(&BigInt::from(given.i64(5)?), info.width);
    (start..end).try_for_each(|at| runtime.write_register(&info, at, &value))?;
    Ok(Value::Void)
}

fn register_reset(runtime: &mut Runtime<'_>, given: &Fields) -> Answer {
    let info = register(runtime, given)?;
    runtime.clear_register(&info)?;
    Ok(Value::Void)
}
