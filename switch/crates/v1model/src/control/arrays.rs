//! Counters, meters and registers.

use super::entries::KeyMatch;
use super::error::ControlError;
use super::info::{CounterId, MeterId, RegisterId, TableId};
use crate::switch::Switch;

/// A counter cell. Both are always counted, whatever the counter's declared type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CounterValue {
    /// Packets.
    pub packets: u64,
    /// Bytes of the frames as received.
    pub bytes: u64,
}

/// A meter's rates a second and burst sizes, in the meter's unit (bytes or packets).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MeterConfig {
    /// Committed information rate.
    pub cir: u64,
    /// Committed burst size.
    pub cburst: u64,
    /// Peak information rate.
    pub pir: u64,
    /// Peak burst size.
    pub pburst: u64,
}

/// What a meter says of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeterColor {
    /// Within the committed rate.
    Green = 0,
    /// Within the peak rate.
    Yellow = 1,
    /// Beyond.
    Red = 2,
}

impl Switch {
    /// One cell of an indirect counter.
    pub fn counter_read(&self, counter: CounterId, index: usize) -> Result<CounterValue, ControlError> {
        let _ = (counter, index);
        Err(ControlError::NoProgram)
    }

    /// Sets one cell of an indirect counter.
    pub fn counter_write(&mut self, counter: CounterId, index: usize, value: CounterValue) -> Result<(), ControlError> {
        let _ = (counter, index, value);
        Err(ControlError::NoProgram)
    }

    /// The direct counter of an entry; `key = None`: of the default action.
    pub fn direct_counter_read(
        &self,
        table: TableId,
        entry: Option<(&[KeyMatch], i32)>,
    ) -> Result<CounterValue, ControlError> {
        let _ = (table, entry);
        Err(ControlError::NoProgram)
    }

    /// Sets the direct counter of an entry; `entry = None`: of the default action.
    pub fn direct_counter_write(
        &mut self,
        table: TableId,
        entry: Option<(&[KeyMatch], i32)>,
        value: CounterValue,
    ) -> Result<(), ControlError> {
        let _ = (table, entry, value);
        Err(ControlError::NoProgram)
    }

    /// Configuration of one cell of an indirect meter; `None`: not configured (everything is green).
    pub fn meter_read(&self, meter: MeterId, index: usize) -> Result<Option<MeterConfig>, ControlError> {
        let _ = (meter, index);
        Err(ControlError::NoProgram)
    }

    /// Configures one cell of an indirect meter and fills its buckets; `None`: back to "everything is green".
    pub fn meter_write(
        &mut self,
        meter: MeterId,
        index: usize,
        config: Option<MeterConfig>,
        now_ns: u64,
    ) -> Result<(), ControlError> {
        let _ = (meter, index, config, now_ns);
        Err(ControlError::NoProgram)
    }

    /// Configuration of an entry's direct meter.
    pub fn direct_meter_read(
        &self,
        table: TableId,
        entry: Option<(&[KeyMatch], i32)>,
    ) -> Result<Option<MeterConfig>, ControlError> {
        let _ = (table, entry);
        Err(ControlError::NoProgram)
    }

    /// Configures an entry's direct meter.
    pub fn direct_meter_write(
        &mut self,
        table: TableId,
        entry: Option<(&[KeyMatch], i32)>,
        config: Option<MeterConfig>,
        now_ns: u64,
    ) -> Result<(), ControlError> {
        let _ = (table, entry, config, now_ns);
        Err(ControlError::NoProgram)
    }

    /// One cell of a register, as long as the register is wide.
    pub fn register_read(&self, register: RegisterId, index: usize) -> Result<Vec<u8>, ControlError> {
        let _ = (register, index);
        Err(ControlError::NoProgram)
    }

    /// Sets one cell of a register.
    pub fn register_write(&mut self, register: RegisterId, index: usize, value: &[u8]) -> Result<(), ControlError> {
        let _ = (register, index, value);
        Err(ControlError::NoProgram)
    }
}
