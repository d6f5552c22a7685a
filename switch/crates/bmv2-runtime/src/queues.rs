//! Queues are not the switch's: this says what whoever has them is to change.

/// What is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueSetting {
    /// Packets that may wait.
    DepthPackets(u32),
    /// Packets a second.
    RatePps(u64),
}

/// A change of queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueChange {
    /// What.
    pub setting: QueueSetting,
    /// Of which port; of all without.
    pub port: Option<u16>,
    /// Of which of its priorities; of all without.
    pub priority: Option<u8>,
}
