//! Counters, meters and registers.

use crate::state::{to_bytes, to_limbs};
use crate::switch::Switch;
use crate::types::{
    ControlError, CounterId, CounterValue, KeyMatch, MeterConfig, MeterCounts, MeterId, RegisterId, TableId,
};

/// The cell of an array, or why there is none.
fn cell<'a, T>(cells: &'a [T], name: &str, index: usize) -> Result<&'a T, ControlError> {
    let error = || ControlError::Index { what: name.to_owned(), size: cells.len(), index };
    cells.get(index).ok_or_else(error)
}

fn cell_mut<'a, T>(cells: &'a mut [T], name: &str, index: usize) -> Result<&'a mut T, ControlError> {
    let size = cells.len();
    cells.get_mut(index).ok_or_else(|| ControlError::Index { what: name.to_owned(), size, index })
}

fn unknown(kind: &'static str, id: u32) -> ControlError {
    ControlError::Unknown { kind, name: id.to_string() }
}

impl Switch {
    /// One cell of an indirect counter.
    pub fn counter_read(&self, counter: CounterId, index: usize) -> Result<CounterValue, ControlError> {
        let program = self.program.as_deref().ok_or(ControlError::NoProgram)?;
        let info = program.counters.get(counter.index()).ok_or_else(|| unknown("counter", counter.0))?;
        let cells = self.memory.counters.get(counter.index()).ok_or_else(|| unknown("counter", counter.0))?;
        cell(cells, &format!("counter {}", info.name), index).copied()
    }

    /// Sets one cell of an indirect counter.
    pub fn counter_write(&mut self, counter: CounterId, index: usize, value: CounterValue) -> Result<(), ControlError> {
        let program = self.program.as_deref().ok_or(ControlError::NoProgram)?;
        let info = program.counters.get(counter.index()).ok_or_else(|| unknown("counter", counter.0))?;
        let cells = self.memory.counters.get_mut(counter.index()).ok_or_else(|| unknown("counter", counter.0))?;
        *cell_mut(cells, &format!("counter {}", info.name), index)? = value;
        Ok(())
    }

    fn check_direct(&self, table: TableId, meter: bool) -> Result<(), ControlError> {
        let (_, _, info) = self.table_view(table)?;
        let (there, what) =
            if meter { (info.direct_meter.is_some(), "meter") } else { (info.with_counters, "counter") };
        if there { Ok(()) } else { Err(ControlError::Unsupported(format!("table {} has no direct {what}", info.name))) }
    }

    /// The direct counter of an entry; `key = None`: of the default action.
    pub fn direct_counter_read(
        &self,
        table: TableId,
        entry: Option<(&[KeyMatch], i32)>,
    ) -> Result<CounterValue, ControlError> {
        self.check_direct(table, false)?;
        match entry {
            Some((key, priority)) => Ok(self.entry_ref(table, key, priority)?.counter),
            None => Ok(self.table_view(table)?.1.default_counter),
        }
    }

    /// Sets the direct counter of an entry; `entry = None`: of the default action.
    pub fn direct_counter_write(
        &mut self,
        table: TableId,
        entry: Option<(&[KeyMatch], i32)>,
        value: CounterValue,
    ) -> Result<(), ControlError> {
        self.check_direct(table, false)?;
        match entry {
            Some((key, priority)) => self.entry_mut(table, key, priority)?.counter = value,
            None => self.tables[table.index()].default_counter = value,
        }
        Ok(())
    }

    fn indirect_meter(&self, meter: MeterId) -> Result<String, ControlError> {
        let program = self.program.as_deref().ok_or(ControlError::NoProgram)?;
        let info = program.meters.get(meter.index()).ok_or_else(|| unknown("meter", meter.0))?;
        if info.table.is_some() {
            return Err(ControlError::Unsupported(format!("meter {} is direct: use its table's entries", info.name)));
        }
        Ok(format!("meter {}", info.name))
    }

    /// Configuration of one cell of an indirect meter; `None`: not configured (everything is green).
    pub fn meter_read(&self, meter: MeterId, index: usize) -> Result<Option<MeterConfig>, ControlError> {
        let name = self.indirect_meter(meter)?;
        Ok(cell(&self.memory.meters[meter.index()], &name, index)?.config())
    }

    /// Configures one cell of an indirect meter and fills its buckets; `None`: back to "everything is green".
    pub fn meter_write(
        &mut self,
        meter: MeterId,
        index: usize,
        config: Option<MeterConfig>,
        _now_ns: u64,
    ) -> Result<(), ControlError> {
        let name = self.indirect_meter(meter)?;
        check_rates(config)?;
        cell_mut(&mut self.memory.meters[meter.index()], &name, index)?.configure(config);
        Ok(())
    }

    /// Packets and bytes that one cell of an indirect meter has given each colour.
    pub fn meter_counts(&self, meter: MeterId, index: usize) -> Result<MeterCounts, ControlError> {
        let name = self.indirect_meter(meter)?;
        Ok(cell(&self.memory.meters[meter.index()], &name, index)?.counts())
    }

    /// Sets the packets and bytes that one cell of an indirect meter has given each colour.
    pub fn meter_counts_write(
        &mut self,
        meter: MeterId,
        index: usize,
        counts: MeterCounts,
    ) -> Result<(), ControlError> {
        let name = self.indirect_meter(meter)?;
        cell_mut(&mut self.memory.meters[meter.index()], &name, index)?.set_counts(counts);
        Ok(())
    }

    /// Sets the packets and bytes that an entry's direct meter has given each colour. A default action has no such
    /// meter.
    pub fn direct_meter_counts_write(
        &mut self,
        table: TableId,
        entry: Option<(&[KeyMatch], i32)>,
        counts: MeterCounts,
    ) -> Result<(), ControlError> {
        self.check_direct(table, true)?;
        if let Some((key, priority)) = entry
            && let Some(meter) = &mut self.entry_mut(table, key, priority)?.meter
        {
            meter.set_counts(counts);
        }
        Ok(())
    }

    /// Configuration of an entry's direct meter.
    pub fn direct_meter_read(
        &self,
        table: TableId,
        entry: Option<(&[KeyMatch], i32)>,
    ) -> Result<Option<MeterConfig>, ControlError> {
        self.check_direct(table, true)?;
        match entry {
            Some((key, priority)) => {
                Ok(self.entry_ref(table, key, priority)?.meter.as_ref().and_then(|meter| meter.config()))
            }
            None => Ok(None),
        }
    }

    /// Configures an entry's direct meter. A default action has none, as in BMv2: for it there is nothing to take back.
    pub fn direct_meter_write(
        &mut self,
        table: TableId,
        entry: Option<(&[KeyMatch], i32)>,
        config: Option<MeterConfig>,
        _now_ns: u64,
    ) -> Result<(), ControlError> {
        self.check_direct(table, true)?;
        check_rates(config)?;
        match entry {
            Some((key, priority)) => {
                if let Some(meter) = &mut self.entry_mut(table, key, priority)?.meter {
                    meter.configure(config);
                }
            }
            None if config.is_none() => {}
            None => return Err(ControlError::Unsupported("a default action has no direct meter".to_owned())),
        }
        Ok(())
    }

    /// One cell of a register, as long as the register is wide.
    pub fn register_read(&self, register: RegisterId, index: usize) -> Result<Vec<u8>, ControlError> {
        let program = self.program.as_deref().ok_or(ControlError::NoProgram)?;
        let info = program.registers.get(register.index()).ok_or_else(|| unknown("register", register.0))?;
        let array = self.memory.registers.get(register.index()).ok_or_else(|| unknown("register", register.0))?;
        match array.cell(index as u64) {
            [] => Err(ControlError::Index { what: format!("register {}", info.name), size: info.size, index }),
            cell => Ok(to_bytes(cell, info.width)),
        }
    }

    /// Sets one cell of a register.
    pub fn register_write(&mut self, register: RegisterId, index: usize, value: &[u8]) -> Result<(), ControlError> {
        let program = self.program.as_deref().ok_or(ControlError::NoProgram)?;
        let info = program.registers.get(register.index()).ok_or_else(|| unknown("register", register.0))?;
        let limbs = to_limbs(value, info.width, || format!("register {}", info.name))?;
        let array = self.memory.registers.get_mut(register.index()).ok_or_else(|| unknown("register", register.0))?;
        let error = || ControlError::Index { what: format!("register {}", info.name), size: info.size, index };
        array.cell_mut(index as u64).ok_or_else(error)?.copy_from_slice(&limbs);
        Ok(())
    }

    /// Sets all cells of a register to zero.
    pub fn register_clear(&mut self, register: RegisterId) -> Result<(), ControlError> {
        let array = self.memory.registers.get_mut(register.index()).ok_or_else(|| unknown("register", register.0))?;
        array.clear();
        Ok(())
    }
}

fn check_rates(config: Option<MeterConfig>) -> Result<(), ControlError> {
    config.map_or(Ok(()), |config| config.check())
}
