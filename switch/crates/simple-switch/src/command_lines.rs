//! The commands: each reads its words and does what they say.

pub mod p4switch;
pub mod simple_switch;
pub mod simple_switch_cli;
pub mod simple_switch_grpc;
