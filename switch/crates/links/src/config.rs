//! How one direction of a link is described, in JSON and in memory.

use serde::{Deserialize, Serialize};

use crate::loss_model::{FilteredLoss, LossModel};
use crate::scheduler::Scheduler;
use crate::trace::{self, TraceStep};

/// One direction of a link. Everything left out (or `null`) means "no limit": an ideal wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LinkConfig {
    /// Bits a second, counted at the Ethernet frame without FCS. `None`: infinitely fast. 0: stopped; new packets wait.
    pub rate_bps: Option<u64>,
    /// Packets a second instead, of whatever length, as BMv2's queues have it; `None`: `rate_bps` holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_pps: Option<u64>,
    /// One-way propagation delay in microseconds (fractions allowed; rounded to nanoseconds).
    pub delay_us: f64,
    /// At most this much more for each packet, drawn evenly; microseconds. No packet overtakes another.
    #[serde(skip_serializing_if = "is_zero")]
    pub jitter_us: f64,
    /// How much may wait. `None`: any amount.
    pub queue: Option<QueueLimit>,
    /// Which packets are lost on the wire. They have taken their transmission time by then.
    pub loss: LossModel,
    /// Losses of some packets alone, besides.
    pub filtered_loss: Vec<FilteredLoss>,
    /// Seed of all losses and of the jitter.
    pub seed: u64,
    /// Number of strict priorities, 1 to 8; the highest number is served first. The queue limit holds for each of them.
    pub priorities: u8,
    /// Settings of single priorities, from 0 on; the list may be shorter than `priorities`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub priority_queues: Vec<PriorityQueue>,
    /// How the next packet is chosen.
    #[serde(skip_serializing_if = "Scheduler::is_strict")]
    pub scheduler: Scheduler,
    /// How much may wait in all queues together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared_queue: Option<SharedLimit>,
    /// Whether the link works. One that does not loses everything, as a cable that is cut.
    pub up: bool,
    /// Changes over time, counted from [`Link::start_trace`](crate::Link::start_trace).
    pub trace: Option<Vec<TraceStep>>,
    /// Whether the trace begins again at the time of its last step, which then has no values.
    pub trace_repeats: bool,
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            rate_bps: None,
            rate_pps: None,
            delay_us: 0.0,
            jitter_us: 0.0,
            queue: None,
            loss: LossModel::default(),
            filtered_loss: Vec::new(),
            seed: 0,
            priorities: 1,
            priority_queues: Vec::new(),
            scheduler: Scheduler::default(),
            shared_queue: None,
            up: true,
            trace: None,
            trace_repeats: false,
        }
    }
}

/// Settings of one priority, as BMv2's queues have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriorityQueue {
    /// At most this many packets wait, whatever the link's `queue` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets: Option<u64>,
    /// At most this many packets a second leave, of whatever length: each at once when its turn comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_pps: Option<u64>,
}

/// Limits of a drop-tail queue; both hold if both are given. They count the waiting packets, without the packet being
/// sent (as in ns-3 and Linux, where the device holds it).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueLimit {
    /// At most this many packets wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets: Option<u64>,
    /// At most this many bytes wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// A limit of all queues of a port together, without the packet being sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedLimit {
    /// At most this many packets wait.
    pub packets: u64,
    /// The packet that goes when there are more.
    #[serde(default)]
    pub drops: Dropped,
}

/// The packet for which there is no room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dropped {
    /// The one that comes.
    #[default]
    Arriving,
    /// The first of the queue that has most bytes (RFC 8290, section 4.1).
    Longest,
}

impl QueueLimit {
    /// A limit in packets.
    #[must_use]
    pub fn packets(packets: u64) -> Self {
        Self { packets: Some(packets), bytes: None }
    }

    /// A limit in bytes.
    #[must_use]
    pub fn bytes(bytes: u64) -> Self {
        Self { packets: None, bytes: Some(bytes) }
    }
}

/// Why a link description cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct LinkConfigError {
    /// The JSON field, e.g. `loss` or `trace[2].rate_bps`.
    pub field: String,
    /// The problem with it.
    pub problem: String,
}

/// Longest delay taken: one hour, far above any link and far below an overflow.
const MAX_DELAY_US: f64 = 3.6e9;
/// Most strict priorities of a port, as in BMv2.
pub(crate) const MAX_PRIORITIES: u8 = 8;

impl LinkConfig {
    /// Checks ranges.
    ///
    /// # Errors
    /// The first field that is out of range, by name.
    pub fn validate(&self) -> Result<(), LinkConfigError> {
        check_delay("delay_us", self.delay_us)?;
        check_delay("jitter_us", self.jitter_us)?;
        self.loss.validate("loss")?;
        for (index, filtered) in self.filtered_loss.iter().enumerate() {
            filtered.loss.validate(&format!("filtered_loss[{index}].loss"))?;
        }
        if self.priorities == 0 || self.priorities > MAX_PRIORITIES {
            return problem("priorities", format!("must be 1 to {MAX_PRIORITIES}, not {}", self.priorities));
        }
        if self.priority_queues.len() > usize::from(self.priorities) {
            return problem("priority_queues", format!("has more than the {} of priorities", self.priorities));
        }
        for (index, queue) in self.priority_queues.iter().enumerate() {
            if queue.rate_pps == Some(0) {
                return problem(format!("priority_queues[{index}].rate_pps"), "must be at least 1");
            }
        }
        self.scheduler.validate()?;
        if !self.scheduler.is_strict() && (self.priorities != 1 || !self.priority_queues.is_empty()) {
            return problem("scheduler", "has queues of its own: leave out priorities and priority_queues");
        }
        if self.shared_queue.is_some_and(|shared| shared.packets == 0) {
            return problem("shared_queue.packets", "must be at least 1");
        }
        match self.queue {
            Some(QueueLimit { packets: Some(0), .. }) => return problem("queue.packets", "must be at least 1"),
            Some(QueueLimit { bytes: Some(0), .. }) => return problem("queue.bytes", "must be at least 1"),
            Some(QueueLimit { packets: None, bytes: None }) => {
                return problem("queue", "needs packets, bytes or both; leave the queue out for one without a limit");
            }
            _ => {}
        }
        trace::validate(self.trace.as_deref().unwrap_or_default(), self.trace_repeats)
    }

    /// Whether a packet passes through unchanged in no time.
    #[must_use]
    pub fn is_ideal(&self) -> bool {
        self.rate_bps.is_none()
            && self.rate_pps.is_none()
            && self.priority_queues.iter().all(|queue| queue.rate_pps.is_none())
            && self.delay_us == 0.0
            && self.jitter_us == 0.0
            && self.loss.is_none()
            && self.filtered_loss.iter().all(|filtered| filtered.loss.is_none())
            && self.up
            && self.trace.is_none()
    }
}

// By reference, as serde asks for it.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

pub(crate) fn us_to_ns(us: f64) -> u64 {
    // Validated to be finite, not negative and far below 2^53.
    (us * 1e3).round() as u64
}

pub(crate) fn check_delay(field: &str, delay_us: f64) -> Result<(), LinkConfigError> {
    if !(0.0..=MAX_DELAY_US).contains(&delay_us) {
        return problem(field, format!("must be 0 to {MAX_DELAY_US} microseconds, not {delay_us}"));
    }
    Ok(())
}

pub(crate) fn problem<T>(field: impl Into<String>, problem: impl Into<String>) -> Result<T, LinkConfigError> {
    Err(LinkConfigError { field: field.into(), problem: problem.into() })
}
