//! How one direction of a link is described, in JSON and in memory.

use serde::{Deserialize, Serialize};

/// One direction of a link. Everything left out (or `null`) means "no limit": an ideal wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinkConfig {
    /// Bits a second, counted at the Ethernet frame without FCS. `None`: infinitely fast.
    pub rate_bps: Option<u64>,
    /// One-way propagation delay in microseconds (fractions allowed).
    pub delay_us: f64,
    /// How much may wait. `None`: any amount.
    pub queue: Option<QueueLimit>,
    /// Probability that a packet is lost on the wire, 0 to 1. It has taken its transmission time by then.
    pub loss: f64,
    /// Seed of the loss.
    pub seed: u64,
    /// Number of strict priorities, 1 to 8; the highest number is served first. The queue limit holds for each.
    pub priorities: u8,
    /// Changes over time, relative to the start of the engine; see [`TraceStep`].
    pub trace: Option<Vec<TraceStep>>,
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self { rate_bps: None, delay_us: 0.0, queue: None, loss: 0.0, seed: 0, priorities: 1, trace: None }
    }
}

/// Limit of a drop-tail queue. Counts what waits; the packet being sent does not count (as in ns-3 and Linux, where the
/// device holds it).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum QueueLimit {
    /// At most this many packets wait.
    Packets(u64),
    /// At most this many bytes wait.
    Bytes(u64),
}

/// From `at_ms` on, the fields given hold; the others stay as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceStep {
    /// Milliseconds since the start.
    pub at_ms: f64,
    /// New bit rate in bits a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_bps: Option<u64>,
    /// New delay in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_us: Option<f64>,
    /// New loss probability.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
}
