//! The link model: bit rate, drop-tail queue, delay, loss, lateness.

mod config;

pub use config::{LinkConfig, QueueLimit, TraceStep};
