//! Messages between control planes and switches besides packets.

/// Why the forwarding thread did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The forwarding thread has ended (a shutdown, or a failure it has logged).
    #[error("the forwarding thread has stopped")]
    Stopped,
    /// No switch of this process has that device id.
    #[error("there is no switch with device id {0}")]
    UnknownDevice(u64),
}

/// The argument of a control closure besides the switch itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlCtx {
    /// Model time in nanoseconds of CLOCK_MONOTONIC: pass it wherever `v1model` asks for `now_ns`.
    pub now_ns: u64,
}

/// Something a switch tells its controller other than a packet.
#[derive(Debug, Clone)]
pub enum SwitchEvent {
    /// The pipeline has filled a digest.
    Digest(v1model::Digest),
    /// A table entry has not been hit for its idle time.
    IdleTimeout(v1model::IdleTimeout),
}
