//! The link model: bit rate, queues and their scheduler, delay, losses, changes over time, lateness.
//!
//! One [`Link`] is one direction of a link, as a state machine over a given time. It has no clock inside, so the same
//! calls give the same result on every machine. A packet goes
//!
//! ```text
//! enqueue ─▶ queue ─▶ Dequeued (egress processing happens here) ─▶ transmit ─▶ wire (delay, loss) ─▶ Delivered
//! ```
//!
//! All times are *model* times: a packet leaves the queue at the instant the transmitter becomes free, however late
//! the caller asks. So lateness of the caller never accumulates; [`TimeHistogram`] counts it apart. `docs/links.md` explains
//! every field of a description.

mod config;
mod link;
mod loss_model;
mod losses;
mod queue;
mod random;
mod rate;
mod round_robin;
mod scheduler;
mod time_histogram;
mod trace;
mod wire;

pub use config::{Dropped, LinkConfig, LinkConfigError, PriorityQueue, QueueLimit, SharedLimit};
pub use link::{Counters, Cut, Dequeued, Event, InForce, Link};
pub use loss_model::{FilteredLoss, GilbertElliott, LossModel};
pub use queue::{Place, QueueCounters};
pub use scheduler::{Drr, Pifo, Scheduler, Wrr};
pub use time_histogram::{LatenessSummary, TimeHistogram, WaitSummary};
pub use trace::TraceStep;
