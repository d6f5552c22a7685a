//! Cells of counters and meters.

use super::error::ControlError;

/// A counter cell. Packets and bytes are always counted, whatever the counter's declared type.
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
    /// Excess burst size. If it is not 0 the meter has a single rate (RFC 2697), and the peak rate and burst do not
    /// matter. Tokens beyond the committed burst are kept up to this size, and packets that take them are yellow.
    pub eburst: u64,
}

impl MeterConfig {
    /// Checks that the rates belong together.
    ///
    /// # Errors
    /// The peak rate is below the committed one.
    pub fn check(&self) -> Result<(), ControlError> {
        if self.pir < self.cir && self.eburst == 0 {
            return Err(ControlError::Invalid("the peak rate is below the committed rate".to_owned()));
        }
        Ok(())
    }
}

/// Packets and bytes that a meter has given each colour, by [`MeterColor`].
pub type MeterCounts = [CounterValue; 3];

/// The colour that a meter gives a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeterColor {
    /// Within the committed rate.
    Green = 0,
    /// Within the peak rate.
    Yellow = 1,
    /// Beyond.
    Red = 2,
}

impl CounterValue {
    #[inline]
    pub(crate) fn add(&mut self, bytes: u32) {
        self.packets = self.packets.wrapping_add(1);
        self.bytes = self.bytes.wrapping_add(u64::from(bytes));
    }
}
