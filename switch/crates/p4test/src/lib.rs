//! Packet tests in STF ("simple test framework"), the format of p4c's own tests. A test has the packets that go into each
//! port, those that must come out, and the table entries and other settings in between.
//!
//! [`stf`] reads a test, [`run`](runner::run) runs it on a switch without queues and links, [`compile`] turns a P4 source
//! file into the JSON the switch loads.

pub mod bmv2;
mod bmv2_messages;
pub mod command_line;
pub mod compile;
mod diff;
mod names;
pub mod runner;
pub mod stf;
pub mod target;
mod value;

#[cfg(test)]
mod tests;
