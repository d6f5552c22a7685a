//! A v1model switch for tests: no links, no clock. Every enqueued packet goes to egress at once, or when it is asked to.
//!
//! [`Simulator`] is the switch with that traffic manager; [`protocol`] is the JSON that the `p4sim`
//! command reads, [`requests`] answers it.

pub mod command_line;
mod hex;
pub mod protocol;
pub mod requests;
mod simulator;

pub use simulator::{Held, Sent, Simulator};
