//! Queues are not the switch's: these types describe a change for the owner of the queues.

/// A property of queues, with its new value.
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
    /// The property, with its new value.
    pub setting: QueueSetting,
    /// The port; without it, all ports.
    pub port: Option<u16>,
    /// The priority at that port; without it, all of them.
    pub priority: Option<u8>,
}
