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
    /// Probability that a control message is lost besides. Which packets are control messages the caller says
    /// ([`Link::transmit_control`](crate::Link::transmit_control)); a sequence of its own decides, so that the losses of
    /// the other packets stay the same.
    pub control_loss: f64,
    /// Seed of the losses.
    pub seed: u64,
    /// Number of strict priorities, 1 to 8; the highest number is served first. The queue limit holds for each of them.
    pub priorities: u8,
    /// Changes over time, relative to the start of the engine; see [`TraceStep`].
    pub trace: Option<Vec<TraceStep>>,
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            rate_bps: None,
            delay_us: 0.0,
            queue: None,
            loss: 0.0,
            control_loss: 0.0,
            seed: 0,
            priorities: 1,
            trace: None,
        }
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

/// Why a link description cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct LinkConfigError {
    /// The JSON field, e.g. `loss` or `trace[2].rate_bps`.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

/// Longest delay taken: one hour, far above any link and far below an overflow.
const MAX_DELAY_US: f64 = 3.6e9;
/// Most strict priorities of a port, as in BMv2.
pub(crate) const MAX_PRIORITIES: u8 = 8;

impl LinkConfig {
    /// Checks ranges. `rate_bps` 0 is allowed: the link is down and what comes in waits (or is dropped).
    pub fn validate(&self) -> Result<(), LinkConfigError> {
        check_delay("delay_us", self.delay_us)?;
        check_loss("loss", self.loss)?;
        check_loss("control_loss", self.control_loss)?;
        if self.priorities == 0 || self.priorities > MAX_PRIORITIES {
            return problem("priorities", format!("must be 1 to {MAX_PRIORITIES}, not {}", self.priorities));
        }
        match self.queue {
            Some(QueueLimit::Packets(0)) => return problem("queue.packets", "must be at least 1"),
            Some(QueueLimit::Bytes(0)) => return problem("queue.bytes", "must be at least 1"),
            _ => {}
        }
        let mut previous = 0.0;
        for (index, step) in self.trace.iter().flatten().enumerate() {
            let field = |name: &str| format!("trace[{index}].{name}");
            if !step.at_ms.is_finite() || step.at_ms < previous || step.at_ms > MAX_DELAY_US {
                return problem(field("at_ms"), "must be a time that does not go backwards");
            }
            previous = step.at_ms;
            if let Some(delay_us) = step.delay_us {
                check_delay(&field("delay_us"), delay_us)?;
            }
            if let Some(loss) = step.loss {
                check_loss(&field("loss"), loss)?;
            }
        }
        Ok(())
    }

    /// Whether a packet passes through unchanged in no time.
    pub fn is_ideal(&self) -> bool {
        self.rate_bps.is_none()
            && self.delay_us == 0.0
            && self.loss == 0.0
            && self.control_loss == 0.0
            && self.trace.is_none()
    }

    /// The delay in nanoseconds.
    pub fn delay_ns(&self) -> u64 {
        us_to_ns(self.delay_us)
    }
}

pub(crate) fn us_to_ns(us: f64) -> u64 {
    // Validated to be finite, not negative and far below 2^53.
    (us * 1e3).round() as u64
}

fn check_delay(field: &str, delay_us: f64) -> Result<(), LinkConfigError> {
    if !delay_us.is_finite() || !(0.0..=MAX_DELAY_US).contains(&delay_us) {
        return problem(field, format!("must be 0 to {MAX_DELAY_US} microseconds, not {delay_us}"));
    }
    Ok(())
}

fn check_loss(field: &str, loss: f64) -> Result<(), LinkConfigError> {
    if !(0.0..=1.0).contains(&loss) {
        return problem(field, format!("is a probability, 0 to 1, not {loss}"));
    }
    Ok(())
}

fn problem<T>(field: impl Into<String>, problem: impl Into<String>) -> Result<T, LinkConfigError> {
    Err(LinkConfigError { field: field.into(), problem: problem.into() })
}
