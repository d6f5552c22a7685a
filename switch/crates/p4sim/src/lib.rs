//! A v1model switch for tests: no queues, no links, no clock. Every enqueued packet goes to egress at once.
//!
//! [`Simulator`] is the switch with that traffic manager; [`requests`] is the JSON protocol of the `p4sim` command.

pub mod requests;
mod simulator;

pub use simulator::{Sent, Simulator};

