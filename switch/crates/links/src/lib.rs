//! The link model: bit rate, drop-tail queue, delay, loss, lateness.
//!
//! One [`Link`] is one direction of a link, as a state machine over a given time: there is no clock inside, so the same
//! calls give the same result on every machine. A packet goes
//!
//! ```text
//! enqueue ─▶ queue ─▶ Dequeued (egress processing happens here) ─▶ transmit ─▶ wire (delay, loss) ─▶ Delivered
//! ```
//!
//! All times are *model* times: a packet leaves the queue at the instant the transmitter becomes free, however late
//! the caller asks. So lateness of the caller never accumulates; [`Lateness`] counts it apart.

mod config;
mod lateness;
mod link;
mod queue;
mod rate;
mod wire;

pub use config::{LinkConfig, LinkConfigError, QueueLimit, TraceStep};
pub use lateness::{Lateness, LatenessSummary};
pub use link::{Counters, Dequeued, Event, EventKind, Link};

#[cfg(test)]
mod tests;
