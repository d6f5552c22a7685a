//! Counters, meters and registers: arrays, and those of a table's entries.

use num_bigint::BigUint;
use v1model::{CounterId, CounterValue, MeterConfig, MeterId, RegisterInfo, TableInfo};

use crate::refusal::{array, table};
use crate::{Code, Kind, Refusal, Runtime};

/// A counter array, or the entries of a table that has direct counters.
#[derive(Debug, Clone)]
pub enum Counters {
    /// The array with its size.
    Array(CounterId, usize),
    /// By the entries' handles.
    Direct(TableInfo),
}

/// A meter array, or the entries of a table that has a direct meter.
#[derive(Debug, Clone)]
pub enum Meters {
    /// The array with its size.
    Array(MeterId, usize),
    /// By the entries' handles.
    Direct(TableInfo),
}

/// The index in an array; one behind its end, where the number is too large.
fn index(at: u64) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

fn check_counters(info: &TableInfo) -> Result<(), Refusal> {
    if info.with_counters { Ok(()) } else { Err(Refusal::new(Kind::Table, Code::CountersDisabled)) }
}

fn check_meters(info: &TableInfo) -> Result<(), Refusal> {
    if info.direct_meter.is_some() { Ok(()) } else { Err(Refusal::new(Kind::Table, Code::MetersDisabled)) }
}

impl Runtime<'_> {
    /// Counters by their name; direct ones are found by their own name, as in BMv2, and by their table's.
    #[must_use]
    pub fn counters(&self, name: &str) -> Option<Counters> {
        if let Some((id, size)) = self.counter_array(name) {
            return Some(Counters::Array(id, size));
        }
        let info = self.table(self.direct_counter_table(name).unwrap_or(name))?;
        info.with_counters.then_some(Counters::Direct(info))
    }

    /// One counter.
    ///
    /// # Errors
    /// There is no such cell or entry, or the table has no counters.
    pub fn read_counter(&mut self, counters: &Counters, at: u64) -> Result<CounterValue, Refusal> {
        match counters {
            Counters::Array(id, _) => self.switch.counter_read(*id, index(at)).map_err(array(Kind::Counter)),
            Counters::Direct(info) => {
                check_counters(info)?;
                let (key, priority) = self.place(info, at)?;
                self.switch.direct_counter_read(info.id, Some((&key, priority))).map_err(table)
            }
        }
    }

    /// Sets one counter.
    ///
    /// # Errors
    /// There is no such cell or entry, or the table has no counters.
    pub fn write_counter(&mut self, counters: &Counters, at: u64, value: CounterValue) -> Result<(), Refusal> {
        match counters {
            Counters::Array(id, _) => self.switch.counter_write(*id, index(at), value).map_err(array(Kind::Counter)),
            Counters::Direct(info) => {
                check_counters(info)?;
                let (key, priority) = self.place(info, at)?;
                self.switch.direct_counter_write(info.id, Some((&key, priority)), value).map_err(table)
            }
        }
    }

    /// Sets all counters to 0.
    ///
    /// # Errors
    /// The table has no counters.
    pub fn reset_counters(&mut self, counters: &Counters) -> Result<(), Refusal> {
        let zero = CounterValue::default();
        match counters {
            Counters::Array(id, size) => {
                (0..*size).try_for_each(|at| self.switch.counter_write(*id, at, zero)).map_err(array(Kind::Counter))
            }
            Counters::Direct(info) => {
                check_counters(info)?;
                for view in self.switch.table_entries(info.id).map_err(table)? {
                    let place = Some((&view.entry.key[..], view.entry.priority));
                    self.switch.direct_counter_write(info.id, place, zero).map_err(table)?;
                }
                self.switch.direct_counter_write(info.id, None, zero).map_err(table)
            }
        }
    }

    /// Meters by their name.
    #[must_use]
    pub fn meters(&self, name: &str) -> Option<Meters> {
        let info = self.meter(name)?;
        Some(match info.table.and_then(|id| self.table_info(id)) {
            Some(owner) => Meters::Direct(owner.clone()),
            None => Meters::Array(info.id, info.size),
        })
    }

    /// The rates of one meter. Without rates, everything is green.
    ///
    /// # Errors
    /// There is no such cell or entry, or the table has no meters.
    pub fn meter_rates(&mut self, meters: &Meters, at: u64) -> Result<Option<MeterConfig>, Refusal> {
        match meters {
            Meters::Array(id, _) => self.switch.meter_read(*id, index(at)).map_err(array(Kind::Meter)),
            Meters::Direct(info) => {
                check_meters(info)?;
                let (key, priority) = self.place(info, at)?;
                self.switch.direct_meter_read(info.id, Some((&key, priority))).map_err(table)
            }
        }
    }

    /// Sets one meter.
    ///
    /// # Errors
    /// There is no such cell or entry, or the table has no meters.
    pub fn set_meter_rates(&mut self, meters: &Meters, at: u64, config: MeterConfig) -> Result<(), Refusal> {
        let now_ns = self.now_ns;
        match meters {
            Meters::Array(id, _) => {
                self.switch.meter_write(*id, index(at), Some(config), now_ns).map_err(array(Kind::Meter))
            }
            Meters::Direct(info) => {
                check_meters(info)?;
                let (key, priority) = self.place(info, at)?;
                let place = Some((&key[..], priority));
                self.switch.direct_meter_write(info.id, place, Some(config), now_ns).map_err(table)
            }
        }
    }

    /// Sets all meters.
    ///
    /// # Errors
    /// The table has no meters.
    pub fn set_all_meter_rates(&mut self, meters: &Meters, config: MeterConfig) -> Result<(), Refusal> {
        let now_ns = self.now_ns;
        match meters {
            Meters::Array(id, size) => (0..*size)
                .try_for_each(|at| self.switch.meter_write(*id, at, Some(config), now_ns))
                .map_err(array(Kind::Meter)),
            Meters::Direct(info) => {
                check_meters(info)?;
                for view in self.switch.table_entries(info.id).map_err(table)? {
                    let place = Some((&view.entry.key[..], view.entry.priority));
                    self.switch.direct_meter_write(info.id, place, Some(config), now_ns).map_err(table)?;
                }
                Ok(())
            }
        }
    }

    /// The switch's form of committed and peak rates (a microsecond, in the meter's unit) and bursts.
    ///
    /// # Errors
    /// The peak rate is below the committed one, or a rate is negative, 10^12 or more, or no number.
    pub fn meter_config(committed: (f64, u64), peak: (f64, u64)) -> Result<MeterConfig, Refusal> {
        let is_rate = |rate: f64| (0.0..1e12).contains(&rate);
        if !is_rate(committed.0) || !is_rate(peak.0) || peak.0 < committed.0 {
            return Err(Refusal::new(Kind::Meter, Code::InvalidInfoRateValue));
        }
        let a_second = |rate: f64| (rate * 1e6).round() as u64;
        let (cir, pir) = (a_second(committed.0), a_second(peak.0));
        Ok(MeterConfig { cir, cburst: committed.1, pir, pburst: peak.1, eburst: 0 })
    }

    /// One cell of a register.
    ///
    /// # Errors
    /// There is no such cell.
    pub fn read_register(&self, info: &RegisterInfo, at: u64) -> Result<BigUint, Refusal> {
        let cell = self.switch.register_read(info.id, index(at)).map_err(array(Kind::Register))?;
        Ok(BigUint::from_bytes_be(&cell))
    }

    /// All cells of a register.
    ///
    /// # Errors
    /// There is no such register.
    pub fn read_registers(&self, info: &RegisterInfo) -> Result<Vec<BigUint>, Refusal> {
        (0..info.size as u64).map(|at| self.read_register(info, at)).collect()
    }

    /// Sets one cell of a register, which has room for the value.
    ///
    /// # Errors
    /// There is no such cell.
    pub fn write_register(&mut self, info: &RegisterInfo, at: u64, value: &BigUint) -> Result<(), Refusal> {
        self.switch.register_write(info.id, index(at), &value.to_bytes_be()).map_err(array(Kind::Register))
    }

    /// Sets all cells of a register to 0.
    ///
    /// # Errors
    /// There is no such register.
    pub fn clear_register(&mut self, info: &RegisterInfo) -> Result<(), Refusal> {
        self.switch.register_clear(info.id).map_err(array(Kind::Register))
    }
}
